// The transition monoid of an automaton: what words do to its states. Two words are one element if they lead every
// state to the same state. The algebra of this monoid says which logic can define the language.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/limits.h"
#include "lang/dfa.h"

namespace quench::automata {

using Element = std::uint32_t;

class TransitionMonoid {
 public:
  /// Of the automaton as it is (so minimise it first), completed by a sink where transitions are missing. The letter of
  /// unlisted symbols counts only if it leads anywhere. Throws UserError beyond `limits.monoid` elements.
  explicit TransitionMonoid(const lang::Dfa& dfa, const Limits& limits = {});

  static constexpr Element kIdentity = 0;
  std::size_t size() const { return parent_.size(); }
  /// States that the elements act on, the sink included if there is one.
  std::size_t points() const { return points_; }
  /// Letters with different columns, each by the first letter that has it.
  const std::vector<lang::Letter>& generators() const { return generators_; }

  /// Where each state goes.
  std::span<const std::uint32_t> action(Element m) const { return {actions_.data() + m * points_, points_}; }
  Element right(Element m, std::size_t generator) const { return right_[m * generators_.size() + generator]; }
  Element left(std::size_t generator, Element m) const { return left_[m * generators_.size() + generator]; }
  /// First m, then k.
  Element multiply(Element m, Element k) const;
  bool idempotent(Element m) const;
  /// Whether some word that is not empty is this element: true of all but perhaps the identity.
  bool is_word(Element m) const { return m != kIdentity || identity_is_word_; }
  /// A shortest word for the element; empty for the identity.
  Word word(Element m) const;

 private:
  void find_generators(const lang::Dfa& dfa);
  std::uint32_t target(const lang::Dfa& dfa, std::size_t point, lang::Letter letter) const;
  void explore(const lang::Dfa& dfa, const Limits& limits);
  Element find_or_add(const std::vector<std::uint32_t>& action, Element parent, std::uint32_t last);
  Element* slot(std::span<const std::uint32_t> action) const;
  void grow();

  std::size_t points_;
  std::vector<lang::Letter> generators_;
  std::vector<Symbol> symbols_;         // of the generators
  std::vector<std::uint32_t> actions_;  // by element, then by state
  std::vector<Element> right_, left_;   // by element, then by generator
  std::vector<Element> parent_;         // the element without the last letter of its word
  std::vector<std::uint32_t> last_;     // that letter, as a generator
  mutable std::vector<Element> table_;  // open addressing: elements by their actions
  bool identity_is_word_ = false;
};

}  // namespace quench::automata
