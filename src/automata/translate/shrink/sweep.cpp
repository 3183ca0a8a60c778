// Each step of the formula, a state and a symbol, has a random number. The signature of a node is the sum of the
// numbers of the steps where it is true: two nodes that differ at some step have different signatures, but for a chance
// of 2^−64. A node is replaced by the cheapest one with its signature, or by the negation of the cheapest one with the
// opposite signature. What replaces a node is never dearer than it, and parts of a node are cheaper than it: nothing is
// replaced by something that contains it.
#include "automata/translate/shrink/sweep.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "automata/formula/progression.h"
#include "automata/translate/shrink/formula_size.h"
#include "automata/translate/shrink/rebuild.h"
#include "base/hash.h"
#include "base/number/random.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using Memory = Progression::Memory;

struct SweptMemoryHash {
  std::size_t operator()(const Memory& memory) const {
    std::size_t seed = memory.size();
    for (const std::int64_t word : memory) hash_combine(seed, static_cast<std::size_t>(word) * 0x9e3779b97f4a7c15ULL);
    return seed;
  }
};

/// Atoms stay as they are: Q_b is easier to read than !Q_a.
bool is_atom(const lang::Node& node) {
  return std::holds_alternative<lang::SymbolAtom>(node) || std::holds_alternative<lang::PositionPredicate>(node);
}

struct Signatures {
  std::vector<std::uint64_t> of;  // by node
  std::uint64_t total = 0;        // of what is always true
};

/// Parts may differ where the formula is settled, so nothing is forgotten, unless there are differences of counts:
/// these would have states without end.
Progression progression_of(const lang::Formula& formula, const Limits& limits) {
  try {
    return Progression(formula, limits, false, false);
  } catch (const UserError&) {
    return Progression(formula, limits, true, true);
  }
}

Signatures signatures(const lang::Formula& formula, const Limits& limits, Budget& budget) {
  const Progression progression = progression_of(formula, limits);
  if (!progression.deterministic()) throw UserError("the formula looks to the right");
  Signatures result{std::vector<std::uint64_t>(formula.size()), 0};
  Random random(1);
  std::unordered_set<Memory, SweptMemoryHash> seen;
  std::vector<const Memory*> queue{nullptr};
  std::vector<Memory> next;
  const auto symbols = static_cast<Symbol>(formula.alphabet.size());
  for (std::size_t k = 0; k < queue.size(); ++k) {
    if (Progression::is_settled(queue[k])) continue;
    for (Symbol symbol = formula.closed ? 0 : kUnmentioned; symbol < symbols; ++symbol) {
      budget.spend(formula.size());
      next.clear();
      progression.step(queue[k], symbol, next);
      const std::uint64_t number = random.bits();
      result.total += number;
      for (std::size_t n = 0; n < formula.size(); ++n)
        if (progression.values()[n]) result.of[n] += number;
      const auto [at, added] = seen.insert(std::move(next[0]));
      if (added) queue.push_back(&*at);
      check_limit(queue.size(), limits.progression, "progression", "states of the formula");
    }
  }
  return result;
}

}  // namespace

lang::Formula swept(const lang::Formula& formula, const Limits& limits, Budget& budget) {
  const Signatures signature = signatures(formula, limits, budget);
  // By cost: depth, then nodes written out, then number.
  const std::vector<std::size_t> depth = depths(formula);
  std::vector<double> length(formula.size(), 1);
  std::vector<FormulaId> order;
  const std::vector<bool> needed = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    formula.for_each_child(FormulaId(k), [&](FormulaId child) { length[k] += length[child.index]; });
    if (needed[k]) order.push_back(FormulaId(k));
  }
  std::sort(order.begin(), order.end(), [&](FormulaId a, FormulaId b) {
    return std::tuple(depth[a.index], length[a.index], a.index) < std::tuple(depth[b.index], length[b.index], b.index);
  });
  Rebuilder rebuilder(formula);
  std::vector<FormulaId> made(formula.size());
  std::unordered_map<std::uint64_t, FormulaId> cheapest{{0, rebuilder.logic().constant(false)},
                                                        {signature.total, rebuilder.logic().constant(true)}};
  for (const FormulaId id : order) {
    const std::uint64_t own = signature.of[id.index];
    if (const auto same = cheapest.find(own); same != cheapest.end()) {
      made[id.index] = same->second;
    } else if (const auto opposite = cheapest.find(signature.total - own);
               opposite != cheapest.end() && !is_atom(formula[id])) {
      made[id.index] = rebuilder.logic().negation(opposite->second);
    } else {
      made[id.index] = rebuilder.rebuilt(id, [&](FormulaId child) { return made[child.index]; });
      cheapest.emplace(own, made[id.index]);
    }
  }
  return rebuilder.finish(made[formula.root.index]);
}

}  // namespace quench::automata
