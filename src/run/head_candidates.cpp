// Heads whose sharpness grows with the query: s_ij = t_i·κ_j, such as γi²(S_j − 1/j) [P-L8a].
//
// The scan keeps a list of candidates. Let M_i = max_{visible j} κ_j. A key with t_i(M_i − κ_j) > T, T the cutoff of
// negligible(), weighs less than e^{−T} of the row's best. In the order of the scan M_i never falls (more keys become
// visible) and neither, we check, does t_i ≥ 0: so such a key is negligible for ever, and is dropped. What is dropped
// is at most n·e^{−T} of a row's total: below its rounding.
//
// How long the list gets: with κ_j = S_j − 1/j and t_i = γi², the keys with S = 1 that survive have
// 1/j − 1/i ≤ T/γi², that is i − j ≤ T/γ + O(1): about 17 keys for γ = 3 and n = 10^6. Short prefixes keep all of theirs,
// which is the dense start such heads need. Equal κ in a row (float32 runs out of 1/j's) are one candidate with a count.
#include <algorithm>
#include <cmath>
#include <limits>

#include "run/head_work.h"
#include "run/lane_exp.h"
#include "run/lanes.h"

namespace quench::run {

namespace {

constexpr std::size_t kLongestList = 1024;
constexpr std::size_t kGroup = 8;

/// t_i·κ_j as one component, or nothing.
struct RankOne {
  Plane t, kappa;
};

/// Folds components whose queries are multiples of the first one's: q_l(i) = c_l q_0(i) for all i.
std::optional<RankOne> rank_one(const HeadWork& work) {
  if (work.q.empty()) return std::nullopt;
  RankOne result{work.q[0], work.k[0]};
  for (std::size_t l = 1; l < work.q.size(); ++l) {
    if (result.t[0] == 0) return std::nullopt;
    const double factor = work.q[l][0] / result.t[0];
    for (std::size_t p = 0; p < work.size(); ++p)
      if (work.q[l][p] != factor * result.t[p]) return std::nullopt;
    for (std::size_t p = 0; p < work.size(); ++p) result.kappa[p] += factor * work.k[l][p];
  }
  for (std::size_t i = 0; i < work.n; ++i)
    for (std::size_t w = 0; w < work.lanes; ++w) result.t[i * work.lanes + w] *= work.scale[i];
  return result;
}

/// The keys that still matter to one word, as a structure of arrays.
class CandidateList {
 public:
  CandidateList(std::size_t values, double cutoff) : cutoff_(cutoff), sums_(values) { grow(64); }

  void clear() {
    size_ = 0;
    best_ = -std::numeric_limits<double>::infinity();
  }
  std::size_t size() const { return size_; }

  /// Key p of the planes; negligible ones are not taken up at all.
  void add(double t, double kappa, const std::vector<Plane>& v, std::size_t p) {
    best_ = std::max(best_, kappa);
    if (t * (best_ - kappa) > cutoff_) return;
    if (size_ > 0 && kappa_[size_ - 1] == kappa) {
      count_[size_ - 1] += 1;
      for (std::size_t x = 0; x < v.size(); ++x) sums_[x][size_ - 1] += v[x][p];
      return;
    }
    if (size_ == kappa_.size()) grow(2 * size_);
    kappa_[size_] = kappa;
    count_[size_] = 1;
    for (std::size_t x = 0; x < v.size(); ++x) sums_[x][size_] = v[x][p];
    ++size_;
  }

  /// The row of a query with factor t; drops what has become negligible.
  void answer(double t, std::vector<Plane>& out, std::size_t p) {
    if (size_ == 0) {
      for (Plane& plane : out) plane[p] = 0;
      return;
    }
    const std::size_t padded = pad();
    const std::size_t dead = weigh(t, best_, kappa_.data(), weight_.data(), padded, cutoff_) - (padded - size_);
    const double total = product(weight_.data(), count_.data(), padded);
    for (std::size_t x = 0; x < out.size(); ++x)
      out[x][p] = product(weight_.data(), sums_[x].data(), padded) / total;
    if (dead >= 4 + size_ / 4) compact();
  }

 private:
  /// weights e^{t(κ − best)}, 0 where negligible; returns how many are.
  QUENCH_LANES static std::size_t weigh(double t, double best, const double* __restrict kappa,
                                        double* __restrict weight, std::size_t count, double cutoff) {
    std::size_t dead = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const double x = t * (kappa[c] - best);  // NaN for padding if t = 0: not ≥ −cutoff either
      dead += x >= -cutoff ? 0 : 1;
      weight[c] = x >= -cutoff ? lane_exp(x) : 0.0;
    }
    return dead;
  }

  /// Eight partial sums, so that additions need not wait for each other. (3× on lists of 17.)
  QUENCH_LANES static double product(const double* a, const double* b, std::size_t count) {
    double sum[kGroup] = {};
    for (std::size_t c = 0; c < count; c += kGroup)
      for (std::size_t l = 0; l < kGroup; ++l) sum[l] += a[c + l] * b[c + l];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  }

  /// Fills the last group up with keys of no weight.
  std::size_t pad() {
    const std::size_t padded = (size_ + kGroup - 1) / kGroup * kGroup;
    for (std::size_t c = size_; c < padded; ++c) {
      kappa_[c] = -std::numeric_limits<double>::infinity();
      count_[c] = 0;
      for (std::vector<double>& sum : sums_) sum[c] = 0;
    }
    return padded;
  }

  void compact() {
    std::size_t kept = 0;
    for (std::size_t c = 0; c < size_; ++c) {
      if (weight_[c] == 0) continue;
      kappa_[kept] = kappa_[c];
      count_[kept] = count_[c];
      for (std::vector<double>& sum : sums_) sum[kept] = sum[c];
      ++kept;
    }
    size_ = kept;
  }

  void grow(std::size_t size) {
    for (std::vector<double>* array : {&kappa_, &count_, &weight_}) array->resize(size);
    for (std::vector<double>& sum : sums_) sum.resize(size);
  }

  const double cutoff_;
  std::size_t size_ = 0;
  double best_ = 0;
  std::vector<double> kappa_, count_, weight_;
  std::vector<std::vector<double>> sums_;
};

bool rises(const HeadWork& work, const RankOne& head, const ScanOrder& order) {
  for (std::size_t w = 0; w < work.lanes; ++w) {
    double before = 0;
    for (std::size_t step = 0; step < work.n; ++step) {
      const double t = head.t[order.at(step, work.n) * work.lanes + w];
      if (!(t >= before)) return false;
      before = t;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> run_by_candidates(HeadWork& work) {
  const ScanOrder order(work.mask);
  if (!order.masked) return "an unmasked head whose scores change scale from query to query";
  const std::optional<RankOne> head = rank_one(work);
  if (!head) return "queries in more than one direction";
  if (!all_finite(head->t) || !all_finite(head->kappa) || !values_are_finite(work)) return "numbers that are not finite";
  if (!rises(work, *head, order)) return "sharpness that falls from one query to the next";
  CandidateList list(work.v.size(), negligible(work));
  for (std::size_t w = 0; w < work.lanes; ++w) {
    list.clear();
    for (std::size_t step = 0; step < work.n; ++step) {
      const std::size_t p = order.at(step, work.n) * work.lanes + w;
      if (order.strict) list.answer(head->t[p], work.out, p);
      list.add(head->t[p], head->kappa[p], work.v, p);
      if (!order.strict) list.answer(head->t[p], work.out, p);
      if (list.size() > kLongestList) return "more than 1024 keys compete for a query";
    }
  }
  return std::nullopt;
}

}  // namespace quench::run
