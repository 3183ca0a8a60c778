// Every linear method of a head, alone, against the definition: all masks it is for, lengths around rows and windows,
// one word and several.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/random.h"
#include "run/lane_pass.h"

namespace quench {
namespace {

using run::kLanes;
constexpr std::size_t kWindow = 8 * kLanes;  // several windows even in short words

/// q and k by component, one value, by position; the scale by position.
struct Numbers {
  std::vector<std::vector<double>> q, k;
  std::vector<double> v, scale;
};

struct Pattern {
  const char* name;
  const char* method;
  std::vector<Mask> masks;
  std::function<Numbers(Random&, std::size_t n, Mask mask)> make;
  std::size_t few = run::kMostScanClasses;  ///< words up to this length may have few classes of keys
};

std::vector<double> by_position(std::size_t n, const std::function<double(double)>& f) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= n; ++i) values.push_back(f(static_cast<double>(i)));
  return values;
}

double sign(double i) { return std::fmod(i, 2) == 0 ? 1 : -1; }

std::vector<Pattern> patterns() {
  const std::vector<Mask> all = {Mask::future, Mask::past, Mask::none, Mask::strict_future, Mask::strict_past};
  const auto some = [](Random& random) { return [&](double) { return random.chance(0.3) ? 1.0 : 0.0; }; };
  const auto ones = [](std::size_t n) { return std::vector<double>(n, 1.0); };
  return {
      {"uniform", "scan", all,
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{}, {}, by_position(n, some(random)), ones(n)};
       }},
      {"tie-break", "scan", all,
       [=](Random& random, std::size_t n, Mask mask) {
         const double length = static_cast<double>(n), way = run::ScanOrder(mask).backwards ? -1 : 1;
         const std::vector<double> chosen = by_position(n, some(random));
         return Numbers{{std::vector<double>(n, 6)},
                        {by_position(n,
                                     [&](double j) {
                                       return chosen[static_cast<std::size_t>(j) - 1] +
                                              way * std::round(j * 64 / length) / 128;
                                     })},
                        by_position(n, some(random)),
                        std::vector<double>(n, length)};
       }},
      {"parities", "scan", all,
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{by_position(n, [](double i) { return -0.5 * sign(i); }), std::vector<double>(n, 0.25)},
                        {by_position(n, sign), by_position(n, [](double j) { return j / 16; })},
                        by_position(n, some(random)),
                        ones(n)};
       }},
      {"three classes", "scan", all,
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{by_position(n, [&](double) { return random.unit() - 0.5; })},
                        {by_position(n, [](double j) { return std::fmod(j, 3) - 1; })},
                        by_position(n, [&](double) { return random.unit(); }),
                        ones(n)};
       }},
      {"lookup",
       "lookup",
       {Mask::future, Mask::past, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         const double length = static_cast<double>(n);
         return Numbers{{by_position(n, [&](double) { return 2 * (std::round(random.unit() * length * 4) / 4 - 1); }),
                         std::vector<double>(n, 1)},
                        {by_position(n, [](double j) { return j; }), by_position(n, [](double j) { return -j * j; })},
                        by_position(n, some(random)),
                        std::vector<double>(n, 1.5)};
       }},
      {"series",
       "series",
       {Mask::future, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{by_position(n, [&](double) { return random.chance(0.2) ? 0 : (random.unit() - 0.5) / 8; })},
                        {by_position(n, [](double j) { return j * sign(j); })},
                        by_position(n, [](double j) { return sign(j) > 0 ? 0.75 : -0.25; }),
                        ones(n)};
       }},
      {"growing sharpness",
       "candidates",
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const bool backwards = run::ScanOrder(mask).backwards;
         const auto rank = [=](double i) { return backwards ? static_cast<double>(n) + 1 - i : i; };
         const std::vector<double> chosen = by_position(n, some(random));
         return Numbers{
             {std::vector<double>(n, 3)},
             {by_position(n, [&](double j) { return chosen[static_cast<std::size_t>(j) - 1] - 1 / rank(j); })},
             by_position(n, some(random)),
             by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      {"growing sharpness of two components",
       "candidates",
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const bool backwards = run::ScanOrder(mask).backwards;
         const auto rank = [=](double i) { return backwards ? static_cast<double>(n) + 1 - i : i; };
         return Numbers{{std::vector<double>(n, 3), std::vector<double>(n, -1.5)},
                        {by_position(n, some(random)), by_position(n, [&](double j) { return 2 / rank(j); })},
                        by_position(n, some(random)),
                        by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      // The same queries through a window or two, then others; all below 0.
      {"growing sharpness, queries in steps",
       "candidates",
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const bool backwards = run::ScanOrder(mask).backwards;
         const auto rank = [=](double i) { return backwards ? static_cast<double>(n) + 1 - i : i; };
         const double step = static_cast<double>(kWindow);
         return Numbers{{by_position(n, [&](double i) { return -3 - std::floor((rank(i) - 1) / step); })},
                        {by_position(n, [&](double j) { return (random.chance(0.3) ? -1 : 0) + 1 / rank(j); })},
                        by_position(n, some(random)),
                        by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      {"sharpness that begins with nothing, few keys chosen",
       "candidates",
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const bool backwards = run::ScanOrder(mask).backwards;
         const auto rank = [=](double i) { return backwards ? static_cast<double>(n) + 1 - i : i; };
         return Numbers{
             {std::vector<double>(n, 3)},
             {by_position(
                 n, [&](double j) { return (random.chance(0.03) ? 1 : 0) - 1 / (rank(j) + 0.01 * random.unit()); })},
             by_position(n, [&](double) { return random.unit() - 0.5; }),
             by_position(n, [&](double i) {
               return std::pow(std::max(0.0, rank(i) - std::min(20.0, std::floor(static_cast<double>(n) / 4))), 2) * 4;
             })};
       }},
      // Keys rise by nothing, a little and so much that all before them are left behind, values are counted together.
      {"sharpness from the query, keys in steps",
       "candidates",
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const bool backwards = run::ScanOrder(mask).backwards;
         std::vector<double> keys;
         double level = 0;
         for (std::size_t j = 0; j < n; ++j) {
           const double draw = random.unit();
           level += draw < 0.05 ? 0.0078125 : draw < 0.3 ? 2 : 0;
           keys.push_back(level - (random.chance(0.3) ? 1.5 : 0));
         }
         if (backwards) std::reverse(keys.begin(), keys.end());
         return Numbers{{by_position(n, [=](double i) { return 40 + (backwards ? static_cast<double>(n) - i : i); })},
                        {keys},
                        by_position(n, [&](double) { return random.unit(); }),
                        ones(n)};
       },
       100},
      // Most queries look far from their own position, many of them at where windows meet.
      {"lookup of one shape",
       "lookup",
       {Mask::future, Mask::past, Mask::none},
       [=](Random& random, std::size_t n, Mask mask) {
         const double length = static_cast<double>(n), window = static_cast<double>(kWindow);
         const auto place = [&](double i) {
           if (random.chance(0.01)) return i;
           const double first = mask == Mask::past ? i + 8 : 0, last = mask == Mask::future ? i - 8 : length + 1;
           const double edge = window * std::ceil(2 * random.unit()) + std::round(10 * random.unit()) - 5;
           if (random.chance(0.7) && edge >= first && edge <= last) return edge;
           return first + std::round(random.unit() * (last - first));
         };
         return Numbers{{by_position(n, [&](double i) { return 2 * place(i); }), std::vector<double>(n, 1)},
                        {by_position(n, [](double j) { return j; }), by_position(n, [](double j) { return -j * j; })},
                        by_position(n, [&](double) { return random.unit() - 0.5; }),
                        std::vector<double>(n, 3)};
       }},
      // c a quarter beside an integer; at the ends, at the own position and between; sharpness that changes.
      {"lookup at the ends",
       "lookup",
       {Mask::future, Mask::past, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         const double length = static_cast<double>(n);
         const auto place = [&, length](double i) {
           const double draw = random.unit();
           const double c = draw < 0.2   ? std::round(4 * random.unit())
                            : draw < 0.4 ? length - std::round(4 * random.unit())
                            : draw < 0.6 ? i + std::round(6 * random.unit()) - 3
                                         : std::floor(i / 3);
           return c + 0.25;
         };
         return Numbers{{by_position(n, [&](double i) { return 2 * place(i); }), std::vector<double>(n, 1)},
                        {by_position(n, [](double j) { return j; }), by_position(n, [](double j) { return -j * j; })},
                        by_position(n, [&](double) { return random.unit() - 0.5; }),
                        by_position(n, [&, length](double i) { return i > 0.7 * length ? 1.75 : 2.5; })};
       }},
      {"series of all sizes",
       "series",
       {Mask::future, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{
             {by_position(
                 n, [&](double) { return (random.chance(0.5) ? -1 : 1) * std::pow(10.0, 20 * random.unit() - 18); })},
             {by_position(n, [](double j) { return j * sign(j); })},
             by_position(n, [](double j) { return sign(j) > 0 ? 0.75 : -0.25; }),
             ones(n)};
       }},
  };
}

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
    std::vector<T> plane;
    for (const std::uint32_t place : order.place)
      plane.push_back(static_cast<T>(read(words[place % words.size()], place / words.size())));
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
