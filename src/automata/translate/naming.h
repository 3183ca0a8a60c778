// Formulas for people: names for parts that say what they mean to the automaton, and comments on how the formula came
// about.
#pragma once

#include <string>

#include "automata/translate/translate.h"

namespace quench::automata {

/// The formula with names. A part that holds in certain states and in no others is named by these: `in_b` is true in
/// the state after the word b, `in_b_or_ab` in two states, `in_states_2` in one of several that a comment lists. What
/// is no such set is named by what it is: `since_1`, `count_2`. Names mean nothing: the formula is the same.
struct Named {
  lang::Formula formula;
  std::vector<std::string> comments;  ///< on the names, one line each
};
Named with_names(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits = {});

/// A text that is parsed as the candidate's formula: comments with the decomposition, then definitions and the rule.
std::string text_for_people(const Candidate& candidate, const lang::Dfa& dfa, const Limits& limits = {});

}  // namespace quench::automata
