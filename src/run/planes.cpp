#include "run/planes.h"

#include "base/lanes.h"

namespace quench::run::planes {

// The compiler clones functions for several targets but not templates: overloads for float and double, by macro.
#define QUENCH_KERNELS(T)                                                                        \
  QUENCH_LANES void dot1(const T* w, const T* const* x, std::size_t count, bool add, T* total) { \
    const T w0 = w[0], *x0 = x[0];                                                               \
    if (add)                                                                                     \
      for (std::size_t p = 0; p < count; ++p) total[p] = total[p] + w0 * x0[p];                  \
    else                                                                                         \
      for (std::size_t p = 0; p < count; ++p) total[p] = T{0} + w0 * x0[p];                      \
  }                                                                                              \
  QUENCH_LANES void dot2(const T* w, const T* const* x, std::size_t count, bool add, T* total) { \
    const T w0 = w[0], w1 = w[1], *x0 = x[0], *x1 = x[1];                                        \
    if (add)                                                                                     \
      for (std::size_t p = 0; p < count; ++p) total[p] = (total[p] + w0 * x0[p]) + w1 * x1[p];   \
    else                                                                                         \
      for (std::size_t p = 0; p < count; ++p) total[p] = (T{0} + w0 * x0[p]) + w1 * x1[p];       \
  }                                                                                              \
  QUENCH_LANES void dot4(const T* w, const T* const* x, std::size_t count, bool add, T* total) { \
    const T w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];                                          \
    const T *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];                                      \
    if (add)                                                                                     \
      for (std::size_t p = 0; p < count; ++p)                                                    \
        total[p] = (((total[p] + w0 * x0[p]) + w1 * x1[p]) + w2 * x2[p]) + w3 * x3[p];           \
    else                                                                                         \
      for (std::size_t p = 0; p < count; ++p)                                                    \
        total[p] = (((T{0} + w0 * x0[p]) + w1 * x1[p]) + w2 * x2[p]) + w3 * x3[p];               \
  }                                                                                              \
  QUENCH_LANES void rectify(T bias, std::size_t count, T* x) {                                   \
    for (std::size_t p = 0; p < count; ++p) {                                                    \
      const T y = x[p] + bias;                                                                   \
      x[p] = y <= 0 ? T{0} : y;                                                                  \
    }                                                                                            \
  }                                                                                              \
  QUENCH_LANES void add_biased(const T* x, T bias, std::size_t count, T* h) {                    \
    for (std::size_t p = 0; p < count; ++p) h[p] = h[p] + (x[p] + bias);                         \
  }                                                                                              \
  QUENCH_LANES void add(const T* x, std::size_t count, T* h) {                                   \
    for (std::size_t p = 0; p < count; ++p) h[p] = h[p] + x[p];                                  \
  }

QUENCH_KERNELS(float)
QUENCH_KERNELS(double)

}  // namespace quench::run::planes
