// The bounds of docs/theory-exact.md one by one, in formats of few bits: what they allow is exact whatever the order, by
// trying everything, and what comes next is not, or the bound is known not to be the last word.
#include <gtest/gtest.h>

#include <bit>

#include "base/number/few_bits.h"
#include "bounds/exact.h"
#include "bounds/rounded.h"

namespace quench {
namespace {

using test::exact_in_any_order;
using test::fits;
using test::rounded;
using test::summed_at_random;

/// [Q-address]: of c bits `asked` are compared with bits of the query, `misfits` of them in vain; the others are fixed.
bool scores_are_exact(int c, int p) {
  for (int asked = 0; asked <= c; ++asked)
    for (int misfits = 0; misfits <= asked; ++misfits)
      for (int fixed_misfits = 0; fixed_misfits <= c - asked; ++fixed_misfits)
        for (const bool sink : {false, true}) {
          std::vector<double> terms(static_cast<std::size_t>(asked), 1.0);
          std::fill_n(terms.begin(), misfits, -1.0);
          terms.push_back(-asked - 2.0 * fixed_misfits);
          if (sink) terms.push_back(2 * rounded_up_to_bits(c + 1, 3));
          if (!exact_in_any_order(terms, p)) return false;
        }
  return true;
}

/// 4.5c + 2.5 is what the terms can add up to in all; those of one sign come to 3.5c + 2.5. So scores stay exact for a
/// few bits more.
TEST(ExactCorners, AddressesAreExactAsFarAsTheBoundSays) {
  for (const int p : {3, 4, 5}) {
    int bound = 0, last = 0;
    while (bounds::address_is_exact(bound + 1, p)) ++bound;
    while (scores_are_exact(last + 1, p)) ++last;
    EXPECT_GE(last, bound) << p;
    EXPECT_LE(last, 2 * bound + 2) << p;
  }
  EXPECT_TRUE(bounds::address_is_exact(23, 24));
}

/// [Q-half] without a sink has L terms ±1; one more than 2^p of them are not exact.
TEST(ExactCorners, HalvesAreExactUpToTheBound) {
  for (const int p : {3, 4}) {
    const int last = 1 << p;
    for (int bits = 1; bits <= last + 1; ++bits) {
      EXPECT_EQ(bounds::half_is_exact(bits, 8, p), bits <= last);
      bool exact = true;
      for (int misfits = 0; misfits <= bits; ++misfits) {
        // Sums of some of the terms are all whole numbers from −misfits to bits − misfits.
        for (int sum = -misfits; sum <= bits - misfits; ++sum) exact = exact && fits(sum, p);
      }
      EXPECT_EQ(exact, bits <= last) << p;
    }
  }
  EXPECT_TRUE(bounds::half_is_exact(23, bounds::kExactGap, 24));
  EXPECT_EQ(bounds::half_is_exact(40, bounds::kExactGap, 8), bounds::address_is_exact(40, 8));
}

/// [Q-count]: sums of N numbers from −v to v are all whole numbers from −N·v to N·v.
TEST(ExactCorners, CountsAreExactUpToTheBound) {
  for (const int p : {3, 4, 6})
    for (int length = 1; length <= 80; ++length)
      for (int greatest = 1; greatest <= 12; ++greatest) {
        bool exact = true;
        for (int sum = 0; sum <= length * greatest; ++sum) exact = exact && fits(sum, p);
        EXPECT_EQ(bounds::count_is_exact(length, greatest, p), exact) << length << " " << greatest << " " << p;
      }
}

/// [D ≥ 0] and [D = 0] as units of p bits compute them; D + 1 is rounded as it is stored.
bool compares(double d, int p) {
  const auto relu = [&](double x) { return std::fmax(0, rounded(x, p)); };
  const double sign = rounded(relu(d + 1) - relu(d), p), twice = 2 * relu(d);
  const double zero = rounded(rounded(relu(d + 1) - twice, p) + relu(d - 1), p);
  return sign == (d >= 0) && zero == (d == 0);
}

/// [Q-cmp], with any constant |c| ≤ CN: D goes up to 2CN, and the first D that is compared wrongly is 2^p.
TEST(ExactCorners, ComparisonsAreRightUpToTheBoundAndWrongBeyond) {
  for (const int p : {4, 5, 8})
    for (int weights = 1; weights <= 6; ++weights) {
      const double length = bounds::exact_comparison_length(weights, p);
      for (double d = -2 * weights * length; d <= 2 * weights * length; ++d)
        EXPECT_TRUE(compares(d, p)) << d << " " << p;
      bool right = true;
      for (double d = 0; d <= 2 * weights * (length + 1); ++d) right = right && compares(d, p);
      EXPECT_FALSE(right) << p << " " << weights;
    }
  EXPECT_EQ(bounds::exact_comparison_length(1, 24), 8388607);
}

/// [Q-bits]: the bits that r of them at once make of y, added up at random; the positive terms first, if asked for.
double bit_of(double y, int b, int r, int k, int p, bool positive_first, Random& random) {
  std::vector<double> positive, negative;
  for (int m = 1; m < 1 << r; ++m) {
    const int change = (m >> b & 1) - ((m - 1) >> b & 1);
    if (change == 0) continue;
    const double more = std::fmax(0, y - std::ldexp(m, k) + 1), less = std::fmax(0, y - std::ldexp(m, k));
    positive.push_back(change > 0 ? more : less);
    negative.push_back(change > 0 ? -less : -more);
  }
  if (!positive_first) {
    positive.insert(positive.end(), negative.begin(), negative.end());
    return summed_at_random(std::move(positive), p, random);
  }
  const double above = summed_at_random(std::move(positive), p, random);
  return rounded(above + summed_at_random(std::move(negative), p, random), p);
}

bool bits_are_right(int bits, int r, int beyond, int p, Random& random) {
  const int k = bits - r;
  for (int y = -1; y < (1 << bits) + beyond; ++y)
    for (int b = 0; b < r; ++b) {
      const int top = std::min(std::max(0, y) >> k, (1 << r) - 1);  // they saturate
      for (int trial = 0; trial < 6; ++trial)
        if (bit_of(y, b, r, k, p, trial == 0, random) != (top >> b & 1)) return false;
    }
  return true;
}

TEST(ExactCorners, BitsAreRightAsManyAtOnceAsTheBoundSays) {
  Random random(3);
  for (const int p : {5, 6, 8, 10})
    for (int bits = 1; bits <= p; ++bits)
      for (const int beyond : {0, 1, 3}) {
        const int r = bounds::bits_at_once(bits, p, beyond);
        ASSERT_GE(r, 1);
        if (r > 1 || beyond == 0) {
          EXPECT_TRUE(bits_are_right(bits, r, beyond, p, random)) << bits << " of " << p;
        }
        if (r < bits && r < 5 && beyond == 0) {
          EXPECT_FALSE(bits_are_right(bits, r + 1, 0, p, random)) << bits << " of " << p;
        }
      }
  EXPECT_EQ(bounds::bits_at_once(20, 24), 5);
  EXPECT_EQ(bounds::bits_at_once(21, 24), 4);
  EXPECT_EQ(bounds::bits_at_once(3, 24), 3);
  EXPECT_EQ(bounds::bits_at_once(25, 24), 0);
}

/// [Q-theta], mixed: whether the position that is asked for wins by one at least, for every y and every order tried.
bool squares_are_right(int low, int p, Random& random) {
  const int size = 1 << low;
  for (int y = 0; y < size; ++y) {
    std::vector<double> scores;
    for (int lo = 0; lo < size; ++lo) {
      // 2Γ(2y·lo − lo²) in multiples of Γ; the bits that are asked for agree and add c − c.
      std::vector<double> terms{4.0 * y * lo, -2.0 * lo * lo, -2.0, 1.0, 1.0};
      scores.push_back(summed_at_random(std::move(terms), p, random));
    }
    for (int lo = 0; lo < size; ++lo)
      if (lo != y && scores[static_cast<std::size_t>(lo)] > scores[static_cast<std::size_t>(y)] - 2) return false;
  }
  return true;
}

TEST(ExactCorners, SquaresFindWhatTheBoundSays) {
  Random random(4);
  const auto right = [&](int low, int p) {
    for (int trial = 0; trial < 20; ++trial)
      if (!squares_are_right(low, p, random)) return false;
    return true;
  };
  for (int p = 6; p <= 15; ++p) {
    const int most = (p - 2) / 2, low = bounds::low_bits(std::min(p, 23), p);
    EXPECT_LE(low, most);
    EXPECT_TRUE(right(most, p)) << p;
    EXPECT_FALSE(right(most + 1, p)) << p;
  }
  for (const int bits : {1, 2, 10, 20, 23}) EXPECT_LE(bounds::low_bits(bits, 24), std::min(bits, 11));
  EXPECT_EQ(bounds::low_bits(20, 24), 10);
}

/// [Q-blocks]: as many bits at each level as a half format stores the sums of, and no fewer levels would do.
TEST(ExactCorners, ResiduesFitIntoTheirFormat) {
  for (std::int64_t modulus = 2; modulus <= bounds::kLargestModulus; ++modulus)
    for (int bits = 1; bits <= 23; ++bits) {
      const std::vector<int> levels = bounds::residue_levels(bits, modulus);
      const int storage = 2 * (modulus - 1) + 1 <= 256 ? 8 : 11;
      const auto rest = static_cast<double>(modulus - 1);
      int total = 0, room = 0;
      for (std::size_t l = 0; l < levels.size(); ++l) {
        const bool first = l == 0, last = l + 1 == levels.size();
        const double summand = first ? 1 : rest;
        total += levels[l];
        EXPECT_LE(summand * std::exp2(levels[l]) + last, std::exp2(storage)) << modulus << ", " << bits << " bits";
        int most = 0;
        while (summand * std::exp2(most + 1) + (l + 2 == levels.size()) <= std::exp2(storage)) ++most;
        if (!last) room += most;  // what the levels but the last could have, if the one before were it
      }
      EXPECT_EQ(total, bits);
      EXPECT_LT(room, bits) << modulus << ": a level too many for " << bits << " bits";
    }
  EXPECT_EQ(bounds::residue_levels(20, 2), (std::vector{6, 7, 7}));
}

/// [Q-carry]: digits stay within 0 … 30 and sums within 256, whatever the length.
TEST(ExactCorners, DigitsStayWithinHalfFormats) {
  std::vector<int> of_twenty;
  for (int bits = 1; bits <= 23; ++bits) {
    std::vector<double> most{1};
    for (int low = 0; low < bits;) {
      const double greatest = *std::max_element(most.begin(), most.end());
      const int r = bounds::carry_level(greatest, bits - low);
      const bool last = low + r == bits;
      ASSERT_GE(r, 1);
      ASSERT_LE(r, bits - low);
      EXPECT_LE(greatest * std::exp2(r) + (last ? 16 : 0), 256) << bits;
      if (!last && r + 1 < bits - low) {
        EXPECT_GT(greatest * std::exp2(r + 1), 256) << bits;
      }
      std::vector<double> next(most.size() + 1, 0);
      for (std::size_t j = 0; j < most.size(); ++j) {
        const double sum = most[j] * std::exp2(r);
        next[j] += std::fmin(15, sum);
        next[j + 1] += std::floor(sum / 16);
      }
      if (next.back() == 0) next.pop_back();
      most = next;
      for (const double digit : most) EXPECT_LE(digit, 30);
      if (bits == 20) of_twenty.push_back(r);
      low += r;
    }
  }
  EXPECT_EQ(of_twenty, (std::vector{8, 4, 3, 3, 2}));
}

/// [Q-carry], the head: Σ 2^b(2β_b − 1)y_b of L bits is exact while 2^L ≤ 2^p, and 768 = 3·2^8 takes two bits more.
TEST(ExactCorners, PlaceValuesAreExactUpToTheBound) {
  for (const int p : {4, 6, 8})
    for (int bits = 1; bits <= p + 1; ++bits) {
      const double length = std::exp2(bits), unit = bounds::match_unit(length, p);
      std::vector<double> terms;
      for (int b = 0; b < bits; ++b) terms.push_back(unit * std::exp2(b));
      EXPECT_EQ(bounds::place_values_are_exact(length, p), exact_in_any_order(terms, p)) << bits << " of " << p;
    }
}

/// [Q-penalty]: scores that are rounded stay behind, in whichever way operations round, for all products that are
/// allowed.
TEST(ExactCorners, PenaltiesOutweighWhatRounds) {
  Random random(5);
  for (const int p : {8, 10, 12}) {
    int products = 1;
    while (bounds::penalised_match_is_exact(16, products + 1, p)) ++products;
    EXPECT_EQ(products, static_cast<int>(std::exp2(p - 2) / 3));
    EXPECT_TRUE(bounds::penalised_match_is_exact(std::exp2(p - 1), products, p));
    EXPECT_FALSE(bounds::penalised_match_is_exact(std::exp2(p), 1, p));
    for (int trial = 0; trial < 3000; ++trial) {
      const double length = std::exp2(1 + static_cast<double>(random.below(static_cast<std::size_t>(p) - 1)));
      const double penalty = bounds::kPenalty * length;
      std::vector<double> terms(1 + random.below(static_cast<std::size_t>(products) - 2), -penalty);
      terms.push_back(static_cast<double>(random.below(static_cast<std::size_t>(length))));  // j − 1
      // The end of the word has R ≥ −N, and wins against what has a penalty.
      EXPECT_LE(summed_at_random(terms, p, random, static_cast<int>(random.below(3))), -length - 1);
    }
  }
}

/// [Q-exp2]: the rounding of max·log₂e is within the bound, and comes near it.
TEST(ExactCorners, ExponentsShiftNoFurtherThanTheBound) {
  Random random(6);
  for (const int p : {8, 11, 24}) {
    double nearest = 0;
    const double log2e = rounded(1.4426950408889634, p);
    for (int trial = 0; trial < 3000; ++trial) {
      const double score = rounded(static_cast<double>(random.below(std::size_t{1} << (1 + random.below(28)))), p);
      const double shift = std::fabs(score * log2e - rounded(score * log2e, p)),
                   bound = bounds::exponent_shift(score, p);
      EXPECT_LE(shift, bound) << score;
      EXPECT_TRUE(score != 0 || bound == 0);
      if (bound > 0) nearest = std::fmax(nearest, shift / bound);
    }
    EXPECT_GT(nearest, 0.9) << p;
  }
}

}  // namespace
}  // namespace quench
