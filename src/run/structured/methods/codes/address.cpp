// Heads whose keys are found by what they say of themselves (docs/theory-exact.md): of every component of the dot
// product a query asks for the keys' greatest or least value, and whoever does not have it is so far behind that it
// weighs nothing.
//
// The scan keeps the keys in groups. A component whose keys have two values says, by the sign of its query, which of
// them it wants; components whose queries do not depend on i are one number per key, the base. Two kinds of heads come
// of it:
//
//   few groups    At most three components with two values. Of every group only the keys with the greatest base count;
//                 a row compares the groups' best. (the neighbour, the nearest key that is selected)
//   by code       Any number of them: the values wanted are a code, and a row takes the group that has it, all of whose
//                 keys are best in every component: either only keys with the greatest base are kept, or the base is
//                 −β·x² of one more component x with whole values, of which a query wants x = r, since
//                 2βr·x − βx² = β(r² − (x−r)²). (a position by its bits, a block of positions, a count) Where all
//                 queries want the same of two values, keys with the other one never count.
//   and a sink    A component that is 0 at all keys but one: where its query is not 0, that key is ahead of any other.
//
// Every difference is checked against the cutoff of negligible(): keys that are dropped weigh less than e^{−T} of the
// best each. Where a difference is smaller, or a row's code is no key's, the method does not apply.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "run/structured/methods/codes/codes.h"
#include "run/structured/methods/codes/columns.h"
#include "run/structured/methods/codes/groups.h"

namespace quench::run {

namespace {

constexpr std::size_t kFewGroups = 3;  // components with two values
constexpr std::size_t kMostCode = 24;  // bits
constexpr std::uint64_t kTooClose = std::uint64_t{1} << 63;
constexpr const char* kNotApart = "keys that are neither equal nor far apart";

/// One word of a head's batch.
class Addressed {
 public:
  Addressed(HeadWork& work, std::size_t word)
      : work_(work),
        columns_(work, word),
        means_(work, word),
        values_(columns_.values()),
        cutoff_(negligible(work)),
        groups_(values_) {}

  /// Why it does not apply, if it does not.
  const char* run() {
    if (const char* why = sort_components()) return why;
    const bool few = two_valued_.size() <= kFewGroups && !linear_ && !sink_;
    for (const auto& [l, query] : steady_)
      if (few || linear_ || !fix(l, query)) add_to_base(l, query);
    if (linear_)
      if (const char* why = find_square()) return why;
    return few ? run_few_groups() : run_by_code();
  }

 private:
  double q(std::size_t l, std::size_t i) { return columns_.q(l).at(i) * columns_.factor(); }
  double k(std::size_t l, std::size_t j) { return columns_.k(l).at(j); }
  double base(std::size_t j) const { return base_.empty() ? 0 : base_[j]; }

  /// Which components have one value, two, or more; which queries are constant; the base.
  const char* sort_components() {
    for (std::size_t l = 0; l < work_.q.size(); ++l) {
      const WordColumn& keys = columns_.k(l);
      if (keys.constant()) continue;  // the same for all keys
      const WordColumn& queries = columns_.q(l);
      if (queries.constant()) {
        steady_.emplace_back(l, queries.low * columns_.factor());
      } else if (is_sink(keys, queries)) {
        sink_ = l;
        while (keys.at(sink_at_) == 0) ++sink_at_;
      } else if (two_valued_.size() <= kMostCode && keys.few()) {
        two_valued_.push_back({l, keys.low, keys.high});
      } else if (!linear_) {
        columns_.all_of_k(l);
        linear_ = l;
      } else {
        return "queries that vary, against keys with many values, in two components";
      }
    }
    for (std::size_t c = 0; c < two_valued_.size(); ++c)
      keys_.bits.push_back({columns_.k(two_valued_[c].component).bits, std::uint64_t{1} << c});
    return nullptr;
  }

  void add_to_base(std::size_t l, double query) {
    base_.resize(work_.n);
    add_multiple(columns_.all_of_k(l), work_.n, query, base_.data());
  }

  /// All queries want the same value: keys that have another one never count. False: these are not far enough behind,
  /// or not known to be.
  bool fix(std::size_t l, double query) {
    const WordColumn& keys = columns_.k(l);
    if (keys.peak) {
      if (query * keys.peak->behind < cutoff_) return false;
      keys_.bits.push_back({keys.at_peak, kTooClose, true});
      fixed_behind_ += query * keys.peak->range;
      return true;
    }
    if (!keys.few() || std::fabs(query) * (keys.high - keys.low) < cutoff_) return false;
    keys_.bits.push_back({keys.bits, kTooClose, query > 0});
    fixed_.emplace_back(l, query);
    return true;
  }

  /// One key is positive, the others are 0; queries are 0 or positive.
  bool is_sink(const WordColumn& keys, const WordColumn& queries) const {
    if (sink_ || !keys.few() || keys.low != 0 || keys.ones != 1) return false;
    return (queries.few() ? queries.low : *std::min_element(queries.plane, queries.plane + work_.n)) == 0;
  }

  /// The base is a constant less β·x², x whole; or it is less than that, and the key never counts.
  const char* find_square() {
    double at_zero = -HUGE_VAL, at_one = -HUGE_VAL;
    for (std::size_t j = 0; j < work_.n; ++j) {
      const double x = k(*linear_, j);
      if (x < 0 || x != std::floor(x) || x >= 0x1p22) return "a component that is not a whole number";
      greatest_x_ = std::max(greatest_x_, x);
      if (x == 0) at_zero = std::max(at_zero, base(j));
      if (x == 1) at_one = std::max(at_one, base(j));
    }
    beta_ = at_zero - at_one;
    if (!(beta_ >= cutoff_ && beta_ < HUGE_VAL)) return kNotApart;
    for (std::size_t j = 0; j < work_.n; ++j) {
      const double x = k(*linear_, j), behind = at_zero - beta_ * x * x - base(j);
      if (behind != 0 && behind < cutoff_) return "a component that is no parabola";
      if (behind != 0) leave_out(j);
    }
    return nullptr;
  }

  /// The key cannot be what a code asks for.
  void leave_out(std::size_t j) {
    if (keys_.more.empty()) keys_.more.resize(work_.n);
    keys_.more[j] |= kTooClose;
  }

  void put(std::size_t i, std::size_t group) {
    for (std::size_t x = 0; x < work_.v.size(); ++x) means_.at(x, i) = groups_.mean(group, x);
  }

  const char* run_few_groups() {
    const std::size_t count = std::size_t{1} << two_valued_.size();
    groups_.grow(count);
    std::vector<double> best(count), score(count);
    const auto meet = [&](std::size_t j, std::uint64_t code) -> const char* {
      const bool first = groups_.empty(code);
      const double ahead = base(j) - best[code];
      if (!first && ahead != 0 && std::fabs(ahead) < cutoff_) return kNotApart;
      if (!first && ahead < 0) return nullptr;
      if (first || ahead > 0) groups_.clear(code);
      best[code] = base(j);
      groups_.add(code, j);
      return nullptr;
    };
    const auto answer = [&](std::size_t i, std::uint64_t) -> const char* {
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
    return scan_codes(ScanOrder(work_.mask), work_.n, keys_, queries_, means_, meet, answer);
  }

  /// The code that each query asks for, with kTooClose where that is not clear; and how far, at most, the sink is
  /// behind what the best key could have in these components.
  void find_wanted_codes() {
    for (std::size_t c = 0; c < two_valued_.size(); ++c) {
      const auto& [l, low, high] = two_valued_[c];
      const double span = (high - low) * columns_.factor();
      const WordColumn& queries = columns_.q(l);
      queries_.set_where_positive(queries, work_.n, std::uint64_t{1} << c);
      if (!queries.few()) {
        mark_small(queries.plane, work_.n, span, cutoff_, kTooClose, queries_.more_of(work_.n));
      } else {
        if (std::fabs(queries.high) * span < cutoff_) queries_.bits.push_back({queries.bits, kTooClose});
        if (std::fabs(queries.low) * span < cutoff_) queries_.bits.push_back({queries.bits, kTooClose, true});
      }
      if (sink_)
        most_behind_ += std::fmax(0, greatest_multiple(queries, work_.n, k(l, sink_at_) == high ? -span : span));
    }
  }

  const char* run_by_code() {
    const std::size_t bits = two_valued_.size() + (linear_ ? std::bit_width(static_cast<std::size_t>(greatest_x_)) : 0);
    if (bits > kMostCode) return "too many components with two values";
    if (!base_.empty()) top_ = *std::max_element(base_.begin(), base_.end());
    if (!linear_) {
      double second = -HUGE_VAL;
      for (const double b : base_)
        if (b < top_) second = std::max(second, b);
      if (top_ - second < cutoff_) return kNotApart;
      for (std::size_t j = 0; j < base_.size(); ++j)
        if (base_[j] != top_) leave_out(j);
    } else {
      std::uint64_t* more = keys_.more_of(work_.n);
      for (std::size_t j = 0; j < work_.n; ++j)
        more[j] |= static_cast<std::uint64_t>(k(*linear_, j)) << two_valued_.size();
    }
    find_wanted_codes();
    if (sink_) {
      sink_queries_ = &columns_.q(*sink_);
      sink_key_ = k(*sink_, sink_at_);
      sink_behind_ = top_ - base(sink_at_) + fixed_behind_;
    }
    for (const auto& [l, query] : fixed_)
      if (sink_ && (k(l, sink_at_) == columns_.k(l).high) != (query > 0))
        sink_behind_ += std::fabs(query) * (columns_.k(l).high - columns_.k(l).low);
    groups_.grow(std::size_t{1} << bits);
    const auto meet = [&](std::size_t j, std::uint64_t code) -> const char* {
      if (!(code & kTooClose)) groups_.add(code, j);
      return nullptr;
    };
    return scan_codes(ScanOrder(work_.mask), work_.n, keys_, queries_, means_, meet,
                      [&](std::size_t i, std::uint64_t code) { return answer_by_code(i, code); });
  }

  const char* answer_by_code(std::size_t i, std::uint64_t code) {
    if (sink_ && sink_queries_->at(i) * columns_.factor() > 0) return answer_by_sink(i);
    if (code & kTooClose) return kNotApart;
    if (linear_) {
      const double r = std::clamp(q(*linear_, i) / (2 * beta_), 0.0, greatest_x_);
      if (r != std::floor(r)) return "a query that asks for no whole number";
      code |= static_cast<std::uint64_t>(r) << two_valued_.size();
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
    const double ahead = sink_queries_->at(i) * columns_.factor() * sink_key_ - sink_behind_;
    if (linear_ || !(ahead - most_behind_ >= cutoff_ || ahead - behind(i) >= cutoff_)) return kNotApart;
    for (std::size_t x = 0; x < work_.v.size(); ++x) means_.at(x, i) = values_[x]->at(z);
    return nullptr;
  }

  /// How far the sink is behind what the best key could have for this query.
  double behind(std::size_t i) {
    double sum = 0;
    for (const auto& [l, low, high] : two_valued_)
      sum += std::fmax(0, q(l, i) * (k(l, sink_at_) == high ? low - high : high - low));
    return sum;
  }

  struct TwoValued {
    std::size_t component;
    double low, high;
  };
  HeadWork& work_;
  Columns columns_;
  Means means_;
  std::vector<const WordColumn*> values_;
  double cutoff_;
  std::vector<double> base_;  ///< by key; empty if it is 0
  Codes keys_, queries_;      ///< what keys say, with kTooClose where they never count; what queries want
  std::vector<TwoValued> two_valued_;
  /// Components whose queries are the same everywhere, and the query; which of them are fixed.
  std::vector<std::pair<std::size_t, double>> steady_, fixed_;
  std::optional<std::size_t> sink_, linear_;
  double beta_ = 0, greatest_x_ = 0;
  double top_ = 0;           ///< the greatest base
  double fixed_behind_ = 0;  ///< how far, at most, any key is behind those at the peaks that are fixed
  double most_behind_ = 0;  ///< the greatest behind()
  const WordColumn* sink_queries_ = nullptr;
  double sink_key_ = 0;
  double sink_behind_ = 0;  ///< how far the sink is behind the best key in components that queries do not vary in
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
