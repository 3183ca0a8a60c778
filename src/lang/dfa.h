// Deterministic finite automata as plain data: what one is, and how it reads a word. Algorithms are in automata/.
//
// Words may have symbols that the alphabet does not list (base/word.h). All of them are one more letter, the last, so
// that an automaton says what it does on every word. Where it leads nowhere, such words are rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/word.h"

namespace quench::lang {

using State = std::uint32_t;
inline constexpr State kNoState = UINT32_MAX;
/// The number of a symbol, or the number of symbols for all that are not listed.
using Letter = std::size_t;

/// Transitions are partial: a word that finds none is rejected, and so is every word that it begins.
class Dfa {
 public:
  Dfa() = default;
  explicit Dfa(Alphabet symbols) : alphabet(std::move(symbols)) {}

  Alphabet alphabet;  ///< not changed once there are states
  State initial = 0;

  std::size_t size() const { return accepting_.size(); }
  std::size_t letters() const { return alphabet.size() + 1; }
  Letter other() const { return alphabet.size(); }
  Letter letter(Symbol symbol) const { return symbol == kUnmentioned ? other() : static_cast<Letter>(symbol); }
  Symbol symbol(Letter letter) const { return letter == other() ? kUnmentioned : static_cast<Symbol>(letter); }

  State add_state(bool accepting) {
    accepting_.push_back(accepting);
    next_.resize(next_.size() + letters(), kNoState);
    return static_cast<State>(size() - 1);
  }
  void connect(State from, Letter letter, State to) { next_[from * letters() + letter] = to; }
  void accept(State state, bool accepting) { accepting_[state] = accepting; }

  State next(State from, Letter letter) const { return from == kNoState ? kNoState : next_[from * letters() + letter]; }
  bool accepting(State state) const { return state != kNoState && accepting_[state]; }

  /// The state after a word, which may be empty.
  State run(State from, const Word& word) const {
    for (const Symbol symbol : word) from = next(from, letter(symbol));
    return from;
  }
  bool accepts(const Word& word) const { return accepting(run(initial, word)); }

  friend bool operator==(const Dfa& a, const Dfa& b) {
    return a.alphabet.symbols() == b.alphabet.symbols() && a.initial == b.initial && a.accepting_ == b.accepting_ &&
           a.next_ == b.next_;
  }

 private:
  std::vector<bool> accepting_;
  std::vector<State> next_;  // by state, then by letter
};

/// Like Dfa, but a letter leads to any number of states, and steps without a letter are allowed.
struct Nfa {
  struct Edge {
    Letter letter;
    State to;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  /// The letter of a step that reads nothing.
  static constexpr Letter kSilent = SIZE_MAX;

  Alphabet alphabet;
  std::vector<State> initial;
  std::vector<bool> accepting;           ///< by state
  std::vector<std::vector<Edge>> edges;  ///< by state

  std::size_t size() const { return accepting.size(); }
  State add_state(bool accepts) {
    accepting.push_back(accepts);
    edges.emplace_back();
    return static_cast<State>(size() - 1);
  }
  friend bool operator==(const Nfa& a, const Nfa& b) {
    return a.alphabet.symbols() == b.alphabet.symbols() && a.initial == b.initial && a.accepting == b.accepting &&
           a.edges == b.edges;
  }
};

}  // namespace quench::lang
