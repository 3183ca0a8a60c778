// Mean and reciprocal deviation in float32, as engines form them: by sums in several orders, and by updating, one
// number at a time or in lanes that are joined at the end, as PyTorch does on processors with vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quench::test {

struct Moments {
  float mean = 0, reciprocal = 0;  ///< 1/√(variance + ε)
};

enum class MomentOrder { forward, backward, pairwise, squares, welford, lanes_4, lanes_8, lanes_16 };
inline constexpr MomentOrder kMomentOrders[] = {MomentOrder::forward, MomentOrder::backward, MomentOrder::pairwise,
                                                MomentOrder::squares, MomentOrder::welford,  MomentOrder::lanes_4,
                                                MomentOrder::lanes_8, MomentOrder::lanes_16};

namespace moments {

template <class Term>
float sum(std::size_t from, std::size_t to, MomentOrder order, Term term) {
  if (order == MomentOrder::pairwise) {
    if (to - from == 1) return term(from);
    const std::size_t middle = from + (to - from) / 2;
    return sum(from, middle, order, term) + sum(middle, to, order, term);
  }
  float total = 0;
  for (std::size_t k = from; k < to; ++k) total += term(order == MomentOrder::backward ? to - 1 - (k - from) : k);
  return total;
}

/// Chan, Golub and LeVeque: a part with its count, mean and sum of squares.
struct Part {
  float count = 0, mean = 0, squares = 0;
  void join(const Part& other) {
    const float all = count + other.count, difference = other.mean - mean, share = other.count / all;
    mean += difference * share;
    squares += other.squares + difference * difference * share * count;
    count = all;
  }
  void add(float x) {
    count += 1;
    const float difference = x - mean;
    mean += difference * (1 / count);
    squares += difference * (x - mean);
  }
};

inline Part updated(const std::vector<float>& x, std::size_t lanes) {
  std::vector<Part> parts(lanes);
  for (std::size_t k = 0; k < x.size(); ++k) parts[k % lanes].add(x[k]);
  for (std::size_t lane = 1; lane < lanes; ++lane) parts[0].join(parts[lane]);
  return parts[0];
}

}  // namespace moments

inline Moments moments_of(const std::vector<float>& x, MomentOrder order) {
  const auto d = static_cast<float>(x.size());
  const auto finish = [](float mean, float variance) { return Moments{mean, 1 / std::sqrt(variance + 1e-5f)}; };
  const std::size_t lanes = order == MomentOrder::welford   ? 1
                            : order == MomentOrder::lanes_4 ? 4
                            : order == MomentOrder::lanes_8 ? 8
                                                            : 16;
  if (order >= MomentOrder::welford) {
    const moments::Part part = moments::updated(x, std::min(lanes, x.size()));
    return finish(part.mean, part.squares / d);
  }
  const float mean = moments::sum(0, x.size(), order, [&](std::size_t k) { return x[k]; }) / d;
  if (order == MomentOrder::squares)
    return finish(mean, moments::sum(0, x.size(), order, [&](std::size_t k) { return x[k] * x[k]; }) / d - mean * mean);
  return finish(mean,
                moments::sum(0, x.size(), order, [&](std::size_t k) { return (x[k] - mean) * (x[k] - mean); }) / d);
}

}  // namespace quench::test
