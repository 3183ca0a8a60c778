#include "train/network/products.h"

#include "base/error.h"
#include "base/number/multiversion.h"

namespace quench::train {
namespace {

using attention::Rows;

// Inlined into the functions below, so that there is a version of them for every instruction set.
#define QUENCH_INLINE [[gnu::always_inline]] inline

/// c += f0·b0 + f1·b1 + f2·b2 + f3·b3
QUENCH_INLINE void add_four(const double* f, std::size_t step, Rows<const double> b, std::size_t first,
                            double* __restrict c) {
  const double f0 = f[0], f1 = f[step], f2 = f[2 * step], f3 = f[3 * step];
  const double *b0 = b[first].data(), *b1 = b[first + 1].data(), *b2 = b[first + 2].data(), *b3 = b[first + 3].data();
  for (std::size_t j = 0; j < b.cols; ++j) c[j] += (f0 * b0[j] + f1 * b1[j]) + (f2 * b2[j] + f3 * b3[j]);
}

/// c += Σ_t factors[t·step]·b_t over the rows b_t of B
QUENCH_INLINE void add_combination(const double* factors, std::size_t step, Rows<const double> b,
                                   double* __restrict c) {
  std::size_t t = 0;
  for (; t + 4 <= b.rows; t += 4) add_four(factors + t * step, step, b, t, c);
  for (; t < b.rows; ++t) {
    const double f = factors[t * step];
    const double* row = b[t].data();
    for (std::size_t j = 0; j < b.cols; ++j) c[j] += f * row[j];
  }
}

QUENCH_MULTIVERSION void add_products(Rows<const double> a, Rows<const double> b, Rows<double> c) {
  for (std::size_t r = 0; r < a.rows; ++r) add_combination(a[r].data(), 1, b, c[r].data());
}

QUENCH_MULTIVERSION void add_transposed_products(Rows<const double> a, Rows<const double> b, Rows<double> c) {
  for (std::size_t r = 0; r < a.cols; ++r) add_combination(a.data + r, a.stride, b, c[r].data());
}

}  // namespace

void add_product(Rows<const double> a, Rows<const double> b, Rows<double> c) {
  QUENCH_ASSERT(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
  add_products(a, b, c);
}

void add_transposed_product(Rows<const double> a, Rows<const double> b, Rows<double> c) {
  QUENCH_ASSERT(a.rows == b.rows && a.cols == c.rows && b.cols == c.cols);
  add_transposed_products(a, b, c);
}

void add_rows(Rows<const double> a, Rows<double> sum) {
  QUENCH_ASSERT(sum.rows == 1 && a.cols == sum.cols);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < a.cols; ++c) sum(0, c) += a(r, c);
}

}  // namespace quench::train
