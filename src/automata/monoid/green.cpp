#include "automata/monoid/green.h"

#include <unordered_map>

#include "automata/monoid/components.h"

namespace quench::automata {

Green::Green(const TransitionMonoid& monoid) {
  const std::size_t letters = monoid.generators().size();
  const auto right = [&](Element m, std::size_t g) { return monoid.right(m, g); };
  const auto left = [&](Element m, std::size_t g) { return monoid.left(g, m); };
  const auto both = [&](Element m, std::size_t g) { return g < letters ? right(m, g) : left(m, g - letters); };
  const auto take = [&](Components components, std::vector<std::uint32_t>& of, std::size_t& count) {
    of = std::move(components.of);
    count = components.count;
  };
  take(strong_components(monoid.size(), letters, right), r, r_classes);
  take(strong_components(monoid.size(), letters, left), l, l_classes);
  take(strong_components(monoid.size(), 2 * letters, both), j, j_classes);

  h.resize(monoid.size());
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  for (Element m = 0; m < monoid.size(); ++m) {
    h[m] =
        number.try_emplace(std::uint64_t{r[m]} << 32 | l[m], static_cast<std::uint32_t>(number.size())).first->second;
    if (h[m] == h_members.size()) h_members.emplace_back();
    h_members[h[m]].push_back(m);
  }
  h_classes = h_members.size();

  idempotent_of_j.assign(j_classes, kNone);
  idempotent_of_h.assign(h_classes, kNone);
  for (Element m = 0; m < monoid.size(); ++m) {
    if (!monoid.idempotent(m)) continue;
    idempotents.push_back(m);
    idempotent_of_h[h[m]] = m;
    if (idempotent_of_j[j[m]] == kNone) idempotent_of_j[j[m]] = m;
  }
}

}  // namespace quench::automata
