// The exponential of the tiled path, exp(y/τ) for differences y ≤ 0 of scores: what it has to be told about τ, and a
// way to call it by itself (the tests do). The function and the proof of its error are in tile_exp-inl.h.
#pragma once

#include <span>

namespace quench::attention {

/// log₂e/τ = high + low (to twice the precision of T), and the y below which the result is 0.
template <class T>
struct ExpScale {
  T high, low, lowest;
};

/// `inverse_tau` must lie between the smallest normal number and half of the largest.
template <class T>
ExpScale<T> exp_scale(T inverse_tau);

/// Replaces each y ≤ 0 by exp(y/τ), on the instruction set of this machine.
template <class T>
void scaled_exp(std::span<T> y, T inverse_tau);

}  // namespace quench::attention
