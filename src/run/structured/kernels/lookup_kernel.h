// The vector loops of methods/lookup.h.
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
};

/// What the weights of a row depend on: b, and x = 2(j* − c).
struct LookupShape {
  double b = 0, x = 0;
};

/// Rows of one shape that see all keys which are at most `reach` from j*, already answered: the mean around position j
/// (from 1) at j − 1, for j − 1 in [first, last).
template <class T>
struct ReadyMeans {
  LookupShape shape;
  std::size_t reach = 0, first = 0, last = 0;
  std::vector<const T*> means;  ///< by value
};

/// The rows that were not ready, and what bounds their windows of keys.
struct LookupReach {
  bool fits = true;  ///< every parabola opens downwards, and everything is finite
  double least_b = 0;
  double greatest_shift = 0;  ///< |j* − c|, at most ½
};

/// Whether k = factor·j^power up to the rounding of its format, at all positions.
template <class T>
bool is_power(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power);

template <class T>
LookupShape shape_of(const LookupRows<T>& rows, std::size_t p);

/// means[j] = Σ_d weight[reach + d]·values[j + d] over all weights, |d| ≤ reach, for reach ≤ j < n − reach.
template <class T>
void mix_around(const T* values, const std::vector<double>& weight, std::size_t first, std::size_t last, T* means);

/// Takes from `ready` what it has. The indices where rows begin that it has not, a vector of them each, go into `rest`.
template <class T>
LookupReach take_ready(const LookupRows<T>& rows, const ReadyMeans<T>& ready, const std::vector<T*>& out,
                       std::vector<std::uint32_t>& rest);

/// out = Σ weight·v / Σ weight over the keys at most `reach` from j*, for the rows that begin at the indices `which`.
/// The value at position j (from 1) of the query at index p is values[(j − 1)·stride + offset(p)], offset = p mod
/// stride.
template <class T>
void mix_values(const LookupRows<T>& rows, const std::vector<std::uint32_t>& which, std::size_t reach, const T* values,
                std::size_t stride, T* out);

}  // namespace quench::run
