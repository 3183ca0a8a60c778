// Which logic a regular language needs, and so which transformers there are for it. The classes are those of the
// transition monoid M of the minimal automaton, S being its elements that non-empty words have, e its idempotents:
//
//   definite              s·e = e in S                 the last few symbols decide
//   reverse definite      e·s = e in S                 the first few
//   piecewise testable    M is J-trivial               which scattered subwords there are
//   R-trivial             M is R-trivial               past operators only, no `prev`
//   locally testable      each e·S·e is a semilattice  which factors there are
//   DA                    regular elements are idempotent    two variables, FO²[<]
//   aperiodic             M has no group but {1}       LTL, star-free
//   quasi-aperiodic       no set of all words of one length has one     LTL with positions modulo s; regular ∩ AC⁰
//   solvable              all groups in M are solvable LTL with counts modulo m
//   non-solvable          some group is not            no constant depth is known, and none exists unless TC⁰ = NC¹
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "automata/limits.h"
#include "lang/dfa.h"

namespace quench::automata {

/// In the order of the table above: each language belongs to the first that fits.
enum class LanguageClass : std::uint8_t {
  definite,
  reverse_definite,
  piecewise_testable,
  r_trivial,
  locally_testable,
  da,
  aperiodic,
  quasi_aperiodic,
  solvable,
  non_solvable,
};
std::string_view name(LanguageClass language_class);
/// The logic that defines the languages of the class, in a few words.
std::string_view logic(LanguageClass language_class);

/// Not aperiodic: the word takes each state to the next and the last to the first, and there are at least two.
struct CycleWitness {
  Word word;
  std::vector<lang::State> states;
};
/// Not quasi-aperiodic: two words of one length, the first like a CycleWitness, the second leaving these states alone.
/// So no set of positions, whatever they are modulo, tells them apart.
struct EqualLengthWitness {
  Word turning, standing;
  std::vector<lang::State> states;
};
/// Not solvable: the words permute the states, and the group they generate is its own derived group and not trivial.
struct PerfectGroupWitness {
  std::vector<Word> words;
  std::vector<lang::State> states;
};

struct Decision {
  std::size_t states = 0;   ///< of the minimal automaton, without the sink
  std::size_t letters = 0;  ///< that differ in what they do
  std::size_t monoid = 0;   ///< elements of its transition monoid
  std::size_t j_classes = 0, idempotents = 0;
  std::size_t largest_group = 1;  ///< the order of the largest group in the monoid
  bool accepts_empty_word = false;

  bool definite = false, reverse_definite = false, j_trivial = false, r_trivial = false, l_trivial = false,
       locally_testable = false, da = false, aperiodic = false, quasi_aperiodic = false, solvable = false;
  /// The least s for which LTL with positions modulo s defines the language; 1 if aperiodic, 0 if there is none.
  std::size_t modulus = 0;
  LanguageClass language_class = LanguageClass::non_solvable;

  /// Each where the answer is no, over the states of the minimal automaton.
  std::optional<CycleWitness> not_aperiodic;
  std::optional<EqualLengthWitness> not_quasi_aperiodic;
  std::optional<PerfectGroupWitness> not_solvable;
};

/// Throws UserError beyond the limits.
Decision decide(const lang::Dfa& dfa, const Limits& limits = {});

}  // namespace quench::automata
