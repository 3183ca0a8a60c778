// The tiled path's exponential against MPFR, within the bound proved above its code, on every instruction set of this
// machine.
#include "attention/kernel/tile_exp.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "attention/kernel/targets.h"
#include "base/number/random.h"

namespace quench::attention {
namespace {

using testing::kNotFused;
using testing::on_every_target;

/// exp(y·it) by MPFR, to 90 bits: the product is exact in 106.
class Exact {
 public:
  Exact() {
    mpfr_init2(x_, 106);
    mpfr_init2(e_, 90);
  }
  Exact(const Exact&) = delete;
  ~Exact() { mpfr_clears(x_, e_, nullptr); }

  /// |value/exp(y·it) − 1|.
  double relative_error(double value, double y, double it) {
    mpfr_set_d(x_, y, MPFR_RNDN);
    mpfr_mul_d(x_, x_, it, MPFR_RNDN);
    mpfr_exp(e_, x_, MPFR_RNDN);
    mpfr_si_sub(x_, 0, e_, MPFR_RNDN);
    mpfr_add_d(x_, x_, value, MPFR_RNDN);
    mpfr_div(x_, x_, e_, MPFR_RNDN);
    return std::abs(mpfr_get_d(x_, MPFR_RNDN));
  }

 private:
  mpfr_t x_, e_;
};

template <class T>
constexpr double kUnit = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;

/// Of the header: 1.9u with fused multiply-add, (2 + |x|)u without.
double allowed(double x, bool fused) { return fused ? 1.9 : 2 + std::abs(x); }

template <class T>
double lowest_exponent() {
  return (std::is_same_v<T, float> ? -125 : -1021) * 0.6931471805599453;
}

/// The largest error, as a part of what is allowed.
template <class T>
double worst(std::vector<T> y, T it, bool fused, Exact& exact) {
  const std::vector<T> arguments = y;
  scaled_exp<T>(y, it);
  double top = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    const double x = static_cast<double>(arguments[c]) * static_cast<double>(it);
    const double error = exact.relative_error(static_cast<double>(y[c]), static_cast<double>(arguments[c]), it);
    top = std::max(top, error / kUnit<T> / allowed(x, fused));
  }
  return top;
}

template <class T>
void expect_random_arguments_within_the_bound(int count) {
  Exact exact;
  on_every_target([&](bool fused) {
    Random random(1);
    for (const double tau : {1.0, 1.0 / 3, 0.001, 700.0, 0x1p-40, 0x1p+90}) {
      const T it = static_cast<T>(1 / tau);
      std::vector<T> y;
      for (int k = 0; k < count; ++k) {
        const double range = k % 4 == 0 ? 1e-3 : k % 4 == 1 ? 1 : k % 4 == 2 ? 20 : -lowest_exponent<T>() * 0.9999;
        y.push_back(static_cast<T>(-range * random.unit() / static_cast<double>(it)));
      }
      EXPECT_LE(worst(y, it, fused, exact), 1) << "τ = " << tau;
    }
  });
}

TEST(TileExp, RandomArgumentsStayWithinTheProvedBound) {
  expect_random_arguments_within_the_bound<float>(4000);
  expect_random_arguments_within_the_bound<double>(4000);
}

// Around the places where the reduction changes its mind, t = n + ½, the polynomial and the reduction are worst.
template <class T>
void expect_seams_within_the_bound() {
  Exact exact;
  on_every_target([&](bool fused) {
    std::vector<T> y;
    for (int n = 0; n < (std::is_same_v<T, float> ? 124 : 1020); ++n)
      for (const double half : {0.0, 0.5}) {
        const T seam = static_cast<T>(-(n + half) * 0.6931471805599453);
        for (const T to : {T{0}, -std::numeric_limits<T>::max()}) y.push_back(std::nextafter(seam, to));
        y.push_back(seam);
      }
    EXPECT_LE(worst(y, T{1}, fused, exact), 1);
  });
}

TEST(TileExp, SeamsOfTheReductionStayWithinTheProvedBound) {
  expect_seams_within_the_bound<float>();
  expect_seams_within_the_bound<double>();
}

template <class T>
void expect_ends() {
  constexpr T kInfinity = std::numeric_limits<T>::infinity(), kMax = std::numeric_limits<T>::max();
  const T edge = static_cast<T>(lowest_exponent<T>());
  on_every_target([&](bool) {
    std::vector<T> y = {0,     T{-0.0},      -std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::min(),
                        -kMax, -kInfinity,   edge * static_cast<T>(1.001),          edge * static_cast<T>(0.999),
                        -1,    edge * T{100}};
    scaled_exp<T>(y, T{1});
    for (int c = 0; c < 4; ++c) EXPECT_EQ(y[c], 1) << c;
    EXPECT_EQ(y[4], 0);
    EXPECT_EQ(y[5], 0);
    EXPECT_EQ(y[6], 0);
    EXPECT_GT(y[7], std::numeric_limits<T>::min() / 2);
    EXPECT_EQ(y[9], 0);
    for (const T it : {std::numeric_limits<T>::min(), kMax / 2}) {  // the hottest and the coldest
      std::vector<T> z = {0, -kInfinity, it > 1 ? T{-1} : static_cast<T>(-1e-30)};
      scaled_exp<T>(z, it);
      EXPECT_EQ(z[0], 1);
      EXPECT_EQ(z[1], 0);
      EXPECT_EQ(z[2], it > 1 ? 0 : 1);
    }
  });
}

TEST(TileExp, KnowsTheEnds) {
  expect_ends<float>();
  expect_ends<double>();
}

// Instruction sets with fused multiply-add agree to the bit, however wide they are.
TEST(TileExp, DoesNotDependOnTheWidthOfRegisters) {
  Random random(7);
  std::vector<float> y(1000), first;
  for (float& x : y) x = static_cast<float>(-30 * random.unit());
  on_every_target([&](bool fused) {
    std::vector<float> z = y;
    scaled_exp<float>(z, 1.5f);
    if (!fused) return;
    if (first.empty()) first = z;
    EXPECT_EQ(z, first);
  });
}

// Every float from −86.6 to −2^−30 (all between there and 0 give 1 − |x| rounded, which the others cover in kind),
// against double precision; that one against MPFR at one place in 4,099.
void expect_floats_within_the_bound(std::uint32_t stride) {
  Exact exact;
  const std::uint32_t begin = std::bit_cast<std::uint32_t>(0x1p-30f), end = std::bit_cast<std::uint32_t>(86.6f);
  double top = 0, top_double = 0;
  std::uint64_t count = 0;
  std::vector<float> y, e;
  for (std::uint64_t bits = begin; bits <= end;) {
    y.clear();
    for (; bits <= end && y.size() < 65536; bits += stride)
      y.push_back(-std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    e = y;
    scaled_exp<float>(e, 1.0f);
    for (std::size_t c = 0; c < y.size(); ++c, ++count) {
      const double x = static_cast<double>(y[c]), reference = std::exp(x);
      top = std::max(top, std::abs(static_cast<double>(e[c]) / reference - 1));
      if (count % 4099 == 0) top_double = std::max(top_double, exact.relative_error(reference, x, 1));
    }
  }
  EXPECT_LE(top_double, 4 * 0x1p-53) << "std::exp is good enough to compare with";
  EXPECT_LE(top / kUnit<float>, 1.9 - 1e-6);  // 4 units of double are 1e-8 of float's
  ::testing::Test::RecordProperty("floats", std::to_string(count));
  ::testing::Test::RecordProperty("worst_units", std::to_string(top / kUnit<float>));
}

bool fused_here() { return (hwy::SupportedTargets() & ~kNotFused) != 0; }

TEST(TileExp, OneFloatInAThousandStaysWithinTheProvedBound) {
  if (!fused_here()) GTEST_SKIP() << "no fused multiply-add";
  expect_floats_within_the_bound(997);
}

TEST(TileExp, SlowEveryFloatStaysWithinTheProvedBound) {
  if (!fused_here()) GTEST_SKIP() << "no fused multiply-add";
  expect_floats_within_the_bound(1);
}

}  // namespace
}  // namespace quench::attention
