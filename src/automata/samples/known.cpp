#include "automata/samples/known.h"

#include <map>

#include "automata/machine/minimise.h"

namespace quench::automata {

using lang::Dfa;
using lang::State;

Alphabet first_letters(std::size_t count) {
  Alphabet alphabet;
  for (std::size_t k = 0; k < count; ++k) alphabet.intern(std::string(1, static_cast<char>('a' + k)));
  return alphabet;
}

Dfa word_problem(const std::vector<Permutation>& letters) {
  const PermutationGroup group(letters[0].size(), letters, {});
  Dfa dfa(first_letters(letters.size()));
  for (const Permutation& element : group.elements()) dfa.add_state(element == identity_permutation(letters[0].size()));
  for (State s = 0; s < group.size(); ++s)
    for (std::size_t a = 0; a < letters.size(); ++a)
      dfa.connect(s, a, static_cast<State>(group.number(compose(group.elements()[s], letters[a]))));
  return minimise(dfa);
}

Permutation turn(std::uint32_t n) {
  Permutation result;
  for (std::uint32_t p = 0; p < n; ++p) result.push_back((p + 1) % n);
  return result;
}

std::string brackets(int depth) {
  std::string text;
  for (int k = 0; k < depth; ++k) text = "(a" + text + "b)*";
  return text;
}

Dfa bounded_dyck(std::size_t kinds, std::size_t depth) {
  Dfa dfa(first_letters(2 * kinds));
  std::map<std::vector<std::size_t>, State> number;  // by the brackets that are open
  std::vector<std::vector<std::size_t>> open{{}};
  number[{}] = dfa.add_state(true);
  const auto connect = [&](State from, std::size_t letter, const std::vector<std::size_t>& to) {
    const auto [at, added] = number.try_emplace(to, static_cast<State>(open.size()));
    if (added) {
      dfa.add_state(false);
      open.push_back(to);
    }
    dfa.connect(from, letter, at->second);
  };
  for (State s = 0; s < open.size(); ++s)
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      std::vector<std::size_t> stack = open[s];
      if (stack.size() < depth) {
        stack.push_back(kind);
        connect(s, 2 * kind, stack);
        stack.pop_back();
      }
      if (stack.empty() || stack.back() != kind) continue;
      stack.pop_back();
      connect(s, 2 * kind + 1, stack);
    }
  return minimise(dfa);
}

/// States: the sum of the finished products, and what the next digit is multiplied by, or the product so far.
Dfa modular_arithmetic(std::uint32_t m) {
  Alphabet symbols;
  for (std::uint32_t d = 0; d < m; ++d) symbols.intern(std::to_string(d));
  for (const char* sign : {"+", "-", "*"}) symbols.intern(sign);
  Dfa dfa(symbols);
  for (std::uint32_t k = 0; k < 2 * m * m; ++k) dfa.add_state(k >= m * m && (k / m + k) % m == 0);
  const auto before_digit = [m](std::uint32_t sum, std::uint32_t factor) { return sum * m + factor; };
  const auto after_digit = [m](std::uint32_t sum, std::uint32_t product) { return m * m + sum * m + product; };
  for (std::uint32_t sum = 0; sum < m; ++sum)
    for (std::uint32_t x = 0; x < m; ++x) {
      for (std::uint32_t d = 0; d < m; ++d) dfa.connect(before_digit(sum, x), d, after_digit(sum, x * d % m));
      dfa.connect(after_digit(sum, x), m, before_digit((sum + x) % m, 1));
      dfa.connect(after_digit(sum, x), m + 1, before_digit((sum + x) % m, m - 1));
      dfa.connect(after_digit(sum, x), m + 2, before_digit(sum, x));
    }
  dfa.initial = before_digit(0, 1);
  return minimise(dfa);
}

/// States: the stored bit (2: none yet), and which instruction waits for its bit.
Dfa flip_flop() {
  Dfa dfa(Alphabet({"w", "r", "i", "0", "1"}));
  enum Waiting : State { nothing, write, read, ignore };
  const auto state = [](State stored, State waiting) { return stored * 4 + waiting; };
  for (State s = 0; s < 12; ++s) dfa.add_state(s % 4 == nothing);
  for (State stored = 0; stored < 3; ++stored) {
    dfa.connect(state(stored, nothing), 0, state(stored, write));
    for (const State bit : {0u, 1u}) {
      dfa.connect(state(stored, write), 3 + bit, state(bit, nothing));
      dfa.connect(state(stored, ignore), 3 + bit, state(stored, nothing));
    }
    if (stored == 2) continue;
    dfa.connect(state(stored, nothing), 1, state(stored, read));
    dfa.connect(state(stored, nothing), 2, state(stored, ignore));
    dfa.connect(state(stored, read), 3 + stored, state(stored, nothing));
  }
  dfa.initial = state(2, nothing);
  return minimise(dfa);
}

}  // namespace quench::automata
