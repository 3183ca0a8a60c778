#include "driver/compile_automaton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>

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
          "no network of constant depth computes it, unless TC0 = NC1; recipe scan has one of depth log N for words of "
          "length N"});
}

/// What is wrong with the options whatever the formula says, before any time is spent on formulas.
void check_options(const lower::RecipeOptions& options) {
  lang::Formula any;
  any.root = any.add(lang::Constant{true});
  lower::choose_recipe(any, options);
}

/// The greater the better.
struct Merit {
  std::uint64_t length = 0;  // as `comparable` has it
  std::int64_t fewer_layers = 0, fewer_heads = 0;
  friend auto operator<=>(const Merit&, const Merit&) = default;
};

Compilation compile_by(const lang::Automaton& automaton, const automata::Candidate& candidate,
                       const lower::RecipeOptions& options) {
  Compilation c = compile(candidate.formula, options);
  c.formula = c.model.source;
  c.model.source = lang::print(lang::Automaton{automaton.kind, automaton.text, {}, std::nullopt}) + c.formula;
  c.strategy = candidate.strategy;
  return c;
}

/// The best network so far, and what was passed over for it.
class Choice {
 public:
  Choice(const lang::Automaton& automaton, NumberFormat format) : automaton_(automaton), format_(format) {}

  void add(const std::vector<automata::Candidate>& formulas, const lower::RecipeOptions& options) {
    for (const automata::Candidate& candidate : formulas)
      attempt([&] { return compile_by(automaton_, candidate, options); });
  }
  void add_scan(const lower::RecipeOptions& options, const automata::Limits& limits) {
    attempt([&] {
      return compile_by_scan(automaton_, options, limits,
                             "the automaton itself, in depth log N, which reaches further than formulas");
    });
  }

  /// Whether a network of this many layers that is certified up to `length` would be better.
  bool beaten_by(std::uint64_t length, int layers) const {
    return !best_ || Merit{comparable(length), -layers, 0} > Merit{merit_.length, merit_.fewer_layers, 0};
  }

  Compilation take() {
    if (!best_) throw *refused_;
    if (best_->model.recipe != usual_recipe_)
      best_->choice = fmt::format("{} is certified up to {} in {}", usual_recipe_, usual_length_, to_string(format_));
    return std::move(*best_);
  }

 private:
  template <class Compile>
  void attempt(const Compile& compile) {
    try {
      Compilation next = compile();
      const std::uint64_t length =
          certify::certify(next.model, certify::Arithmetic::of(format_), certify::Summation::any).length;
      const Merit found{comparable(length), -static_cast<std::int64_t>(next.model.layers.size()),
                        -static_cast<std::int64_t>(next.model.head_count())};
      if (usual_recipe_.empty()) usual_recipe_ = next.model.recipe;
      if (usual_recipe_ == next.model.recipe) usual_length_ = std::max(usual_length_, length);
      if (best_ && found <= merit_) return;
      best_ = std::move(next);
      merit_ = found;
    } catch (const DiagnosticError& error) {
      if (!refused_) refused_ = error;  // that of the usual recipe says most
    }
  }

  const lang::Automaton& automaton_;
  NumberFormat format_;
  std::optional<Compilation> best_;
  Merit merit_;
  std::string usual_recipe_;  // the first that compiles a formula
  std::uint64_t usual_length_ = 0;
  std::optional<DiagnosticError> refused_;
};

/// By the recipe asked for; `auto` is also the recipes that are exact up to a length, where they are certified further.
Compilation choose(const lang::Automaton& automaton, const std::vector<automata::Candidate>& formulas,
                   const lower::RecipeOptions& options, const RegularOptions& regular) {
  Choice choice(automaton, regular.format);
  choice.add(formulas, options);
  if (options.recipe != "auto") return choice.take();
  const std::uint64_t length = std::bit_ceil(options.length.value_or(lower::kExactLength));
  lower::RecipeOptions exact = options;
  exact.recipe = "exact";
  if (choice.beaten_by(length, 1)) choice.add(formulas, exact);
  if (choice.beaten_by(length, static_cast<int>(std::bit_width(length)) - 1)) choice.add_scan(options, regular.limits);
  return choice.take();
}

/// The formulas that are compiled: the one that is known, or all that are found.
std::vector<automata::Candidate> known_formulas(const lang::Automaton& automaton, const automata::Limits& limits) {
  if (!automaton.formula) return formulas_of(automaton, limits).candidates;
  automata::Candidate known;
  known.formula = *automaton.formula;
  return {std::move(known)};
}

}  // namespace

std::uint64_t comparable(std::uint64_t length) {
  constexpr int kBits = 6;
  const int rest = std::max(static_cast<int>(std::bit_width(length)) - kBits, 0);
  return length >> rest << rest;
}

automata::Translation formulas_of(const lang::Automaton& automaton, const automata::Limits& limits) {
  std::optional<automata::Decision> decision;
  std::vector<std::string> notes;
  try {
    decision = automata::decide(automaton.dfa, limits);
  } catch (const UserError& error) {  // what is too large to be classified may still have a formula
    notes.push_back(fmt::format("the class: {}", error.what()));
  }
  if (decision && !decision->solvable) refuse_non_solvable(automaton, *decision);
  automata::Translation translation = automata::translate(automaton.dfa, decision ? decision->modulus : 1, limits);
  std::set<std::string> known;
  std::erase_if(translation.candidates,
                [&](const automata::Candidate& one) { return !known.insert(lang::print(one.formula)).second; });
  if (!translation.candidates.empty()) return translation;
  for (const automata::Refusal& refusal : translation.refusals)
    notes.push_back(fmt::format("{}: {}", refusal.strategy, refusal.why));
  refuse("no strategy gives a formula for this language", std::move(notes));
}

Compilation compile_by_scan(const lang::Automaton& automaton, lower::RecipeOptions options,
                            const automata::Limits& limits, const std::string& why) {
  options.recipe = "scan";
  Compilation c = compile(automaton.dfa, options, {limits.scan_states, limits.scan_units});
  c.model.source = lang::print(lang::Automaton{automaton.kind, automaton.text, {}, std::nullopt});
  c.strategy = why;
  return c;
}

Compilation compile(const lang::Automaton& automaton, const lower::RecipeOptions& options,
                    const RegularOptions& regular) {
  if (options.recipe == "scan")
    return compile_by_scan(automaton, options, regular.limits, "the automaton itself, in depth log N");
  check_options(options);
  const auto instead = [&](const std::runtime_error& error) {
    if (options.recipe != "auto") throw;
    return compile_by_scan(automaton, options, regular.limits,
                           fmt::format("the automaton itself, in depth log N, since {}", error.what()));
  };
  std::vector<automata::Candidate> formulas;
  try {
    formulas = known_formulas(automaton, regular.limits);
  } catch (const DiagnosticError& error) {
    return instead(error);
  } catch (const UserError& error) {
    return instead(error);
  }
  return choose(automaton, formulas, options, regular);
}

lang::Rule settled(const lang::Rule& rule, const lower::RecipeOptions& options, const RegularOptions& regular) {
  const auto* automaton = std::get_if<lang::Automaton>(&rule);
  if (!automaton || automaton->formula) return rule;
  const Compilation chosen = compile(*automaton, options, regular);
  return automata::read_description(chosen.model.source, regular.limits);
}

RuleCompiler::RuleCompiler(const lang::Rule& rule, const RegularOptions& regular) : rule_(rule), regular_(regular) {
  const auto* automaton = std::get_if<lang::Automaton>(&rule);
  if (!automaton) return;
  try {
    formulas_ = known_formulas(*automaton, regular.limits);
  } catch (const DiagnosticError& error) {
    no_formula_ = error;
  } catch (const UserError& error) {
    no_formula_ = DiagnosticError({Diagnostic{"E110", error.what(), {}, {}}});
  }
}

Compilation RuleCompiler::operator()(const lower::RecipeOptions& options) const {
  const auto* automaton = std::get_if<lang::Automaton>(&rule_);
  if (!automaton || options.recipe == "scan") return compile(rule_, options, regular_);
  if (no_formula_) throw *no_formula_;
  Choice choice(*automaton, regular_.format);
  choice.add(formulas_, options);
  return choice.take();
}

}  // namespace quench::driver
