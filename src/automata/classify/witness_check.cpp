#include "automata/classify/witness_check.h"

#include <map>
#include <set>

namespace quench::automata {
namespace {

using lang::State;
using Images = std::vector<State>;  // of the states of a witness, in their order

bool distinct(const std::vector<State>& states) {
  return std::set<State>(states.begin(), states.end()).size() == states.size();
}

bool turns(const lang::Dfa& dfa, const Word& word, const std::vector<State>& states) {
  for (std::size_t k = 0; k < states.size(); ++k)
    if (states[k] >= dfa.size() || dfa.run(states[k], word) != states[(k + 1) % states.size()]) return false;
  return states.size() >= 2 && distinct(states);
}

/// All products of the factors, by multiplying until nothing is new.
std::set<Images> products(const std::set<Images>& factors, const std::vector<State>& states) {
  std::map<State, std::size_t> place;
  for (std::size_t k = 0; k < states.size(); ++k) place[states[k]] = k;
  std::set<Images> all{states};
  std::vector<Images> fresh{states};
  while (!fresh.empty()) {
    const Images first = fresh.back();
    fresh.pop_back();
    for (const Images& then : factors) {
      Images product;
      for (const State s : first) product.push_back(then[place.at(s)]);
      if (all.insert(product).second) fresh.push_back(product);
    }
  }
  return all;
}

}  // namespace

bool holds(const lang::Dfa& dfa, const CycleWitness& witness) { return turns(dfa, witness.word, witness.states); }

bool holds(const lang::Dfa& dfa, const EqualLengthWitness& witness) {
  if (witness.turning.size() != witness.standing.size() || !turns(dfa, witness.turning, witness.states)) return false;
  for (const State s : witness.states)
    if (dfa.run(s, witness.standing) != s) return false;
  return true;
}

bool holds(const lang::Dfa& dfa, const PerfectGroupWitness& witness) {
  const std::vector<State>& states = witness.states;
  std::set<Images> generators;
  for (const Word& word : witness.words) {
    Images images;
    for (const State s : states) images.push_back(dfa.run(s, word));
    if (std::set<State>(images.begin(), images.end()) != std::set<State>(states.begin(), states.end())) return false;
    generators.insert(images);
  }
  if (!distinct(states)) return false;
  const std::set<Images> group = products(generators, states);
  if (group.size() < 2) return false;
  // The commutator of a and b takes what b·a makes of a state to what a·b makes of it: (ba)·c = ab.
  std::map<State, std::size_t> place;
  for (std::size_t k = 0; k < states.size(); ++k) place[states[k]] = k;
  const auto times = [&](const Images& a, const Images& b) {
    Images product;
    for (const State s : a) product.push_back(b[place.at(s)]);
    return product;
  };
  std::set<Images> commutators;
  for (const Images& a : group)
    for (const Images& b : generators) {
      const Images ab = times(a, b), ba = times(b, a);
      Images commutator(states.size());
      for (std::size_t k = 0; k < states.size(); ++k) commutator[place.at(ba[k])] = ab[k];
      commutators.insert(commutator);
    }
  return products(commutators, states).size() == group.size();
}

}  // namespace quench::automata
