// Groups of keys that tie, and the means of their values. Where positions are asked for there are as many groups as
// keys, of one key each: of these only the key is kept, so that those of a long word take little room. Internal to
// address.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "run/structured/methods/codes/columns.h"

namespace quench::run {

class Groups {
 public:
  explicit Groups(std::vector<const WordColumn*> values) : values_(std::move(values)) {}
  std::size_t size() const { return members_.size(); }
  void grow(std::size_t groups) { members_.resize(groups); }
  void clear(std::size_t group) { members_[group] = kNobody; }
  bool empty(std::size_t group) const { return members_[group] == kNobody; }
  void add(std::size_t group, std::size_t key) {
    std::size_t& members = members_[group];
    if (members == kNobody) {
      members = key + 1;
      return;
    }
    if (!(members & kSeveral)) {
      const std::size_t first = members - 1;
      members = kSeveral | sums_.size();
      sums_.push_back(0);
      for (const WordColumn* value : values_) sums_.push_back(value->at(first));
      sums_[members & ~kSeveral] = 1;
    }
    double* sum = sums_.data() + (members & ~kSeveral);
    ++*sum;
    for (const WordColumn* value : values_) *++sum += value->at(key);
  }
  double mean(std::size_t group, std::size_t value) const {
    const std::size_t members = members_[group];
    if (!(members & kSeveral)) return values_[value]->at(members - 1);
    const double* sum = sums_.data() + (members & ~kSeveral);
    return sum[1 + value] / sum[0];
  }

 private:
  static constexpr std::size_t kNobody = 0, kSeveral = ~(~std::size_t{0} >> 1);
  std::vector<const WordColumn*> values_;
  /// By group: nobody, one key (and 1), or several, whose number and sums stand at this place of sums_.
  std::vector<std::size_t> members_;
  std::vector<double> sums_;
};

}  // namespace quench::run
