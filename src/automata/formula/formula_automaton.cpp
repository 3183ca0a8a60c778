#include "automata/formula/formula_automaton.h"

#include <algorithm>
#include <unordered_map>

#include "automata/formula/progression.h"
#include "automata/machine/determinise.h"
#include "automata/machine/minimise.h"
#include "base/hash.h"

namespace quench::automata {
namespace {

using lang::Letter;
using lang::State;
using Memory = Progression::Memory;

struct MemoryHash {
  std::size_t operator()(const Memory& memory) const {
    std::size_t seed = memory.size();
    for (const std::int64_t word : memory) hash_combine(seed, static_cast<std::size_t>(word) * 0x9e3779b97f4a7c15ULL);
    return seed;
  }
};

/// Symbols of `symbols` as the formula numbers them, the last for all others.
std::vector<Symbol> symbols_of(const lang::Formula& formula, const Alphabet& symbols) {
  std::vector<Symbol> result;
  for (const std::string& symbol : symbols.symbols()) result.push_back(formula.alphabet.find(symbol));
  result.push_back(kUnmentioned);
  return result;
}

}  // namespace

lang::Dfa automaton_of(const lang::Formula& formula, const Limits& limits) {
  const Progression progression(formula, limits);
  lang::Nfa nfa;
  nfa.alphabet = formula.alphabet;
  nfa.initial = {nfa.add_state(false)};  // before the first position
  const std::vector<Symbol> symbols = symbols_of(formula, formula.alphabet);
  std::unordered_map<Memory, State, MemoryHash> number;
  std::vector<const Memory*> memories{nullptr};
  std::vector<Memory> next;
  std::size_t edges = 0;
  for (State s = 0; s < memories.size(); ++s)
    for (Letter a = 0; a < symbols.size(); ++a) {
      next.clear();
      progression.step(memories[s], symbols[a], next);
      for (Memory& memory : next) {
        const bool accepting = progression.truth(memory) && progression.may_end(memory);
        const auto [at, added] = number.try_emplace(std::move(memory), static_cast<State>(memories.size()));
        if (added) {
          memories.push_back(&at->first);
          nfa.add_state(accepting);
          check_limit(memories.size(), limits.progression, "progression", "states of the formula");
        }
        nfa.edges[s].push_back({a, at->second});
        check_limit(++edges, 4 * limits.transitions, "transitions", "steps of the formula");
      }
    }
  return minimise(determinise(nfa, limits));
}

std::optional<Difference> difference(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits,
                                     Budget* budget) {
  Budget own(limits.proof, "proof", "nodes worked out to prove a formula equal to an automaton");
  if (!budget) budget = &own;
  const Progression progression(formula, limits, true);
  if (!progression.deterministic() && formula.closed)
    throw UserError("a formula that declares its alphabet and looks to the right");
  if (!progression.deterministic()) return difference(automaton_of(formula, limits), dfa, limits);
  const lang::Dfa other = over_alphabet(dfa, united(dfa.alphabet, formula.alphabet));
  std::vector<Symbol> symbols = symbols_of(formula, other.alphabet);
  if (formula.closed) symbols.resize(formula.alphabet.size());
  struct Pair {
    const Memory* memory;
    State state;
    std::size_t from;
    Letter letter;
  };
  std::vector<Pair> pairs{{nullptr, other.initial, 0, 0}};
  std::unordered_map<Memory, std::vector<State>, MemoryHash> seen;
  std::vector<Memory> next;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    for (Letter a = 0; a < symbols.size(); ++a) {
      budget->spend(formula.size());
      next.clear();
      progression.step(pairs[k].memory, symbols[a], next);
      const State state = other.next(pairs[k].state, a);
      const auto at = seen.try_emplace(std::move(next[0])).first;
      if (std::find(at->second.begin(), at->second.end(), state) != at->second.end()) continue;
      at->second.push_back(state);
      pairs.push_back({&at->first, state, k, a});
      check_limit(pairs.size(), limits.progression, "progression", "states of the formula");
      if (progression.truth(at->first) == other.accepting(state)) continue;
      Word word;
      for (std::size_t j = pairs.size() - 1; j > 0; j = pairs[j].from) word.push_back(other.symbol(pairs[j].letter));
      std::reverse(word.begin(), word.end());
      return Difference{word, progression.truth(at->first)};
    }
  return std::nullopt;
}

}  // namespace quench::automata
