// Heads of growing sharpness alone, where their lists of keys and their number formats change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/head_definition.h"
#include "run/head_patterns.h"

namespace quench {
namespace {

using namespace test;

/// t_i·κ_j alone, whatever else could run it; nothing: refused.
template <class T>
std::vector<double> by_candidates(const std::vector<double>& t, const std::vector<double>& kappa,
                                  const std::vector<double>& v) {
  const std::size_t n = t.size();
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  run::LaneCandidates<T> head(1, run::negligible(sizeof(T) == 4 ? 24 : 53, n), Mask::future);
  const auto in_lanes = [&](const std::vector<double>& values) {
    std::vector<T> plane;
    for (const std::uint32_t place : order.place) plane.push_back(static_cast<T>(values[place]));
    return plane;
  };
  const std::vector<T> q = in_lanes(t), k = in_lanes(kappa), values = in_lanes(v);
  std::vector<T> out(order.size());
  for (const run::LaneWindow& window : order.windows)
    if (!head.feed(window, {q.data() + window.begin}, {k.data() + window.begin}, {values.data() + window.begin}, {},
                   1.0, {out.data() + window.begin}))
      return {};
  std::vector<double> back(n);
  order.fill_up(out.data());
  order.put_back(out.data(), back.data());
  return back;
}

template <class T>
void expect_candidates(const std::vector<double>& t, const std::vector<double>& kappa, const std::vector<double>& v) {
  const Numbers numbers = in_format<T>({{t}, {kappa}, v, std::vector<double>(t.size(), 1.0)});
  const std::vector<double> got = by_candidates<T>(t, kappa, v);
  ASSERT_EQ(got.size(), t.size());
  const double smallest = static_cast<double>(std::numeric_limits<T>::min());  // smaller results are 0
  double greatest = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    greatest = std::max(greatest, std::fabs(v[i]));
    const Row row = by_definition(numbers, Mask::future, i, t.size());
    const double most = greatest * allowed(row, t.size(), sizeof(T) == 4 ? 0x1p-24 : 0x1p-53) + smallest;
    ASSERT_NEAR(got[i], row.mean, most) << "position " << i + 1;
  }
}

template <class T>
void expect_candidates(const std::vector<double>& t, const std::vector<double>& kappa) {
  Random random(t.size());
  expect_candidates<T>(t, kappa, by_position(t.size(), [&](double) { return random.chance(0.5) ? 1.0 : 0.0; }));
}

TEST(LaneCandidates, OneKeyManyTimesIsOneKey) {
  constexpr std::size_t kLength = 700;
  const auto low_and_high = [](double j) { return std::fmod(j * j, 7) < 2 ? 1.0 : std::fmod(j, 3) * 0.25; };
  for (const double slope : {0.001, 0.05, 0.5}) {  // for ever, for a while, and hardly any competition
    const std::vector<double> t = by_position(kLength, [=](double i) { return slope * i; });
    expect_candidates<float>(t, by_position(kLength, low_and_high));
    expect_candidates<double>(t, by_position(kLength, low_and_high));
  }
}

TEST(LaneCandidates, RefusesManyKeysThatCompete) {
  const auto hardly_rising = [](double j) { return j / 1024; };
  const std::vector<double> few = by_position(run::kMostCompeting, hardly_rising), flat(few.size(), 0.5);
  expect_candidates<float>(flat, few);
  expect_candidates<double>(flat, few);
  const std::vector<double> many = by_position(3 * run::kMostCompeting, hardly_rising);
  EXPECT_TRUE(by_candidates<float>(std::vector<double>(many.size(), 0.5), many, many).empty());
  EXPECT_TRUE(by_candidates<double>(std::vector<double>(many.size(), 0.5), many, many).empty());
}

TEST(LaneCandidates, RefusesSharpnessThatFalls) {
  for (const std::size_t n : {2, 9, 40, 300})
    for (std::size_t i = 1; i < n; i += i < 20 ? 1 : 17) {
      std::vector<double> t = by_position(n, [](double x) { return x * x; });
      const std::vector<double> kappa = by_position(n, [](double j) { return j; });
      ASSERT_FALSE(by_candidates<float>(t, kappa, kappa).empty());
      t[i] = t[i - 1] - 0.5;
      ASSERT_TRUE(by_candidates<float>(t, kappa, kappa).empty()) << n << ", " << i;
      t[i] = std::numeric_limits<double>::quiet_NaN();
      ASSERT_TRUE(by_candidates<float>(t, kappa, kappa).empty()) << n << ", " << i;
    }
}

/// The bound of run/lane_candidates.h for float lanes, which is much below that of the executor.
TEST(LaneCandidates, FloatsKeepTheirBound) {
  constexpr double kUnit = 0x1p-24;
  double worst = 0;
  for (const std::size_t n : {15, 16, 17, 33, 200, 700})
    for (const double chance : {0.1, 0.3, 1.0})
      for (const double sharpness : {0.3, 1.0, 3.0}) {
        Random random(n);
        const double cutoff = run::negligible(24, n);
        const auto key = [&](double j) { return (random.chance(chance) ? 1 : 0) - 1 / (j + random.unit()); };
        const Numbers x = in_format<float>({{by_position(n, [&](double i) { return sharpness * i * i; })},
                                            {by_position(n, key)},
                                            by_position(n, [&](double) { return 2 * random.unit() - 1; }),
                                            std::vector<double>(n, 1.0)});
        const std::vector<double> got = by_candidates<float>(x.q[0], x.k[0], x.v);
        if (got.empty()) continue;  // too many compete
        double best = x.k[0][0];
        for (std::size_t i = 0; i < n; ++i) {
          best = std::max(best, x.k[0][i]);
          const double keys = static_cast<double>(
              std::count_if(x.k[0].begin(), x.k[0].begin() + static_cast<std::ptrdiff_t>(i) + 1,
                            [&](double kappa) { return x.q[0][i] * (best - kappa) <= cutoff * (1 + 8 * kUnit); }));
          const double bound = 1.01 * (2 * keys + 6 + 6 * std::log(static_cast<double>(n))) * kUnit;
          const double mean = by_definition(x, Mask::future, i, n).mean;
          worst = std::max(worst, std::fabs(got[i] - mean) / bound);
          ASSERT_NEAR(got[i], mean, bound) << "position " << i + 1 << " of " << n;
        }
      }
  EXPECT_GT(worst, 0.02);  // the bound is about something
}

// Where numbers leave the range of float lanes, or come into it, in the middle of a word.

TEST(LaneCandidates, SharpnessGrowsOutOfFloats) {
  constexpr std::size_t kLength = 700;
  const std::vector<double> t = by_position(kLength, [](double i) { return std::exp2(i / 10); });
  for (const double size : {0x1p-50, 0x1p-59, 0x1p-64})  // for a while their differences count
    expect_candidates<float>(t, by_position(kLength, [=](double j) { return std::fmod(j * j, 5) * size; }));
  expect_candidates<float>(t, by_position(kLength, [=](double j) { return -4 * std::exp2(-j / 10); }));
}

TEST(LaneCandidates, KeysGrowOutOfFloats) {
  constexpr std::size_t kLength = 700;
  const std::vector<double> t = by_position(kLength, [](double i) { return 0x1p-43 * (1 + i / kLength); });
  for (const double sign : {1.0, -1.0})
    expect_candidates<float>(t, by_position(kLength, [=](double j) {
                               const double size = j < 300 ? 0x1p57 : sign * 0x1p61;
                               return size * (1 + std::fmod(j, 4) * 0x1p-18);
                             }));
}

TEST(LaneCandidates, ValuesOfAllSizes) {
  constexpr std::size_t kLength = 700, kChange = 3 * kWindow;  // a mean much below the values of its window is 0
  Random random(1);
  const std::vector<double> t = by_position(kLength, [](double i) { return 0.02 * i; });
  const std::vector<double> kappa = by_position(kLength, [](double j) { return std::fmod(j * j, 7) * 0.25; });
  for (const double first : {0.0, 0x1p-110, 0x1p-58, 1.0})
    for (const double then : {0.0, 0x1p-110, 1.0, 0x1p58, 0x1p110})
      expect_candidates<float>(
          t, kappa, by_position(kLength, [&](double i) { return (i <= kChange ? first : then) * random.unit(); }));
}

/// Each too small in a float to count, but not all of them together.
TEST(LaneCandidates, ManyTinyValues) {
  const auto first_else = [](double first, double others) {
    return by_position(run::kMostCompeting, [=](double j) { return j == 1 ? first : others; });
  };
  expect_candidates<float>(first_else(3.6, 3.6), first_else(0, -1), first_else(0, 0x1p-121));
}

/// More keys with the same κ than floats can count.
TEST(CandidateKernel, FloatLanesCountExactly) {
  constexpr std::size_t kSize = 300;
  constexpr double kMany = 0x1p24 + 1, kSum = 0x1p25 + 3;
  constexpr double kUnit = 2.5;
  const std::vector<float> t(kSize + 2 * kLanes, 0.25F), v(kSize + 2 * kLanes, 2.0F);
  std::vector<float> key, out(kSize + 2 * kLanes);
  for (std::size_t p = 0; p < kSize + 2 * kLanes; ++p) key.push_back(p % 3 == 0 ? 1.0F : 0.5F);
  run::CompetingKeys keys;
  keys.max = 1.0 * kUnit;
  keys.size = 2;
  keys.keys[0] = {1.0 * kUnit, kMany, kSum};
  keys.keys[1] = {0.5 * kUnit, kMany, kSum};
  run::CandidateRows<float, float> rows;
  rows.size = kSize;
  rows.t = t.data() + kLanes;
  rows.key = key.data();
  rows.unit = kUnit;
  rows.v = v.data();
  rows.out = out.data();
  rows.cutoff = rows.near_cutoff = 40;
  ASSERT_TRUE(run::pass_candidates(rows, keys));
  double count = 0, sum = 0;
  for (std::size_t c = 0; c < keys.size; ++c) {
    const run::CompetingKey& one = keys.keys[c];
    EXPECT_TRUE(one.kappa == 1.0 * kUnit || one.kappa == 0.5 * kUnit) << one.kappa;
    count += one.count;
    sum += one.sum;
  }
  EXPECT_EQ(count, 2 * kMany + kSize);
  EXPECT_EQ(sum, 2 * kSum + 2 * kSize);
  for (std::size_t p = 0; p < kSize; ++p) ASSERT_NEAR(out[p], kSum / kMany, 4 * 0x1p-24 * 2) << p;
}

}  // namespace
}  // namespace quench
