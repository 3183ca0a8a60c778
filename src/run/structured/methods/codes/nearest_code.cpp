// Heads that find the nearest key whose code is the one asked for ([Q-match], docs/theory-exact.md): components whose
// keys have two values make up a code, all other queries do not depend on i and make up one number per key, the base.
// A query wants one of the two values of every component, and each that is not as wanted costs the same, more than
// bases can make up for. So the keys with the fewest misfits are ahead, and among them the greatest base.
//
// Keys with one code are a group, of which only the best counts; groups are found by a hash of their code. Where there
// is none with the code that is wanted, those with one misfit are looked for, then two; then all groups are compared.
// Every difference is checked against the cutoff of negligible(), as in address.cpp.
//
// Of penalties (penalties.h) each pair is one bit of the code, and one key, the sink, has no misfits, whatever is
// wanted. So the best key with the code that is wanted, or the sink, is ahead of all others by what a misfit costs,
// less what bases make up for.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "run/structured/methods/codes/codes.h"
#include "run/structured/methods/codes/columns.h"
#include "run/structured/methods/codes/penalties.h"

namespace quench::run {

namespace {

constexpr std::size_t kMostCodeBits = 60;
constexpr std::uint64_t kUnlike = std::uint64_t{1} << 63;
constexpr std::uint64_t kSinkOnly = std::uint64_t{1} << 62;  // no other key has what is wanted
constexpr const char* kTooNear = "keys of one code that are neither equal nor far apart";

using Code = std::uint64_t;

/// The best keys of a code.
struct Group {
  double base = 0;
  std::uint32_t key = 0;   ///< the one of them that was met last
  std::uint32_t keys = 0;  ///< 0: there is no such group
};

/// Groups by their codes. Short codes are places in a table, which keeps neighbours together; others are hashed.
class GroupTable {
 public:
  void reset(std::size_t bits, std::size_t most) {
    places_ = std::size_t{1} << std::min<std::size_t>(bits, std::bit_width(2 * most));
    hashed_ = places_ < std::size_t{1} << bits;
    groups_.assign(places_, {});
    codes_.assign(hashed_ ? places_ : 0, 0);
  }
  const Group* find(Code code) const {
    const Group& group = groups_[place(code)];
    return group.keys > 0 ? &group : nullptr;
  }
  Group& at(Code code) {
    const std::size_t where = place(code);
    if (hashed_) codes_[where] = code;
    return groups_[where];
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t where = 0; where < places_; ++where)
      if (groups_[where].keys > 0) visit(hashed_ ? codes_[where] : where, groups_[where]);
  }

 private:
  std::size_t place(Code code) const {
    if (!hashed_) return code;
    std::size_t where = code * 0x9e3779b97f4a7c15ULL >> 20 & (places_ - 1);
    while (groups_[where].keys > 0 && codes_[where] != code) where = (where + 1) & (places_ - 1);
    return where;
  }
  std::size_t places_ = 0;  ///< a power of two; where codes are hashed, at least twice as many as groups
  bool hashed_ = false;
  std::vector<Group> groups_;
  std::vector<Code> codes_;  ///< by place, where they are hashed
};

/// One word of a head's batch.
class NearestCode {
 public:
  NearestCode(HeadWork& work, std::size_t word)
      : work_(work),
        columns_(work, word),
        means_(work, word),
        values_(columns_.values()),
        cutoff_(negligible(work)) {}

  /// Why it does not apply, if it does not.
  const char* run() {
    if (const char* why = sort_components()) return why;
    find_wanted_codes();
    if (penalties_)
      if (const char* why = check_sink()) return why;
    groups_.reset(coded_.size(), work_.n);
    return scan_codes(
        ScanOrder(work_.mask), work_.n, keys_, queries_, means_,
        [&](std::size_t j, Code code) { return meet(j, code); },
        [&](std::size_t i, Code code) { return answer(i, code); });
  }

 private:
  struct Coded {
    std::size_t component;
    double low, high;  ///< the two values of keys; of one with more values, equal
  };

  double cost(const Coded& one, double query) { return std::fabs(query) * columns_.factor() * (one.high - one.low); }

  /// Components with queries that vary are coded; those with steady queries as well if a misfit costs as much, and else
  /// part of the base.
  const char* sort_components() {
    std::vector<Coded> steady_ones;
    std::vector<std::size_t> varying;
    for (std::size_t l = 0; l < work_.q.size(); ++l) {
      const WordColumn& keys = columns_.k(l);
      if (keys.constant()) continue;  // the same for all keys
      if (columns_.q(l).constant())
        steady_ones.push_back({l, keys.low, keys.few() ? keys.high : keys.low});
      else if (keys.few())
        varying.push_back(l);
      else
        return "queries that vary, against keys with many values";
    }
    penalties_ = penalty_pairs(columns_, varying, work_.n);
    for (const std::size_t l : penalties_ ? penalties_->either : varying)
      coded_.push_back({l, columns_.k(l).low, columns_.k(l).high});
    double usual = 0;
    if (penalties_)
      usual = cost({0, columns_.k(varying[0]).low, columns_.k(varying[0]).high}, columns_.q(varying[0]).high);
    else if (!coded_.empty())
      usual = cost(coded_[0], columns_.q(coded_[0].component).at(0));
    cost_ = usual;
    base_.assign(work_.n, 0);
    for (const Coded& one : steady_ones) {
      const double query = columns_.q(one.component).low;
      if (usual > 0 && cost(one, query) == usual)
        coded_.push_back(one);
      else
        add_multiple(columns_.all_of_k(one.component), work_.n, query * columns_.factor(), base_.data());
    }
    if (coded_.size() > kMostCodeBits) return "codes that are too long";
    for (std::size_t c = 0; c < coded_.size(); ++c)
      keys_.bits.push_back({columns_.k(coded_[c].component).bits, Code{1} << c});
    top_ = *std::max_element(base_.begin(), base_.end());
    return nullptr;
  }

  /// The codes that queries want, and what a misfit costs them.
  void find_wanted_codes() {
    if (penalties_)
      for (const std::size_t l : penalties_->alone) queries_.bits.push_back({columns_.q(l).bits, kSinkOnly});
    else
      find_costs();
    for (std::size_t c = 0; c < coded_.size(); ++c)
      queries_.set_where_positive(columns_.q(coded_[c].component), work_.n, Code{1} << c);
  }

  /// In all components the same; where they are not, by query.
  void find_costs() {
    for (std::size_t c = 0; c < coded_.size(); ++c) {
      const WordColumn& queries = columns_.q(coded_[c].component);
      const double low = cost(coded_[c], queries.low), high = cost(coded_[c], queries.high);
      if (!queries.few() || low != cost_ || high != cost_) return find_costs_by_query();
    }
  }
  void find_costs_by_query() {
    costs_.assign(work_.n, 0.0);
    for (std::size_t c = 0; c < coded_.size(); ++c) {
      const double span = (coded_[c].high - coded_[c].low) * columns_.factor();
      const double* queries = columns_.all_of_q(coded_[c].component);
      if (c == 0)
        set_sizes(queries, work_.n, span, costs_.data());
      else
        mark_unequal(queries, work_.n, span, costs_.data(), kUnlike, queries_.more_of(work_.n));
    }
  }

  /// Every row has to see the sink, and what all queries want it has to have.
  const char* check_sink() const {
    const std::size_t z = penalties_->sink;
    const ScanOrder order(work_.mask);
    if (order.masked && z != order.at(0, work_.n)) return "a sink that is hidden";
    std::array<Code, kColumnBits> codes;
    keys_.make(z / kColumnBits * kColumnBits, 1, codes.data());
    const Code misfits = codes[z % kColumnBits] ^ queries_.always;
    return misfits >> penalties_->either.size() == 0 ? nullptr : "a sink that misfits";
  }
  bool has_costs() const { return penalties_ || !coded_.empty(); }

  const char* meet(std::size_t j, Code code) {
    if (penalties_ && j == penalties_->sink) return nullptr;
    Group& group = groups_.at(code);
    const double ahead = base_[j] - group.base;
    if (group.keys > 0 && std::fabs(ahead) < cutoff_) return kTooNear;
    if (group.keys == 0 || ahead > 0) group = {base_[j], static_cast<std::uint32_t>(j), 1};
    return nullptr;
  }

  const char* answer(std::size_t i, Code wanted) {
    if (wanted & kUnlike) return "misfits that do not cost the same";
    best_ = nullptr;
    near_ = false;
    if (penalties_)
      consider_with_sink(wanted);
    else
      consider_codes(wanted);
    if (near_ || (has_costs() && (costs_.empty() ? cost_ : costs_[i]) - (top_ - best_->base) < cutoff_))
      return kTooNear;
    for (std::size_t x = 0; x < work_.v.size(); ++x) means_.at(x, i) = values_[x]->at(best_->key);
    return nullptr;
  }

  void consider_with_sink(Code wanted) {
    sink_ = {base_[penalties_->sink], static_cast<std::uint32_t>(penalties_->sink), 1};
    consider(&sink_);
    if (!(wanted & kSinkOnly)) consider(groups_.find(wanted));
  }

  void consider_codes(Code wanted) {
    consider(groups_.find(wanted));
    if (!best_)
      for (std::size_t c = 0; c < coded_.size(); ++c) consider(groups_.find(wanted ^ Code{1} << c));
    if (!best_)
      for (std::size_t c = 0; c < coded_.size(); ++c)
        for (std::size_t d = 0; d < c; ++d) consider(groups_.find(wanted ^ Code{1} << c ^ Code{1} << d));
    if (!best_) consider_all(wanted);
  }

  void consider(const Group* group) {
    if (!group) return;
    near_ = near_ || (best_ && std::fabs(group->base - best_->base) < cutoff_);
    if (!best_ || group->base > best_->base) best_ = group;
  }

  /// The groups with the fewest misfits of all.
  void consider_all(Code wanted) {
    int fewest = static_cast<int>(kMostCodeBits) + 1;
    groups_.for_each([&](Code code, const Group& group) {
      const int misfits = std::popcount(code ^ wanted);
      if (misfits > fewest) return;
      if (misfits < fewest) best_ = nullptr, near_ = false;
      fewest = misfits;
      consider(&group);
    });
  }

  HeadWork& work_;
  Columns columns_;
  Means means_;
  std::vector<const WordColumn*> values_;
  double cutoff_;
  std::vector<double> base_;   ///< by key
  Codes keys_, queries_;       ///< what keys have; what queries want, with kUnlike where misfits do not cost the same
  double cost_ = 0;            ///< of a misfit, if it is the same for all queries
  std::vector<double> costs_;  ///< by query, if it is not
  std::vector<Coded> coded_;
  std::optional<PenaltyPairs> penalties_;
  Group sink_;
  double top_ = 0;  ///< the greatest base
  GroupTable groups_;
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
