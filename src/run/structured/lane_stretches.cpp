#include "run/structured/lane_stretches.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/lane_stretches.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// turn_square: to[a·to_apart + b] = from[b·from_apart + a] for a, b < kSide, a square of 16-byte vectors.
#if HWY_TARGET == HWY_SCALAR

template <class T>
constexpr std::size_t kSide = 1;

template <class T>
HWY_INLINE void turn_square(const T* from, std::size_t, T* to, std::size_t) {
  *to = *from;
}

#else

template <class T>
constexpr std::size_t kSide = 16 / sizeof(T);

HWY_INLINE void turn_square(const float* from, std::size_t from_apart, float* to, std::size_t to_apart) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_apart), c = hn::LoadU(d, from + 2 * from_apart),
             e = hn::LoadU(d, from + 3 * from_apart);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)), d, to + to_apart);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)), d, to + 2 * to_apart);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high)), d, to + 3 * to_apart);
}

HWY_INLINE void turn_square(const double* from, std::size_t from_apart, double* to, std::size_t to_apart) {
  const hn::FixedTag<double, 2> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_apart);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_apart);
}

#endif

template <class T>
void turn_rows(const T* rows, std::size_t steps, std::size_t lanes, T* runs) {
  std::size_t t = 0;
  for (; t + kSide<T> <= steps; t += kSide<T>)
    for (std::size_t s = 0; s < lanes; s += kSide<T>)
      turn_square(rows + t * kLanes + s, kLanes, runs + s * steps + t, steps);
  for (; t < steps; ++t)
    for (std::size_t s = 0; s < lanes; ++s) runs[s * steps + t] = rows[t * kLanes + s];
}

template <class T>
void turn_runs(const T* runs, std::size_t steps, std::size_t lanes, T* rows) {
  std::size_t t = 0;
  for (; t + kSide<T> <= steps; t += kSide<T>)
    for (std::size_t s = 0; s < lanes; s += kSide<T>)
      turn_square(runs + s * steps + t, steps, rows + t * kLanes + s, kLanes);
  for (; t < steps; ++t)
    for (std::size_t s = 0; s < lanes; ++s) rows[t * kLanes + s] = runs[s * steps + t];
}

}  // namespace

// Highway dispatches plain functions, not templates.
void ToRuns32(const float* rows, std::size_t steps, std::size_t lanes, float* runs) {
  turn_rows(rows, steps, lanes, runs);
}
void ToRuns64(const double* rows, std::size_t steps, std::size_t lanes, double* runs) {
  turn_rows(rows, steps, lanes, runs);
}
void ToRows32(const float* runs, std::size_t steps, std::size_t lanes, float* rows) {
  turn_runs(runs, steps, lanes, rows);
}
void ToRows64(const double* runs, std::size_t steps, std::size_t lanes, double* rows) {
  turn_runs(runs, steps, lanes, rows);
}

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

HWY_EXPORT(ToRuns32);
HWY_EXPORT(ToRuns64);
HWY_EXPORT(ToRows32);
HWY_EXPORT(ToRows64);

template <>
void rows_to_stretches(const float* rows, std::size_t steps, std::size_t lanes, float* runs) {
  HWY_DYNAMIC_DISPATCH(ToRuns32)(rows, steps, lanes, runs);
}
template <>
void rows_to_stretches(const double* rows, std::size_t steps, std::size_t lanes, double* runs) {
  HWY_DYNAMIC_DISPATCH(ToRuns64)(rows, steps, lanes, runs);
}
template <>
void stretches_to_rows(const float* runs, std::size_t steps, std::size_t lanes, float* rows) {
  HWY_DYNAMIC_DISPATCH(ToRows32)(runs, steps, lanes, rows);
}
template <>
void stretches_to_rows(const double* runs, std::size_t steps, std::size_t lanes, double* rows) {
  HWY_DYNAMIC_DISPATCH(ToRows64)(runs, steps, lanes, rows);
}

}  // namespace quench::run
#endif  // HWY_ONCE
