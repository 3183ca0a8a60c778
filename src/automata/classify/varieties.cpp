#include "automata/classify/varieties.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace quench::automata {
namespace {

/// Of every R-class: the greatest common divisor of the lengths of its cycles in the graph of right multiplication.
std::vector<std::size_t> periods(const TransitionMonoid& monoid, const Green& green) {
  std::vector<std::size_t> period(green.r_classes, 0);
  std::vector<std::int64_t> depth(monoid.size(), -1);
  std::vector<Element> queue;
  for (Element start = 0; start < monoid.size(); ++start) {
    if (depth[start] >= 0) continue;
    depth[start] = 0;
    queue = {start};
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (std::size_t g = 0; g < monoid.generators().size(); ++g) {
        const Element m = queue[k], next = monoid.right(m, g);
        if (green.r[next] != green.r[m]) continue;
        if (depth[next] < 0) {
          depth[next] = depth[m] + 1;
          queue.push_back(next);
        } else {
          std::size_t& of_class = period[green.r[m]];
          of_class = std::gcd(of_class, static_cast<std::size_t>(std::abs(depth[m] + 1 - depth[next])));
        }
      }
  }
  return period;
}

/// Whether a word with a length that s divides is one of the elements marked.
bool some_word_of_length_divisible(const TransitionMonoid& monoid, const std::vector<bool>& marked, std::size_t s,
                                   Budget& budget) {
  std::vector<bool> seen(monoid.size() * s);
  std::vector<std::size_t> queue{0};  // element · s + length mod s
  seen[0] = true;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const auto m = static_cast<Element>(queue[k] / s);
    const std::size_t length = queue[k] % s;
    budget.spend(monoid.generators().size());
    if (length == 0 && marked[m]) return true;
    for (std::size_t g = 0; g < monoid.generators().size(); ++g) {
      const std::size_t next = monoid.right(m, g) * s + (length + 1) % s;
      if (!seen[next]) queue.push_back(next);
      seen[next] = true;
    }
  }
  return false;
}

}  // namespace

bool is_definite(const TransitionMonoid& monoid, const Green& green) {
  return std::ranges::all_of(green.idempotents, [&](Element e) {
    if (!monoid.is_word(e)) return true;
    for (std::size_t g = 0; g < monoid.generators().size(); ++g)
      if (monoid.left(g, e) != e) return false;
    return true;
  });
}

bool is_reverse_definite(const TransitionMonoid& monoid, const Green& green) {
  return std::ranges::all_of(green.idempotents, [&](Element e) {
    if (!monoid.is_word(e)) return true;
    for (std::size_t g = 0; g < monoid.generators().size(); ++g)
      if (monoid.right(e, g) != e) return false;
    return true;
  });
}

/// One e of each J-class is enough: e·S·e of two that are J-equivalent are isomorphic. All elements of e·S·e must be
/// idempotent; then it is a band, and a band is commutative if its own Green's relations are trivial. They are those of
/// M where both elements are regular in e·S·e, as idempotents are.
bool is_locally_testable(const TransitionMonoid& monoid, const Green& green, Budget& budget) {
  if (!green.h_trivial()) return false;  // the groups of M are in the e·S·e
  std::vector<bool> is_idempotent(monoid.size());
  for (const Element e : green.idempotents) is_idempotent[e] = true;
  for (Element e : green.idempotent_of_j) {
    if (e == Green::kNone) continue;
    if (!monoid.is_word(e)) continue;  // the identity, alone in its J-class
    std::vector<Element> local;
    std::vector<bool> seen(monoid.size());
    // e·S·e: all x = e·s, by right multiplication from e, and then x·e.
    std::vector<Element> queue{e};
    std::vector<bool> met(monoid.size());
    met[e] = true;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      budget.spend(monoid.points());
      const Element x = monoid.multiply(queue[k], e);
      if (!is_idempotent[x]) return false;
      if (!seen[x]) local.push_back(x);
      seen[x] = true;
      for (std::size_t g = 0; g < monoid.generators().size(); ++g) {
        const Element next = monoid.right(queue[k], g);
        if (!met[next]) queue.push_back(next);
        met[next] = true;
      }
    }
    std::set<std::uint32_t> r, l;
    for (const Element x : local)
      if (!r.insert(green.r[x]).second || !l.insert(green.l[x]).second) return false;
  }
  return true;
}

bool is_da(const TransitionMonoid& monoid, const Green& green) {
  std::size_t regular = 0;
  for (Element m = 0; m < monoid.size(); ++m) regular += green.idempotent_of_j[green.j[m]] != Green::kNone;
  return regular == green.idempotents.size();
}

std::vector<Element> proper_group_elements(const TransitionMonoid& monoid, const Green& green) {
  std::vector<Element> result;
  for (Element m = 0; m < monoid.size(); ++m) {
    const Element e = green.idempotent_of_h[green.h[m]];
    if (e != Green::kNone && e != m) result.push_back(m);
  }
  return result;
}

/// The lengths of the words of an element m are, from some point on, closed under adding the period p of its R-class.
/// So s divides one of them if and only if gcd(s, p) does, and with D = lcm of these p, s is as good as gcd(s, D): the
/// least s divides D, and if any s is good, D is.
std::size_t least_modulus(const TransitionMonoid& monoid, const Green& green, const Limits& limits, Budget& budget) {
  const std::vector<Element> proper = proper_group_elements(monoid, green);
  if (proper.empty()) return 1;
  std::vector<bool> marked(monoid.size());
  const std::vector<std::size_t> period = periods(monoid, green);
  std::size_t all = 1;
  for (const Element m : proper) {
    marked[m] = true;
    all = std::lcm(all, period[green.r[m]]);
    check_limit(all, limits.modulus, "modulus", "the modulus of positions");
  }
  if (some_word_of_length_divisible(monoid, marked, all, budget)) return 0;
  for (std::size_t s = 1; s < all; ++s)
    if (all % s == 0 && !some_word_of_length_divisible(monoid, marked, s, budget)) return s;
  return all;
}

}  // namespace quench::automata
