#include "driver/compile_automaton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <tuple>

#include "automata/classify/decision.h"
#include "automata/rule/read_rule.h"
#include "certify/certify.h"
#include "lang/print/print.h"
#include "lang/print/print_rule.h"

namespace quench::driver {
namespace {

[[noreturn]] void refuse(std::string message, std::vector<std::string> notes) {
  throw DiagnosticError({Diagnostic{"E110", std::move(message), {}, std::move(notes)}});
}

[[noreturn]] void refuse_non_solvable(const lang::Automaton& automaton, const automata::Decision& decision) {
  std::vector<std::string> words;
  for (const Word& word : decision.not_solvable->words) words.push_back(automaton.dfa.alphabet.print(word));
  refuse("no formula defines this language: a group in it is not solvable",
         {fmt::format("the group permutes {} states, and these words generate it: {}",
                      decision.not_solvable->states.size(), fmt::join(words, ", ")),
          "no network of constant depth computes it, unless TC0 = NC1; `quench decide` says more"});
}

/// What is wrong with the options whatever the formula says, before any time is spent on formulas.
void check_options(const lower::RecipeOptions& options) {
  lang::Formula any;
  any.root = any.add(lang::Constant{true});
  lower::choose_recipe(any, options);
}

/// The greater the better.
auto merit(const model::Transformer& model, NumberFormat format) {
  const auto length = certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length;
  return std::tuple(length, -static_cast<std::int64_t>(model.layers.size()),
                    -static_cast<std::int64_t>(model.head_count()));
}

Compilation compile_by(const lang::Automaton& automaton, const lang::Formula& formula,
                       const lower::RecipeOptions& options) {
  Compilation c = compile(formula, options);
  c.formula = c.model.source;
  c.model.source = lang::print(lang::Automaton{automaton.kind, automaton.text, {}, std::nullopt}) + c.formula;
  return c;
}

}  // namespace

automata::Translation formulas_of(const lang::Automaton& automaton, const automata::Limits& limits) {
  const automata::Decision decision = automata::decide(automaton.dfa, limits);
  if (!decision.solvable) refuse_non_solvable(automaton, decision);
  automata::Translation translation = automata::translate(automaton.dfa, decision.modulus, limits);
  std::set<std::string> known;
  std::erase_if(translation.candidates,
                [&](const automata::Candidate& one) { return !known.insert(lang::print(one.formula)).second; });
  if (!translation.candidates.empty()) return translation;
  std::vector<std::string> notes;
  for (const automata::Refusal& refusal : translation.refusals)
    notes.push_back(fmt::format("{}: {}", refusal.strategy, refusal.why));
  refuse("no strategy gives a formula for this language", std::move(notes));
}

Compilation compile_best(const lang::Automaton& automaton, const automata::Translation& translation,
                         const lower::RecipeOptions& options, NumberFormat format) {
  std::optional<Compilation> best;
  std::optional<decltype(merit(best->model, format))> best_merit;
  std::optional<DiagnosticError> uncovered;
  for (const automata::Candidate& candidate : translation.candidates) {
    try {
      Compilation next = compile_by(automaton, candidate.formula, options);
      next.strategy = candidate.strategy;
      const auto next_merit = merit(next.model, format);
      if (best_merit && next_merit <= *best_merit) continue;
      best = std::move(next);
      best_merit = next_merit;
    } catch (const DiagnosticError& error) {
      if (!uncovered) uncovered = error;
    }
  }
  if (!best) throw *uncovered;
  return std::move(*best);
}

Compilation compile(const lang::Automaton& automaton, const lower::RecipeOptions& options,
                    const RegularOptions& regular) {
  // A construction that takes the automaton itself and needs no formula has its place here, by the name of its recipe.
  if (automaton.formula) return compile_by(automaton, *automaton.formula, options);
  check_options(options);
  return compile_best(automaton, formulas_of(automaton, regular.limits), options, regular.format);
}

lang::Rule settled(const lang::Rule& rule, const lower::RecipeOptions& options, const RegularOptions& regular) {
  const auto* automaton = std::get_if<lang::Automaton>(&rule);
  if (!automaton || automaton->formula) return rule;
  const Compilation chosen = compile(*automaton, options, regular);
  return automata::read_description(chosen.model.source, regular.limits);
}

}  // namespace quench::driver
