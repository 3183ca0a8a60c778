// Per-instruction-set arithmetic of the tiled path: exp, and the two matrix products that everything is made of.
// Included by tile_blocks.cpp once per target (Highway's foreach_target), hence the unusual include guard.
#if defined(QUENCH_TILE_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_MATH_INL_H
#undef QUENCH_TILE_MATH_INL_H
#else
#define QUENCH_TILE_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// Three registers of lanes per block: with four rows at a time that is twelve sums in flight, enough to hide the
// latency of fused multiply-add, and fits the sixteen registers of AVX2.
inline constexpr std::size_t kRegisters = 3;

template <class T>
HWY_INLINE std::size_t width() {
  return kRegisters * hn::Lanes(Tag<T>());
}

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kLowest = -87.0f, kLog2e = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e4p-1f,
                         kLn2Low = 0x1.7f7d1cp-20f;  // the high part has 15 bits: n·high is exact
  static constexpr float kShifter = 0x1.8p+23f;
  static constexpr int kMantissaBits = 23, kDegree = 7;
};
template <>
struct ExpConstants<double> {
  static constexpr double kLowest = -708.0, kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b39p-40;  // 34 bits
  static constexpr double kShifter = 0x1.8p+52;
  static constexpr int kMantissaBits = 52, kDegree = 13;
};

// exp(x) for x ≤ 0; 0 below kLowest, where the result would be subnormal or nearly so. NaN stays NaN.
//   x = n ln 2 + r, |r| ≤ ln2/2 = 0.3466;  exp(r) by Taylor: the remainder r^{D+1}/(D+1)! is 5e-9 for D = 7 and 4e-18
//   for D = 13, below the unit roundoffs 6e-8 and 1.1e-16.
// Adding 1.5·2^mantissa leaves round(x log2 e) in the low bits, from where a shift makes it the exponent of 2^n.
template <class T>
HWY_INLINE Vec<T> exp_nonpositive(Vec<T> x) {
  using C = ExpConstants<T>;
  const Tag<T> d;
  const hn::RebindToSigned<Tag<T>> di;
  const auto lowest = hn::Set(d, C::kLowest);
  const auto vanishes = hn::Lt(x, lowest);
  const auto clamped = hn::IfThenElse(vanishes, lowest, x);
  const auto shifted = hn::MulAdd(clamped, hn::Set(d, C::kLog2e), hn::Set(d, C::kShifter));
  const auto n = hn::Sub(shifted, hn::Set(d, C::kShifter));
  auto r = hn::NegMulAdd(n, hn::Set(d, C::kLn2High), clamped);
  r = hn::NegMulAdd(n, hn::Set(d, C::kLn2Low), r);
  T coefficient = 1;
  for (int degree = 2; degree <= C::kDegree; ++degree) coefficient /= static_cast<T>(degree);
  auto sum = hn::Set(d, coefficient);
  for (int degree = C::kDegree; degree >= 1; --degree) {
    coefficient *= static_cast<T>(degree);
    sum = hn::MulAdd(sum, r, hn::Set(d, coefficient));
  }
  const auto power = hn::BitCast(
      d, hn::Add(hn::ShiftLeft<C::kMantissaBits>(hn::BitCast(di, shifted)), hn::BitCast(di, hn::Set(d, T{1}))));
  return hn::IfThenZeroElse(vanishes, hn::Mul(sum, power));
}

template <class T, std::size_t kRows>
HWY_INLINE void multiply_few_rows(const T* HWY_RESTRICT a, std::size_t stride, std::size_t cols,
                                  const T* HWY_RESTRICT packed, T* HWY_RESTRICT out) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d), w = kRegisters * lanes;
  Vec<T> sums[kRows][kRegisters];
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t x = 0; x < kRegisters; ++x) sums[r][x] = hn::Zero(d);
  for (std::size_t c = 0; c < cols; ++c) {
    Vec<T> side[kRegisters];
    for (std::size_t x = 0; x < kRegisters; ++x) side[x] = hn::Load(d, packed + c * w + x * lanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto one = hn::Set(d, a[r * stride + c]);
      for (std::size_t x = 0; x < kRegisters; ++x) sums[r][x] = hn::MulAdd(one, side[x], sums[r][x]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t x = 0; x < kRegisters; ++x) hn::Store(sums[r][x], d, out + r * w + x * lanes);
}

// out[r][lane] = Σ_c a[r][c]·packed[c][lane].
template <class T>
HWY_INLINE void multiply_rows(const T* a, std::size_t stride, std::size_t rows, std::size_t cols, const T* packed,
                              T* out) {
  const std::size_t w = width<T>();
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) multiply_few_rows<T, 4>(a + r * stride, stride, cols, packed, out + r * w);
  for (; r < rows; ++r) multiply_few_rows<T, 1>(a + r * stride, stride, cols, packed, out + r * w);
}

template <class T, std::size_t kCols>
HWY_INLINE void accumulate_few_columns(const T* HWY_RESTRICT a, std::size_t stride, std::size_t rows,
                                       const T* HWY_RESTRICT weights, T* HWY_RESTRICT totals) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d), w = kRegisters * lanes;
  Vec<T> sums[kCols][kRegisters];
  for (std::size_t c = 0; c < kCols; ++c)
    for (std::size_t x = 0; x < kRegisters; ++x) sums[c][x] = hn::Zero(d);
  for (std::size_t r = 0; r < rows; ++r) {
    Vec<T> weight[kRegisters];
    for (std::size_t x = 0; x < kRegisters; ++x) weight[x] = hn::Load(d, weights + r * w + x * lanes);
    for (std::size_t c = 0; c < kCols; ++c) {
      const auto one = hn::Set(d, a[r * stride + c]);
      for (std::size_t x = 0; x < kRegisters; ++x) sums[c][x] = hn::MulAdd(one, weight[x], sums[c][x]);
    }
  }
  for (std::size_t c = 0; c < kCols; ++c)
    for (std::size_t x = 0; x < kRegisters; ++x) {
      T* total = totals + c * w + x * lanes;
      hn::Store(hn::Add(hn::Load(d, total), sums[c][x]), d, total);
    }
}

// totals[c][lane] += Σ_r a[r][c]·weights[r][lane]. The tile is summed by itself and then added, so the rounding error
// grows with the tile's length plus the number of tiles, not with their product.
template <class T>
HWY_INLINE void accumulate_rows(const T* a, std::size_t stride, std::size_t rows, std::size_t cols, const T* weights,
                                T* totals) {
  const std::size_t w = width<T>();
  std::size_t c = 0;
  for (; c + 4 <= cols; c += 4) accumulate_few_columns<T, 4>(a + c, stride, rows, weights, totals + c * w);
  for (; c < cols; ++c) accumulate_few_columns<T, 1>(a + c, stride, rows, weights, totals + c * w);
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
