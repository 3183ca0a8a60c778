// Heads whose keys are found by what they say of themselves (docs/theory-exact.md): of every component of the dot
// product a query asks for the keys' greatest or least value, and whoever does not have it is so far behind that it
// weighs nothing.
//
// The scan keeps the keys in groups. A component whose keys have two values says, by the sign of its query, which of
// them it wants; components whose queries do not depend on i are one number per key, the base. Two kinds of heads come
// of it:
//
//   few groups    At most three components with two values. Of every group only the keys with the greatest base count;
//   a
//                 row compares the groups' best. (the neighbour, the nearest key that is selected)
//   by code       Any number of them: the values wanted are a code, and a row takes the group that has it, all of whose
//                 keys are best in every component: either only keys with the greatest base are kept, or the base is
//                 −β·x² of one more component x with whole values, of which a query wants x = r, since
//                 2βr·x − βx² = β(r² − (x−r)²). (a position by its bits, a block of positions, a count)
//   and a sink    A component that is 0 at all keys but one: where its query is not 0, that key is ahead of any other.
//
// Every difference is checked against the cutoff of negligible(): keys that are dropped weigh less than e^{−T} of the
// best each. Where a difference is smaller, or a row's code is no key's, the method does not apply.
#include <algorithm>
#include <bit>
#include <cmath>

#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

constexpr std::size_t kFewGroups = 3;  // components with two values
constexpr std::size_t kMostCode = 24;  // bits
constexpr const char* kNotApart = "keys that are neither equal nor far apart";

/// Groups of keys that tie: sums of their values, and how many they are.
class Groups {
 public:
  explicit Groups(std::size_t values) : values_(values) {}
  std::size_t size() const { return counts_.size(); }
  void grow(std::size_t groups) {
    counts_.resize(groups);
    sums_.resize(groups * values_);
  }
  void clear(std::size_t group) {
    counts_[group] = 0;
    std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(group * values_), values_, 0.0);
  }
  bool empty(std::size_t group) const { return counts_[group] == 0; }
  void add(std::size_t group, std::size_t value, double x) { sums_[group * values_ + value] += x; }
  void count(std::size_t group) { ++counts_[group]; }
  double mean(std::size_t group, std::size_t value) const { return sums_[group * values_ + value] / counts_[group]; }

 private:
  std::size_t values_;
  std::vector<double> counts_, sums_;
};

/// One word of a head's batch.
class Addressed {
 public:
  Addressed(HeadWork& work, std::size_t word)
      : work_(work), word_(word), cutoff_(negligible(work)), groups_(work.v.size()) {}

  /// Why it does not apply, if it does not.
  const char* run() {
    if (const char* why = sort_components()) return why;
    if (two_valued_.size() <= kFewGroups && !linear_ && !sink_) return run_few_groups();
    return run_by_code();
  }

 private:
  double q(std::size_t l, std::size_t i) const { return work_.q[l][i * work_.words + word_] * work_.scale[i]; }
  double k(std::size_t l, std::size_t j) const { return work_.k[l][j * work_.words + word_]; }
  double v(std::size_t x, std::size_t j) const { return work_.v[x][j * work_.words + word_]; }

  /// Which components have one value, two, or more; which queries are constant; the base.
  const char* sort_components() {
    base_.assign(work_.n, 0);
    counts_.assign(work_.n, true);
    for (std::size_t l = 0; l < work_.q.size(); ++l) {
      double low = k(l, 0), high = low;
      bool two = true, steady = true;
      std::size_t zeros = 0;
      for (std::size_t j = 0; j < work_.n; ++j) {
        low = std::min(low, k(l, j));
        high = std::max(high, k(l, j));
        zeros += k(l, j) == 0;
        steady = steady && q(l, j) == q(l, 0);
      }
      for (std::size_t j = 0; j < work_.n && two; ++j) two = k(l, j) == low || k(l, j) == high;
      if (low == high) continue;  // the same for all keys
      if (steady) {
        for (std::size_t j = 0; j < work_.n; ++j) base_[j] += q(l, 0) * k(l, j);
      } else if (!sink_ && zeros + 1 == work_.n && low == 0 && may_be_sink(l)) {
        sink_ = l;
      } else if (two) {
        two_valued_.push_back({l, low, high});
      } else if (!linear_) {
        linear_ = l;
      } else {
        return "queries that vary, against keys with many values, in two components";
      }
    }
    return linear_ ? find_square() : nullptr;
  }

  /// Queries of a sink are 0 or positive.
  bool may_be_sink(std::size_t l) const {
    bool zero = false;
    for (std::size_t i = 0; i < work_.n; ++i) {
      if (q(l, i) < 0) return false;
      zero = zero || q(l, i) == 0;
    }
    return zero;
  }

  /// The base is a constant less β·x², x whole; or it is less than that, and the key never counts.
  const char* find_square() {
    double at_zero = -HUGE_VAL, at_one = -HUGE_VAL;
    for (std::size_t j = 0; j < work_.n; ++j) {
      const double x = k(*linear_, j);
      if (x < 0 || x != std::floor(x) || x >= 0x1p22) return "a component that is not a whole number";
      greatest_x_ = std::max(greatest_x_, x);
      if (x == 0) at_zero = std::max(at_zero, base_[j]);
      if (x == 1) at_one = std::max(at_one, base_[j]);
    }
    beta_ = at_zero - at_one;
    if (!(beta_ >= cutoff_ && beta_ < HUGE_VAL)) return kNotApart;
    for (std::size_t j = 0; j < work_.n; ++j) {
      const double x = k(*linear_, j), behind = at_zero - beta_ * x * x - base_[j];
      if (behind != 0 && behind < cutoff_) return "a component that is no parabola";
      counts_[j] = behind == 0;
    }
    return nullptr;
  }

  /// Calls meet(j) when key j comes into sight, and answer(i), in the order of the scan; answer may say why not.
  template <class Meet, class Answer>
  const char* scan(const Meet& meet, const Answer& answer) {
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

  void put(std::size_t i, std::size_t group) {
    for (std::size_t x = 0; x < work_.v.size(); ++x) work_.out[x][i * work_.words + word_] = groups_.mean(group, x);
  }

  void add(std::size_t group, std::size_t j) {
    for (std::size_t x = 0; x < work_.v.size(); ++x) groups_.add(group, x, v(x, j));
    groups_.count(group);
  }

  const char* run_few_groups() {
    const std::size_t count = std::size_t{1} << two_valued_.size();
    groups_.grow(count);
    std::vector<double> best(count), score(count);
    const auto meet = [&](std::size_t j) -> const char* {
      const std::size_t code = code_of_key(j);
      const bool first = groups_.empty(code);
      const double ahead = base_[j] - best[code];
      if (!first && ahead != 0 && std::fabs(ahead) < cutoff_) return kNotApart;
      if (!first && ahead < 0) return nullptr;
      if (first || ahead > 0) groups_.clear(code);
      best[code] = base_[j];
      add(code, j);
      return nullptr;
    };
    const auto answer = [&](std::size_t i) -> const char* {
      std::optional<std::size_t> winner;
      for (std::size_t code = 0; code < count; ++code) {
        if (groups_.empty(code)) continue;
        score[code] = best[code];
        for (std::size_t c = 0; c < two_valued_.size(); ++c)
          score[code] += q(two_valued_[c].component, i) * (code >> c & 1 ? two_valued_[c].high : two_valued_[c].low);
        if (!winner || score[code] > score[*winner]) winner = code;
      }
      for (std::size_t code = 0; code < count; ++code)
        if (!groups_.empty(code) && code != *winner && score[*winner] - score[code] < cutoff_) return kNotApart;
      put(i, *winner);
      return nullptr;
    };
    return scan(meet, answer);
  }

  std::size_t code_of_key(std::size_t j) const {
    std::size_t code = 0;
    for (std::size_t c = 0; c < two_valued_.size(); ++c)
      code |= static_cast<std::size_t>(k(two_valued_[c].component, j) == two_valued_[c].high) << c;
    if (linear_) code |= static_cast<std::size_t>(k(*linear_, j)) << two_valued_.size();
    return code;
  }

  const char* run_by_code() {
    const std::size_t bits = two_valued_.size() + (linear_ ? std::bit_width(static_cast<std::size_t>(greatest_x_)) : 0);
    if (bits > kMostCode) return "too many components with two values";
    top_ = *std::max_element(base_.begin(), base_.end());
    double second = -HUGE_VAL;
    for (const double b : base_)
      if (b < top_) second = std::max(second, b);
    if (!linear_) {
      if (top_ - second < cutoff_) return kNotApart;
      for (std::size_t j = 0; j < work_.n; ++j) counts_[j] = base_[j] == top_;
    }
    if (sink_)
      while (k(*sink_, sink_at_) == 0) ++sink_at_;
    groups_.grow(std::size_t{1} << bits);
    const auto meet = [&](std::size_t j) -> const char* {
      if (counts_[j]) add(code_of_key(j), j);
      return nullptr;
    };
    return scan(meet, [&](std::size_t i) { return answer_by_code(i); });
  }

  const char* answer_by_code(std::size_t i) {
    if (sink_ && q(*sink_, i) > 0) return answer_by_sink(i);
    std::size_t code = 0;
    for (std::size_t c = 0; c < two_valued_.size(); ++c) {
      const auto& [l, low, high] = two_valued_[c];
      if (std::fabs(q(l, i)) * (high - low) < cutoff_) return kNotApart;
      code |= static_cast<std::size_t>(q(l, i) > 0) << c;
    }
    if (linear_) {
      const double r = std::clamp(q(*linear_, i) / (2 * beta_), 0.0, greatest_x_);
      if (r != std::floor(r)) return "a query that asks for no whole number";
      code |= static_cast<std::size_t>(r) << two_valued_.size();
    }
    if (code >= groups_.size() || groups_.empty(code)) return "a query that no key answers";
    put(i, code);
    return nullptr;
  }

  /// The sink against the best that any other key could have.
  const char* answer_by_sink(std::size_t i) {
    const std::size_t z = sink_at_;
    const ScanOrder order(work_.mask);
    if (order.masked && (order.backwards ? z < i : z > i)) return "a sink that is hidden";
    double own = q(*sink_, i) * k(*sink_, z) + base_[z], others = top_;
    for (const auto& [l, low, high] : two_valued_) {
      own += q(l, i) * k(l, z);
      others += std::max(q(l, i) * low, q(l, i) * high);
    }
    if (linear_ || own - others < cutoff_) return kNotApart;
    for (std::size_t x = 0; x < work_.v.size(); ++x) work_.out[x][i * work_.words + word_] = v(x, z);
    return nullptr;
  }

  struct TwoValued {
    std::size_t component;
    double low, high;
  };
  HeadWork& work_;
  std::size_t word_;
  double cutoff_;
  std::vector<double> base_;  ///< by key
  std::vector<bool> counts_;  ///< by key: whether it can be what a code asks for
  std::vector<TwoValued> two_valued_;
  std::optional<std::size_t> sink_, linear_;
  double beta_ = 0, greatest_x_ = 0;
  double top_ = 0;  ///< the greatest base
  std::size_t sink_at_ = 0;
  Groups groups_;  ///< by code
};

}  // namespace

std::optional<std::string> run_by_address(HeadWork& work) {
  if (ScanOrder(work.mask).strict || !values_are_finite(work)) return "a strict mask, or values that are not finite";
  for (std::size_t w = 0; w < work.words; ++w)
    if (const char* why = Addressed(work, w).run()) return why;
  return std::nullopt;
}

}  // namespace quench::run
