#include "run/structured/attention/rank_slope.h"

#include <cmath>
#include <limits>

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
    size += std::fabs(x);
    if (x != 0) unit = std::fmin(unit, lowest_bit(x));
  }
  bool fits(int precision) const { return size < std::ldexp(unit, precision); }
};

}  // namespace

template <class T>
bool is_ordinary_power_of_two(T weight) {
  int exponent = 0;
  return std::fabs(std::frexp(weight, &exponent)) == T{0.5} && exponent > -60;
}

/// s, if the encoding is e_0 + i·s exactly.
template <class T>
std::optional<double> SlopeFinder<T>::step_of(std::uint32_t column, const Coordinate<T>& coordinate) {
  const auto [known, fresh] = steps_.try_emplace(column);
  const T* e = coordinate.added;
  if (!fresh || n_ < 2) return known->second;
  const double first = e[0], step = static_cast<double>(e[1]) - first;
  bool all = true;
  for (std::size_t i = 0; i < n_; ++i) all &= static_cast<double>(e[i]) == first + static_cast<double>(i) * step;
  if (all) known->second = step;
  return known->second;
}

template <class T>
std::optional<RankSlope> SlopeFinder<T>::find(const std::vector<KeyComponent<T>>& keys,
                                              const std::vector<Coordinate<T>>& coordinates, bool backwards) {
  double zero = 0, boolean = 0, slope = 0;  // the score of rank 0 at the first position, and what rank 1 adds
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
      const std::optional<double> step = step_of(column, c);
      if (!step) return std::nullopt;
      sum.take(w * static_cast<double>(c.added[0]));
      sum.take(w * *step);
      sum.take(w * *step * static_cast<double>(n_));
      zero += query * w * static_cast<double>(c.added[0]);
      slope += query * w * *step;
    }
    if (!sum.fits(kPrecision<T>)) return std::nullopt;
  }
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
