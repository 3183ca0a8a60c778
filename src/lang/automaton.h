// A regular expression or an automaton as a rule: true at a position if the automaton accepts the word up to there, so
// that the answer to a whole word is read at its last position, as everywhere. Read by automata/rule.
#pragma once

#include <optional>
#include <string>

#include "base/named_enum.h"
#include "lang/dfa.h"
#include "lang/formula.h"

namespace quench::lang {

/// How the text is written. The names are also the endings of files.
#define QUENCH_AUTOMATON_TEXTS(X) X(regex, "regex") X(dfa, "dfa") X(att, "att") X(hoa, "hoa")
QUENCH_NAMED_ENUM(AutomatonText, QUENCH_AUTOMATON_TEXTS)

struct Automaton {
  AutomatonText kind = AutomatonText::regex;
  std::string text;  ///< as it was given
  Dfa dfa;           ///< minimal
  /// What networks are made from: it says the same of every word, and whoever sets it has proved that.
  std::optional<Formula> formula;

  /// Our own format declares its alphabet, as `alphabet {…}` does for a formula; not if it says what other symbols do.
  bool closed() const {
    bool says_more = dfa.alphabet.size() == 0;
    for (State s = 0; s < dfa.size(); ++s) says_more |= dfa.next(s, dfa.other()) != kNoState;
    return kind == AutomatonText::dfa && !says_more;
  }
};

}  // namespace quench::lang
