// When keys of one long word are of two ranks and their scores rise by the same amount at every position, exactly
// (kernels/rank_kernel.h).
//
// A component of a key is Boolean · weight + constant + Σ weight·e_i, the e being encodings and all weights powers of
// two. If all terms are multiples of one power of two and add up to less than 2^p of it, no sum is rounded, and the part
// of a score that positions make is Σ q·weight·e_i over all components: exactly, in double as well, if the same holds
// there with p = 53. It has to be the number at the first position plus i·s, whatever each encoding by itself does: the
// digits or the bits of i − 1, each with its weight, do it as well as i/N.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
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
  using Terms = std::vector<std::pair<std::uint32_t, double>>;  ///< encodings by coordinate, and their weights
  struct Extent {
    double size, unit;  ///< no value is greater, and all are multiples of it
  };
  struct Line {
    double first, step;
  };
  Extent extent_of(std::uint32_t column, const Coordinate<T>& coordinate);
  std::optional<Line> line_of(const Terms& terms, const std::vector<Coordinate<T>>& coordinates);
  std::optional<Line> find_line(const Terms& terms, const std::vector<Coordinate<T>>& coordinates);

  const std::size_t n_;
  std::map<std::uint32_t, Extent> extents_;                   ///< of encodings that were looked at,
  std::vector<std::pair<Terms, std::optional<Line>>> lines_;  ///< and of their sums
};

extern template class SlopeFinder<float>;
extern template class SlopeFinder<double>;

}  // namespace quench::run
