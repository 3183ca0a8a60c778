#include "run/structured/attention/rank_slope.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number/multiversion.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {
namespace {

template <class T>
constexpr int kPrecision = sizeof(T) == 4 ? 24 : 53;

/// The greatest power of two that it is a multiple of.
double lowest_bit(double x) {
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  return std::ldexp(static_cast<double>(digits & -digits), exponent - 53);
}

/// Terms of a sum that must not be rounded.
struct ExactSum {
  double size = 0, unit = std::numeric_limits<double>::infinity();

  void take(double x) {
    if (x != 0) take(std::fabs(x), lowest_bit(x));
  }
  void take(double largest, double multiple_of) {
    size += largest;
    unit = std::fmin(unit, multiple_of);
  }
  bool fits(int precision) const { return size < std::ldexp(unit, precision); }
};

QUENCH_MULTIVERSION void add_weighted(const float* x, double weight, std::size_t count, double* sum) {
  for (std::size_t p = 0; p < count; ++p) sum[p] += weight * static_cast<double>(x[p]);
}
QUENCH_MULTIVERSION void add_weighted(const double* x, double weight, std::size_t count, double* sum) {
  for (std::size_t p = 0; p < count; ++p) sum[p] += weight * x[p];
}
QUENCH_MULTIVERSION bool is_line(const double* sum, std::size_t from, std::size_t count, double first, double step) {
  bool all = true;
  for (std::size_t p = 0; p < count; ++p) all &= sum[p] == first + static_cast<double>(from + p) * step;
  return all;
}

}  // namespace

template <class T>
bool is_ordinary_power_of_two(T weight) {
  int exponent = 0;
  return std::fabs(std::frexp(weight, &exponent)) == T{0.5} && exponent > -60;
}

template <class T>
typename SlopeFinder<T>::Extent SlopeFinder<T>::extent_of(std::uint32_t column, const Coordinate<T>& coordinate) {
  const auto [known, fresh] = extents_.try_emplace(column, Extent{0, std::numeric_limits<double>::infinity()});
  if (!fresh) return known->second;
  auto& [size, unit] = known->second;
  T last{0};
  for (std::size_t i = 0; i < n_; ++i) {
    const T e = coordinate.added[i];
    if (e == last || e == 0) continue;
    if (size > std::ldexp(unit, kPrecision<T>)) break;  // it fits no sum
    last = e;
    size = std::fmax(size, std::fabs(static_cast<double>(e)));
    unit = std::fmin(unit, lowest_bit(static_cast<double>(e)));
  }
  return known->second;
}

template <class T>
std::optional<typename SlopeFinder<T>::Line> SlopeFinder<T>::line_of(const Terms& terms,
                                                                     const std::vector<Coordinate<T>>& coordinates) {
  const auto known = std::ranges::find(lines_, terms, &std::pair<Terms, std::optional<Line>>::first);
  if (known != lines_.end()) return known->second;
  return lines_.emplace_back(terms, find_line(terms, coordinates)).second;
}

/// What the encodings add to a score, as a function of the position.
template <class T>
std::optional<typename SlopeFinder<T>::Line> SlopeFinder<T>::find_line(const Terms& terms,
                                                                       const std::vector<Coordinate<T>>& coordinates) {
  if (terms.empty()) return Line{0, 0};
  if (n_ < 2) return std::nullopt;
  Line line{0, 0};
  ExactSum sum;
  for (const auto& [column, weight] : terms) {
    const T* e = coordinates[column].added;
    const Extent extent = extent_of(column, coordinates[column]);
    sum.take(std::fabs(weight) * extent.size, lowest_bit(weight) * extent.unit);
    line.first += weight * static_cast<double>(e[0]);
    line.step += weight * (static_cast<double>(e[1]) - static_cast<double>(e[0]));
  }
  sum.take(static_cast<double>(n_) * std::fabs(line.step), sum.unit);
  if (!sum.fits(53)) return std::nullopt;
  constexpr std::size_t kBlock = 2048;  // positions whose sums stay in the cache
  std::vector<double> block(kBlock);
  for (std::size_t from = 0; from < n_; from += kBlock) {
    const std::size_t count = std::min(kBlock, n_ - from);
    std::fill(block.begin(), block.end(), 0);
    for (const auto& [column, weight] : terms) add_weighted(coordinates[column].added + from, weight, count, block.data());
    if (!is_line(block.data(), from, count, line.first, line.step)) return std::nullopt;
  }
  return line;
}

template <class T>
std::optional<RankSlope> SlopeFinder<T>::find(const std::vector<KeyComponent<T>>& keys,
                                              const std::vector<Coordinate<T>>& coordinates, bool backwards) {
  double zero = 0, boolean = 0;  // the score of rank 0 at the first position, and what rank 1 adds
  Terms positions;
  for (const auto& [query, terms] : keys) {
    ExactSum sum;
    for (const auto& [column, weight] : terms) {
      const Coordinate<T>& c = coordinates[column];
      const auto w = static_cast<double>(weight);
      if (!is_ordinary_power_of_two(weight)) return std::nullopt;
      if (c.of == Coordinate<T>::Of::word) {
        sum.take(w);
        boolean += query * w;
        continue;
      }
      sum.take(w * static_cast<double>(c.constant));
      zero += query * w * static_cast<double>(c.constant);
      if (!c.added) continue;
      const Extent extent = extent_of(column, c);
      sum.take(std::fabs(w) * extent.size, std::fabs(w) * extent.unit);
      positions.emplace_back(column, query * w);
    }
    if (!sum.fits(kPrecision<T>)) return std::nullopt;
  }
  const std::optional<Line> line = line_of(positions, coordinates);
  if (!line) return std::nullopt;
  zero += line->first;
  const double slope = line->step;
  RankSlope found{zero + std::fmin(boolean, 0), zero + std::fmax(boolean, 0), slope, 0, boolean > 0};
  const double whole = slope * static_cast<double>(n_ - 1), rise = backwards ? -whole : whole;
  if (rise < 0 || found.high - found.low - rise < negligible(kPrecision<T>, n_)) return std::nullopt;
  const double greatest_low = found.low + std::fmax(0, whole), least_high = found.high + std::fmin(0, whole);
  found.middle = (greatest_low + least_high) / 2;
  return found;
}

template bool is_ordinary_power_of_two(float);
template bool is_ordinary_power_of_two(double);
template class SlopeFinder<float>;
template class SlopeFinder<double>;

}  // namespace quench::run
