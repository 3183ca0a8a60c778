// What heads that find keys by their components ask of one component, at all positions of a word at once: loops over
// consecutive numbers, which vectorise. Internal to address.cpp and nearest_code.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/structured/methods/head_work.h"

namespace quench::run {

/// The first two values that occur, the lesser one first; equal if there is only one.
struct TwoValues {
  double low = 0, high = 0;
};
TwoValues first_two_values(const double* x, std::size_t count);
bool all_equal(const double* x, std::size_t count);
std::size_t count_equal(const double* x, std::size_t count, double value);

/// One word of a head's batch, component by component. A column is valid until the next one of its kind is asked for.
class Columns {
 public:
  Columns(const HeadWork& work, std::size_t word)
      : work_(work), word_(word), even_(all_equal(work.scale.data(), work.n)), factor_(even_ ? work.scale[0] : 1) {}
  /// The queries' component, at all positions or some; times factor() it is what scores are made of.
  const double* q(std::size_t l) { return q(l, 0, work_.n); }
  const double* q(std::size_t l, std::size_t first, std::size_t count);
  double factor() const { return factor_; }
  const double* k(std::size_t l) { return column(work_.k[l], 0, work_.n, k_); }

 private:
  const double* column(const Plane& plane, std::size_t first, std::size_t count, std::vector<double>& gathered);

  const HeadWork& work_;
  const std::size_t word_;
  const bool even_;  ///< the scale is the same at all positions: factor()
  const double factor_;
  std::vector<double> q_, k_;
};

/// Sets the bit where x is the higher value, if there are no others but the two.
bool mark_two_values(const double* x, std::size_t count, const TwoValues& values, std::uint64_t bit,
                     std::uint64_t* codes);
/// Calls work(first, size) for blocks that stay in the cache while several loops go over them.
template <class Work>
void for_column_blocks(std::size_t count, const Work& work) {
  constexpr std::size_t kBlockOfColumn = 2048;
  for (std::size_t p = 0; p < count; p += kBlockOfColumn) work(p, std::min(kBlockOfColumn, count - p));
}
/// Sets the bit where x is `high`.
void mark_equal(const double* x, std::size_t count, double high, std::uint64_t bit, std::uint64_t* codes);
/// Sets the bit where x > 0.
void mark_positive(const double* x, std::size_t count, std::uint64_t bit, std::uint64_t* codes);
/// Sets the bit where |x|·span is below `least`.
void mark_small(const double* x, std::size_t count, double span, double least, std::uint64_t bit, std::uint64_t* codes);
/// Sets the bit where |x|·span is not what it should be.
void mark_unequal(const double* x, std::size_t count, double span, const double* should, std::uint64_t bit,
                  std::uint64_t* codes);
/// to = |x|·span
void set_sizes(const double* x, std::size_t count, double span, double* to);
/// to += factor·x
void add_multiple(const double* x, std::size_t count, double factor, double* to);
/// to += max(0, factor·x)
void add_positive_multiple(const double* x, std::size_t count, double factor, double* to);

}  // namespace quench::run
