// Up to where the constructions of docs/theory-exact.md are exact in any order of summation: conditions on whole
// numbers. p is the number of significant bits in which sums are formed.
#pragma once

#include <cstdint>
#include <vector>

namespace quench::bounds {

/// Γ: exp underflows at −2Γ in every format up to float64, where that takes 746. [Q-gap]
inline constexpr double kExactGamma = 512;
/// By which keys that do not fit are behind; a scan may ask for less.
inline constexpr double kExactGap = 2 * kExactGamma;

/// The narrowest sums that weights are made for: those of float32, and of engines that store halves.
inline constexpr int kNarrowestSums = 24;
/// The narrowest numbers that they are stored in, where that decides a size: those of bfloat16.
inline constexpr int kNarrowestStorage = 8;

/// [Q-address], with a sink: c bits asked or fixed.
bool address_is_exact(double compared, int p);

/// U of [Q-match] where scores have many bits: a power of two.
inline constexpr double kEqualUnit = 1024;
/// U of [Q-match] of temporal operators, for words of `length`: the least with few bits at which exp underflows in
/// float64, or, where scores have more multiples of it than sums of p bits hold, kEqualUnit.
double match_unit(double length, int p);

/// [Q-match] on so many pairs of Booleans, and whether a key is selected: scores of all keys are exact in any order.
bool equal_match_is_exact(double length, double pairs, int p);

/// [Q-penalty]: C in multiples of N·U.
inline constexpr double kPenalty = 4;
/// [Q-penalty]: by how much a sum of numbers whose sizes add up to `sizes` can be missed in any order of summation,
/// whichever way an operation rounds; infinity where nothing is said.
double any_order_error(double terms, double sizes, int p);

/// [Q-cmp]: up to which length Σ c_k κ_k + c is compared exactly where it is not decided by c alone; C = Σ|c_k|.
double exact_comparison_length(double weights, int p);

/// [Q-bits]: how many of `left` bits one feed-forward takes off. No more than five, since hidden units double with
/// each.
int bits_at_once(int left, int p);

/// [Q-theta]: how many of `bits` bits are found by a square: the fewest with which the others take no more
/// feed-forwards than they must.
int low_bits(int bits, int p);

/// The largest m for which [Q-blocks] is used: that of float16.
inline constexpr std::int64_t kLargestModulus = 1024;

/// [Q-blocks]: the bits of each level, the lowest level first: as few levels as the narrowest storage that can allows.
std::vector<int> residue_levels(int bits, std::int64_t modulus);

}  // namespace quench::bounds
