// Boolean combinations of automata, and whether two accept the same words.
#pragma once

#include <functional>
#include <optional>

#include "automata/limits.h"
#include "lang/dfa.h"

namespace quench::automata {

/// The automaton over `symbols`, which must include its own: the new ones do what its other symbols did.
lang::Dfa over_alphabet(const lang::Dfa& dfa, const Alphabet& symbols);
/// All symbols of both, those of `a` first.
Alphabet united(const Alphabet& a, const Alphabet& b);

/// Accepts the words for which `accept(a accepts, b accepts)`, over the symbols of both; the states that words lead to.
lang::Dfa product(const lang::Dfa& a, const lang::Dfa& b, const std::function<bool(bool, bool)>& accept,
                  const Limits& limits = {});
/// Every other word, those with unlisted symbols included.
lang::Dfa complement(const lang::Dfa& dfa);

/// A word that one accepts and the other does not, as short as there is any; nothing if they are equivalent.
struct Difference {
  Word word;  ///< over united(a.alphabet, b.alphabet); may be empty
  bool first_accepts = false;
};
std::optional<Difference> difference(const lang::Dfa& a, const lang::Dfa& b, const Limits& limits = {});

/// A shortest accepted word, if any is accepted.
std::optional<Word> shortest_accepted(const lang::Dfa& dfa);

}  // namespace quench::automata
