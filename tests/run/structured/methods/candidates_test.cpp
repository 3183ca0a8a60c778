// Heads of growing sharpness alone, where their lists of keys and their number formats change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/structured/methods/candidates/candidates.h"
#include "run/structured/methods/head_definition.h"
#include "run/structured/methods/head_patterns.h"

namespace quench {
namespace {

using namespace test;

run::LaneOrder in_segments(std::size_t n) {
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  return order;
}

template <class T>
run::MethodSetting<T> setting(Mask mask, std::size_t n, bool exact_sums) {
  return {1, 1, mask, mask, run::negligible(sizeof(T) == 4 ? 24 : 53, n), n, exact_sums, nullptr};
}

/// One window of a head with one component and one value; planes begin with the first window.
template <class T>
bool feed(run::LaneCandidates<T>& head, const run::LaneOrder& order, const run::LaneWindow& window, const T* q,
          const T* k, const T* v, const run::LaneScale& scale, T* out) {
  const std::vector<const T*> qs{q + window.begin}, ks{k + window.begin}, vs{v + window.begin};
  const std::vector<T*> outs{out + window.begin};
  return head.feed({window, order.position() + window.begin, qs, ks, vs, scale, 1.0, outs});
}

/// t_i·κ_j alone, whatever else could run it; nothing: refused.
template <class T>
std::vector<double> by_candidates(const run::LaneOrder& order, const std::vector<double>& t,
                                  const std::vector<double>& kappa, const std::vector<double>& v,
                                  bool exact_sums = false) {
  const std::size_t n = t.size();
  run::LaneCandidates<T> head(setting<T>(Mask::future, n, exact_sums));
  const auto in_lanes = [&](const std::vector<double>& values) {
    std::vector<T> plane(order.size());
    order.for_places([&](std::size_t index, std::size_t place) { plane[index] = static_cast<T>(values[place]); });
    return plane;
  };
  const std::vector<T> q = in_lanes(t), k = in_lanes(kappa), values = in_lanes(v);
  std::vector<T> out(order.size());
  for (const run::LaneWindow& window : order.windows)
    if (!feed<T>(head, order, window, q.data(), k.data(), values.data(), {}, out.data())) return {};
  std::vector<double> back(n);
  order.fill_up(out.data());
  order.put_back(out.data(), back.data());
  return back;
}

template <class T>
std::vector<double> by_candidates(const std::vector<double>& t, const std::vector<double>& kappa,
                                  const std::vector<double>& v) {
  return by_candidates<T>(in_segments(t.size()), t, kappa, v);
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

TEST(LaneCandidates, RefusesSharpnessThatFallsBetweenRuns) {
  constexpr std::size_t kLength = run::kCandidateStretch + 20;
  std::vector<double> t = by_position(kLength, [](double x) { return x; });
  const std::vector<double> kappa = t;
  run::LaneOrder order;
  order.take_words(run::Batch{kLength, 1, {}}, 0, 1);
  ASSERT_FALSE(by_candidates<float>(order, t, kappa, kappa).empty());
  t[run::kCandidateStretch] = t[run::kCandidateStretch - 1] - 0.5;
  EXPECT_TRUE(by_candidates<float>(order, t, kappa, kappa).empty());
  EXPECT_TRUE(by_candidates<double>(order, t, kappa, kappa).empty());
}

/// Whether a head runs that has its scale by position.
bool runs_with_scale(Mask mask, const std::vector<double>& scale) {
  const std::size_t n = scale.size();
  const run::LaneOrder order = in_segments(n);
  run::LaneCandidates<float> head(setting<float>(mask, n, false));
  std::vector<float> key(order.size());
  order.for_places([&](std::size_t index, std::size_t place) {
    key[index] = rank_by(mask, n)(static_cast<double>(place + 1)) > 5 ? 1 : 0;
  });
  const std::vector<float> q(order.size(), 2.0F);
  std::vector<float> out(order.size());
  for (std::size_t step = 0; step < order.windows.size(); ++step) {
    const run::LaneWindow& window = order.windows[run::ScanOrder(mask).at(step, order.windows.size())];
    run::LaneScale by_position;
    by_position.stretch = scale.data() + order.position()[window.begin];
    if (!feed<float>(head, order, window, q.data(), key.data(), key.data(), by_position, out.data())) return false;
  }
  return true;
}

TEST(LaneCandidates, RefusesAScaleThatFalls) {
  constexpr std::size_t kLength = 3 * kWindow;
  for (const Mask mask : {Mask::future, Mask::past}) {
    const auto rank = rank_by(mask, kLength);
    std::vector<double> scale = by_position(kLength, [&](double i) { return rank(i) * rank(i); });
    ASSERT_TRUE(runs_with_scale(mask, scale));
    ASSERT_TRUE(runs_with_scale(mask, std::vector<double>(kLength, 1.7)));
    for (std::size_t i = 1; i < kLength; ++i) {
      const auto at = [&](std::size_t r) -> double& { return scale[mask == Mask::past ? kLength - 1 - r : r]; };
      const double before = at(i);
      at(i) = at(i - 1) - 0.5;
      ASSERT_FALSE(runs_with_scale(mask, scale)) << i;
      at(i) = before;
    }
  }
}

/// Values 0 and 1, the first with the best key: w/(1 + w), whose error is that of w, at most u(1 + 3|x|), times
/// w/(1 + w)², the rounding of both sums and of their ratio.
TEST(LaneCandidates, TwoKeysWeighAsTheyShould) {
  for (double x = 0.001; x < 18; x *= 1.003) {
    const double s = static_cast<double>(static_cast<float>(x));
    const std::vector<double> got = by_candidates<float>({s, s}, {1, 0}, {0, 1});
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[0], 0);
    const double w = std::exp(-s), mean = w / (1 + w);
    ASSERT_NEAR(got[1], mean, 1.01 * 0x1p-24 * ((1 + 3 * s) * w / (1 + w) / (1 + w) + 3 * mean)) << s;
  }
}

/// The bound of run/structured/methods/candidates/candidates.h for float lanes, which is much below that of the executor.
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

/// With exact sums a mean is off by its own rounding, by exp above and below the line (2^−26.4 each,
/// run/structured/kernels/lane_math-inl.h) and by what is dropped there (2·u/8 each,
/// run/structured/methods/candidates/candidates.h), however many keys compete. In floats it is off by more, which shows where the
/// mean is small and its own rounding too.
TEST(LaneCandidates, ExactSumsRoundOnce) {
  constexpr double kUnit = 0x1p-24;
  const double bound = 1.01 * (2 * std::exp2(-26.4) + kUnit / 2);
  double in_floats = 0;  // beside the rounding of the mean
  for (const std::size_t n : {17, 33, 200, 700})
    for (const double sharpness : {0.5, 0.7, 1.0, 3.0}) {
      Random random(n);
      const auto key = [&](double j) { return 1 - 1 / (j + random.unit()); };
      const Numbers x = in_format<float>({{by_position(n, [&](double i) { return sharpness * i * i; })},
                                          {by_position(n, key)},
                                          by_position(n, [](double j) { return std::fmod(j, 2) == 0 ? 1.0 : -1.0; }),
                                          std::vector<double>(n, 1.0)});
      const auto means = [&](bool exact_sums) {
        return by_candidates<float>(in_segments(n), x.q[0], x.k[0], x.v, exact_sums);
      };
      const std::vector<double> exact = means(true), fast = means(false);
      ASSERT_EQ(exact.empty(), fast.empty());  // too many compete
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const double mean = by_definition(x, Mask::future, i, n).mean;
        ASSERT_NEAR(exact[i], mean, bound + 1.01 * kUnit * std::fabs(mean)) << "position " << i + 1 << " of " << n;
        in_floats = std::max(in_floats, std::fabs(fast[i] - mean) - 1.01 * kUnit * std::fabs(mean));
      }
    }
  EXPECT_GT(in_floats, bound);
}

// Where numbers leave the range of float lanes, or come into it, in the middle of a word.

TEST(LaneCandidates, SharpnessGrowsOutOfFloats) {
  constexpr std::size_t kLength = 700;
  const std::vector<double> t = by_position(kLength, [](double i) { return std::exp2(i / 10); });
  for (const double size : {0x1p-50, 0x1p-59, 0x1p-64})  // for a while their differences count
    expect_candidates<float>(t, by_position(kLength, [=](double j) { return std::fmod(j * j, 5) * size; }));
  expect_candidates<float>(t, by_position(kLength, [=](double j) { return -4 * std::exp2(-j / 10); }));
}

/// Differences of keys too small for a normal number, which count all the same.
TEST(LaneCandidates, SharpnessAtTheEndOfFloats) {
  constexpr std::size_t kLength = 700;
  const std::vector<double> t = by_position(kLength, [](double i) { return std::exp2(0.18 * i); });
  const std::vector<double> odd = by_position(kLength, [](double j) { return std::fmod(j, 2); });
  expect_candidates<float>(t, by_position(kLength, [](double j) { return 0x1p-110 + 0x1p-127 * std::fmod(j, 2); }),
                           odd);
}

TEST(LaneCandidates, KeysGrowOutOfFloats) {
  constexpr std::size_t kLength = 700;
  for (const double first : {0x1p57, -0x1p70})
    for (const double then : {0x1p61, -0x1p61, -0x1p57}) {
      const double size = std::max(std::fabs(first), std::fabs(then));
      expect_candidates<float>(
          by_position(kLength, [=](double i) { return 1024 / size * (1 + i / kLength); }),
          by_position(kLength, [=](double j) { return (j < 300 ? first : then) * (1 + std::fmod(j, 4) / 2048); }));
    }
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
