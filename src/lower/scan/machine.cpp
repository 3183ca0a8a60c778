#include "lower/scan/machine.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace quench::lower {
namespace {

/// Numbers classes in the order of their first states.
Classes renumbered(const std::vector<std::size_t>& names) {
  std::map<std::size_t, std::size_t> numbers;
  Classes result;
  for (const std::size_t name : names) result.push_back(numbers.try_emplace(name, numbers.size()).first->second);
  return result;
}

class UnionFind {
 public:
  explicit UnionFind(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t find(std::size_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  bool unite(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    parent_[b] = a;
    return a != b;
  }

 private:
  std::vector<std::size_t> parent_;
};

/// All states that are reached, and one that leads nowhere if transitions are missing.
MinimalMachine reached(const lang::Dfa& dfa) {
  MinimalMachine result;
  std::map<lang::State, std::size_t> numbers;
  std::vector<lang::State> states;
  const auto number = [&](lang::State state) {
    const auto [at, added] = numbers.try_emplace(state, states.size());
    if (added) states.push_back(state);
    return at->second;
  };
  number(dfa.size() == 0 ? lang::kNoState : dfa.initial);
  for (std::size_t k = 0; k < states.size(); ++k) {
    std::vector<std::size_t> row;
    for (lang::Letter letter = 0; letter < dfa.letters(); ++letter) row.push_back(number(dfa.next(states[k], letter)));
    result.machine.next.push_back(std::move(row));
    result.accepting.push_back(dfa.accepting(states[k]));
  }
  return result;
}

}  // namespace

std::size_t class_count(const Classes& classes) {
  return classes.empty() ? 0 : 1 + *std::max_element(classes.begin(), classes.end());
}

std::vector<std::size_t> Machine::reachable_from(std::size_t state) const {
  std::vector<bool> seen(size());
  std::vector<std::size_t> pending = next[state], result;
  while (!pending.empty()) {
    const std::size_t at = pending.back();
    pending.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    pending.insert(pending.end(), next[at].begin(), next[at].end());
  }
  for (std::size_t s = 0; s < size(); ++s)
    if (seen[s]) result.push_back(s);
  return result;
}

Classes coarsest_congruence(const Machine& machine, const Classes& classes) {
  Classes now = renumbered(classes);
  for (std::size_t count = 0; count != class_count(now);) {
    count = class_count(now);
    std::map<std::vector<std::size_t>, std::size_t> kinds;
    Classes finer;
    for (std::size_t s = 0; s < machine.size(); ++s) {
      std::vector<std::size_t> kind{now[s]};
      for (const std::size_t to : machine.next[s]) kind.push_back(now[to]);
      finer.push_back(kinds.try_emplace(std::move(kind), kinds.size()).first->second);
    }
    now = std::move(finer);
  }
  return now;
}

Classes joined(const Machine& machine, const Classes& a, const Classes& b) {
  UnionFind together(machine.size());
  std::vector<std::pair<std::size_t, std::size_t>> pending;
  for (const Classes* classes : {&a, &b}) {
    std::vector<std::size_t> first(machine.size(), machine.size());
    for (std::size_t s = 0; s < machine.size(); ++s) {
      std::size_t& one = first[(*classes)[s]];
      if (one == machine.size()) one = s;
      pending.emplace_back(one, s);
    }
  }
  while (!pending.empty()) {
    const auto [p, q] = pending.back();
    pending.pop_back();
    if (!together.unite(p, q)) continue;
    for (std::size_t letter = 0; letter < machine.letters(); ++letter)
      pending.emplace_back(machine.next[p][letter], machine.next[q][letter]);
  }
  std::vector<std::size_t> roots;
  for (std::size_t s = 0; s < machine.size(); ++s) roots.push_back(together.find(s));
  return renumbered(roots);
}

Machine quotient(const Machine& machine, const Classes& congruence) {
  Machine result;
  result.next.resize(class_count(congruence));
  for (std::size_t s = 0; s < machine.size(); ++s) {
    std::vector<std::size_t>& row = result.next[congruence[s]];
    if (!row.empty()) continue;
    for (const std::size_t to : machine.next[s]) row.push_back(congruence[to]);
  }
  result.initial = congruence[machine.initial];
  return result;
}

MinimalMachine minimal_machine(const lang::Dfa& dfa) {
  const MinimalMachine all = reached(dfa);
  const Classes accepted(all.accepting.begin(), all.accepting.end());
  const Classes same = coarsest_congruence(all.machine, accepted);
  MinimalMachine result{quotient(all.machine, same), std::vector<bool>(class_count(same))};
  for (std::size_t s = 0; s < same.size(); ++s) result.accepting[same[s]] = all.accepting[s];
  return result;
}

}  // namespace quench::lower
