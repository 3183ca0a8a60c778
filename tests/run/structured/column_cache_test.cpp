// Where the sum of several components of two values is greatest, against the sum itself: where it is known, and where it
// must not be taken for known.
#include "run/structured/attention/column_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/number/random.h"
#include "run/structured/structured_executor.h"

namespace quench::run {
namespace {

constexpr std::size_t kWord = 1000, kAtOnce = 256;

/// Coordinate c has the values low[c] and high[c]; one row adds them up with weights.
struct Sum {
  std::vector<float> low, high, weights;
};

class PeakOf {
 public:
  explicit PeakOf(const Sum& sum) {
    Random random(3);
    order_.take_segments(kWord, 0, kWord, kAtOnce, /*backwards=*/false);
    for (std::size_t c = 0; c < sum.weights.size(); ++c) {
      std::vector<float> word(kWord);
      for (float& x : word) x = random.chance(0.8) ? sum.high[c] : sum.low[c];
      AlignedVector<float> plane(order_.size());
      order_.for_places([&](std::size_t index, std::size_t place) { plane[index] = word[place]; });
      words_.push_back(std::move(word));
      planes_.push_back(std::move(plane));
      rows_.terms.push_back({static_cast<std::uint32_t>(c), sum.weights[c]});
    }
    for (AlignedVector<float>& plane : planes_) h_.push_back(plane.data());
    rows_.rows = {{0, 0, static_cast<std::uint32_t>(sum.weights.size())}};
    rows_.exact = {0};
  }

  std::shared_ptr<const Column> with_queries(double query, bool steady = true) {
    auto queries = std::make_shared<Column>();
    queries->low = query;
    queries->high = steady ? query : query + 1;
    return cache_.columns_of_keys({order_, h_, kWord, 1}, rows_, {queries})[0];
  }
  /// In float, term by term, as the definition has it.
  float at(std::size_t position) const {
    float sum = 0;
    for (const Term<float>& term : rows_.terms) sum += term.weight * words_[term.column][position];
    return sum;
  }

 private:
  LaneOrder order_;
  std::vector<std::vector<float>> words_;
  std::vector<AlignedVector<float>> planes_;
  std::vector<float*> h_;
  SumRows<float> rows_;
  ColumnCache<float> cache_;
};

TEST(ColumnCache, KnowsWhereSumsAreGreatest) {
  // A constant, bits of which some are to be 0, and one that is the same everywhere.
  PeakOf sum({{1, 0, 0, 0, 1, 5}, {1, 1, 1, 1, 0, 5}, {-7, 2, 2, -2, 3, 1}});
  const std::shared_ptr<const Column> column = sum.with_queries(2048);
  ASSERT_TRUE(column->many && column->peak);
  float greatest = -HUGE_VALF, second = -HUGE_VALF, least = HUGE_VALF;
  for (std::size_t i = 0; i < kWord; ++i) greatest = std::max(greatest, sum.at(i)), least = std::min(least, sum.at(i));
  for (std::size_t i = 0; i < kWord; ++i) {
    if (sum.at(i) < greatest) second = std::max(second, sum.at(i));
    EXPECT_EQ(column->peak->bits[i / 64] >> i % 64 & 1, sum.at(i) == greatest) << i;
    EXPECT_LE(std::fabs(sum.at(i)), column->size);
  }
  EXPECT_EQ(column->peak->behind, greatest - second);
  EXPECT_GE(column->peak->range, greatest - least);
  EXPECT_EQ(column->peak->bits.back() >> kWord % 64, 0u);
}

TEST(ColumnCache, TakesNothingElseForAPeak) {
  const Sum bits{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
  EXPECT_FALSE(PeakOf(bits).with_queries(-2048)->peak) << "the least is wanted";
  EXPECT_FALSE(PeakOf(bits).with_queries(1, /*steady=*/false)->peak);
  EXPECT_FALSE(PeakOf({{0, 3}, {1, 3}, {2, 1}}).with_queries(1)->peak) << "one that varies";
  EXPECT_FALSE(PeakOf({{0, 0}, {1, 1}, {0.5f, 2}}).with_queries(1)->peak) << "no whole numbers";
  // 2^24 + 1 is rounded to 2^24: keys that differ in the second term tie.
  const Sum rounded{{0, 0}, {1, 1}, {0x1p24f, 1}};
  EXPECT_EQ(0x1p24f + 1.0f, 0x1p24f);
  EXPECT_FALSE(PeakOf(rounded).with_queries(1)->peak);
  EXPECT_TRUE(PeakOf({{0, 0}, {1, 1}, {0x1p23f, 1}}).with_queries(1)->peak);
}

}  // namespace
}  // namespace quench::run
