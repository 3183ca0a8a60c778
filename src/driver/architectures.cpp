#include "driver/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "automata/classify/witness_check.h"
#include "automata/machine/minimise.h"
#include "base/error.h"
#include "base/overloaded.h"
#include "certify/certify.h"
#include "driver/compile_automaton.h"
#include "lang/operators.h"
#include "lang/print/print.h"

namespace quench::driver {
namespace {

/// The logics of the rows: the past alone, with positions modulo s, with counts.
enum class Logic : std::uint8_t { past, positions, counts };

Logic logic_of(const lang::Formula& formula) {
  Logic widest = Logic::past;
  const std::vector<bool> used = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!used[k]) continue;
    const lang::Node& node = formula[lang::FormulaId(k)];
    if (std::holds_alternative<lang::PositionPredicate>(node)) widest = std::max(widest, Logic::positions);
    if (std::holds_alternative<lang::Comparison>(node) || std::holds_alternative<lang::CountPredicate>(node))
      widest = Logic::counts;
  }
  return widest;
}

struct Known {
  Logic logic;
  KnownNetwork network;
};

/// The formulas of the language as networks; or why there are none.
struct KnownNetworks {
  std::vector<Known> all;
  std::string why_not, recipe;
  std::optional<KnownNetwork> scan;  ///< without a formula, in depth log N
  std::string why_no_scan;
};

Known known_network(const automata::Candidate& candidate, NumberFormat format) {
  const model::Transformer model = compile(candidate.formula).model;
  const auto length = certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length;
  return {logic_of(candidate.formula),
          {candidate.strategy, lang::print(candidate.formula), model.recipe, model.layers.size(), model.head_count(),
           length}};
}

/// The first of the paper's recipes, in the order of their table, that covers a formula of the language.
std::string narrowest_recipe(const automata::Translation& translation) {
  lower::RecipeOptions paper;
  paper.recipe = "paper";
  const lower::Recipe* narrowest = nullptr;  // all are in one table
  for (const automata::Candidate& candidate : translation.candidates) {
    const lower::Recipe* recipe = &lower::choose_recipe(candidate.formula, paper);
    if (!narrowest || recipe < narrowest) narrowest = recipe;
  }
  return std::string(narrowest->name);
}

void find_scan(const lang::Automaton& automaton, const RegularOptions& options, KnownNetworks& known) {
  try {
    const model::Transformer model = compile_by_scan(automaton, {}, options.limits, "").model;
    const auto length = certify::certify(model, certify::Arithmetic::of(options.format), certify::Summation::any).length;
    known.scan = {"scan", "", model.recipe, model.layers.size(), model.head_count(), length};
  } catch (const DiagnosticError& error) {
    known.why_no_scan = error.what();
  }
}

KnownNetworks known_networks(const lang::Dfa& dfa, const automata::Decision& decision, const RegularOptions& options) {
  KnownNetworks known;
  lang::Automaton automaton;
  automaton.dfa = dfa;
  find_scan(automaton, options, known);
  if (!decision.solvable) return known;
  try {
    const automata::Translation translation = formulas_of(automaton, options.limits);
    for (const automata::Candidate& candidate : translation.candidates)
      known.all.push_back(known_network(candidate, options.format));
    known.recipe = narrowest_recipe(translation);
  } catch (const DiagnosticError& error) {
    known.why_not = error.what();
    for (const std::string& note : error.diagnostics.front().notes) known.why_not += "; " + note;
  } catch (const UserError& error) {
    known.why_not = error.what();
  }
  return known;
}

std::optional<KnownNetwork> best_within(const KnownNetworks& known, Logic widest) {
  const auto rank = [](const KnownNetwork& one) { return std::tuple(comparable(one.certified), ~one.layers, ~one.heads); };
  std::optional<KnownNetwork> best;
  for (const Known& one : known.all)
    if (one.logic <= widest && (!best || rank(one.network) > rank(*best))) best = one.network;
  return best;
}

/// Yes, with the best network of a logic if there is one, otherwise because a theorem says so.
Architecture yes(std::string name, std::string theorem, std::optional<KnownNetwork> network,
                 const std::string& why_not) {
  const AnswerKind kind = network ? AnswerKind::network : AnswerKind::theorem;
  if (!network && !why_not.empty()) theorem += "; no network of ours: " + why_not;
  return {std::move(name), true, kind, std::move(theorem), std::move(network)};
}

Architecture no(std::string name, AnswerKind kind, std::string theorem) {
  return {std::move(name), false, kind, std::move(theorem), std::nullopt};
}

std::vector<Architecture> rows(const automata::Decision& d, const KnownNetworks& known) {
  constexpr auto kAlways = AnswerKind::unconditional;
  const std::string fixed = "fixed precision, no positions", hard = "hard attention",
                    phases = d.modulus > 1 ? fmt::format("hard attention, positions mod {}", d.modulus)
                                           : "hard attention, positions mod s",
                    soft = "softmax with temperature, constant depth";
  const std::string li = "Li and Cotterell 2025: exactly the R-trivial languages",
                    yang = "Yang, Chiang and Angluin 2024: exactly the aperiodic languages",
                    barrington =
                        "Barrington, Compton, Straubing and Therien 1992: exactly the quasi-aperiodic languages",
                    straubing = "counts modulo m define exactly the solvable languages (Straubing 1994)";
  std::vector<Architecture> found;
  // Our recipes have position encodings, so none of their networks is one of this row.
  found.push_back(d.r_trivial ? yes(fixed, li, std::nullopt, "") : no(fixed, kAlways, li));
  found.push_back(d.aperiodic ? yes(hard, yang, best_within(known, Logic::past), known.why_not)
                              : no(hard, kAlways, yang));
  found.push_back(d.quasi_aperiodic ? yes(phases, barrington, best_within(known, Logic::positions), known.why_not)
                                    : no(phases, kAlways, barrington));
  found.push_back(d.solvable ? yes(soft, straubing, best_within(known, Logic::counts), known.why_not)
                             : no(soft, AnswerKind::conditional, "the word problem of the group is NC1-complete (Barrington 1989)"));
  found.push_back(yes("depth log n", "Liu et al. 2023: every automaton", known.scan, known.why_no_scan));
  return found;
}

template <class Witness>
void check(const lang::Dfa& minimal, const std::optional<Witness>& witness) {
  if (witness) QUENCH_ASSERT(automata::holds(minimal, *witness));
}

}  // namespace

Verdict judge(const lang::Dfa& dfa, const RegularOptions& options, bool networks) {
  Verdict verdict;
  verdict.minimal = automata::minimise(dfa);
  verdict.decision = automata::decide(dfa, options.limits);
  const automata::Decision& decision = verdict.decision;
  verdict.not_r_trivial = automata::find_return(verdict.minimal);
  QUENCH_ASSERT(verdict.not_r_trivial.has_value() != decision.r_trivial);
  check(verdict.minimal, verdict.not_r_trivial);
  check(verdict.minimal, decision.not_aperiodic);
  check(verdict.minimal, decision.not_quasi_aperiodic);
  check(verdict.minimal, decision.not_solvable);
  const KnownNetworks known = networks ? known_networks(verdict.minimal, decision, options) : KnownNetworks{};
  verdict.architectures = rows(decision, known);
  verdict.recipe = known.recipe;
  return verdict;
}

}  // namespace quench::driver
