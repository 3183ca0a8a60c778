// The matrix products of the tiled path, per instruction set. Included by tile_blocks.cpp once per target (Highway's
// foreach_target), hence the unusual include guard.
//
// One operand lies in lanes: packed[c][lane], w numbers apart, of which the first R registers are looked at. The other
// is walked number by number. Sums stay in registers while a panel of the result is made: with kAtOnce rows at a time
// and R = 3, 12 sums in AVX2's 16 registers and 24 in AVX-512's 32, enough to hide the latency of fused multiply-add.
//
// Gains, one core with AVX-512, unmasked, on a busy machine (two rounds each, so 2 % is within the noise): eight rows
// at once instead of four 2 to 6 % at d = 4 forward and 2 to 8 % at d = 128 forward and backward, nothing at d = 64;
// the loops over columns and rows unrolled by four, together with not cutting tiles that all queries see, 7 % (n =
// 4,096, d = 64, forward); the maximum taken while the scores are in registers 11 % (n = 4,096, d = 4, forward).
// Prefetching the next rows gained nothing.
#if defined(QUENCH_TILE_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_MATH_INL_H
#undef QUENCH_TILE_MATH_INL_H
#else
#define QUENCH_TILE_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "attention/kernel/tile_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

inline constexpr std::size_t kRegisters = 3;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON
inline constexpr std::size_t kAtOnce = 8;  // 32 registers
#else
inline constexpr std::size_t kAtOnce = 4;
#endif

template <class T>
HWY_INLINE std::size_t width() {
  return kRegisters * hn::Lanes(Tag<T>());
}

template <class T, std::size_t R, std::size_t kRows>
HWY_INLINE void multiply_few_rows(const T* HWY_RESTRICT a, std::size_t stride, std::size_t cols, std::size_t w,
                                  const T* HWY_RESTRICT packed, T* HWY_RESTRICT out, Vec<T> (&top)[R]) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  Vec<T> sums[kRows][R];
  QUENCH_UNROLL(8)
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t x = 0; x < R; ++x) sums[r][x] = hn::Zero(d);
  QUENCH_UNROLL(4)
  for (std::size_t c = 0; c < cols; ++c) {
    Vec<T> side[R];
    for (std::size_t x = 0; x < R; ++x) side[x] = hn::Load(d, packed + c * w + x * lanes);
    QUENCH_UNROLL(8)
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto one = hn::Set(d, a[r * stride + c]);
      for (std::size_t x = 0; x < R; ++x) sums[r][x] = hn::MulAdd(one, side[x], sums[r][x]);
    }
  }
  QUENCH_UNROLL(8)
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t x = 0; x < R; ++x) {
      top[x] = hn::Max(top[x], sums[r][x]);
      hn::Store(sums[r][x], d, out + r * w + x * lanes);
    }
}

// out[r][lane] = Σ_c a[r][c]·packed[c][lane]; and top[lane], if given, raised to the largest of them.
template <class T, std::size_t R>
HWY_NOINLINE void multiply_rows(const T* a, std::size_t stride, std::size_t rows, std::size_t cols, std::size_t w,
                                const T* packed, T* out, T* top = nullptr) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  Vec<T> tops[R];
  for (std::size_t x = 0; x < R; ++x) tops[x] = top ? hn::Load(d, top + x * lanes) : hn::Zero(d);
  std::size_t r = 0;
  for (; r + kAtOnce <= rows; r += kAtOnce)
    multiply_few_rows<T, R, kAtOnce>(a + r * stride, stride, cols, w, packed, out + r * w, tops);
  for (; r < rows; ++r) multiply_few_rows<T, R, 1>(a + r * stride, stride, cols, w, packed, out + r * w, tops);
  for (std::size_t x = 0; top && x < R; ++x) hn::Store(tops[x], d, top + x * lanes);
}

// Rows that not every register needs: register x the first ends[x] of them, ends[0] ≤ … ≤ ends[R − 1]. At the edge of a
// causal mask that is two thirds of them (n = 1,024, one core: 2 % at d = 64, 3 % at d = 4 and 128).
template <std::size_t R>
struct Stairs {
  std::size_t ends[R];
  bool flat() const { return ends[0] == ends[R - 1]; }
};

template <class T, std::size_t R>
void multiply_stairs(const T* a, std::size_t stride, const Stairs<R>& stairs, std::size_t cols, std::size_t w,
                     const T* packed, T* out, T* top) {
  multiply_rows<T, R>(a, stride, stairs.ends[0], cols, w, packed, out, top);
  if constexpr (R > 1) {
    if (stairs.flat()) return;
    Stairs<R - 1> rest;
    for (std::size_t x = 1; x < R; ++x) rest.ends[x - 1] = stairs.ends[x] - stairs.ends[0];
    const std::size_t lanes = hn::Lanes(Tag<T>()), done = stairs.ends[0];
    multiply_stairs<T, R - 1>(a + done * stride, stride, rest, cols, w, packed + lanes, out + done * w + lanes,
                              top + lanes);
  }
}

// sums[c][x] += Σ a[r][c]·weights[r][x] over rows begin … end − 1, for the registers from kFirst on.
template <class T, std::size_t R, std::size_t kFirst, std::size_t kCols>
HWY_INLINE void accumulate_some_rows(const T* HWY_RESTRICT a, std::size_t stride, std::size_t begin, std::size_t end,
                                     std::size_t w, const T* HWY_RESTRICT weights, Vec<T> (&sums)[kCols][R]) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  QUENCH_UNROLL(4)
  for (std::size_t r = begin; r < end; ++r) {
    Vec<T> weight[R];
    for (std::size_t x = kFirst; x < R; ++x) weight[x] = hn::Load(d, weights + r * w + x * lanes);
    QUENCH_UNROLL(8)
    for (std::size_t c = 0; c < kCols; ++c) {
      const auto one = hn::Set(d, a[r * stride + c]);
      for (std::size_t x = kFirst; x < R; ++x) sums[c][x] = hn::MulAdd(one, weight[x], sums[c][x]);
    }
  }
}

template <class T, std::size_t R, std::size_t kCols>
HWY_INLINE void accumulate_few_columns(const T* HWY_RESTRICT a, std::size_t stride, const Stairs<R>& stairs,
                                       std::size_t w, const T* HWY_RESTRICT weights, T* HWY_RESTRICT totals) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  Vec<T> sums[kCols][R];
  QUENCH_UNROLL(8)
  for (std::size_t c = 0; c < kCols; ++c)
    for (std::size_t x = 0; x < R; ++x) sums[c][x] = hn::Zero(d);
  accumulate_some_rows<T, R, 0, kCols>(a, stride, 0, stairs.ends[0], w, weights, sums);
  if (!stairs.flat()) {
    if constexpr (R > 1)
      accumulate_some_rows<T, R, 1, kCols>(a, stride, stairs.ends[0], stairs.ends[1], w, weights, sums);
    if constexpr (R > 2)
      accumulate_some_rows<T, R, 2, kCols>(a, stride, stairs.ends[1], stairs.ends[2], w, weights, sums);
    static_assert(R <= 3);
  }
  QUENCH_UNROLL(8)
  for (std::size_t c = 0; c < kCols; ++c)
    for (std::size_t x = 0; x < R; ++x) {
      T* total = totals + c * w + x * lanes;
      hn::Store(hn::Add(hn::Load(d, total), sums[c][x]), d, total);
    }
}

// totals[c][lane] += Σ_r a[r][c]·weights[r][lane]. The tile is summed by itself and then added, so the rounding error
// grows with the tile's length plus the number of tiles, not with their product.
template <class T, std::size_t R>
HWY_NOINLINE void accumulate_stairs(const T* a, std::size_t stride, const Stairs<R>& stairs, std::size_t cols,
                                    std::size_t w, const T* weights, T* totals) {
  std::size_t c = 0;
  for (; c + kAtOnce <= cols; c += kAtOnce)
    accumulate_few_columns<T, R, kAtOnce>(a + c, stride, stairs, w, weights, totals + c * w);
  if (kAtOnce > 4 && c + 4 <= cols) {
    accumulate_few_columns<T, R, 4>(a + c, stride, stairs, w, weights, totals + c * w);
    c += 4;
  }
  if (c + 2 <= cols) {
    accumulate_few_columns<T, R, 2>(a + c, stride, stairs, w, weights, totals + c * w);
    c += 2;
  }
  if (c < cols) accumulate_few_columns<T, R, 1>(a + c, stride, stairs, w, weights, totals + c * w);
}

template <class T, std::size_t R>
void accumulate_rows(const T* a, std::size_t stride, std::size_t rows, std::size_t cols, std::size_t w,
                     const T* weights, T* totals) {
  Stairs<R> stairs;
  std::fill_n(stairs.ends, R, rows);
  accumulate_stairs<T, R>(a, stride, stairs, cols, w, weights, totals);
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
