// Keys of two ranks, in batches: against softmax as it is defined, and in models against the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run/structured/kernels/rank_kernel.h"
#include "run/structured/methods/ranked_model.h"
#include "run/structured/pass.h"
#include "support/agreement.h"
#include "support/random_model.h"

namespace quench {
namespace {

using run::kLanes;
using run::StructuredExecutor;

/// Two sums and their quotient, rounded once each, and an eighth of that each for the lower ranks left out of the sums;
/// the rest is for what is of second order.
constexpr double kUnits = 3 + 2.0 / 8 + 0.01;

enum class Steps { sharp, flat };

/// κ by step of the scan for keys of the higher rank, the lower one being `below` it.
struct Scores {
  std::vector<double> high;
  double below = 0;

  Scores(Random& random, Steps steps, std::size_t n, int precision) : high(n) {
    for (std::size_t t = 1; t < n; ++t)
      high[t] = high[t - 1] + (steps == Steps::flat ? 0 : 15.3 + (random.chance(0.5) ? 0 : 10 * random.unit()));
    below = high.back() - high.front() + run::negligible(precision, n);
  }
};

template <class T>
run::Ranks<T> ranks_of(const Scores& scores, Steps steps, bool high) {
  std::vector<T> keep(scores.high.size());
  for (std::size_t t = 1; t < keep.size(); ++t) keep[t] = static_cast<T>(std::exp(scores.high[t - 1] - scores.high[t]));
  return {high ? T{1} : T{0}, keep, keep, steps == Steps::sharp, steps == Steps::flat};
}

struct Lanes {
  std::vector<bool> is_high;
  std::vector<double> v;
};

/// By softmax over all keys in sight.
double mean_at(const Scores& scores, const Lanes& lanes, std::size_t lane, std::size_t step, bool strict,
               const std::vector<std::size_t>& row) {
  const std::size_t end = step + (strict ? 0 : 1);
  long double best = -std::numeric_limits<long double>::infinity(), total = 0, sum = 0;
  const auto kappa = [&](std::size_t t) {
    return static_cast<long double>(scores.high[t]) -
           (lanes.is_high[row[t] * kLanes + lane] ? 0 : static_cast<long double>(scores.below));
  };
  for (std::size_t t = 0; t < end; ++t) best = std::max(best, kappa(t));
  for (std::size_t t = 0; t < end; ++t) {
    const long double weight = std::exp(kappa(t) - best);
    total += weight;
    sum += weight * static_cast<long double>(lanes.v[row[t] * kLanes + lane]);
  }
  return end == 0 ? 0.0 : static_cast<double>(sum / total);
}

template <class T>
void expect_definition(Random& random) {
  const std::size_t n = 1 + random.below(random.chance(0.2) ? 400 : 40);
  const Steps steps = random.chance(0.5) ? Steps::sharp : Steps::flat;
  const int precision = sizeof(T) == 4 ? 24 : 53;
  const Scores scores(random, steps, n, precision);
  const bool high = random.chance(0.5), backwards = random.chance(0.5), strict = random.chance(0.3);
  const bool booleans = random.chance(0.5), thirds = random.chance(0.5);  // sums of thirds drift if rounded
  Lanes lanes{std::vector<bool>(n * kLanes), std::vector<double>(n * kLanes)};
  std::vector<T> rank(n * kLanes), v(n * kLanes), out(n * kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const double often = random.chance(0.2) ? 0.0 : random.chance(0.3) ? 0.02 : random.unit();
    for (std::size_t p = lane; p < n * kLanes; p += kLanes) {
      lanes.is_high[p] = random.chance(often);
      rank[p] = lanes.is_high[p] == high ? T{1} : T{0};
      v[p] = booleans ? T(random.below(2)) : thirds ? T(1) / 3 : static_cast<T>(2 * random.unit() - 1);
      lanes.v[p] = static_cast<double>(v[p]);
    }
  }
  const run::Ranks<T> ranks = ranks_of<T>(scores, steps, high);
  const run::RankRows<T> rows{n, backwards, strict, rank.data(), v.data(), out.data()};
  ASSERT_TRUE(run::scan_ranks(ranks, rows));
  std::vector<std::size_t> row(n);
  for (std::size_t t = 0; t < n; ++t) row[t] = backwards ? n - 1 - t : t;
  // Flat sums are rounded at every step if they are kept in the format.
  const double units = kUnits + (steps == Steps::flat && sizeof(T) == 8 ? 2.0 * static_cast<double>(n) : 0);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      ASSERT_NEAR(static_cast<double>(out[row[t] * kLanes + lane]), mean_at(scores, lanes, lane, t, strict, row),
                  units * std::ldexp(1.0, -precision))
          << "step " << t << " of " << n << (steps == Steps::flat ? ", flat" : ", sharp") << (strict ? ", strict" : "");

  // One rank that is neither 0 nor 1, anywhere.
  constexpr double kWrong[] = {
      0.5, -1, 2, 1.0000001, 1e-30, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  rank[random.below(rank.size())] = static_cast<T>(kWrong[random.below(std::size(kWrong))]);
  EXPECT_FALSE(run::scan_ranks(ranks, rows));
}

TEST(Ranks, AreSoftmax) {
  Random random(11);
  for (int k = 0; k < 150; ++k) {
    SCOPED_TRACE(k);
    expect_definition<float>(random);
    expect_definition<double>(random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
std::optional<run::Ranks<T>> foreseen(const model::Transformer& model, std::size_t n, bool many = true) {
  const run::ReferencePlan plan =
      run::make_reference_plan(model, {sizeof(T) == 4 ? NumberFormat::f32 : NumberFormat::f64, false});
  run::LaneSpace<T> space;
  run::tabulate(plan, run::make_layer_rows<T>(plan), n, many, space);
  return space.foreseen.heads[0][0].ranks;
}

TEST(Ranks, AreForeseen) {
  const auto with_mask = [](model::Transformer model, Mask mask) {
    model.layers[0].heads[0].mask = mask;
    return model;
  };
  const model::Transformer plain = test::ranked_model(16, 1, 0.5);
  ASSERT_TRUE(foreseen<float>(plain, 20));
  EXPECT_EQ(foreseen<float>(plain, 20)->high, 1);
  EXPECT_TRUE(foreseen<float>(plain, 20)->sharp);
  EXPECT_FALSE(foreseen<float>(plain, 20)->flat);
  EXPECT_FALSE(foreseen<float>(plain, 20, /*many=*/false));
  EXPECT_EQ(foreseen<double>(test::ranked_model(16, -1, 0.5), 20)->high, 0);
  EXPECT_TRUE(foreseen<double>(test::ranked_model(16, -1, 0), 20)->flat);
  EXPECT_TRUE(foreseen<float>(with_mask(plain, Mask::strict_future), 20));
  EXPECT_FALSE(foreseen<float>(with_mask(plain, Mask::past), 20)) << "scores fall in the order of that scan";
  EXPECT_TRUE(foreseen<float>(with_mask(test::ranked_model(16, 1, -0.5), Mask::past), 20));
  EXPECT_FALSE(foreseen<float>(with_mask(test::ranked_model(16, 1, 0), Mask::none), 20));
  EXPECT_FALSE(foreseen<float>(test::ranked_model(16, 0.5, 0.5), 20))
      << "a high key far back is no higher than a low one";
  EXPECT_FALSE(foreseen<float>(test::ranked_model(16, 0, 0.5), 20)) << "there is one rank";
  EXPECT_FALSE(foreseen<float>(test::ranked_model(15, 1, 0.5), 20)) << "neither sharp nor flat";
  model::Transformer two = plain;
  two.embedding.add(0, 4, 1);
  two.layers[0].heads[0].k.add(0, 4, 1);
  two.layers[0].heads[0].q.add(0, 0, 1);
  EXPECT_FALSE(foreseen<float>(two, 20)) << "two coordinates decide";
}

/// Random weights around those of ranks; symbols that stand for no Boolean; all masks.
TEST(Ranks, HoldInModels) {
  Random random(12);
  StructuredExecutor::Workspace space;
  int ranked = 0;
  for (int k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    constexpr double kWords[] = {-4, -1, -0.5, 0.25, 1, 2};
    constexpr double kPositions[] = {-0.5, 0, 0, 0.3, 0.5};
    model::Transformer model =
        test::ranked_model(random.chance(0.5) ? 16 : 40 * random.unit(), kWords[random.below(std::size(kWords))],
                           kPositions[random.below(std::size(kPositions))]);
    model.layers[0].heads[0].mask = static_cast<Mask>(random.below(5));
    if (random.chance(0.3)) model.layers[0].heads[0].v.add(0, 2, random.unit());
    if (random.chance(0.2)) model.embedding.add(1, 3, random.chance(0.5) ? 0.5 : -1);
    const std::size_t n = 1 + random.below(60);
    std::vector<Word> words;
    for (std::size_t w = 0; w < 2 + random.below(40); ++w) words.push_back(test::word_over(random, model, n));
    ranked += foreseen<float>(model, n).has_value();
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
      test::expect_agreement_at_once(model, words, {{format, false}, false, false}, space);
      if (::testing::Test::HasFailure()) return;
      EXPECT_EQ(space.methods[0][0].method, run::Method::scan);
    }
  }
  EXPECT_GT(ranked, 40);
}

}  // namespace
}  // namespace quench
