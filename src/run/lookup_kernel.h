// The vector loops of run/lane_lookup.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quench::run {

template <class T>
struct LookupRows {
  std::size_t size = 0;
  const std::uint32_t* position = nullptr;       ///< from 0
  const T *linear = nullptr, *square = nullptr;  ///< queries
  double linear_factor = 0, square_factor = 0;   ///< of the keys
  const double* scale = nullptr;                 ///< by index; null: steady
  double steady = 0;
  /// Query i sees keys first … last, first = 1 or (from_own) its own position, last = n or (to_own) its own.
  bool from_own = false, to_own = false;
  std::size_t n = 0;
  double *sharpness = nullptr, *centre = nullptr, *nearest = nullptr;  ///< b, c, j*: found, then read
};

/// What bounds the window of keys.
struct LookupReach {
  bool fits = true;  ///< every parabola opens downwards, and everything is finite
  double least_b = 0;
  double greatest_shift = 0;  ///< |j* − c|, at most ½
};

/// Whether k = factor·j^power up to the rounding of its format, at all positions.
template <class T>
bool is_power(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power);

template <class T>
LookupReach find_nearest(const LookupRows<T>& rows);

/// out = Σ weight·v / Σ weight over the keys at most `reach` from j*. The value at position j (from 1) of the query at
/// index p is values[(j − 1)·stride + offset(p)], offset = p mod stride.
template <class T>
void mix_values(const LookupRows<T>& rows, std::size_t reach, const T* values, std::size_t stride, double tiny, T* out);

}  // namespace quench::run
