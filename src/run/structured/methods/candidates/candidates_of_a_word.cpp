// Heads whose sharpness grows with the query: s_ij = t_i·κ_j, such as γi²(S_j − 1/j) [P-L8a].
//
// The scan keeps a list of candidates. Let M_i = max_{visible j} κ_j. A key with t_i(M_i − κ_j) > T, T the cutoff of
// negligible(), weighs less than e^{−T} of the row's best. In the order of the scan M_i never falls (more keys become
// visible) and neither, we check, does t_i ≥ 0: so such a key is negligible for ever, and is dropped. What is dropped
// is at most n·e^{−T} of a row's total: below its rounding.
//
// How long the list gets: with κ_j = S_j − 1/j and t_i = γi², the keys with S = 1 that survive have
// 1/j − 1/i ≤ T/γi², that is i − j ≤ T/γ + O(1): about 17 keys for γ = 3 and n = 10^6. Short prefixes keep all of
// theirs, which is the dense start such heads need. Equal κ in a row (float32 runs out of 1/j's) are one candidate with
// a count.
//
// Unmasked heads see the same keys from every query. Where t_i > 0 the row's best is κ_max and the keys that count have
// κ_max − κ_j ≤ T/t_i; where t_i < 0 they lie as near to κ_min; where t_i = 0 all count alike. So the few greatest and
// the few smallest κ, and the mean of all, answer every query that is sharp enough: the comparisons of S-RASP are.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "run/structured/methods/candidates/candidate_list.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

constexpr std::size_t kLongestList = 1024;

/// t_i·κ_j as one component, or nothing.
struct RankOne {
  Plane t, kappa;
};

/// Folds components whose queries are multiples of the first one's: q_l(i) = c_l q_0(i) for all i.
std::optional<RankOne> rank_one(HeadWork& work) {
  if (work.q.empty()) return std::nullopt;
  for (const auto& column : work.q_columns)
    if (!may_be_multiples(*work.q_columns[0], *column)) return std::nullopt;
  work.need_all();
  const Plane& t = work.q[0];
  std::vector<double> factors{1};
  for (std::size_t l = 1; l < work.q.size(); ++l) {
    if (t[0] == 0) return std::nullopt;
    factors.push_back(work.q[l][0] / t[0]);
    for (std::size_t p = 0; p < work.size(); ++p)
      if (work.q[l][p] != factors[l] * t[p]) return std::nullopt;
  }
  RankOne result{t, work.k[0]};
  for (std::size_t l = 1; l < work.q.size(); ++l)
    for (std::size_t p = 0; p < work.size(); ++p) result.kappa[p] += factors[l] * work.k[l][p];
  for (std::size_t i = 0; i < work.n; ++i)
    for (std::size_t w = 0; w < work.words; ++w) result.t[i * work.words + w] *= work.scale_at(i);
  return result;
}

constexpr std::size_t kMostAtAnEnd = 64;

/// One end of the keys of a word: the greatest values of sign·κ, with how many keys have them and the sums of theirs.
class End {
 public:
  End(const HeadWork& work, const Plane& kappa, std::size_t word, double sign) : sign_(sign) {
    const auto at = [&](std::size_t j) { return sign * kappa[j * work.words + word]; };
    for (std::size_t j = 0; j < work.n; ++j) {
      const auto place = std::lower_bound(kappa_.begin(), kappa_.end(), at(j), std::greater<>());
      if (place != kappa_.end() && *place == at(j)) continue;
      if (kappa_.size() == kMostAtAnEnd) {
        all_ = false;
        if (place == kappa_.end()) continue;
        kappa_.insert(place, at(j));
        kappa_.pop_back();
      } else {
        kappa_.insert(place, at(j));
      }
    }
    count_.assign(kappa_.size(), 0.0);
    sums_.assign(work.v.size(), std::vector<double>(kappa_.size(), 0.0));
    for (std::size_t j = 0; j < work.n; ++j) {
      if (at(j) < kappa_.back()) continue;
      const auto c = static_cast<std::size_t>(std::lower_bound(kappa_.begin(), kappa_.end(), at(j), std::greater<>()) -
                                              kappa_.begin());
      ++count_[c];
      for (std::size_t x = 0; x < sums_.size(); ++x) sums_[x][c] += work.v[x][j * work.words + word];
    }
  }

  /// The means of a query with sign·t > 0, to index p. False: keys that are not at this end count too.
  bool answer(double t, double cutoff, std::size_t p, std::vector<Plane>& out) const {
    weights_.clear();
    double total = 0;
    for (std::size_t c = 0; c < kappa_.size(); ++c) {
      const double below = sign_ * t * (kappa_[0] - kappa_[c]);
      if (below > cutoff) break;
      weights_.push_back(std::exp(-below));
      total += weights_[c] * count_[c];
    }
    if (weights_.size() == kappa_.size() && !all_) return false;
    for (std::size_t x = 0; x < out.size(); ++x)
      out[x][p] = std::inner_product(weights_.begin(), weights_.end(), sums_[x].begin(), 0.0) / total;
    return true;
  }

 private:
  double sign_;
  bool all_ = true;            ///< there are no further values of κ
  std::vector<double> kappa_;  ///< falling, each once
  std::vector<double> count_;
  std::vector<std::vector<double>> sums_;  ///< by value
  mutable std::vector<double> weights_;
};

std::optional<std::string> run_from_both_ends(HeadWork& work, const RankOne& head) {
  const double cutoff = negligible(work);
  for (std::size_t w = 0; w < work.words; ++w) {
    const End greatest(work, head.kappa, w, 1), smallest(work, head.kappa, w, -1);
    std::vector<double> mean(work.v.size(), 0.0);
    for (std::size_t x = 0; x < mean.size(); ++x) {
      for (std::size_t j = 0; j < work.n; ++j) mean[x] += work.v[x][j * work.words + w];
      mean[x] /= static_cast<double>(work.n);
    }
    for (std::size_t i = 0; i < work.n; ++i) {
      const std::size_t p = i * work.words + w;
      const double t = head.t[p];
      if (t == 0) {
        for (std::size_t x = 0; x < mean.size(); ++x) work.out[x][p] = mean[x];
      } else if (!(t > 0 ? greatest : smallest).answer(t, cutoff, p, work.out)) {
        return "more than " + std::to_string(kMostAtAnEnd) + " kinds of keys compete for a query";
      }
    }
  }
  return std::nullopt;
}

bool rises(const HeadWork& work, const RankOne& head, const ScanOrder& order) {
  for (std::size_t w = 0; w < work.words; ++w) {
    double before = 0;
    for (std::size_t step = 0; step < work.n; ++step) {
      const double t = head.t[order.at(step, work.n) * work.words + w];
      if (!(t >= before)) return false;
      before = t;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> run_by_candidates(HeadWork& work) {
  const ScanOrder order(work.mask);
  const std::optional<RankOne> head = rank_one(work);
  if (!head) return "queries in more than one direction";
  if (!all_finite(head->t) || !all_finite(head->kappa) || !values_are_finite(work))
    return "numbers that are not finite";
  if (!order.masked) return run_from_both_ends(work, *head);
  if (!rises(work, *head, order)) return "sharpness that falls from one query to the next";
  CandidateList list(work.v.size(), negligible(work));
  for (std::size_t w = 0; w < work.words; ++w) {
    list.clear();
    for (std::size_t step = 0; step < work.n; ++step) {
      const std::size_t p = order.at(step, work.n) * work.words + w;
      if (order.strict) list.answer(head->t[p], work.out, p);
      list.add(head->t[p], head->kappa[p], work.v, p);
      if (!order.strict) list.answer(head->t[p], work.out, p);
      if (list.size() > kLongestList) return "more than 1024 keys compete for a query";
    }
  }
  return std::nullopt;
}

}  // namespace quench::run
