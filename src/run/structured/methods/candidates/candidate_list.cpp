#include "run/structured/methods/candidates/candidate_list.h"

#include <algorithm>

#include "base/number/multiversion.h"
#include "run/structured/kernels/lane_exp.h"

namespace quench::run {

namespace {

constexpr std::size_t kGroup = 8;

/// weights e^{t(κ − best)}, 0 where negligible; returns how many are.
QUENCH_MULTIVERSION std::size_t weigh(double t, double best, const double* __restrict kappa, double* __restrict weight,
                               std::size_t count, double cutoff) {
  std::size_t dead = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const double x = t * (kappa[c] - best);  // NaN for padding if t = 0: not ≥ −cutoff either
    dead += x >= -cutoff ? 0 : 1;
    weight[c] = x >= -cutoff ? lane_exp(x) : 0.0;
  }
  return dead;
}

/// Eight partial sums, so that additions need not wait for each other.
QUENCH_MULTIVERSION double product(const double* a, const double* b, std::size_t count) {
  double sum[kGroup] = {};
  for (std::size_t c = 0; c < count; c += kGroup)
    for (std::size_t l = 0; l < kGroup; ++l) sum[l] += a[c + l] * b[c + l];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

}  // namespace

void CandidateList::add(double t, double kappa, const std::vector<Plane>& v, std::size_t p) {
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

void CandidateList::answer(double t, std::vector<Plane>& out, std::size_t p) {
  if (size_ == 0) {
    for (Plane& plane : out) plane[p] = 0;
    return;
  }
  const std::size_t padded = pad();
  const std::size_t dead = weigh(t, best_, kappa_.data(), weight_.data(), padded, cutoff_) - (padded - size_);
  const double total = product(weight_.data(), count_.data(), padded);
  for (std::size_t x = 0; x < out.size(); ++x) out[x][p] = product(weight_.data(), sums_[x].data(), padded) / total;
  if (dead >= 4 + size_ / 4) compact();
}

/// Fills the last group up with keys of no weight.
std::size_t CandidateList::pad() {
  const std::size_t padded = (size_ + kGroup - 1) / kGroup * kGroup;
  for (std::size_t c = size_; c < padded; ++c) {
    kappa_[c] = -std::numeric_limits<double>::infinity();
    count_[c] = 0;
    for (std::vector<double>& sum : sums_) sum[c] = 0;
  }
  return padded;
}

void CandidateList::compact() {
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

void CandidateList::grow(std::size_t size) {
  for (std::vector<double>* array : {&kappa_, &count_, &weight_}) array->resize(size);
  for (std::vector<double>& sum : sums_) sum.resize(size);
}

}  // namespace quench::run
