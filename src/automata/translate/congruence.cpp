#include "automata/translate/congruence.h"

#include <algorithm>
#include <numeric>

namespace quench::automata {
namespace {

using lang::State;

/// Sets of states that grow together, with what each letter does to a set.
class Merger {
 public:
  Merger(const PartialMachine& machine, const Partition& start)
      : machine_(&machine), parent_(machine.states), next_(machine.next) {
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

  State find(State x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  bool merge(State p, State q) {
    std::vector<std::pair<State, State>> todo{{p, q}};
    const bool anything = find(p) != find(q);
    while (!todo.empty()) {
      const State a = find(todo.back().first), b = find(todo.back().second);
      todo.pop_back();
      if (a == b) continue;
      parent_[b] = a;
      for (std::size_t letter = 0; letter < machine_->letters.size(); ++letter) {
        State& to = next_[a * machine_->letters.size() + letter];
        const State other = next_[b * machine_->letters.size() + letter];
        if (to == lang::kNoState)
          to = other;
        else if (other != lang::kNoState)
          todo.emplace_back(to, other);
      }
    }
    return anything;
  }
  Partition partition() {
    Partition result(machine_->states);
    std::vector<std::uint32_t> number(machine_->states, UINT32_MAX);
    std::uint32_t count = 0;
    for (State x = 0; x < machine_->states; ++x) {
      std::uint32_t& known = number[find(x)];
      if (known == UINT32_MAX) known = count++;
      result[x] = known;
    }
    return result;
  }

 private:
  const PartialMachine* machine_;
  std::vector<State> parent_;
  std::vector<State> next_;  // of the representatives
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

Partition joined(const PartialMachine& machine, const Partition& start, State p, State q) {
  Merger merger(machine, start);
  merger.merge(p, q);
  return merger.partition();
}

Partition maximal_separating(const PartialMachine& machine, const Partition& start, const Partition& base, State p,
                             State q) {
  Merger best(machine, start);
  for (State u = 0; u < machine.states; ++u)
    for (State v = u + 1; v < machine.states; ++v) {
      if (base[u] != base[v] || best.find(u) == best.find(v)) continue;
      Merger trial = best;
      trial.merge(u, v);
      if (trial.find(p) != trial.find(q)) best = std::move(trial);
    }
  return best.partition();
}

Partition folding(const PartialMachine& machine) {
  Merger merger(machine, discrete(machine.states));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < machine.letters.size(); ++a) {
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
