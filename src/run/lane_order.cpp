#include "run/lane_order.h"

#include "base/lanes.h"

namespace quench::run {

QUENCH_LANES void put_rows(const float* __restrict rows, const std::uint32_t* __restrict place, std::size_t count,
                           float* __restrict to) {
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t s = 0; s < kLanes; ++s) to[place[r * kLanes] + s] = rows[r * kLanes + s];
}
QUENCH_LANES void put_rows(const float* __restrict rows, const std::uint32_t* __restrict place, std::size_t count,
                           double* __restrict to) {
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t s = 0; s < kLanes; ++s) to[place[r * kLanes] + s] = static_cast<double>(rows[r * kLanes + s]);
}
QUENCH_LANES void put_rows(const double* __restrict rows, const std::uint32_t* __restrict place, std::size_t count,
                           double* __restrict to) {
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t s = 0; s < kLanes; ++s) to[place[r * kLanes] + s] = rows[r * kLanes + s];
}

}  // namespace quench::run
