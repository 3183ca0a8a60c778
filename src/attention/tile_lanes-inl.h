// Rows of a matrix as SIMD lanes and back, and the gradient of one softmax weight: what both kinds of block share.
// Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_LANES_INL_H
#undef QUENCH_TILE_LANES_INL_H
#else
#define QUENCH_TILE_LANES_INL_H
#endif

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "attention/rows.h"
#include "attention/tile_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

template <class T>
using Buffer = hwy::AlignedFreeUniquePtr<T[]>;

template <class T>
Buffer<T> buffer(std::size_t rows, T value = 0) {
  Buffer<T> result = hwy::AllocateAligned<T>(rows * width<T>());
  std::fill_n(result.get(), rows * width<T>(), value);
  return result;
}

// packed[c][lane] = factor·rows(begin + lane, c); lanes beyond count stay 0.
template <class T>
Buffer<T> pack(Rows<const T> rows, std::size_t begin, std::size_t count, T factor) {
  Buffer<T> packed = buffer<T>(rows.cols);
  for (std::size_t lane = 0; lane < count; ++lane)
    for (std::size_t c = 0; c < rows.cols; ++c) packed[c * width<T>() + lane] = factor * rows(begin + lane, c);
  return packed;
}

template <class T>
void unpack(const T* packed, std::size_t begin, std::size_t count, T factor, Rows<T> rows) {
  for (std::size_t lane = 0; lane < count; ++lane)
    for (std::size_t c = 0; c < rows.cols; ++c) rows(begin + lane, c) = factor * packed[c * width<T>() + lane];
}

// One number per lane: values[begin + lane], `rest` beyond count.
template <class T>
Buffer<T> lanes_of(std::span<const T> values, std::size_t begin, std::size_t count, T rest) {
  Buffer<T> lanes = buffer<T>(1, rest);
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), count, lanes.get());
  return lanes;
}

// Where index x of the other side falls in a tile that starts at `begin`, cut to 0 … kTileRows: exact in any T.
template <class T>
T in_tile(std::size_t x, std::size_t begin) {
  return static_cast<T>(std::min(x > begin ? x - begin : 0, kTileRows));
}

// What the gradient of a score needs to know about its query.
template <class T>
struct QueryFacts {
  Vec<T> max, inverse_tau, inverse_sum, mean, d_entropy, entropy, log_sum;
};

// α of the score s, and ∂L/∂x for x = s/τ:  α (g − Σ α g) − ∂L/∂H·α (ln α + H)  for g = ∂L/∂α.
template <class T>
HWY_INLINE Vec<T> weight_of(Vec<T> s, const QueryFacts<T>& f) {
  return hn::Mul(exp_nonpositive<T>(hn::Mul(hn::Sub(s, f.max), f.inverse_tau)), f.inverse_sum);
}

template <class T>
HWY_INLINE Vec<T> exponent_gradient(Vec<T> s, Vec<T> alpha, Vec<T> d_alpha, const QueryFacts<T>& f) {
  const Tag<T> d;
  const auto log_alpha = hn::Sub(hn::Mul(hn::Sub(s, f.max), f.inverse_tau), f.log_sum);
  const auto inside = hn::NegMulAdd(f.d_entropy, hn::Add(log_alpha, f.entropy), hn::Sub(d_alpha, f.mean));
  return hn::IfThenZeroElse(hn::Eq(alpha, hn::Zero(d)), hn::Mul(alpha, inside));
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
