// An abelian quotient G/N as a sum of cyclic groups of prime-power order.
#pragma once

#include <vector>

#include "automata/monoid/permutation_group.h"

namespace quench::automata {

class AbelianQuotient {
 public:
  /// N normal in G, G/N abelian. `preferred` elements become members of the basis where they can. Throws UserError if
  /// there are more than `most` classes.
  AbelianQuotient(const PermutationGroup& group, const PermutationGroup& normal,
                  const std::vector<Permutation>& preferred, std::size_t most);

  const std::vector<std::size_t>& orders() const { return orders_; }  ///< of the cyclic groups
  std::size_t size() const { return chosen_.size(); }                 ///< classes
  /// The class of an element of G, and its coordinates.
  std::size_t class_of(const Permutation& a) const;
  const std::vector<std::size_t>& coordinates(std::size_t c) const { return coordinates_[c]; }
  /// The chosen element of a class; the identity for class 0.
  const Permutation& chosen(std::size_t c) const { return chosen_[c]; }

 private:
  const PermutationGroup& group_;
  std::vector<std::size_t> class_of_element_;
  std::vector<Permutation> chosen_;
  std::vector<std::size_t> orders_;
  std::vector<std::vector<std::size_t>> coordinates_;
};

}  // namespace quench::automata
