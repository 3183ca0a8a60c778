#include "cli/commands/prove/prove.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "certified/origin.h"
#include "driver/exact_difference.h"
#include "lang/looks_right.h"

namespace quench::cli {
namespace {

/// The rule that the weights were made from: of an automaton its formula. Whoever hands in a model file may have
/// changed either, so the one is made again and compared.
lang::Rule rule_behind(const LoadedModel& loaded, const automata::Limits& limits) {
  lang::Rule rule;
  if (loaded.from_file) {
    certified::Origin origin = certified::origin_of(loaded.model);
    if (!origin.compiled()) throw UserError("--prove: " + origin.why_not);
    rule = std::move(*origin.rule);
  } else {
    rule = driver::parse_rule(loaded.model.source, "", limits);
  }
  if (auto* automaton = std::get_if<lang::Automaton>(&rule); automaton && automaton->formula)
    return std::move(*automaton->formula);
  return rule;
}

}  // namespace

void prove(const LoadedModel& loaded, const lang::Rule& rule, const automata::Limits& limits, bool as_json) {
  const lang::Rule behind = rule_behind(loaded, limits);
  const auto found = driver::exact_difference(rule, behind, limits);
  const bool looks_right = lang::looks_right(rule) || lang::looks_right(behind);
  const std::string where = looks_right ? "at the last position" : "at every position";
  if (as_json) {
    nlohmann::ordered_json json{{"proved", !found}, {"recipe", loaded.model.recipe}, {"counterexample", nullptr}};
    if (found)
      json["counterexample"] = {{"word", found->symbols.print(found->word)},
                                {"position", found->word.size()},
                                {"expected", found->first_accepts ? 1 : 0},
                                {"got", found->first_accepts ? 0 : 1}};
    print(json.dump() + "\n");
  } else if (found) {
    print(fmt::format("counterexample: '{}' at position {}: the rule says {}, what the model was made from {}\n",
                      found->symbols.print(found->word), found->word.size(), found->first_accepts ? 1 : 0,
                      found->first_accepts ? 0 : 1));
  } else {
    print(fmt::format("proved: the weights are what recipe {} makes of {} that says what the rule says, {} of all "
                      "words\n(for words up to which length in which number format: quench certify)\n",
                      loaded.model.recipe,
                      std::holds_alternative<lang::Automaton>(behind) ? "an automaton" : "a formula", where));
  }
  if (found) throw NegativeFinding();
}

}  // namespace quench::cli
