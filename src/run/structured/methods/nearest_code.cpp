// Heads that find the nearest key whose code is the one asked for ([Q-match], docs/theory-exact.md): components whose
// keys have two values make up a code, all other queries do not depend on i and make up one number per key, the base.
// A query wants one of the two values of every component, and each that is not as wanted costs the same, more than
// bases can make up for. So the keys with the fewest misfits are ahead, and among them the greatest base.
//
// Keys with one code are a group, of which only the best counts; groups are found by a hash of their code. Where there
// is none with the code that is wanted, those with one misfit are looked for, then two; then all groups are compared.
// Every difference is checked against the cutoff of negligible(), as in address.cpp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

constexpr std::size_t kMostCodeBits = 60;
constexpr const char* kTooNear = "keys of one code that are neither equal nor far apart";

/// One word of a head's batch.
class NearestCode {
 public:
  NearestCode(HeadWork& work, std::size_t word) : work_(work), word_(word), cutoff_(negligible(work)) {}

  /// Why it does not apply, if it does not.
  const char* run() {
    if (const char* why = sort_components()) return why;
    groups_.reserve(work_.n);
    const ScanOrder order(work_.mask);
    if (!order.masked)
      for (std::size_t j = 0; j < work_.n; ++j)
        if (const char* why = meet(j)) return why;
    for (std::size_t step = 0; step < work_.n; ++step) {
      const std::size_t i = order.at(step, work_.n);
      if (order.masked)
        if (const char* why = meet(i)) return why;
      if (const char* why = answer(i)) return why;
    }
    return nullptr;
  }

 private:
  using Code = std::uint64_t;
  struct Coded {
    std::size_t component;
    double low, high;  ///< the two values of keys; of one with more values, equal
  };
  struct Group {
    double base;      ///< of its best keys
    std::size_t key;  ///< the one of them that was met last
  };

  double q(std::size_t l, std::size_t i) const { return work_.q[l][i * work_.words + word_] * work_.scale[i]; }
  double cost(const Coded& one, std::size_t i) const { return std::fabs(q(one.component, i)) * (one.high - one.low); }
  double k(std::size_t l, std::size_t j) const { return work_.k[l][j * work_.words + word_]; }

  /// Components with queries that vary are coded; those with steady queries as well if a misfit costs as much, and else
  /// part of the base.
  const char* sort_components() {
    base_.assign(work_.n, 0);
    std::vector<Coded> steady_ones;
    for (std::size_t l = 0; l < work_.q.size(); ++l) {
      double low = k(l, 0), high = low;
      bool two = true, steady = true;
      for (std::size_t j = 0; j < work_.n; ++j) {
        low = std::min(low, k(l, j));
        high = std::max(high, k(l, j));
        steady = steady && q(l, j) == q(l, 0);
      }
      if (low == high) continue;  // the same for all keys
      for (std::size_t j = 0; j < work_.n && two; ++j) two = k(l, j) == low || k(l, j) == high;
      if (steady)
        steady_ones.push_back({l, low, two ? high : low});
      else if (two)
        coded_.push_back({l, low, high});
      else
        return "queries that vary, against keys with many values";
    }
    const double usual = coded_.empty() ? 0 : cost(coded_[0], 0);
    for (const Coded& one : steady_ones) {
      if (usual > 0 && cost(one, 0) == usual)
        coded_.push_back(one);
      else
        for (std::size_t j = 0; j < work_.n; ++j) base_[j] += q(one.component, 0) * k(one.component, j);
    }
    if (coded_.size() > kMostCodeBits) return "codes that are too long";
    top_ = *std::max_element(base_.begin(), base_.end());
    return nullptr;
  }

  const char* meet(std::size_t j) {
    Code code = 0;
    for (std::size_t c = 0; c < coded_.size(); ++c)
      code |= static_cast<Code>(k(coded_[c].component, j) == coded_[c].high) << c;
    const auto [at, added] = groups_.try_emplace(code, Group{base_[j], j});
    if (added) return nullptr;
    const double ahead = base_[j] - at->second.base;
    if (std::fabs(ahead) < cutoff_) return kTooNear;
    if (ahead > 0) at->second = {base_[j], j};
    return nullptr;
  }

  const char* answer(std::size_t i) {
    Code wanted = 0;
    double of_one = 0;  // what a misfit costs
    for (std::size_t c = 0; c < coded_.size(); ++c) {
      if (c > 0 && cost(coded_[c], i) != of_one) return "misfits that do not cost the same";
      of_one = cost(coded_[c], i);
      wanted |= static_cast<Code>(q(coded_[c].component, i) > 0) << c;
    }
    best_ = nullptr;
    near_ = false;
    consider(wanted);
    if (!best_)
      for (std::size_t c = 0; c < coded_.size(); ++c) consider(wanted ^ Code{1} << c);
    if (!best_)
      for (std::size_t c = 0; c < coded_.size(); ++c)
        for (std::size_t d = 0; d < c; ++d) consider(wanted ^ Code{1} << c ^ Code{1} << d);
    if (!best_) consider_all(wanted);
    if (near_ || (!coded_.empty() && of_one - (top_ - best_->base) < cutoff_)) return kTooNear;
    for (std::size_t x = 0; x < work_.v.size(); ++x)
      work_.out[x][i * work_.words + word_] = work_.v[x][best_->key * work_.words + word_];
    return nullptr;
  }

  void consider(Code code) {
    const auto found = groups_.find(code);
    if (found == groups_.end()) return;
    const Group& group = found->second;
    near_ = near_ || (best_ && std::fabs(group.base - best_->base) < cutoff_);
    if (!best_ || group.base > best_->base) best_ = &group;
  }

  /// The groups with the fewest misfits of all.
  void consider_all(Code wanted) {
    int fewest = static_cast<int>(kMostCodeBits) + 1;
    for (const auto& [code, group] : groups_) {
      const int misfits = std::popcount(code ^ wanted);
      if (misfits > fewest) continue;
      if (misfits < fewest) best_ = nullptr, near_ = false;
      fewest = misfits;
      consider(code);
    }
  }

  HeadWork& work_;
  std::size_t word_;
  double cutoff_;
  std::vector<double> base_;  ///< by key
  std::vector<Coded> coded_;
  double top_ = 0;  ///< the greatest base
  std::unordered_map<Code, Group> groups_;
  const Group* best_ = nullptr;  ///< of the row's, with the fewest misfits
  bool near_ = false;            ///< and whether another comes too near to it
};

}  // namespace

std::optional<std::string> run_by_nearest_code(HeadWork& work) {
  if (ScanOrder(work.mask).strict || !values_are_finite(work)) return "a strict mask, or values that are not finite";
  for (std::size_t w = 0; w < work.words; ++w)
    if (const char* why = NearestCode(work, w).run()) return why;
  return std::nullopt;
}

}  // namespace quench::run
