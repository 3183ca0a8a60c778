#include "automata/regex/derivatives.h"

#include <algorithm>
#include <unordered_map>

#include "automata/machine/minimise.h"
#include "automata/regex/expressions.h"
#include "base/overloaded.h"

namespace quench::automata {
namespace {

using lang::Letter;
using lang::State;
using Kind = Expression::Kind;

/// The derivative of r by a letter a: the words w with aw in r. The states of the automaton of r are its derivatives by
/// words, and a derivative accepts if it has the empty word.
class Derivatives {
 public:
  Derivatives(Expressions& expressions, std::size_t letters, const Limits& limits)
      : all_(expressions), letters_(letters), limits_(limits) {}

  /// Works through a list of expressions whose derivatives are needed, parts before wholes, instead of recursing.
  ExpressionId by(ExpressionId id, Letter letter) {
    std::vector<ExpressionId> todo{id};
    while (!todo.empty()) {
      const ExpressionId next = todo.back();
      if (known(next, letter).valid()) {
        todo.pop_back();
        continue;
      }
      const std::size_t before = todo.size();
      for (const ExpressionId part : needed(next))
        if (!known(part, letter).valid()) todo.push_back(part);
      if (todo.size() > before) continue;
      const ExpressionId result = combine(next, letter);
      known(next, letter) = result;
      todo.pop_back();
    }
    return known(id, letter);
  }

 private:
  ExpressionId& known(ExpressionId id, Letter letter) {
    const std::size_t at = id.index * letters_ + letter;
    check_limit(at, 4 * limits_.transitions, "transitions", "derivatives of a regular expression");
    if (at >= known_.size()) known_.resize(std::max(at + 1, 2 * known_.size()));
    return known_[at];
  }

  /// The parts whose derivatives the derivative is made of.
  std::vector<ExpressionId> needed(ExpressionId id) const {
    const Expression& e = all_[id];
    switch (e.kind) {
      case Kind::letters:
      case Kind::empty:
        return {};
      case Kind::sequence:
        if (!all_.nullable(e.parts[0])) return {e.parts[0]};
        return e.parts;
      case Kind::either:
      case Kind::both:
      case Kind::all_but:
      case Kind::star:
      case Kind::repeated:
        return e.parts;
    }
    return {};
  }

  ExpressionId combine(ExpressionId id, Letter letter) {
    const Expression e = all_[id];
    std::vector<ExpressionId> parts;
    for (const ExpressionId part : needed(id)) parts.push_back(known(part, letter));
    switch (e.kind) {
      case Kind::letters:
        return std::binary_search(e.letters.begin(), e.letters.end(), letter) ? all_.empty() : all_.nothing();
      case Kind::empty:
        return all_.nothing();
      case Kind::sequence: {
        const ExpressionId first = all_.sequence(parts[0], e.parts[1]);
        return parts.size() == 1 ? first : all_.either({first, parts[1]});
      }
      case Kind::either:
        return all_.either(parts);
      case Kind::both:
        return all_.both(parts);
      case Kind::all_but:
        return all_.all_but(parts[0]);
      case Kind::star:
        return all_.sequence(parts[0], id);
      case Kind::repeated:  // if r has the empty word, least is 0
        return all_.sequence(parts[0], all_.repeated(e.parts[0], e.least > 0 ? e.least - 1 : 0, e.most - 1));
    }
    return all_.nothing();
  }

  Expressions& all_;
  std::size_t letters_;
  const Limits& limits_;
  std::vector<ExpressionId> known_;  // by expression, then by letter
};

/// The letters of a set; without unlisted symbols if `closed`.
std::vector<Letter> letters_of(const lang::OneOf& set, const std::vector<Letter>& letter_of_symbol, std::size_t letters,
                               bool closed) {
  std::vector<bool> in(letters, set.negated);
  if (closed) in.back() = false;
  for (const Symbol symbol : set.symbols) in[letter_of_symbol[static_cast<std::size_t>(symbol)]] = !set.negated;
  std::vector<Letter> result;
  for (Letter a = 0; a < letters; ++a)
    if (in[a]) result.push_back(a);
  return result;
}

ExpressionId build(const lang::Regex& regex, Expressions& all, const std::vector<Letter>& letter_of_symbol,
                   std::size_t letters, bool closed) {
  std::vector<ExpressionId> built;
  const auto at = [&](lang::RegexId id) { return built[id.index]; };
  for (const lang::RegexNode& node : regex.nodes.nodes())
    built.push_back(std::visit(Overloaded{[&](const lang::EmptyWord&) { return all.empty(); },
                                          [&](const lang::OneOf& set) {
                                            return all.letters(letters_of(set, letter_of_symbol, letters, closed));
                                          },
                                          [&](const lang::Joined& joined) {
                                            const ExpressionId left = at(joined.left), right = at(joined.right);
                                            switch (joined.kind) {
                                              case lang::Joined::Kind::sequence:
                                                return all.sequence(left, right);
                                              case lang::Joined::Kind::either:
                                                return all.either({left, right});
                                              case lang::Joined::Kind::both:
                                                return all.both({left, right});
                                            }
                                            return all.nothing();
                                          },
                                          [&](const lang::AllBut& all_but) { return all.all_but(at(all_but.arg)); },
                                          [&](const lang::Repeated& repeated) {
                                            return all.repeated(at(repeated.arg), repeated.least, repeated.most);
                                          }},
                               node));
  return at(regex.root);
}

/// A complement also has words with unlisted symbols. If there are none, those words go.
ExpressionId restricted(Expressions& all, ExpressionId root, std::size_t letters, bool closed) {
  if (!closed) return root;
  std::vector<Letter> listed(letters - 1);
  for (Letter a = 0; a + 1 < letters; ++a) listed[a] = a;
  return all.both({root, all.repeated(all.letters(listed), 0, lang::Repeated::kNoEnd)});
}

}  // namespace

lang::Dfa automaton_of(const lang::Regex& regex, const std::optional<Alphabet>& symbols, const Limits& limits) {
  lang::Dfa dfa(symbols ? *symbols : regex.alphabet);
  std::vector<Letter> letter_of_symbol;
  for (const std::string& symbol : regex.alphabet.symbols()) {
    const Symbol number = dfa.alphabet.find(symbol);
    if (number == kUnmentioned)
      throw UserError("the expression has the symbol " + symbol + ", which the alphabet does not list");
    letter_of_symbol.push_back(dfa.letter(number));
  }
  Expressions all(dfa.letters(), limits);
  const ExpressionId root = restricted(all, build(regex, all, letter_of_symbol, dfa.letters(), symbols.has_value()),
                                       dfa.letters(), symbols.has_value());
  Derivatives derivatives(all, dfa.letters(), limits);
  std::unordered_map<ExpressionId, State> number;
  std::vector<ExpressionId> states;
  const auto visit = [&](ExpressionId id) {
    const auto [at, added] = number.try_emplace(id, static_cast<State>(states.size()));
    if (added) {
      states.push_back(id);
      dfa.add_state(all.nullable(id));
      check_limit(states.size(), limits.states, "states", "states of the automaton of a regular expression");
      check_limit(states.size() * dfa.letters(), limits.transitions, "transitions",
                  "transitions of the automaton of a regular expression");
    }
    return at->second;
  };
  dfa.initial = visit(root);
  for (State s = 0; s < states.size(); ++s)
    for (Letter a = 0; a < dfa.letters(); ++a) {
      const ExpressionId next = derivatives.by(states[s], a);
      if (next != all.nothing()) dfa.connect(s, a, visit(next));
    }
  return minimise(dfa);
}

}  // namespace quench::automata
