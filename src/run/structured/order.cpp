#include "run/structured/order.h"

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

template <class T, class To>
[[gnu::always_inline]] inline void put(const T* rows, std::size_t steps, std::size_t lanes, std::size_t apart,
                                       std::size_t ahead, To* to) {
  for (std::size_t t = 0; t < steps; ++t, rows += kLanes, to += apart) {
    if (ahead > 0) {
      __builtin_prefetch(to + ahead, /*for writing*/ 1);
      __builtin_prefetch(to + ahead + kLanes / 2, 1);
    }
    if (lanes == kLanes)
      for (std::size_t s = 0; s < kLanes; ++s) to[s] = static_cast<To>(rows[s]);
    else
      for (std::size_t s = 0; s < lanes; ++s) to[s] = static_cast<To>(rows[s]);
  }
}

}  // namespace

QUENCH_MULTIVERSION void put_rows(const float* rows, std::size_t steps, std::size_t lanes, std::size_t apart,
                                  std::size_t ahead, float* to) {
  put(rows, steps, lanes, apart, ahead, to);
}
QUENCH_MULTIVERSION void put_rows(const float* rows, std::size_t steps, std::size_t lanes, std::size_t apart,
                                  std::size_t ahead, double* to) {
  put(rows, steps, lanes, apart, ahead, to);
}
QUENCH_MULTIVERSION void put_rows(const double* rows, std::size_t steps, std::size_t lanes, std::size_t apart,
                                  std::size_t ahead, double* to) {
  put(rows, steps, lanes, apart, ahead, to);
}

}  // namespace quench::run
