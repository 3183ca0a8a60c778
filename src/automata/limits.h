// How much may be spent on a language before we say that it is too much. Each limit that is reached is a UserError that
// names it; nothing here runs on and on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace quench::automata {

struct Limits {
  std::size_t states = 100'000;         ///< of an automaton that is read or constructed
  std::size_t transitions = 5'000'000;  ///< of the same: states times letters
  std::size_t length = 1'000'000;       ///< bytes of the text of a regular expression
  std::size_t expression = 1'000'000;   ///< parts of the regular expressions that derivatives make
  std::size_t repetition = 1'000;       ///< the largest number in r{m,n}
  std::size_t nesting = 1'000;          ///< brackets within brackets in a regular expression
  std::size_t monoid = 100'000;         ///< elements of the transition monoid
  std::size_t modulus = 1'000;          ///< the largest modulus of positions that is tried
  std::size_t group = 20'000;           ///< elements of a group whose derived series is asked for
  std::size_t progression = 1'000'000;  ///< states of a formula
  std::size_t guesses = 12;             ///< operators of a formula that look to the right
  std::size_t configurations = 20'000;  ///< states with labels, in the decomposition of an automaton
  std::size_t image_sets = 20'000;      ///< sets of states that words lead to, in the same
  std::size_t formula = 50'000;         ///< nodes of a formula that is made from an automaton
  std::size_t classification = 1'000'000'000;  ///< steps of finding the class of a language
  std::size_t translation = 200'000'000;       ///< steps of decomposing an automaton, for each strategy
  std::size_t proof = 100'000'000;             ///< nodes worked out to prove a formula equal to an automaton
  std::size_t shrinking = 30'000'000;          ///< the same to find smaller formulas: reaching it only ends the search
  std::size_t scan_states = 512;               ///< of an automaton that is compiled by recipe scan
  std::size_t scan_units = 50'000;             ///< hidden units in a layer of the same
};

/// By name, as errors and the command line call them.
struct NamedLimit {
  std::string_view name;
  std::size_t Limits::*value;
};
inline constexpr NamedLimit kNamedLimits[] = {
    {"states", &Limits::states},         {"transitions", &Limits::transitions},
    {"length", &Limits::length},         {"expression", &Limits::expression},
    {"repetition", &Limits::repetition}, {"nesting", &Limits::nesting},
    {"monoid", &Limits::monoid},         {"modulus", &Limits::modulus},
    {"group", &Limits::group},           {"progression", &Limits::progression},
    {"guesses", &Limits::guesses},       {"configurations", &Limits::configurations},
    {"image_sets", &Limits::image_sets}, {"formula", &Limits::formula},
    {"classification", &Limits::classification}, {"translation", &Limits::translation},
    {"proof", &Limits::proof},           {"shrinking", &Limits::shrinking},
    {"scan_states", &Limits::scan_states}, {"scan_units", &Limits::scan_units},
};
static_assert(sizeof kNamedLimits / sizeof kNamedLimits[0] * sizeof(std::size_t) == sizeof(Limits), "each has a name");

/// "more than 100000 states (limit `states`)": what every error about a limit says.
[[noreturn]] inline void over_limit(const std::string& what, const char* limit, std::size_t value) {
  throw UserError(what + ": more than " + std::to_string(value) + " (the limit `" + limit + "`; --limit " +
                  limit + "=N raises it)");
}

/// Steps that a search may take.
class Budget {
 public:
  Budget(std::size_t steps, const char* limit, const char* what)
      : steps_(steps), left_(steps), limit_(limit), what_(what) {}
  void spend(std::size_t steps) {
    if (steps > left_) over_limit(what_, limit_, steps_);
    left_ -= steps;
  }
  std::size_t left() const { return left_; }

 private:
  std::size_t steps_, left_;
  const char *limit_, *what_;
};

inline void check_limit(std::size_t count, std::size_t most, const char* limit, const char* what) {
  if (count > most) over_limit(what, limit, most);
}

}  // namespace quench::automata
