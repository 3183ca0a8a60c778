#include "automata/classify/decision.h"

#include <algorithm>

#include "automata/classify/varieties.h"
#include "automata/classify/witness_search.h"
#include "automata/machine/minimise.h"
#include "base/error.h"

namespace quench::automata {
namespace {

struct Row {
  LanguageClass language_class;
  std::string_view name, logic;
};
constexpr Row kRows[] = {
    {LanguageClass::definite, "definite", "`prev` alone: a window at the end"},
    {LanguageClass::reverse_definite, "reverse definite", "a window at the beginning"},
    {LanguageClass::piecewise_testable, "piecewise testable", "scattered subwords: O and H, with one symbol at a time"},
    {LanguageClass::r_trivial, "R-trivial", "O and H: the past without `prev`"},
    {LanguageClass::locally_testable, "locally testable", "O and H of windows"},
    {LanguageClass::da, "DA", "two variables, FO2[<]"},
    {LanguageClass::aperiodic, "aperiodic", "LTL: star-free"},
    {LanguageClass::quasi_aperiodic, "quasi-aperiodic", "LTL with positions modulo s"},
    {LanguageClass::solvable, "solvable", "LTL with counts modulo m"},
    {LanguageClass::non_solvable, "non-solvable", "none of these"},
};

const Row& row(LanguageClass language_class) {
  for (const Row& candidate : kRows)
    if (candidate.language_class == language_class) return candidate;
  internal_error("every class has a row", __FILE__, __LINE__);
}

LanguageClass narrowest(const Decision& d) {
  const std::pair<bool, LanguageClass> in_order[] = {
      {d.definite, LanguageClass::definite},
      {d.reverse_definite, LanguageClass::reverse_definite},
      {d.j_trivial, LanguageClass::piecewise_testable},
      {d.r_trivial, LanguageClass::r_trivial},
      {d.locally_testable, LanguageClass::locally_testable},
      {d.da, LanguageClass::da},
      {d.aperiodic, LanguageClass::aperiodic},
      {d.quasi_aperiodic, LanguageClass::quasi_aperiodic},
      {d.solvable, LanguageClass::solvable},
  };
  for (const auto& [holds, language_class] : in_order)
    if (holds) return language_class;
  return LanguageClass::non_solvable;
}

}  // namespace

std::string_view name(LanguageClass language_class) { return row(language_class).name; }
std::string_view logic(LanguageClass language_class) { return row(language_class).logic; }

Decision decide(const lang::Dfa& dfa, const Limits& limits) {
  const lang::Dfa minimal = minimise(dfa);
  const TransitionMonoid monoid(minimal, limits);
  const Green green(monoid);
  Budget budget(limits.classification, "classification", "steps of finding the class of a language");
  Decision d;
  d.states = minimal.size();
  d.letters = monoid.generators().size();
  d.monoid = monoid.size();
  d.j_classes = green.j_classes;
  d.idempotents = green.idempotents.size();
  d.accepts_empty_word = minimal.accepts({});

  d.definite = is_definite(monoid, green);
  d.reverse_definite = is_reverse_definite(monoid, green);
  d.j_trivial = green.j_trivial();
  d.r_trivial = green.r_trivial();
  d.l_trivial = green.l_trivial();
  d.locally_testable = is_locally_testable(monoid, green, budget);
  d.da = is_da(monoid, green);
  d.aperiodic = green.h_trivial();
  d.modulus = d.aperiodic ? 1 : least_modulus(monoid, green, limits, budget);
  d.quasi_aperiodic = d.modulus > 0;
  if (!d.aperiodic) d.not_aperiodic = find_cycle(minimal, monoid, green);
  if (!d.quasi_aperiodic) d.not_quasi_aperiodic = find_equal_lengths(minimal, monoid, green, budget);
  const GroupSearch groups = search_groups(minimal, monoid, green, limits, budget);
  d.largest_group = groups.largest;
  d.not_solvable = groups.perfect;
  d.solvable = !d.not_solvable;
  d.language_class = narrowest(d);
  return d;
}

}  // namespace quench::automata
