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

/// [Q-exp2]: where exponents are s·log₂e − M, M rounded once per row, the one of the greatest score is at most this far
/// from 0.
double exponent_shift(double greatest_score, int p);

/// [Q-half], by which [Q-scan] finds blocks: all of so many bits are asked or fixed. With a gap below kExactGap the head
/// has no sink.
bool half_is_exact(double bits, double gap, int p);

/// [Q-count]: sums over `length` positions of whole numbers of at most `greatest`.
bool count_is_exact(double length, double greatest, int p);

/// U of [Q-match] where scores have many bits: a power of two.
inline constexpr double kEqualUnit = 1024;
/// U of [Q-match] of temporal operators, for words of `length`: the least with few bits at which exp underflows in
/// float64, or, where scores have more multiples of it than sums of p bits hold, kEqualUnit.
double match_unit(double length, int p);

/// [Q-match] of temporal operators: whether a key is selected, and its position.
bool selected_match_is_exact(double length, int p);

/// [Q-match] on so many pairs of Booleans, and whether a key is selected: scores of all keys are exact in any order.
bool equal_match_is_exact(double length, double pairs, int p);

/// [Q-penalty]: C in multiples of N·U.
inline constexpr double kPenalty = 4;
/// [Q-penalty]: by how much a sum of numbers whose sizes add up to `sizes` can be missed in any order of summation,
/// whichever way an operation rounds; infinity where nothing is said.
double any_order_error(double terms, double sizes, int p);
/// [Q-penalty] of so many products, for words of `length`: keys without penalties are exact, those with one stay behind.
bool penalised_match_is_exact(double length, double products, int p);

/// [Q-cmp]: up to which length Σ c_k κ_k + c is compared exactly where it is not decided by c alone; C = Σ|c_k|.
double exact_comparison_length(double weights, int p);

/// [Q-bits]: how many of `left` bits one feed-forward takes off a number of less than 2^left + `beyond`. No more than
/// five, since hidden units double with each.
int bits_at_once(int left, int p, double beyond = 0);

/// [Q-theta]: how many of `bits` bits, at most p, are found by a square: the fewest with which the others take no more
/// feed-forwards than they must.
int low_bits(int bits, int p);

/// [Q-carry]: the base of the digits.
inline constexpr int kCarryBase = 16;
/// [Q-carry]: how many bits the next level has, of `left`, if digits are at most `most` before it: as many as keep sums
/// within the narrowest storage. The last level adds a digit and 1 more. At least one.
int carry_level(double most, int left);
/// [Q-carry]: the head that asks for all bits of N − κ by their place values, for words of `length`.
bool place_values_are_exact(double length, int p);

/// The largest m for which [Q-blocks] is used: that of float16.
inline constexpr std::int64_t kLargestModulus = 1024;

/// [Q-blocks]: the bits of each level, the lowest level first: as few levels as the narrowest storage that can allows.
std::vector<int> residue_levels(int bits, std::int64_t modulus);

}  // namespace quench::bounds
