#include <quench/decide.h>

#include "api/convert.h"
#include "api/inside.h"
#include "driver/architectures.h"
#include "driver/language_of.h"

namespace quench::api {

Decision decide(const Rule& rule, const DecideOptions& options) {
  const Rule::Inside& source = rule.inside();
  return diagnosed(source.text, source.name, [&] {
    const driver::Verdict verdict =
        driver::judge(driver::language_of(source.rule), {{}, inside(options.format)}, options.networks);
    const automata::Decision& found = verdict.decision;
    Decision decision;
    decision.states = found.states;
    decision.monoid = found.monoid;
    decision.language_class = automata::name(found.language_class);
    decision.logic = automata::logic(found.language_class);
    decision.aperiodic = found.aperiodic;
    decision.quasi_aperiodic = found.quasi_aperiodic;
    decision.solvable = found.solvable;
    if (found.quasi_aperiodic) decision.modulus = found.modulus;
    for (const driver::Architecture& row : verdict.architectures) {
      Architecture one{row.name, row.possible, std::string(quench::name_of(row.kind)), row.reason, std::nullopt, ""};
      if (row.network) one.certified = row.network->certified, one.formula = row.network->formula;
      decision.architectures.push_back(std::move(one));
    }
    return decision;
  });
}

}  // namespace quench::api
