// Words on which floating-point attention is most likely to go wrong: ties at the far end, nearly equal counts, counts
// one off a threshold, all true, all false, a predecessor far away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/number/random.h"
#include "base/word.h"
#include "lang/formula.h"

namespace quench::verify {

/// How a word is made of two symbols, a and b.
enum class Shape : std::uint8_t {
  all,          // a throughout
  first,        // a, b at the first position
  last,         // a, b at the last position
  second,       // a, b at the second position
  second_last,  // a, b at the last position but one
  in_turn,      // abab…
  halves,       // half a, half b
  halves_more,  // the same, one more a
  halves_less,  // one less
  few,          // a with three b
  rare,         // a, other symbols with probability 1/50
  random_pair,  // a and b at random
  random,       // all symbols at random
  block_true,   // a…ab…b with as few a as keep the last answer what it is without b (a count at its threshold)
  block_false,  // the same with one a less
  spread_true,  // these two with the b spread evenly
  spread_false,
  near_threshold,  // the b spread evenly among a, and other symbols strewn in: a count near its threshold everywhere
};
const char* to_string(Shape shape);

struct Pattern {
  Shape shape = Shape::all;
  Symbol a = 0, b = 0;
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// All shapes with all pairs of symbols of the formula, one that it does not mention among them (of many pairs, some).
/// Those that do best at stressing several kinds of heads come first.
std::vector<Pattern> adversarial_patterns(const lang::Formula& formula);

/// The word over formula.alphabet; nothing if the pattern has no word of this length (no threshold). The same arguments
/// give the same word.
std::optional<Word> pattern_word(const lang::Formula& formula, const Pattern& pattern, std::size_t length,
                                 std::uint64_t seed);

/// A smaller set without an oracle: by family, symbols at random; `kinds` symbols, the last standing for unmentioned
/// ones.
inline constexpr std::size_t kFamilies = 12;
Word adversarial_word(std::size_t family, std::size_t kinds, std::size_t length, std::uint64_t seed);
const char* family_name(std::size_t family);

}  // namespace quench::verify
