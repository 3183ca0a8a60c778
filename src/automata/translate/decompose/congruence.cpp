#include "automata/translate/decompose/congruence.h"

#include <algorithm>
#include <numeric>

namespace quench::automata {
namespace {

using lang::State;

/// Sets of states that grow together, with what each letter does to a set. What was merged since a mark can be undone.
class Merger {
 public:
  Merger(const PartialMachine& machine, const Partition& start, Budget& budget)
      : machine_(machine), budget_(budget), parent_(machine.states), size_(machine.states, 1), next_(machine.next) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    std::vector<State> first(machine.states, lang::kNoState);
    for (State x = 0; x < machine.states; ++x) {
      State& known = first[start[x]];
      if (known == lang::kNoState)
        known = x;
      else
        merge(known, x);
    }
  }

  /// Smaller sets go below larger ones, so paths are short without being changed.
  State find(State x) const {
    while (parent_[x] != x) x = parent_[x];
    return x;
  }
  bool same(State p, State q) const { return find(p) == find(q); }

  bool merge(State p, State q) {
    const std::size_t letters = machine_.letters.size();
    const bool anything = !same(p, q);
    todo_.assign(1, {p, q});
    while (!todo_.empty()) {
      State a = find(todo_.back().first), b = find(todo_.back().second);
      todo_.pop_back();
      if (a == b) continue;
      budget_.spend(letters);
      if (size_[a] < size_[b]) std::swap(a, b);
      parent_[b] = a;
      size_[a] += size_[b];
      undo_.push_back({b, kMerged, 0});
      for (std::size_t letter = 0; letter < letters; ++letter) {
        State& to = next_[a * letters + letter];
        const State other = next_[b * letters + letter];
        if (other == lang::kNoState) continue;
        if (to == lang::kNoState) {
          undo_.push_back({a, letter, to});
          to = other;
        } else {
          todo_.emplace_back(to, other);
        }
      }
    }
    return anything;
  }
  std::size_t mark() const { return undo_.size(); }
  void undo_to(std::size_t mark) {
    for (; undo_.size() > mark; undo_.pop_back()) {
      const auto [x, letter, old] = undo_.back();
      if (letter == kMerged) {
        size_[parent_[x]] -= size_[x];
        parent_[x] = x;
      } else {
        next_[x * machine_.letters.size() + letter] = old;
      }
    }
  }

  Partition partition() const {
    Partition result(machine_.states);
    std::vector<std::uint32_t> number(machine_.states, UINT32_MAX);
    std::uint32_t count = 0;
    for (State x = 0; x < machine_.states; ++x) {
      std::uint32_t& known = number[find(x)];
      if (known == UINT32_MAX) known = count++;
      result[x] = known;
    }
    return result;
  }

 private:
  static constexpr std::size_t kMerged = SIZE_MAX;
  struct Change {
    State x;
    std::size_t letter;  // kMerged: x was put below another
    State old;
  };

  const PartialMachine& machine_;
  Budget& budget_;
  std::vector<State> parent_;
  std::vector<std::size_t> size_;
  std::vector<State> next_;  // of the representatives
  std::vector<std::pair<State, State>> todo_;
  std::vector<Change> undo_;
};

}  // namespace

std::size_t blocks(const Partition& partition) {
  return partition.empty() ? 0 : *std::max_element(partition.begin(), partition.end()) + std::size_t{1};
}

Partition discrete(std::size_t states) {
  Partition result(states);
  std::iota(result.begin(), result.end(), 0u);
  return result;
}

bool refines(const Partition& fine, const Partition& coarse) {
  std::vector<std::uint32_t> in(blocks(fine), UINT32_MAX);
  for (std::size_t x = 0; x < fine.size(); ++x) {
    if (in[fine[x]] == UINT32_MAX) in[fine[x]] = coarse[x];
    if (in[fine[x]] != coarse[x]) return false;
  }
  return true;
}

Partition joined(const PartialMachine& machine, const Partition& start, State p, State q, Budget& budget) {
  Merger merger(machine, start, budget);
  merger.merge(p, q);
  return merger.partition();
}

Partition maximal_separating(const PartialMachine& machine, const Partition& start, const Partition& base, State p,
                             State q, Budget& budget) {
  Merger merger(machine, start, budget);
  for (State u = 0; u < machine.states; ++u)
    for (State v = u + 1; v < machine.states; ++v) {
      budget.spend(1);
      if (base[u] != base[v] || merger.same(u, v)) continue;
      const std::size_t before = merger.mark();
      merger.merge(u, v);
      if (merger.same(p, q)) merger.undo_to(before);
    }
  return merger.partition();
}

Partition folding(const PartialMachine& machine, Budget& budget) {
  Merger merger(machine, discrete(machine.states), budget);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < machine.letters.size(); ++a) {
      budget.spend(machine.states);
      std::vector<State> from(machine.states, lang::kNoState);  // by the block that a leads to
      for (State x = 0; x < machine.states; ++x) {
        const State to = machine.step(x, a);
        if (to == lang::kNoState) continue;
        State& known = from[merger.find(to)];
        if (known == lang::kNoState)
          known = x;
        else if (merger.merge(known, x))
          changed = true;
      }
    }
  }
  return merger.partition();
}

}  // namespace quench::automata
