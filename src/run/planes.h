// Sparse linear maps on planes (run/head_work.h), coordinate by coordinate instead of position by position: the same
// sums in the same order as the reference executor, hence the same bits, but over blocks of positions that vectorise.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.h"

namespace quench::run {

/// Positions per block: a block of all coordinates a sublayer touches stays in the second-level cache.
inline constexpr std::size_t kBlock = 512;

/// total[p] = Σ entry.value · source(entry.column)[p], from left to right, in T; p < count.
template <class T, class Source>
void sparse_dot(const SparseMatrix::Entry* entry, const SparseMatrix::Entry* last, const Source& source,
                std::size_t count, T* total);

namespace planes {

// dot: total = Σ of one, two or four products from left to right, or total += them · rectify: x = ReLU(x + bias), NaN
// kept · add_biased: h += (x + bias) · add: h += x
void dot1(const float* w, const float* const* x, std::size_t count, bool add, float* total);
void dot2(const float* w, const float* const* x, std::size_t count, bool add, float* total);
void dot4(const float* w, const float* const* x, std::size_t count, bool add, float* total);
void rectify(float bias, std::size_t count, float* x);
void add_biased(const float* x, float bias, std::size_t count, float* h);
void add(const float* x, std::size_t count, float* h);
void dot1(const double* w, const double* const* x, std::size_t count, bool add, double* total);
void dot2(const double* w, const double* const* x, std::size_t count, bool add, double* total);
void dot4(const double* w, const double* const* x, std::size_t count, bool add, double* total);
void rectify(double bias, std::size_t count, double* x);
void add_biased(const double* x, double bias, std::size_t count, double* h);
void add(const double* x, std::size_t count, double* h);

}  // namespace planes

template <class T, class Source>
void sparse_dot(const SparseMatrix::Entry* entry, const SparseMatrix::Entry* last, const Source& source,
                std::size_t count, T* total) {
  bool add = false;
  if (entry == last)
    for (std::size_t p = 0; p < count; ++p) total[p] = 0;
  while (entry != last) {
    const std::ptrdiff_t left = last - entry, take = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    T w[4];
    const T* x[4];
    for (std::ptrdiff_t t = 0; t < take; ++t, ++entry) {
      w[t] = static_cast<T>(entry->value);
      x[t] = source(entry->column);
    }
    if (take == 4)
      planes::dot4(w, x, count, add, total);
    else if (take == 2)
      planes::dot2(w, x, count, add, total);
    else
      planes::dot1(w, x, count, add, total);
    add = true;
  }
}

}  // namespace quench::run
