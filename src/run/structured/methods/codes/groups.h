// Groups of keys that tie: how many they are, and the sums of their values, side by side. Internal to address.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace quench::run {

class Groups {
 public:
  explicit Groups(std::size_t values) : apart_(values + 1) {}
  std::size_t size() const { return numbers_.size() / apart_; }
  void grow(std::size_t groups) { numbers_.resize(groups * apart_); }
  void clear(std::size_t group) {
    std::fill_n(numbers_.begin() + static_cast<std::ptrdiff_t>(group * apart_), apart_, 0.0);
  }
  bool empty(std::size_t group) const { return numbers_[group * apart_] == 0; }
  void add(std::size_t group, std::size_t value, double x) { numbers_[group * apart_ + 1 + value] += x; }
  void count(std::size_t group) { ++numbers_[group * apart_]; }
  double mean(std::size_t group, std::size_t value) const {
    return numbers_[group * apart_ + 1 + value] / numbers_[group * apart_];
  }

 private:
  std::size_t apart_;
  std::vector<double> numbers_;
};

}  // namespace quench::run
