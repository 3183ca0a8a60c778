// Keys by codes that were computed, against the definition: codes that are there, that are nearly there, that are not;
// the leftmost and the rightmost key, under every mask it takes, one word and several.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/number/random.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {
namespace {

constexpr double kUnit = 1024;

/// U(M Σ_b (2A_b−1)(2B_b−1) ± (j−1)), with codes below 2^bits of which keys use some.
HeadWork random_work(Random& random, std::size_t n, std::size_t words, int bits, std::size_t kinds, Mask mask,
                     double way) {
  HeadWork work;
  work.mask = mask;
  work.n = n;
  work.words = words;
  work.scale.assign(n, 1);
  work.q.assign(static_cast<std::size_t>(bits) + 1, Plane(n * words, 0));
  work.k = work.q;
  work.v.assign(2, Plane(n * words, 0));
  work.out = work.v;
  const double m = std::exp2(std::bit_width(n - 1)) / 2;
  std::vector<std::uint64_t> used;
  for (std::size_t c = 0; c < kinds; ++c) used.push_back(random.below(std::size_t{1} << bits));
  for (std::size_t p = 0; p < n * words; ++p) {
    const std::uint64_t key = used[random.below(kinds)];
    const std::uint64_t query = random.chance(0.7) ? used[random.below(kinds)] : random.below(std::size_t{1} << bits);
    for (int b = 0; b < bits; ++b) {
      work.q[static_cast<std::size_t>(b)][p] = kUnit * m * (query >> b & 1 ? 1 : -1);
      work.k[static_cast<std::size_t>(b)][p] = key >> b & 1 ? 1 : -1;
    }
    work.q.back()[p] = way * kUnit;
    work.k.back()[p] = static_cast<double>(p / words);
    for (Plane& plane : work.v) plane[p] = static_cast<double>(random.below(100));
  }
  return work;
}

/// The value at the key with the greatest score.
double by_definition(const HeadWork& work, std::size_t word, std::size_t i, std::size_t value) {
  double best = -HUGE_VAL, result = 0;
  for (std::size_t j = 0; j < work.n; ++j) {
    if ((work.mask == Mask::future && j > i) || (work.mask == Mask::past && j < i)) continue;
    double score = 0;
    for (std::size_t l = 0; l < work.q.size(); ++l)
      score += work.q[l][i * work.words + word] * work.k[l][j * work.words + word];
    if (score > best) best = score, result = work.v[value][j * work.words + word];
  }
  return result;
}

TEST(NearestCode, IsTheDefinition) {
  Random random(1);
  for (const Mask mask : {Mask::future, Mask::past, Mask::none})
    for (const double way : {1.0, -1.0})
      for (const auto& [bits, kinds] : {std::pair(4, 3), {6, 40}, {12, 2}, {20, 50}})
        for (const std::size_t n : {std::size_t{5}, std::size_t{64}, std::size_t{200}})
          for (const std::size_t words : {std::size_t{1}, std::size_t{3}}) {
            HeadWork work = random_work(random, n, words, bits, static_cast<std::size_t>(kinds), mask, way);
            ASSERT_EQ(run_by_nearest_code(work), std::nullopt) << bits << " bits, n = " << n;
            for (std::size_t w = 0; w < words; ++w)
              for (std::size_t i = 0; i < n; ++i)
                for (std::size_t x = 0; x < 2; ++x)
                  ASSERT_EQ(work.out[x][i * words + w], by_definition(work, w, i, x))
                      << bits << " bits, n = " << n << ", i = " << i;
          }
}

/// −C·A(1 − z − B) − C(1 − A)·B − C·(not selected, nor z) ± U(j−1), and z behind the others where ± prefers it.
HeadWork penalised_work(Random& random, std::size_t n, std::size_t words, int bits, std::size_t kinds, Mask mask,
                        double way) {
  HeadWork work = random_work(random, n, words, bits, kinds, mask, way);
  const double m = std::exp2(std::bit_width(n - 1)), penalty = 4 * m * kUnit;
  const std::size_t z = mask == Mask::past || (mask == Mask::none && way < 0) ? n - 1 : 0;
  const auto codes = std::exchange(work.q, {}), keys = std::exchange(work.k, {});
  const auto add = [&](const auto& query, const auto& key) {
    work.q.emplace_back(n * words);
    work.k.emplace_back(n * words);
    for (std::size_t p = 0; p < n * words; ++p) {
      work.q.back()[p] = query(p);
      work.k.back()[p] = key(p, p / words == z);
    }
  };
  for (std::size_t b = 0; b < static_cast<std::size_t>(bits); ++b) {
    add([&](std::size_t p) { return codes[b][p] > 0 ? penalty : 0; },
        [&](std::size_t p, bool sink) { return sink || keys[b][p] > 0 ? 0 : -1; });
    add([&](std::size_t p) { return codes[b][p] > 0 ? 0 : penalty; },
        [&](std::size_t p, bool sink) { return !sink && keys[b][p] > 0 ? -1 : 0; });
  }
  if (random.chance(0.5)) {
    const std::uint64_t seed = random.below(1000);
    add([&](std::size_t) { return penalty; },
        [&](std::size_t p, bool sink) { return !sink && (p * 7 + seed) % 3 == 0 ? -1 : 0; });
  }
  if ((mask == Mask::future && way < 0) || (mask == Mask::past && way > 0))
    add([&](std::size_t) { return -m * kUnit; }, [](std::size_t, bool sink) { return sink; });
  add([&](std::size_t) { return way * kUnit; }, [&](std::size_t p, bool) { return static_cast<double>(p / words); });
  return work;
}

TEST(NearestCode, IsTheDefinitionOfPenalties) {
  Random random(3);
  for (const Mask mask : {Mask::future, Mask::past, Mask::none})
    for (const double way : {1.0, -1.0})
      for (const auto& [bits, kinds] : {std::pair(4, 3), {6, 40}, {12, 2}, {20, 50}, {1, 1}, {5, 1}})
        for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{64}, std::size_t{200}})
          for (const std::size_t words : {std::size_t{1}, std::size_t{3}}) {
            HeadWork work = penalised_work(random, n, words, bits, static_cast<std::size_t>(kinds), mask, way);
            const auto why = run_by_nearest_code(work);
            if (n >= 64) {
              ASSERT_EQ(why, std::nullopt) << bits << " bits, n = " << n;
            }
            if (why) continue;
            for (std::size_t w = 0; w < words; ++w)
              for (std::size_t i = 0; i < n; ++i)
                for (std::size_t x = 0; x < 2; ++x)
                  ASSERT_EQ(work.out[x][i * words + w], by_definition(work, w, i, x))
                      << bits << " bits, n = " << n << ", i = " << i;
          }
}

TEST(NearestCode, LeavesAloneSinksThatDoNotServe) {
  Random random(4);
  const auto refused = [&](const auto& change) {
    HeadWork work = penalised_work(random, 70, 1, 6, 10, Mask::future, 1);
    change(work);
    return run_by_nearest_code(work).has_value();
  };
  EXPECT_FALSE(refused([](HeadWork&) {}));
  EXPECT_TRUE(refused([](HeadWork& work) { work.k[3][5] = 0; }));        // another key without a penalty
  EXPECT_TRUE(refused([](HeadWork& work) { work.mask = Mask::past; }));  // a sink that is hidden
  EXPECT_TRUE(refused([](HeadWork& work) {                               // penalties that positions make up for
    for (std::size_t l = 0; l < 12; ++l)
      for (double& q : work.q[l]) q /= 512;
  }));
  EXPECT_TRUE(refused([](HeadWork& work) {  // of two strengths
    for (double& q : work.q[0]) q *= 2;
  }));
}

TEST(NearestCode, LeavesAloneWhatIsNotApart) {
  Random random(2);
  HeadWork soft = random_work(random, 50, 1, 6, 10, Mask::none, 1);
  for (double& q : soft.q.back()) q /= kUnit;  // positions that differ by 1
  EXPECT_NE(run_by_nearest_code(soft), std::nullopt);
  HeadWork uneven = random_work(random, 50, 1, 6, 10, Mask::none, 1);
  for (double& q : uneven.q.front()) q *= 2;
  EXPECT_NE(run_by_nearest_code(uneven), std::nullopt);
  HeadWork weak = random_work(random, 50, 1, 6, 10, Mask::none, 1);
  for (std::size_t l = 0; l + 1 < weak.q.size(); ++l)
    for (double& q : weak.q[l]) q /= 64;  // misfits that positions make up for
  EXPECT_NE(run_by_nearest_code(weak), std::nullopt);
}

}  // namespace
}  // namespace quench::run
