#include "automata/machine/minimise.h"

#include <algorithm>
#include <numeric>

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::kNoState;
using lang::Letter;
using lang::State;

/// Edges backwards, one list for all letters: states p with next(p, a) = q are from[begin[q·letters + a] …].
struct Predecessors {
  std::vector<std::size_t> begin;
  std::vector<State> from;

  /// With `complete`, missing transitions lead to one more state, dfa.size(), which leads to itself.
  Predecessors(const Dfa& dfa, bool complete) : begin((dfa.size() + 1) * dfa.letters() + 1) {
    const std::size_t states = dfa.size() + (complete ? 1 : 0);
    const auto target = [&](std::size_t p, Letter a) {
      const State to = p < dfa.size() ? dfa.next(static_cast<State>(p), a) : kNoState;
      return to == kNoState && complete ? static_cast<State>(dfa.size()) : to;
    };
    const auto for_each_edge = [&](const auto& visit) {
      for (std::size_t p = 0; p < states; ++p)
        for (Letter a = 0; a < dfa.letters(); ++a)
          if (const State to = target(p, a); to != kNoState) visit(static_cast<State>(p), to * dfa.letters() + a);
    };
    for_each_edge([&](State, std::size_t slot) { ++begin[slot + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    from.resize(begin.back());
    std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
    for_each_edge([&](State p, std::size_t slot) { from[at[slot]++] = p; });
  }
};

/// A partition of 0 … n−1 whose blocks are contiguous in `order`; the front of a block can be marked and split off.
class RefinablePartition {
 public:
  explicit RefinablePartition(std::size_t n) : order_(n), place_(n), block_(n), begin_{0}, end_{n}, marked_{0} {
    std::iota(order_.begin(), order_.end(), 0u);
    std::iota(place_.begin(), place_.end(), 0u);
  }

  std::size_t blocks() const { return begin_.size(); }
  std::uint32_t block_of(State s) const { return block_[s]; }
  std::size_t size(std::size_t block) const { return end_[block] - begin_[block]; }
  std::vector<State> members(std::size_t block) const {
    return {order_.begin() + static_cast<std::ptrdiff_t>(begin_[block]),
            order_.begin() + static_cast<std::ptrdiff_t>(end_[block])};
  }

  void mark(State s) {
    const std::uint32_t block = block_[s];
    const std::size_t to = begin_[block] + marked_[block];
    if (place_[s] < to) return;  // marked before
    if (marked_[block]++ == 0) touched_.push_back(block);
    std::swap(order_[place_[s]], order_[to]);
    place_[order_[place_[s]]] = place_[s];
    place_[s] = static_cast<std::uint32_t>(to);
  }

  /// Splits every block of which some members are marked and some not; calls visit(old block, new block).
  template <class Visit>
  void split(const Visit& visit) {
    for (const std::uint32_t block : touched_) {
      const std::size_t middle = begin_[block] + marked_[block];
      marked_[block] = 0;
      if (middle == end_[block]) continue;
      const auto fresh = static_cast<std::uint32_t>(blocks());
      begin_.push_back(begin_[block]);
      end_.push_back(middle);
      marked_.push_back(0);
      begin_[block] = middle;
      for (std::size_t k = begin_[fresh]; k < middle; ++k) block_[order_[k]] = fresh;
      visit(block, fresh);
    }
    touched_.clear();
  }

 private:
  std::vector<State> order_;
  std::vector<std::uint32_t> place_, block_;
  std::vector<std::size_t> begin_, end_, marked_;  // by block
  std::vector<std::uint32_t> touched_;
};

/// Hopcroft: of the two halves of a block that was split, only the smaller one has to split others again.
RefinablePartition equivalent_states(const Dfa& dfa) {
  const Predecessors before(dfa, true);
  RefinablePartition partition(dfa.size() + 1);
  std::vector<std::uint32_t> waiting{0};
  for (std::size_t s = 0; s < dfa.size(); ++s)
    if (dfa.accepting(static_cast<State>(s))) partition.mark(static_cast<State>(s));
  partition.split([&](std::uint32_t, std::uint32_t fresh) { waiting.push_back(fresh); });

  std::vector<bool> is_waiting(waiting.size(), true);
  while (!waiting.empty()) {
    const std::uint32_t splitter = waiting.back();
    waiting.pop_back();
    is_waiting[splitter] = false;
    const std::vector<State> members = partition.members(splitter);
    for (Letter a = 0; a < dfa.letters(); ++a) {
      for (const State to : members)
        for (std::size_t k = before.begin[to * dfa.letters() + a]; k < before.begin[to * dfa.letters() + a + 1]; ++k)
          partition.mark(before.from[k]);
      partition.split([&](std::uint32_t old, std::uint32_t fresh) {
        is_waiting.push_back(false);
        const bool smaller = partition.size(fresh) <= partition.size(old);
        const std::uint32_t add = is_waiting[old] || smaller ? fresh : old;
        is_waiting[add] = true;
        waiting.push_back(add);
      });
    }
  }
  return partition;
}

/// The quotient by `block_of`, of the states with `keep`, numbered in the order of a search in breadth.
template <class BlockOf, class Keep>
Dfa rebuild(const Dfa& dfa, const BlockOf& block_of, std::size_t blocks, const Keep& keep) {
  Dfa result(dfa.alphabet);
  std::vector<State> number(blocks, kNoState), queue;
  const auto visit = [&](State s) {
    State& known = number[block_of(s)];
    if (known == kNoState) {
      known = result.add_state(dfa.accepting(s));
      queue.push_back(s);
    }
    return known;
  };
  result.initial = visit(dfa.initial);
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (Letter a = 0; a < dfa.letters(); ++a)
      if (const State to = dfa.next(queue[k], a); to != kNoState && keep(to))
        result.connect(static_cast<State>(k), a, visit(to));
  return result;
}

/// Whether an accepted word leads on from each state.
std::vector<bool> alive_states(const Dfa& dfa) {
  const Predecessors before(dfa, false);
  std::vector<bool> alive(dfa.size());
  std::vector<State> queue;
  for (std::size_t s = 0; s < dfa.size(); ++s)
    if (dfa.accepting(static_cast<State>(s))) {
      alive[s] = true;
      queue.push_back(static_cast<State>(s));
    }
  while (!queue.empty()) {
    const State to = queue.back();
    queue.pop_back();
    for (std::size_t k = before.begin[to * dfa.letters()]; k < before.begin[(to + std::size_t{1}) * dfa.letters()]; ++k)
      if (const State from = before.from[k]; !alive[from]) {
        alive[from] = true;
        queue.push_back(from);
      }
  }
  return alive;
}

}  // namespace

Dfa trim(const Dfa& dfa) {
  const std::vector<bool> alive = alive_states(dfa);
  return rebuild(
      dfa, [](State s) { return s; }, dfa.size(), [&](State s) { return alive[s]; });
}

Dfa minimise(const Dfa& dfa) {
  const Dfa trimmed = trim(dfa);
  const RefinablePartition partition = equivalent_states(trimmed);
  return rebuild(
      trimmed, [&](State s) { return partition.block_of(s); }, partition.blocks(), [](State) { return true; });
}

}  // namespace quench::automata
