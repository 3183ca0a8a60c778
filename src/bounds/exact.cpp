#include "bounds/exact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace quench::bounds {
namespace {

constexpr int kMostBitsAtOnce = 5;

/// How many layers of [Q-bits] it takes to come from `left` bits down to `low`.
int feed_forwards(int left, int low, int p) {
  int count = 0;
  for (; left > low; ++count) left -= std::min(left - low, bits_at_once(left, p));
  return count;
}

/// The most bits r with summand·2^r + more ≤ 2^storage; negative if there are none.
int most_bits(double summand, double more, int storage) {
  return static_cast<int>(std::floor(std::log2((std::exp2(storage) - more) / summand)));
}

}  // namespace

// 2c multiples of Γ, and 2(c+1), rounded up by at most a quarter, of the sink.
bool address_is_exact(double compared, int p) { return 5 * compared + 3 <= std::exp2(p); }

// Half a unit in the last place of M, which is at most max·log₂e·(1 + 2^−p)².
double exponent_shift(double greatest_score, int p) {
  constexpr double kLog2e = 1.4426950408889634;
  const double size = kLog2e * (1 + std::ldexp(1, 2 - p)) * std::fabs(greatest_score);
  return size == 0 ? 0 : std::ldexp(1, std::ilogb(size) - p);
}

// With a sink as above, c = L. Without one the score is a sum of L terms ±Γ.
bool half_is_exact(double bits, double gap, int p) {
  return gap < kExactGap ? bits <= std::exp2(p) : address_is_exact(bits, p);
}

// Absolute values add up to at most N·max|v|.
bool count_is_exact(double length, double greatest, int p) { return length * greatest <= std::exp2(p); }

// 2N multiples of U = 768 = 3·2^8, in multiples of 2^8.
double match_unit(double length, int p) { return 3 * 2 * length <= std::exp2(p) ? 768 : kEqualUnit; }

// N multiples of U for what is selected, N − 1 for the position.
bool selected_match_is_exact(double length, int p) { return 2 * length <= std::exp2(p); }

// N/2 multiples of U for each pair, N for what is selected, N − 1 for the position.
bool equal_match_is_exact(double length, double pairs, int p) { return length * (pairs / 2 + 2) <= std::exp2(p); }

// An operation is off by a factor 1 + δ with |δ| ≤ u' = 2^{1−p}, half of that if it rounds to nearest. Every term
// passes fewer than T of them, so the sum is off by ((1 + u')^T − 1)·sizes at most, and (1 + u')^T − 1 ≤ e^{Tu'} − 1 ≤
// 2Tu' for Tu' ≤ 1. T and the sizes are whole numbers whose product is below 2^53, and the rest moves the exponent:
// nothing rounds here.
double any_order_error(double terms, double sizes, int p) {
  const bool said = terms * std::exp2(1 - p) <= 1 && terms * sizes < 0x1p53;
  return said ? std::ldexp(terms * sizes, 2 - p) : std::numeric_limits<double>::infinity();
}

// C = 4NU has to be at least (R_max − R_z) + U + E with R_max − R_z ≤ (2N − 1)U, E the error of what adds up to C + 2NU;
// and R are fewer than 2N multiples of U, a power of two.
bool penalised_match_is_exact(double length, double products, int p) {
  const double penalty = kPenalty * length, reach = 2 * length;  // in multiples of U
  return reach <= std::exp2(p) && penalty >= reach + any_order_error(products, penalty + reach, p);
}

// |c| ≤ CN, so |D| + 1 ≤ 2CN + 1.
double exact_comparison_length(double weights, int p) { return std::floor((std::exp2(p) - 1) / (2 * weights)); }

// Of 2^r − 1 differences y − m2^k + 1 the positive terms of one bit have one part each, and they are half of 2^left on
// average, and more where y is not below 2^left: (2^r − 1)(2^{left−1} + beyond) ≤ 2^p.
int bits_at_once(int left, int p, double beyond) {
  int r = std::max(0, std::min({kMostBitsAtOnce, left, p + 1 - left}));
  while (r > 1 && (std::exp2(r) - 1) * (std::exp2(left - 1) + beyond) > std::exp2(p)) --r;
  return r;
}

// Scores have fewer than 2^{2·low+2} multiples of Γ.
int low_bits(int bits, int p) {
  const int most = std::min(bits, (p - 2) / 2);
  int low = most;
  while (low > 0 && feed_forwards(bits, low - 1, p) == feed_forwards(bits, most, p)) --low;
  return low;
}

// A level adds up 2^r digits; the last one at most 15 of N − i and 1 of the first position.
int carry_level(double most, int left) {
  const double greatest = std::exp2(kNarrowestStorage);
  for (int r = left; r > 1; --r)
    if (most * std::exp2(r) + (r == left ? kCarryBase : 0) <= greatest) return r;
  return 1;
}

// Σ_b 2^b < N multiples of U, a power of two; it is 3·2^8 only where 6N ≤ 2^p.
bool place_values_are_exact(double length, int p) { return length <= std::exp2(p); }

// A level adds up 2^r summands: of at most 1 at the first level, of at most m − 1 at others; φ(1) comes in at the last.
std::vector<int> residue_levels(int bits, std::int64_t modulus) {
  const auto rest = static_cast<double>(modulus - 1);
  const int storage = most_bits(rest, 1, kNarrowestStorage) >= 1 ? kNarrowestStorage : 11;
  std::vector<int> levels{most_bits(1, 1, storage)};
  while (std::accumulate(levels.begin(), levels.end(), 0) < bits) {
    levels.back() = most_bits(levels.size() == 1 ? 1 : rest, 0, storage);
    levels.push_back(most_bits(rest, 1, storage));
  }
  for (int spare = std::accumulate(levels.begin(), levels.end(), 0) - bits; spare > 0; --spare)
    --*std::max_element(levels.begin(), levels.end());
  return levels;
}

}  // namespace quench::bounds
