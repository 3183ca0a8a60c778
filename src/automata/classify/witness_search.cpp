#include "automata/classify/witness_search.h"

#include <algorithm>
#include <numeric>

#include "automata/classify/varieties.h"
#include "automata/monoid/permutation_group.h"

namespace quench::automata {
namespace {

using lang::State;

constexpr std::size_t kLeastLayer = 1'000;  // steps that a length costs at least, so that few of them are kept

/// A cycle of more than one state that the element makes; the sink is never on one.
std::vector<State> cycle_of(const TransitionMonoid& monoid, Element m) {
  const auto action = monoid.action(m);
  std::vector<State> best;
  for (std::size_t start = 0; start < monoid.points(); ++start) {
    std::vector<State> cycle{static_cast<State>(start)};
    while (cycle.size() <= monoid.points() && action[cycle.back()] != start) cycle.push_back(action[cycle.back()]);
    const bool closed = cycle.size() <= monoid.points();
    if (closed && cycle.size() > 1 && (best.empty() || cycle.size() < best.size())) best = std::move(cycle);
  }
  return best;
}

/// The word of length `length` to `target`, given the sets that words of each length reach.
Word word_through(const TransitionMonoid& monoid, const lang::Dfa& dfa, const std::vector<std::vector<bool>>& layers,
                  Element target) {
  Word word;
  for (std::size_t length = layers.size() - 1; length > 0; --length) {
    const auto step = [&] {
      for (Element m = 0; m < monoid.size(); ++m)
        if (layers[length - 1][m])
          for (std::size_t g = 0; g < monoid.generators().size(); ++g)
            if (monoid.right(m, g) == target) return std::pair(m, g);
      internal_error("a layer leads to the next", __FILE__, __LINE__);
    };
    const auto [m, g] = step();
    word.push_back(dfa.symbol(monoid.generators()[g]));
    target = m;
  }
  std::reverse(word.begin(), word.end());
  return word;
}

/// The elements of the group of an idempotent as permutations of its image.
Permutation on_image(const TransitionMonoid& monoid, Element m, const std::vector<std::uint32_t>& image) {
  Permutation result;
  for (const std::uint32_t p : image) {
    const auto at = std::lower_bound(image.begin(), image.end(), monoid.action(m)[p]);
    result.push_back(static_cast<std::uint32_t>(at - image.begin()));
  }
  return result;
}

}  // namespace

CycleWitness find_cycle(const lang::Dfa&, const TransitionMonoid& monoid, const Green& green) {
  const Element m = proper_group_elements(monoid, green).front();  // a shortest word
  return {monoid.word(m), cycle_of(monoid, m)};
}

/// A proper group element m and its idempotent e that words of one length both are. Lengths are tried one after the
/// other; both exist from some length on if |u| is a multiple of the period of the R-class (see least_modulus), and a
/// language that is not quasi-aperiodic has such an m.
std::optional<EqualLengthWitness> find_equal_lengths(const lang::Dfa& dfa, const TransitionMonoid& monoid,
                                                     const Green& green, Budget& budget) {
  const std::vector<Element> proper = proper_group_elements(monoid, green);
  std::vector<std::vector<bool>> layers(1, std::vector<bool>(monoid.size()));
  layers[0][TransitionMonoid::kIdentity] = true;
  const std::size_t layer = std::max(monoid.size() * monoid.generators().size(), kLeastLayer);
  while (budget.left() >= layer) {
    budget.spend(layer);
    std::vector<bool> next(monoid.size());
    for (Element m = 0; m < monoid.size(); ++m)
      if (layers.back()[m])
        for (std::size_t g = 0; g < monoid.generators().size(); ++g) next[monoid.right(m, g)] = true;
    layers.push_back(std::move(next));
    for (const Element m : proper) {
      const Element e = green.idempotent_of_h[green.h[m]];
      if (!layers.back()[m] || !layers.back()[e]) continue;
      return EqualLengthWitness{word_through(monoid, dfa, layers, m), word_through(monoid, dfa, layers, e),
                                cycle_of(monoid, m)};
    }
  }
  return std::nullopt;
}

GroupSearch search_groups(const lang::Dfa&, const TransitionMonoid& monoid, const Green& green, const Limits& limits,
                          Budget& budget) {
  GroupSearch found;
  // Maximal subgroups of one J-class are isomorphic.
  for (const Element e : green.idempotent_of_j) {
    if (e == Green::kNone) continue;
    const std::vector<Element>& members = green.h_members[green.h[e]];
    found.largest = std::max(found.largest, members.size());
    if (members.size() < 60 || found.perfect) continue;  // A5 is the least group that is not solvable
    budget.spend(members.size() * monoid.points());
    std::vector<std::uint32_t> image(monoid.action(e).begin(), monoid.action(e).end());
    std::sort(image.begin(), image.end());
    image.erase(std::unique(image.begin(), image.end()), image.end());
    std::map<Permutation, Element> element_of;
    std::vector<Permutation> generators;
    for (const Element m : members) {
      generators.push_back(on_image(monoid, m, image));
      element_of.emplace(generators.back(), m);
    }
    const PermutationGroup last = derived_series(PermutationGroup(image.size(), generators, limits), limits).back();
    if (last.size() == 1) continue;
    PerfectGroupWitness witness;
    for (const Permutation& generator : last.generators())
      witness.words.push_back(monoid.word(element_of.at(generator)));
    witness.states.assign(image.begin(), image.end());
    if (!witness.states.empty() && witness.states.back() >= monoid.points()) witness.states.pop_back();
    found.perfect = std::move(witness);
  }
  return found;
}

}  // namespace quench::automata
