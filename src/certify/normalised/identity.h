// Where every coordinate is a whole number, a pinned layer normalisation can be the identity to the last bit, for
// engines that form mean and variance by sums in any order, and no others ([Q-pins] in docs/theory-pins.md):
//
//   PC + Σ|x_c| ≤ 2^p        sums of pins and data do not round, so the mean is 0
//   Σx_c² ≤ 2^−(p+1)·C²      beside the square of a pin those of all data vanish, so the variance is 2PC²/D = 4^m
//   4^m ≥ 2^(p+1)·ε          so does ε; the root of 4^m, its reciprocal and the gain 2^m are exact
//
// The balance takes part: what is added to it must not round either.
#pragma once

#include "certify/whole/whole.h"

namespace quench::certify {

/// Each throws NotProved.
void require_identity(const Setting& setting, const Wholes& state);
void require_exact_balance(const Setting& setting, const Wholes& state, const model::Layer& layer);
void require_exact_balance(const Setting& setting, const Wholes& state, const model::FeedForward& ffn);

}  // namespace quench::certify
