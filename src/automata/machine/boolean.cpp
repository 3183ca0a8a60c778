#include "automata/machine/boolean.h"

#include <algorithm>
#include <unordered_map>

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::kNoState;
using lang::Letter;
using lang::State;

/// The pairs of states that words lead to, in the order of a search in breadth.
class Pairs {
 public:
  Pairs(const Dfa& a, const Dfa& b, const Limits& limits) : a_(a), b_(b), limits_(limits) {
    visit(a.initial, b.initial, 0, 0);
  }

  struct Pair {
    State a, b;
    std::size_t from;  // the pair before it on a shortest word
    Letter letter;
  };
  std::size_t size() const { return pairs_.size(); }
  const Pair& operator[](std::size_t k) const { return pairs_[k]; }
  /// The number of the pair after pair k.
  std::size_t step(std::size_t k, Letter letter) {
    return visit(a_.next(pairs_[k].a, letter), b_.next(pairs_[k].b, letter), k, letter);
  }
  Word word_to(std::size_t k) const {
    Word word;
    for (; k > 0; k = pairs_[k].from) word.push_back(a_.symbol(pairs_[k].letter));
    std::reverse(word.begin(), word.end());
    return word;
  }

 private:
  std::size_t visit(State p, State q, std::size_t from, Letter letter) {
    const std::uint64_t key = std::uint64_t{p} << 32 | q;
    const auto [at, added] = numbers_.try_emplace(key, pairs_.size());
    if (added) {
      pairs_.push_back({p, q, from, letter});
      check_limit(pairs_.size(), limits_.states, "states", "pairs of states of two automata");
      check_limit(pairs_.size() * a_.letters(), limits_.transitions, "transitions", "transitions of two automata");
    }
    return at->second;
  }

  const Dfa &a_, &b_;
  const Limits& limits_;
  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
};

}  // namespace

Alphabet united(const Alphabet& a, const Alphabet& b) {
  Alphabet all = a;
  for (const std::string& symbol : b.symbols()) all.intern(symbol);
  return all;
}

Dfa over_alphabet(const Dfa& dfa, const Alphabet& symbols) {
  Dfa result(symbols);
  result.initial = dfa.initial;
  for (State s = 0; s < dfa.size(); ++s) result.add_state(dfa.accepting(s));
  for (Letter a = 0; a < result.letters(); ++a) {
    const Letter old = a == result.other() ? dfa.other() : dfa.letter(dfa.alphabet.find(symbols.symbols()[a]));
    for (State s = 0; s < dfa.size(); ++s) result.connect(s, a, dfa.next(s, old));
  }
  return result;
}

Dfa product(const Dfa& first, const Dfa& second, const std::function<bool(bool, bool)>& accept, const Limits& limits) {
  const Alphabet symbols = united(first.alphabet, second.alphabet);
  const Dfa a = over_alphabet(first, symbols), b = over_alphabet(second, symbols);
  Pairs pairs(a, b, limits);
  Dfa result(symbols);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    result.add_state(accept(a.accepting(pairs[k].a), b.accepting(pairs[k].b)));
    for (Letter letter = 0; letter < result.letters(); ++letter)
      result.connect(static_cast<State>(k), letter, static_cast<State>(pairs.step(k, letter)));
  }
  return result;
}

Dfa complement(const Dfa& dfa) {
  Dfa result = dfa;
  const State sink = result.add_state(false);
  for (State s = 0; s < result.size(); ++s) {
    for (Letter a = 0; a < result.letters(); ++a)
      if (result.next(s, a) == kNoState) result.connect(s, a, sink);
    result.accept(s, !result.accepting(s));
  }
  return result;
}

std::optional<Difference> difference(const Dfa& first, const Dfa& second, const Limits& limits) {
  const Alphabet symbols = united(first.alphabet, second.alphabet);
  const Dfa a = over_alphabet(first, symbols), b = over_alphabet(second, symbols);
  Pairs pairs(a, b, limits);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (a.accepting(pairs[k].a) != b.accepting(pairs[k].b))
      return Difference{pairs.word_to(k), a.accepting(pairs[k].a)};
    for (Letter letter = 0; letter < a.letters(); ++letter) pairs.step(k, letter);
  }
  return std::nullopt;
}

std::optional<Word> shortest_accepted(const Dfa& dfa) {
  Dfa nothing(dfa.alphabet);
  nothing.add_state(false);
  Limits limits;
  limits.states = 2 * dfa.size() + 2;
  limits.transitions = limits.states * dfa.letters();
  const std::optional<Difference> found = difference(dfa, nothing, limits);
  if (!found) return std::nullopt;
  return found->word;
}

}  // namespace quench::automata
