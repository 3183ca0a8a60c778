#include "automata/translate/shrink/shrink.h"

#include <algorithm>
#include <tuple>

#include "automata/formula/formula_automaton.h"
#include "automata/translate/shrink/rebuild.h"
#include "automata/translate/shrink/sweep.h"
#include "lang/canonical.h"

namespace quench::automata {
namespace {

using lang::Formula;
using lang::FormulaId;

/// What building a trial costs, in nodes worked out.
constexpr std::size_t kRebuilding = 20;

/// What a node may be replaced by: its parts, and parts of these.
std::vector<FormulaId> candidates(const Formula& formula, FormulaId id) {
  std::vector<FormulaId> result;
  formula.for_each_child(id, [&](FormulaId child) { result.push_back(child); });
  for (std::size_t k = result.size(); k-- > 0;)
    formula.for_each_child(result[k], [&](FormulaId child) { result.push_back(child); });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

class Shrinking {
 public:
  Shrinking(const Formula& formula, const lang::Dfa& dfa, const Limits& limits)
      : dfa_(dfa),
        limits_(limits),
        budget_(limits.shrinking, "shrinking", "nodes worked out to shrink a formula"),
        best_(lang::canonical(formula)) {}

  Formula run() {
    try {
      do sweep();
      while (replace());
    } catch (const UserError&) {  // the budget is spent: what was found is right all the same
    }
    return best_;
  }

 private:
  void sweep() {
    try {
      adopt(swept(best_, limits_, budget_));
    } catch (const UserError&) {
      if (budget_.left() < best_.size()) throw;  // else the formula has too many states for this
    }
  }

  /// Large parts first. Whether anything has changed.
  bool replace() {
    bool changed = false;
    for (std::size_t k = best_.size(); k-- > 0;) {
      if (k >= best_.size()) k = best_.size() - 1;
      if (improve(FormulaId(k))) {
        changed = true;
        k = std::min(k + 2, best_.size());
      }
    }
    return changed;
  }

  bool improve(FormulaId id) {
    for (const bool value : {false, true})
      if (adopt(replaced(id, [&](Rebuilder& rebuilder, const auto&) { return rebuilder.logic().constant(value); })))
        return true;
    for (const FormulaId by : candidates(best_, id))
      if (adopt(replaced(id, [&](Rebuilder&, const std::vector<FormulaId>& made) { return made[by.index]; })))
        return true;
    return false;
  }

  template <class Replacement>
  Formula replaced(FormulaId id, const Replacement& replacement) {
    budget_.spend(kRebuilding * best_.size());
    Rebuilder rebuilder(best_);
    std::vector<FormulaId> made(best_.size());
    for (std::size_t k = 0; k < best_.size(); ++k)
      made[k] = FormulaId(k) == id
                    ? replacement(rebuilder, made)
                    : rebuilder.rebuilt(FormulaId(k), [&](FormulaId child) { return made[child.index]; });
    return rebuilder.finish(made[best_.root.index]);
  }

  bool adopt(Formula trial) {
    const FormulaSize size = size_of(trial), old = size_of(best_);
    const auto rank = [](const FormulaSize& s) { return std::tuple(s.heads, s.values, s.nodes); };
    if (size.depth > old.depth || rank(size) >= rank(old)) return false;
    if (difference(trial, dfa_, limits_, &budget_)) return false;
    best_ = std::move(trial);
    return true;
  }

  const lang::Dfa& dfa_;
  const Limits& limits_;
  Budget budget_;
  Formula best_;  // proved
};

}  // namespace

Formula shrink(const Formula& formula, const lang::Dfa& dfa, const Limits& limits) {
  return Shrinking(formula, dfa, limits).run();
}

}  // namespace quench::automata
