// Automaton → formula over the past, so that causal networks can compute it: true at a position if the automaton
// accepts the word up to there.
//
// Birkhoff: states that have to be told apart are told apart by subdirectly irreducible quotients, each above those
// that tell its fibres apart. Eilenberg: each quotient is decomposed into levels of labels that letters reset or
// permute (decompose/holonomy.h). Permutations in solvable groups are counts modulo prime powers (groups/group_word.h).
// What comes out is proved equal to the automaton on all words, and only then returned; then it is shrunk, under proof
// again.
#pragma once

#include <string>
#include <vector>

#include "automata/limits.h"
#include "automata/translate/decompose/base_variables.h"
#include "automata/translate/shrink/shrink.h"
#include "lang/dfa.h"
#include "lang/formula.h"

namespace quench::automata {

struct Candidate {
  std::string strategy;   ///< "positions mod 2", "folding, potential" …
  lang::Formula formula;  ///< proved
  FormulaSize size;
  std::vector<std::string> decomposition;  ///< what the automaton was taken apart into, a line each
};
struct Refusal {
  std::string strategy, why;
};

struct TranslationOptions {
  bool closed = false;  ///< words have the listed symbols only: the formula declares its alphabet, and need not say so
  bool first = true;  ///< the formula may ask whether a position is the first one, which takes an encoding of positions
};

struct Translation {
  std::vector<Candidate> candidates;  ///< the smallest first
  std::vector<Refusal> refusals;      ///< strategies that gave nothing, and why
};

/// With the modulus of classify/decision.h, 0 if there is none. The empty word is left out: a formula needs a position.
Translation translate(const lang::Dfa& dfa, std::size_t modulus, const Limits& limits = {},
                      const TranslationOptions& options = {});

/// One strategy, proved but not shrunk; what the automaton was taken apart into is appended to `decomposition`, if
/// there is one. Throws UserError where it gives nothing.
lang::Formula translate_by(const lang::Dfa& minimal, const Strategy& strategy, const Limits& limits = {},
                           const TranslationOptions& options = {}, std::vector<std::string>* decomposition = nullptr);

}  // namespace quench::automata
