// When keys of one long word are of two ranks and their scores rise by the same amount at every position, exactly
// (kernels/rank_kernel.h).
//
// A component of a key is Boolean · weight + constant + weight·e_i, e_i = e_0 + i·s in the format, exactly, and all
// weights are powers of two. If all terms are multiples of one power of two and add up to less than 2^p of it, no sum
// is rounded, and scores rise by exactly q·weight·s from position to position.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "run/structured/attention/foreseen.h"
#include "run/structured/kernels/rank_kernel.h"

namespace quench::run {

/// A power of two whose products with numbers of ordinary size are normal numbers.
template <class T>
bool is_ordinary_power_of_two(T weight);

/// A component of the keys of a head: what it is made of, and the query that it is multiplied by, scaled.
template <class T>
struct KeyComponent {
  double query;
  std::span<const Term<T>> terms;
};

template <class T>
class SlopeFinder {
 public:
  explicit SlopeFinder(std::size_t n) : n_(n) {}
  /// Of keys among whose terms one depends on the word; `backwards`: in the order of the scan.
  std::optional<RankSlope> find(const std::vector<KeyComponent<T>>& keys, const std::vector<Coordinate<T>>& coordinates,
                                bool backwards);

 private:
  std::optional<double> step_of(std::uint32_t column, const Coordinate<T>& coordinate);

  const std::size_t n_;
  std::map<std::uint32_t, std::optional<double>> steps_;  ///< of encodings that were looked at
};

extern template class SlopeFinder<float>;
extern template class SlopeFinder<double>;

}  // namespace quench::run
