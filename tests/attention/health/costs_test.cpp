#include "attention/health/costs.h"

#include <gtest/gtest.h>

namespace quench::attention {
namespace {

/// AddressSanitizer keeps a byte of its own for every eight that are touched.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kShadow = 1.0 / 8;
#elif defined(__has_feature)
constexpr double kShadow = __has_feature(address_sanitizer) ? 1.0 / 8 : 0;
#else
constexpr double kShadow = 0;
#endif

TEST(Measure, TheMatrixCostsWhatTextbooksSayAndTheTilesDoNot) {
  const std::size_t lengths[] = {2048, 8192};
  const auto rows = measure_memory(lengths, 8, std::size_t{1} << 30);
  const double page[] = {16, 256};  // MB, as textbooks tabulate it
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(rows[r].matrix_entries, lengths[r] * lengths[r]);
    ASSERT_TRUE(rows[r].matrix_bytes);
    // The kernel counts resident pages in batches of 64 per thread (256 KB), and the allocator rounds up: 1 MB.
    EXPECT_NEAR(static_cast<double>(*rows[r].matrix_bytes) / 0x1p20, page[r] * (1 + kShadow), 1);
    EXPECT_LE(rows[r].tiled_forward_bytes, *rows[r].matrix_bytes / 8) << "with room for a sanitizer's quarantine";
  }
  const std::string table = to_table(rows);
  EXPECT_NE(table.find("4194304"), std::string::npos);
}

TEST(Measure, AMatrixBeyondTheBudgetIsNotMade) {
  const std::size_t lengths[] = {2048};
  const auto rows = measure_memory(lengths, 4, 1000);
  EXPECT_FALSE(rows[0].matrix_bytes);
  EXPECT_NE(to_table(rows).find("not made"), std::string::npos);
}

// No n × n buffer at n = 65,536: it would take 17 GB. What is needed: results (n·d floats, three times that backward),
// eight or so numbers per row, and a block's tiles per thread; allow 100 bytes per row and width and 64 MB for
// allocator and tiles.
void expect_linear(std::size_t n, std::size_t width) {
  if (kShadow > 0) GTEST_SKIP() << "a sanitizer's quarantine keeps 256 MB of freed memory";
  const std::size_t lengths[] = {n};
  const auto rows = measure_memory(lengths, width, 0);
  const std::size_t allowed = 100 * n * width + (std::size_t{64} << 20);
  EXPECT_LE(rows[0].tiled_forward_bytes, allowed);
  EXPECT_LE(rows[0].tiled_backward_bytes, allowed);
  EXPECT_GE(rows[0].tiled_forward_bytes, n * width * sizeof(float)) << "the output at least must have been seen";
  ::testing::Test::RecordProperty("forward_bytes", static_cast<int>(rows[0].tiled_forward_bytes));
  ::testing::Test::RecordProperty("backward_bytes", static_cast<int>(rows[0].tiled_backward_bytes));
}

TEST(Measure, MemoryIsLinearAt16384) { expect_linear(16384, 4); }
TEST(Measure, SlowMemoryIsLinearAt65536) { expect_linear(65536, 4); }

TEST(Measure, AdditiveScoresCostMoreThanMultiplicativeOnes) {
  const auto costs = measure_scores(200, 32);
  ASSERT_EQ(costs.size(), 5u);
  EXPECT_EQ(costs.front().score, "dot");
  EXPECT_EQ(costs.back().score, "additive");
  for (const ScoreCost& cost : costs) EXPECT_GT(cost.nanoseconds_per_pair, 0);
  // 32 hyperbolic tangents against 32 multiplications: a factor of ten at least; 2 leaves room for a busy machine.
  EXPECT_GT(costs.back().relative, 2);
  EXPECT_NE(to_table(costs).find("additive"), std::string::npos);
}

}  // namespace
}  // namespace quench::attention
