#include "automata/translate/groups/abelian.h"

#include <algorithm>
#include <set>

namespace quench::automata {
namespace {

std::vector<std::size_t> prime_powers_of(std::size_t n) {
  std::vector<std::size_t> result;
  for (std::size_t p = 2; n > 1; ++p) {
    std::size_t power = 1;
    for (; n % p == 0; n /= p) power *= p;
    if (power > 1) result.push_back(power);
  }
  return result;
}

}  // namespace

/// A basis of each p-part, greedily: an element of the largest order whose multiples meet what is spanned in 0 only. In
/// a finite abelian p-group such a choice always extends to a basis.
AbelianQuotient::AbelianQuotient(const PermutationGroup& group, const PermutationGroup& normal,
                                 const std::vector<Permutation>& preferred, std::size_t most)
    : group_(group), class_of_element_(group.size(), SIZE_MAX) {
  std::vector<Permutation> first = preferred;
  first.insert(first.begin(), identity_permutation(group.degree()));
  first.insert(first.end(), group.elements().begin(), group.elements().end());
  for (const Permutation& a : first) {
    if (class_of_element_[group.number(a)] != SIZE_MAX) continue;
    for (const Permutation& n : normal.elements()) class_of_element_[group.number(compose(a, n))] = chosen_.size();
    chosen_.push_back(a);
    if (chosen_.size() > most) throw UserError("a group of the decomposition has too many classes");
  }
  const auto times = [&](std::size_t a, std::size_t b) { return class_of(compose(chosen_[a], chosen_[b])); };
  const auto multiple = [&](std::size_t a, std::size_t k) {
    std::size_t result = 0;
    for (; k > 0; --k) result = times(result, a);
    return result;
  };
  const auto order = [&](std::size_t a) {
    std::size_t k = 1;
    for (std::size_t power = a; power != 0; power = times(power, a)) ++k;
    return k;
  };
  std::vector<std::size_t> basis;
  for (const std::size_t part : prime_powers_of(size())) {
    std::set<std::size_t> spanned{0};
    while (spanned.size() < part) {
      std::size_t best = 0, best_order = 1;
      for (std::size_t c = 1; c < size(); ++c) {
        // The part of c whose order is a power of this prime.
        const std::size_t whole = order(c);
        std::size_t own = whole, rest = 1;
        for (std::size_t d = 1; d <= whole; ++d)
          if (whole % d == 0 && part % d == 0) own = d;
        rest = whole / own;
        const std::size_t candidate = multiple(c, rest);
        if (order(candidate) != own || own <= best_order) continue;
        bool independent = true;
        for (std::size_t k = 1; k < own && independent; ++k) independent = !spanned.contains(multiple(candidate, k));
        if (independent) best = candidate, best_order = own;
      }
      basis.push_back(best);
      orders_.push_back(best_order);
      std::set<std::size_t> wider;
      for (const std::size_t s : spanned)
        for (std::size_t k = 0; k < best_order; ++k) wider.insert(times(s, multiple(best, k)));
      spanned = std::move(wider);
    }
  }
  coordinates_.assign(size(), std::vector<std::size_t>(basis.size(), 0));
  std::vector<std::size_t> tuple(basis.size(), 0);
  for (std::size_t n = 0; n < size(); ++n) {
    std::size_t c = 0;
    for (std::size_t k = 0; k < basis.size(); ++k) c = times(c, multiple(basis[k], tuple[k]));
    coordinates_[c] = tuple;
    for (std::size_t k = 0; k < basis.size() && ++tuple[k] == orders_[k]; ++k) tuple[k] = 0;
  }
}

std::size_t AbelianQuotient::class_of(const Permutation& a) const { return class_of_element_[group_.number(a)]; }

}  // namespace quench::automata
