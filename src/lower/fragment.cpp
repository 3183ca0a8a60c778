#include "lower/fragment.h"

#include "base/overloaded.h"
#include "lang/operators.h"

namespace quench::lower {
namespace {

Features features_of(lang::Operator op) {
  switch (lang::facts(op).modality) {
    case lang::Modality::none: return {};
    case lang::Modality::previous: return {Feature::previous};
    case lang::Modality::next: return {Feature::next};
    case lang::Modality::since: return {Feature::since};
    case lang::Modality::until: return {Feature::until};
  }
  return {};
}

Features features_of(const lang::Count& count) {
  switch (count.scope) {
    case lang::Scope::left: return {Feature::count_left};
    case lang::Scope::right: return {Feature::count_right};
    case lang::Scope::all: return {Feature::count_all};
  }
  return {};
}

Features features_of(const lang::Formula& formula, const lang::Node& node) {
  return std::visit(Overloaded{[](const lang::Unary& unary) { return features_of(unary.op); },
                               [](const lang::Binary& binary) { return features_of(binary.op); },
                               [&](const lang::Comparison& comparison) {
                                 Features all;
                                 for (const lang::TermId term : {comparison.left, comparison.right})
                                   for (const auto& part : formula[term].parts) all = all | features_of(part.count);
                                 return all;
                               },
                               [](const lang::PositionPredicate&) { return Features{Feature::predicates}; },
                               [](const lang::CountPredicate& theta) {
                                 return Features{Feature::predicates} | features_of(theta.count);
                               },
                               [&](const lang::Congruence& theta) {
                                 Features all{Feature::predicates};
                                 for (const auto& part : formula[theta.term].parts) all = all | features_of(part.count);
                                 return all;
                               },
                               [](const lang::Constant&) { return Features{}; },
                               [](const lang::SymbolAtom&) { return Features{}; }},
                    node);
}

}  // namespace

Fragment fragment_of(const lang::Formula& formula) {
  Fragment result;
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!reachable[k]) continue;
    const Features found = features_of(formula, formula[lang::FormulaId(k)]);
    for (int f = 0; f < kFeatureCount; ++f)
      if (found.has(static_cast<Feature>(f)) && !result.where[f]) result.where[f] = lang::FormulaId(k);
    result.features = result.features | found;
  }
  return result;
}

std::string Fragment::logic() const {
  static constexpr const char* names[] = {"⊖", "⊕", "since", "until", "#←", "#→", "#"};
  constexpr Features ltl{Feature::previous, Feature::next, Feature::since, Feature::until};
  const bool full_ltl = features.covers(ltl);
  const bool counts = (features.bits & ~ltl.bits) != 0;
  std::string inside;
  const auto append = [&](const char* name) { inside += (inside.empty() ? "" : ", ") + std::string(name); };
  for (int f = 0; f < 7; ++f) {
    const Feature feature = static_cast<Feature>(f);
    if (features.has(feature) && !(full_ltl && ltl.has(feature))) append(names[f]);
  }
  if (features.has(Feature::count_left) || features.has(Feature::count_right) || features.has(Feature::count_all))
    append("+");
  if (features.has(Feature::predicates)) append("Mon");
  if (full_ltl) return counts ? "LTL[" + inside + "]" : "LTL";
  return inside.empty() ? "Boolean" : "TL[" + inside + "]";
}

}  // namespace quench::lower
