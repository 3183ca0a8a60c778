#include "verify/verify.h"

#include "verify/comparison.h"
#include "verify/rule_comparison.h"
#include "verify/search.h"

namespace quench::verify {

Report verify(const model::Transformer& model, const lang::Formula& formula, const Options& options) {
  return search(Comparison(model, formula, options.run, options.engine), options);
}

Report verify(const model::Transformer& model, const lang::Program& program, const Options& options) {
  return search(RuleComparison(model, program, options.run, options.engine), options);
}

Report verify(const model::Transformer& model, const lang::Rule& rule, const Options& options) {
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return verify(model, *formula, options);
  return search(RuleComparison(model, rule, options.run, options.engine), options);
}

std::size_t symbol_count(const model::Transformer& model, const lang::Rule& rule, bool mentioned_only) {
  constexpr auto kAny = run::Engine::reference;
  if (const auto* formula = std::get_if<lang::Formula>(&rule))
    return symbol_count(Comparison(model, *formula, {}, kAny), mentioned_only);
  return symbol_count(RuleComparison(model, rule, {}, kAny), mentioned_only);
}

}  // namespace quench::verify
