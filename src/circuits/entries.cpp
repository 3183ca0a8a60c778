#include "circuits/entries.h"

#include <array>

#include "base/error.h"
#include "campaign/library.h"
#include "driver/compile.h"

namespace quench::circuits {
namespace {

constexpr std::array kEntries{
    Entry{"formulas", "tomita_1.tl", How::usual, "one head, one feed-forward: the least there is"},
    Entry{"programs", "bigram_model.brasp", How::exact, "the next symbol from the last two"},
    Entry{"formulas", "abab_star.tl", How::usual, "the parity of the position beside the symbol"},
    Entry{"formulas", "zero_then_twos.tl", How::usual, "two heads side by side"},
    Entry{"formulas", "majority.tl", How::usual, "counting: attention that averages"},
    Entry{"formulas", "first.tl", How::usual, "what stands at the first position, kept to the end"},
    Entry{"programs", "shift_by_2.brasp", How::exact, "a symbol carried two places"},
    Entry{"formulas", "contains_ab.tl", How::usual, "two heads one after the other"},
    Entry{"formulas", "even_pairs.tl", How::usual, "the first symbol beside the last"},
    Entry{"formulas", "ab_star.tl", How::usual, "a condition on every pair of neighbours"},
    Entry{"programs", "detect_pattern.brasp", How::exact, "a pattern of three symbols"},
    Entry{"formulas", "a_to_e.tl", How::usual, "five symbols in order"},
    Entry{"formulas", "gram_110_end.tl", How::usual, "a chain of two predecessors"},
    Entry{"formulas", "gram_110_past.tl", How::usual, "a chain of three heads"},
    Entry{"automata", "no_three_as.regex", How::usual, "a regular expression"},
    Entry{"formulas", "tomita_4.tl", How::usual, "no three zeros: a chain that must not be there"},
    Entry{"programs", "flip_flop.brasp", How::exact, "the memory of one bit as a program"},
    Entry{"formulas", "tomita_7.tl", How::usual, "four heads in four layers"},
    Entry{"formulas", "induction_head.tl", How::usual, "an induction head as a formula"},
    Entry{"formulas", "a_n_b_n.tl", How::usual, "order and counts together"},
    Entry{"formulas", "dyck_1.tl", How::usual, "a count that must never be negative"},
    Entry{"automata", "flip_flop.dfa", How::usual, "the memory of one bit as an automaton"},
    Entry{"formulas", "flip_flop.tl", How::usual, "a memory of one bit"},
    Entry{"formulas", "parity_odd.tl", How::exact, "parity: every symbol matters"},
    Entry{"programs", "induction_head.brasp", How::exact, "the induction head, in symbols"},
    Entry{"formulas", "c_ab_abd.tl", How::usual, "a pattern before a pattern"},
    Entry{"formulas", "shuffle_dyck_2.tl", How::usual, "two counts at once"},
    Entry{"automata", "mod_3_counter.dfa", How::exact, "a count modulo three, up and down"},
    Entry{"automata", "parity.dfa", How::exact, "parity, by an automaton"},
    Entry{"formulas", "a_n_b_n_c_n.tl", How::usual, "three counts and an order"},
    Entry{"formulas", "d_2.tl", How::usual, "nesting of depth two"},
    Entry{"programs", "shuffle_dyck_2.srasp", How::exact, "two counts, as sums"},
    Entry{"automata", "dyck_1_depth_3.regex", How::usual, "six layers from a regular expression"},
    Entry{"formulas", "k_hop_2.tl", How::usual, "two hops of an induction head as a formula"},
    Entry{"formulas", "tomita_3.tl", How::usual, "six layers"},
    Entry{"programs", "associative_recall.brasp", How::exact, "keys and their values"},
    Entry{"programs", "k_hop_2.brasp", How::exact, "two hops"},
    Entry{"formulas", "dyck_2_depth_2.tl", How::usual, "two kinds of brackets, nested"},
    Entry{"programs", "dyck_1.srasp", How::exact, "brackets by their depth"},
    Entry{"programs", "k_hop_3.brasp", How::exact, "three hops"},
};

}  // namespace

std::string Entry::name() const {
  std::string stem(file.substr(0, file.find('.')));
  return folder == "formulas" ? stem : stem + '-' + std::string(kind());
}

std::string_view Entry::kind() const {
  return folder == "formulas" ? "formula" : folder == "programs" ? "program" : "automaton";
}

std::string_view Entry::text() const {
  for (const campaign::NamedText& example : campaign::examples(folder))
    if (example.name == file) return example.text;
  throw InternalError("no such example: " + std::string(file));
}

lang::Rule Entry::rule() const { return driver::parse_rule(text(), file); }

lower::RecipeOptions Entry::options() const {
  lower::RecipeOptions options;
  options.decoder = options.unshared = true;
  if (how == How::exact) {
    options.recipe = "exact";
    options.length = kContext;
  }
  return options;
}

std::span<const Entry> entries() { return kEntries; }

}  // namespace quench::circuits
