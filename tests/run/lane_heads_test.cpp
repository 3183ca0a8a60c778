// Every linear method of a head, alone, against the definition: all masks it is for, lengths around rows and windows,
// one word and several.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "run/head_patterns.h"

namespace quench {
namespace {

using namespace test;

template <class T>
Numbers in_format(Numbers numbers) {
  const auto round = [](std::vector<double>& values) {
    for (double& x : values) x = static_cast<double>(static_cast<T>(x));
  };
  for (std::vector<double>& plane : numbers.q) round(plane);
  for (std::vector<double>& plane : numbers.k) round(plane);
  round(numbers.v);
  return numbers;
}

struct Row {
  double mean = 0, greatest_score = 0;
};

Row by_definition(const Numbers& x, Mask mask, std::size_t i, std::size_t n) {
  const KeyRange range = visible(mask, i + 1, n);
  std::vector<long double> scores;
  Row row;
  for (std::size_t j = range.first; j <= range.last; ++j) {
    long double score = 0;
    for (std::size_t l = 0; l < x.q.size(); ++l) score += static_cast<long double>(x.q[l][i]) * x.k[l][j - 1];
    scores.push_back(score * x.scale[i]);
    row.greatest_score = std::max(row.greatest_score, static_cast<double>(std::fabs(scores.back())));
  }
  long double best = -INFINITY, total = 0, sum = 0;
  for (const long double score : scores) best = std::max(best, score);
  for (std::size_t s = 0; s < scores.size(); ++s) {
    const long double weight = std::exp(scores[s] - best);
    total += weight;
    sum += weight * x.v[range.first - 1 + s];
  }
  row.mean = scores.empty() ? 0 : static_cast<double>(sum / total);
  return row;
}

/// The bound of run/plane_executor.h, for one row.
double allowed(const Row& row, std::size_t n, double u) {
  return std::min(2.0, std::expm1(16 * u * row.greatest_score) + 16 * static_cast<double>(n) * u);
}

template <class T>
void expect_defined(const Pattern& pattern, Mask mask, const run::LaneOrder& order, const std::vector<Numbers>& words,
                    std::size_t n) {
  run::HeadPlan plan;
  plan.mask = mask;
  plan.components = words[0].q.size();
  plan.d_v = 1;
  run::LaneHead<T> head(plan, mask, run::negligible(sizeof(T) == 4 ? 24 : 53, n), n);
  const auto in_lanes = [&](const std::function<double(const Numbers&, std::size_t i)>& read) {
    std::vector<T> plane(order.size());
    order.for_places([&](std::size_t index, std::size_t place) {
      plane[index] = static_cast<T>(read(words[place % words.size()], place / words.size()));
    });
    return plane;
  };
  std::vector<std::vector<T>> q, k;
  for (std::size_t l = 0; l < plan.components; ++l) {
    q.push_back(in_lanes([&](const Numbers& x, std::size_t i) { return x.q[l][i]; }));
    k.push_back(in_lanes([&](const Numbers& x, std::size_t i) { return x.k[l][i]; }));
  }
  const std::vector<T> v = in_lanes([](const Numbers& x, std::size_t i) { return x.v[i]; });
  std::vector<T> out(order.size());
  const auto feed = [&](run::LanePhase phase) {
    bool fed = true;
    for (std::size_t step = 0; step < order.windows.size(); ++step) {
      const run::LaneWindow& window = order.windows[run::ScanOrder(mask).at(step, order.windows.size())];
      run::HeadSpace<T> space;
      for (std::size_t l = 0; l < plan.components; ++l) {
        space.q_view.push_back(q[l].data() + window.begin);
        space.k_view.push_back(k[l].data() + window.begin);
      }
      space.v_view.push_back(v.data() + window.begin);
      const std::uint32_t* position = order.position() + window.begin;
      if (words[0].scale.front() != words[0].scale.back())
        head.set_scale(window, position, words[0].scale, 1.0, space.scale);
      fed = fed && head.feed(window, position, space, words[0].scale[0], {out.data() + window.begin}, phase);
    }
    return fed;
  };
  const auto feed_all = [&] {
    if (mask == Mask::none && order.segments()) return feed(run::LanePhase::keys) && feed(run::LanePhase::queries);
    return feed(run::LanePhase::both);
  };
  std::vector<const T*> first;
  for (const std::vector<T>& plane : k) first.push_back(plane.data());
  head.introduce(first);
  while (!feed_all()) ASSERT_TRUE(head.restart());
  if (n > pattern.few) {  // few keys are few classes
    EXPECT_STREQ(head.method(), pattern.method);
  }
  std::vector<double> back(n * words.size());
  order.fill_up(out.data());
  order.put_back(out.data(), back.data());
  const double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::size_t i = 0; i < n; ++i) {
      const Row row = by_definition(words[w], mask, i, n);
      ASSERT_NEAR(back[i * words.size() + w], row.mean, allowed(row, n, u)) << "position " << i + 1 << ", word " << w;
    }
}

template <class T>
void expect_defined_in_segments(const Pattern& pattern, Mask mask, std::size_t n) {
  SCOPED_TRACE(pattern.name + std::string(", mask ") + std::to_string(static_cast<int>(mask)) +
               ", n = " + std::to_string(n) + ", " + std::to_string(sizeof(T)) + " bytes");
  Random random(n);
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  expect_defined<T>(pattern, mask, order, {in_format<T>(pattern.make(random, n, mask))}, n);
}

template <class T>
void expect_defined(const Pattern& pattern, Mask mask, std::size_t n) {
  SCOPED_TRACE(pattern.name + std::string(", mask ") + std::to_string(static_cast<int>(mask)) +
               ", n = " + std::to_string(n) + ", " + std::to_string(sizeof(T)) + " bytes");
  Random random(n);
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  expect_defined<T>(pattern, mask, order, {in_format<T>(pattern.make(random, n, mask))}, n);
  if (n > 100) return;
  SCOPED_TRACE("words");
  std::vector<Numbers> words;
  for (std::size_t w = 0; w < kLanes + 3; ++w) words.push_back(in_format<T>(pattern.make(random, n, mask)));
  order.take_words(run::Batch{n, words.size(), {}}, 0, words.size());
  expect_defined<T>(pattern, mask, order, words, n);
}

TEST(LaneHeads, AreTheDefinition) {
  for (const Pattern& pattern : patterns())
    for (const Mask mask : pattern.masks)
      for (const std::size_t n : {5, 15, 16, 17, 40, 127, 128, 129, 300}) {
        expect_defined<float>(pattern, mask, n);
        expect_defined<double>(pattern, mask, n);
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(LaneHeads, AreTheDefinitionInShortWords) {
  for (const Pattern& pattern : patterns())
    for (const Mask mask : pattern.masks)
      for (std::size_t n = 1; n <= 40; n += n < 20 ? 1 : 3) {
        expect_defined_in_segments<float>(pattern, mask, n);
        expect_defined_in_segments<double>(pattern, mask, n);
        if (::testing::Test::HasFailure()) return;
      }
}

/// t_i·κ_j alone, whatever else could run it; nothing: refused.
template <class T>
std::vector<double> by_candidates(const std::vector<double>& t, const std::vector<double>& kappa,
                                  const std::vector<double>& v) {
  const std::size_t n = t.size();
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  run::LaneCandidates<T> head(1, run::negligible(sizeof(T) == 4 ? 24 : 53, n), Mask::future);
  const auto in_lanes = [&](const std::vector<double>& values) {
    std::vector<T> plane(order.size());
    order.for_places([&](std::size_t index, std::size_t place) { plane[index] = static_cast<T>(values[place]); });
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
void expect_candidates(const std::vector<double>& t, const std::vector<double>& kappa) {
  Random random(t.size());
  const std::vector<double> v = by_position(t.size(), [&](double) { return random.chance(0.5) ? 1.0 : 0.0; });
  const Numbers numbers = in_format<T>({{t}, {kappa}, v, std::vector<double>(t.size(), 1.0)});
  const std::vector<double> got = by_candidates<T>(t, kappa, v);
  ASSERT_EQ(got.size(), t.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    const Row row = by_definition(numbers, Mask::future, i, t.size());
    ASSERT_NEAR(got[i], row.mean, allowed(row, t.size(), sizeof(T) == 4 ? 0x1p-24 : 0x1p-53)) << "position " << i + 1;
  }
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

}  // namespace
}  // namespace quench
