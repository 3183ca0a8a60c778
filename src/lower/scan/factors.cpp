// For two states that are not yet told apart, take the coarsest congruence that does: begin with one that is generated
// by two states and add others while the two stay apart. What comes out depends on the order, so every beginning is
// tried, and the fewest classes win.
#include "lower/scan/factors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

namespace quench::lower {
namespace {

/// How many states are looked at, at most, in search of coarse congruences of one pair.
constexpr std::size_t kMostWork = 20'000'000;
constexpr std::size_t kMostFactored = 200;
/// So few states are not worth the layer that puts what the factors know together.
constexpr std::size_t kFewStates = 8;

/// Hidden units that a scan of a machine takes, roughly.
double cost(const Machine& machine) {
  const auto n = static_cast<double>(machine.size());
  return n * n * std::ceil(std::log2(n));
}

class Search {
 public:
  explicit Search(const Machine& machine) : machine_(machine), identity_(machine.size()) {
    std::iota(identity_.begin(), identity_.end(), std::size_t{0});
    std::set<Classes> all;
    for (std::size_t p = 0; p < machine.size(); ++p)
      for (std::size_t q = 0; q < p; ++q) {
        Classes pair = identity_;
        pair[p] = q;
        all.insert(joined(machine, identity_, pair));
      }
    generators_.assign(all.begin(), all.end());
    std::stable_sort(generators_.begin(), generators_.end(),
                     [](const Classes& a, const Classes& b) { return class_count(a) < class_count(b); });
  }

  /// Congruences in which no two states are together everywhere.
  std::vector<Classes> run() const {
    std::vector<Classes> chosen;
    for (std::size_t p = 0; p < machine_.size(); ++p)
      for (std::size_t q = 0; q < p; ++q)
        if (together(chosen, p, q)) chosen.push_back(coarsest_apart(p, q));
    // What the others know is left out, the earlier first: they are as coarse, and often the only ones of their kind.
    for (std::size_t k = 0; k < chosen.size();) {
      std::vector<Classes> others = chosen;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      if (tell_all_apart(others))
        chosen = std::move(others);
      else
        ++k;
    }
    return chosen;
  }

 private:
  static bool together(const std::vector<Classes>& all, std::size_t p, std::size_t q) {
    return std::all_of(all.begin(), all.end(), [&](const Classes& one) { return one[p] == one[q]; });
  }
  bool tell_all_apart(const std::vector<Classes>& all) const {
    for (std::size_t p = 0; p < machine_.size(); ++p)
      for (std::size_t q = 0; q < p; ++q)
        if (together(all, p, q)) return false;
    return true;
  }

  Classes coarsest_apart(std::size_t p, std::size_t q) const {
    Classes best = identity_;
    const std::size_t one_start = (generators_.size() + 1) * machine_.size() * (machine_.letters() + 1);
    const std::size_t starts = std::min(generators_.size(), 1 + kMostWork / one_start);
    for (std::size_t start = 0; start < starts; ++start) {
      Classes now = identity_;
      for (std::size_t k = 0; k < generators_.size(); ++k) {
        Classes coarser = joined(machine_, now, generators_[(start + k) % generators_.size()]);
        if (coarser[p] != coarser[q]) now = std::move(coarser);
      }
      if (class_count(now) < class_count(best)) best = std::move(now);
    }
    return best;
  }

  const Machine& machine_;
  Classes identity_;
  std::vector<Classes> generators_;
};

/// The states of b by those of a, if a map that respects letters sends one to the other.
std::optional<std::vector<std::size_t>> isomorphism(const Machine& a, const Machine& b) {
  if (a.size() != b.size()) return std::nullopt;
  for (std::size_t image = 0; image < b.size(); ++image) {
    std::vector<std::size_t> to(a.size(), b.size()), from(b.size(), a.size()), pending{a.initial};
    to[a.initial] = image;
    from[image] = a.initial;
    bool fits = true;
    while (fits && !pending.empty()) {
      const std::size_t s = pending.back();
      pending.pop_back();
      for (std::size_t letter = 0; letter < a.letters() && fits; ++letter) {
        const std::size_t x = a.next[s][letter], y = b.next[to[s]][letter];
        if (to[x] == b.size() && from[y] == a.size()) {
          to[x] = y;
          from[y] = x;
          pending.push_back(x);
        }
        fits = to[x] == y && from[y] == x;
      }
    }
    if (fits && std::find(to.begin(), to.end(), b.size()) == to.end()) return to;
  }
  return std::nullopt;
}

Factors assembled(const Machine& machine, const std::vector<Classes>& congruences) {
  Factors result;
  for (const Classes& congruence : congruences) {
    const Machine small = quotient(machine, congruence);
    Factors::Run run{result.machines.size(), congruence};
    for (std::size_t k = 0; k < result.machines.size(); ++k)
      if (const auto map = isomorphism(small, result.machines[k])) {
        run.machine = k;
        for (std::size_t& state : run.state) state = (*map)[state];
        break;
      }
    if (run.machine == result.machines.size()) result.machines.push_back(small);
    result.runs.push_back(std::move(run));
  }
  return result;
}

}  // namespace

Factors factors_of(const Machine& machine) {
  Classes identity(machine.size());
  std::iota(identity.begin(), identity.end(), std::size_t{0});
  Factors whole = assembled(machine, {identity});
  if (machine.size() <= kFewStates || machine.size() > kMostFactored) return whole;
  Factors several = assembled(machine, Search(machine).run());
  double together = 0;
  for (const Machine& one : several.machines) together += cost(one);
  return together < cost(machine) ? several : whole;
}

}  // namespace quench::lower
