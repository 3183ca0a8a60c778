// The means of one word as a method finds them, position by position, put where they belong a block at a time. Internal
// to address.cpp and nearest_code.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "run/structured/methods/head_work.h"

namespace quench::run {

class Means {
 public:
  Means(HeadWork& work, std::size_t word) : work_(work), word_(word), block_(work.v.size()) {
    if (work.put)
      for (Plane& plane : work.out) plane.clear();  // of a method that gave up
    else
      work.need_out();
  }

  void begin(std::size_t first, std::size_t count) {
    first_ = first;
    for (std::vector<double>& means : block_) means.resize(count);
  }
  double& at(std::size_t value, std::size_t i) { return block_[value][i - first_]; }
  void end() {
    for (std::size_t x = 0; x < block_.size(); ++x) {
      if (work_.put) {
        work_.put(x, word_, first_, block_[x]);
        continue;
      }
      double* out = work_.out[x].data() + first_ * work_.words + word_;
      for (std::size_t p = 0; p < block_[x].size(); ++p) out[p * work_.words] = block_[x][p];
    }
  }

 private:
  HeadWork& work_;
  std::size_t word_, first_ = 0;
  std::vector<std::vector<double>> block_;  ///< by value
};

}  // namespace quench::run
