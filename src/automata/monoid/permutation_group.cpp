#include "automata/monoid/permutation_group.h"

#include <numeric>

namespace quench::automata {

Permutation identity_permutation(std::size_t degree) {
  Permutation result(degree);
  std::iota(result.begin(), result.end(), 0u);
  return result;
}

Permutation compose(const Permutation& a, const Permutation& b) {
  Permutation result(a.size());
  for (std::size_t p = 0; p < a.size(); ++p) result[p] = b[a[p]];
  return result;
}

Permutation inverse(const Permutation& a) {
  Permutation result(a.size());
  for (std::size_t p = 0; p < a.size(); ++p) result[a[p]] = static_cast<std::uint32_t>(p);
  return result;
}

PermutationGroup::PermutationGroup(std::size_t degree, std::vector<Permutation> generators, const Limits& limits)
    : degree_(degree) {
  const auto add = [&](Permutation a) {
    if (!numbers_.try_emplace(a, elements_.size()).second) return;
    elements_.push_back(std::move(a));
    check_limit(elements_.size(), limits.group, "group", "elements of a group in the transition monoid");
  };
  add(identity_permutation(degree));
  // Only generators that add something stay, so there are at most log2 of the order.
  for (const Permutation& generator : generators) {
    if (contains(generator)) continue;
    generators_.push_back(generator);
    for (std::size_t k = 0; k < elements_.size(); ++k)
      for (const Permutation& g : generators_) add(compose(elements_[k], g));
  }
}

PermutationGroup PermutationGroup::derived(const Limits& limits) const {
  std::vector<Permutation> commutators;
  for (const Permutation& a : generators_)
    for (const Permutation& b : generators_)
      commutators.push_back(compose(compose(inverse(a), inverse(b)), compose(a, b)));
  for (;;) {
    PermutationGroup group(degree_, commutators, limits);
    commutators = group.generators_;
    for (const Permutation& c : group.generators_)
      for (const Permutation& a : generators_)
        if (const Permutation conjugate = compose(compose(inverse(a), c), a); !group.contains(conjugate))
          commutators.push_back(conjugate);
    if (commutators.size() == group.generators_.size()) return group;
  }
}

std::vector<PermutationGroup> derived_series(const PermutationGroup& group, const Limits& limits) {
  std::vector<PermutationGroup> series{group};
  for (;;) {
    PermutationGroup next = series.back().derived(limits);
    if (next.size() == series.back().size()) return series;
    series.push_back(std::move(next));
  }
}

}  // namespace quench::automata
