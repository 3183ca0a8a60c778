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
#include "attention/kernel/tile_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

template <class T>
using Buffer = hwy::AlignedFreeUniquePtr<T[]>;

template <class T>
Buffer<T> buffer(std::size_t size, T value = 0) {
  Buffer<T> result = hwy::AllocateAligned<T>(std::max<std::size_t>(size, 1));
  std::fill_n(result.get(), size, value);
  return result;
}

// Not set to anything: for what is written before it is read (n = 16, d = 4: 4.3 → 2.8 µs forward and backward).
template <class T>
Buffer<T> scratch(std::size_t size) {
  return hwy::AllocateAligned<T>(std::max<std::size_t>(size, 1));
}

// to[c][r] = change(from[r][c]), rows × cols numbers; `change(d, c, x)` gets a vector x of numbers from column c on.
// Four by four where a register holds four (n = 1,024, d = 64, causal, forward, one core: 2 % against one by one).
template <class T, class Change>
HWY_INLINE void transpose(const T* HWY_RESTRICT from, std::size_t from_stride, std::size_t rows, std::size_t cols,
                          T* HWY_RESTRICT to, std::size_t to_stride, Change change) {
  std::size_t whole_rows = 0, whole_cols = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) {
    const hn::Full128<T> d;
    whole_rows = rows / 4 * 4;
    whole_cols = cols / 4 * 4;
    for (std::size_t r = 0; r < whole_rows; r += 4)
      for (std::size_t c = 0; c < whole_cols; c += 4) {
        const T* at = from + r * from_stride + c;
        const auto row = [&](std::size_t k) HWY_ATTR { return change(d, c, hn::LoadU(d, at + k * from_stride)); };
        const auto row0 = row(0), row1 = row(1), row2 = row(2), row3 = row(3);
        const auto low02 = hn::InterleaveLower(d, row0, row2), high02 = hn::InterleaveUpper(d, row0, row2),
                   low13 = hn::InterleaveLower(d, row1, row3), high13 = hn::InterleaveUpper(d, row1, row3);
        T* out = to + c * to_stride + r;
        hn::StoreU(hn::InterleaveLower(d, low02, low13), d, out);
        hn::StoreU(hn::InterleaveUpper(d, low02, low13), d, out + to_stride);
        hn::StoreU(hn::InterleaveLower(d, high02, high13), d, out + 2 * to_stride);
        hn::StoreU(hn::InterleaveUpper(d, high02, high13), d, out + 3 * to_stride);
      }
  }
#endif
  const hn::CappedTag<T, 1> one;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c)
      hn::StoreU(change(one, c, hn::LoadU(one, from + r * from_stride + c)), one, to + c * to_stride + r);
}

template <class T>
auto times(T factor) {
  return [factor](auto d, std::size_t, auto x) HWY_ATTR { return hn::Mul(hn::Set(d, factor), x); };
}

// packed[c][lane] = factor·rows(begin + lane, c) for `count` lanes of w; the others stay as they are.
template <class T>
void pack(Rows<const T> rows, std::size_t begin, std::size_t count, T factor, std::size_t w, T* packed) {
  transpose(rows.data + begin * rows.stride, rows.stride, count, rows.cols, packed, w, times(factor));
}

template <class T>
void unpack(const T* packed, std::size_t begin, std::size_t count, T factor, std::size_t w, Rows<T> rows) {
  transpose(packed, w, rows.cols, count, rows.data + begin * rows.stride, rows.stride, times(factor));
}

// One number per lane of w: values[begin + lane], `rest` beyond count.
template <class T>
void copy_lanes(std::span<const T> values, std::size_t begin, std::size_t count, T rest, std::size_t w, T* lanes) {
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), count, lanes);
  std::fill(lanes + count, lanes + w, rest);
}

// Where index x of the other side falls in a tile that starts at `begin`, cut to 0 … kTileRows: exact in any T.
template <class T>
T in_tile(std::size_t x, std::size_t begin) {
  return static_cast<T>(std::min(x > begin ? x - begin : 0, kTileRows));
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
