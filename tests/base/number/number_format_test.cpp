// Rounding to every narrow format, exhaustively: against a table of all values the format has, built from its bit
// patterns, with midpoints and their neighbours.
#include "base/number/number_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/attention_kind.h"
#include "base/number/random.h"
#include "base/position_formula.h"

namespace quench {
namespace {

/// A format by its encoding: exponent and fraction bits, and which patterns are special.
struct Encoding {
  const char* name;
  int exponent_bits, fraction_bits;
  bool ieee;  ///< the top exponent encodes infinity and NaN; otherwise (e4m3) only the all-ones pattern is NaN
};

/// All finite non-negative values in increasing order, from the bit patterns.
std::vector<double> finite_values(const Encoding& encoding) {
  std::vector<double> values;
  const int bias = (1 << (encoding.exponent_bits - 1)) - 1;
  const int top = (1 << encoding.exponent_bits) - 1;
  for (int exponent = 0; exponent <= top; ++exponent)
    for (int fraction = 0; fraction < 1 << encoding.fraction_bits; ++fraction) {
      const bool special = exponent == top && (encoding.ieee || fraction == (1 << encoding.fraction_bits) - 1);
      if (special) continue;
      const double scaled = std::ldexp(fraction, -encoding.fraction_bits);
      values.push_back(exponent == 0 ? std::ldexp(scaled, 1 - bias) : std::ldexp(1 + scaled, exponent - bias));
    }
  return values;
}

class NarrowFormat : public testing::TestWithParam<Encoding> {
 protected:
  void check(double x, double expected) const {
    const double got = round_to(format(), x), mirrored = round_to(format(), -x);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got) && std::isnan(mirrored)) << x;
    } else if (got != expected || mirrored != -expected || std::signbit(got) || !std::signbit(mirrored)) {
      ADD_FAILURE() << std::hexfloat << x << " gives " << got << " and " << mirrored << ", expected ±" << expected;
    }
  }
  const FloatFormat& format() const { return storage_format(*number_format_from(GetParam().name)); }
};

TEST_P(NarrowFormat, EveryValueMidpointAndNeighbourRoundsToTheNearestTiesToEven) {
  const std::vector<double> values = finite_values(GetParam());
  EXPECT_EQ(values.back(), format().max_finite);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const double low = values[index];
    check(low, low);
    if (index + 1 == values.size()) break;
    const double high = values[index + 1], middle = low + (high - low) / 2;
    check(middle, index % 2 == 0 ? low : high);  // the pattern's last bit is the index's last bit
    check(std::nextafter(middle, 0), low);
    check(std::nextafter(middle, high), high);
    check(std::nextafter(low, high), low);
    check(std::nextafter(high, low), high);
    if (testing::Test::HasFailure()) FAIL() << "at index " << index;
  }
}

TEST_P(NarrowFormat, OverflowBeginsHalfAStepBeyondTheGreatestValue) {
  const std::vector<double> values = finite_values(GetParam());
  const double greatest = values.back(), step = greatest - values[values.size() - 2];
  const double overflow = GetParam().ieee ? HUGE_VAL : std::nan("");
  const double edge = greatest + step / 2;
  check(std::nextafter(edge, 0), greatest);
  check(edge, GetParam().ieee ? overflow : greatest);  // e4m3: 448 is even, the next pattern (NaN) odd
  check(std::nextafter(edge, HUGE_VAL), overflow);
  check(2 * greatest, overflow);
  check(1e300, overflow);
  check(HUGE_VAL, overflow);
  EXPECT_TRUE(std::isnan(round_to(format(), std::nan(""))));
}

TEST_P(NarrowFormat, TinyValuesUnderflowToSignedZero) {
  const double least = finite_values(GetParam())[1];
  check(least / 2, 0);  // tie to even
  check(std::nextafter(least / 2, 1), least);
  check(0x1.0p-1074, 0);
  check(0.0, 0);
}

TEST_P(NarrowFormat, RandomDoublesRoundToTheNearerNeighbour) {
  const std::vector<double> values = finite_values(GetParam());
  Random random(1);
  for (int trial = 0; trial < 200'000; ++trial) {
    const double x = std::ldexp(1 + random.unit(), static_cast<int>(random.between(-160, 140)));
    if (x >= values.back()) continue;
    const auto above = std::upper_bound(values.begin(), values.end(), x);
    const double low = *(above - 1), high = *above;
    if (x - low == high - x) continue;
    check(x, x - low < high - x ? low : high);
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, NarrowFormat,
                         testing::Values(Encoding{"bf16", 8, 7, true}, Encoding{"f16", 5, 10, true},
                                         Encoding{"bf16-pure", 8, 7, true}, Encoding{"f16-pure", 5, 10, true},
                                         Encoding{"f8e4m3", 4, 3, false}, Encoding{"f8e5m2", 5, 2, true},
                                         Encoding{"m8", 8, 7, true}, Encoding{"m11", 8, 10, true}),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(NumberFormat, SingleIsTheConversionAndDoubleTheIdentity) {
  Random random(2);
  const FloatFormat& single = storage_format(NumberFormat::f32);
  for (int trial = 0; trial < 1'000'000; ++trial) {
    const double x = std::bit_cast<double>(random.bits());
    const double got = round_to(single, x), expected = static_cast<double>(static_cast<float>(x));
    ASSERT_TRUE(std::isnan(x) ? std::isnan(got) : got == expected && std::signbit(got) == std::signbit(expected));
    const double same = round_to(storage_format(NumberFormat::f64), x);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(same), std::bit_cast<std::uint64_t>(x));
  }
}

TEST(NumberFormat, NamesGoThereAndBack) {
  ASSERT_EQ(all_number_formats().size(), 8u);
  for (const NumberFormat format : all_number_formats()) EXPECT_EQ(number_format_from(to_string(format)), format);
  EXPECT_EQ(to_string(NumberFormat::bf16_pure), "bf16-pure");
  ASSERT_EQ(emulated_number_formats().size(), 13u);
  int bits = 8;
  for (const NumberFormat format : emulated_number_formats()) {
    EXPECT_EQ(to_string(format), "m" + std::to_string(bits));
    EXPECT_EQ(number_format_from(to_string(format)), format);
    EXPECT_EQ(storage_format(format).precision, bits);
    EXPECT_EQ(compute_format(format).precision, bits++);
  }
  EXPECT_FALSE(number_format_from("f128").has_value());
  EXPECT_FALSE(number_format_from("").has_value());
}

TEST(NumberFormat, FusedHalvesComputeInSingleAndPureOnesInThemselves) {
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::f16})
    EXPECT_EQ(compute_format(format).precision, 24);
  for (const NumberFormat format : {NumberFormat::bf16_pure, NumberFormat::f16_pure, NumberFormat::f8e4m3,
                                    NumberFormat::f8e5m2, NumberFormat::f32, NumberFormat::f64})
    EXPECT_EQ(&compute_format(format), &storage_format(format));
}

TEST(AttentionKind, NamesGoThereAndBack) {
  for (int index = 0; index < 5; ++index)
    EXPECT_EQ(mask_from(to_string(static_cast<Mask>(index))), static_cast<Mask>(index));
  for (int index = 0; index < 4; ++index)
    EXPECT_EQ(weighting_from(to_string(static_cast<Weighting>(index))), static_cast<Weighting>(index));
  for (int index = 0; index < 5; ++index) {
    EXPECT_EQ(temperature_from(to_string(static_cast<Temperature>(index))), static_cast<Temperature>(index));
  }
  EXPECT_EQ(to_string(Temperature::inverse_i_sq), "1/i^2");
  EXPECT_FALSE(mask_from("Future").has_value());
}

TEST(AttentionKind, VisibleRangesFollowTheMask) {
  for (std::size_t n = 1; n <= 5; ++n)
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= n; ++j) {
        const auto sees = [&](Mask mask) {
          const KeyRange range = visible(mask, i, n);
          return range.first <= j && j <= range.last;
        };
        EXPECT_TRUE(sees(Mask::none));
        EXPECT_EQ(sees(Mask::future), j <= i);
        EXPECT_EQ(sees(Mask::past), j >= i);
        EXPECT_EQ(sees(Mask::strict_future), j < i);
        EXPECT_EQ(sees(Mask::strict_past), j > i);
      }
}

TEST(PositionFormulaNames, GoThereAndBack) {
  for (int index = 0; index <= static_cast<int>(PositionFormula::Kind::predicate_at_zero); ++index) {
    const auto kind = static_cast<PositionFormula::Kind>(index);
    EXPECT_EQ(position_kind_from(to_string(kind)), kind);
  }
  EXPECT_EQ(to_string(PositionFormula{PositionFormula::Kind::index_over_length, {}}), "i/n");
  Predicate prime;
  prime.name = "prime";
  EXPECT_EQ(to_string(PositionFormula{PositionFormula::Kind::predicate, prime}), "prime(i)");
  EXPECT_EQ(to_string(PositionFormula{PositionFormula::Kind::predicate_at_zero, prime}), "prime(0)");
  EXPECT_FALSE(position_kind_from("j").has_value());
}

TEST(Predicate, DependsOnTheLengthThroughLastOrN) {
  Predicate predicate;
  EXPECT_FALSE(predicate.depends_on_length());
  predicate.kind = Predicate::Kind::last;
  EXPECT_TRUE(predicate.depends_on_length());
  predicate.kind = Predicate::Kind::expression;
  predicate.code = {{IntInstruction::Op::x, 0}};
  EXPECT_FALSE(predicate.depends_on_length());
  predicate.code.push_back({IntInstruction::Op::n, 0});
  EXPECT_TRUE(predicate.depends_on_length());
}

}  // namespace
}  // namespace quench
