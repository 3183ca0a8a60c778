#include "run/reference/float_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quench::run {
namespace {

constexpr std::size_t kBlockOfScores = 64;
constexpr float kVanishes = -104;  // e^−104 < 2^−150, half of the least positive float: rounds to 0

/// Scores of one block of keys; the greatest of them, NaN if one is NaN.
float score_block(const SingleRow& row, std::size_t first, std::size_t count, float scale, float inverse_tau,
                  float* scores) {
  std::fill(scores, scores + count, 0.0f);
  for (std::size_t l = 0; l < row.head.components; ++l) {
    const auto q = static_cast<float>(row.q[l]);
    const float* k = row.keys + l * row.stride + first;
    for (std::size_t j = 0; j < count; ++j) scores[j] = scores[j] + q * k[j];
  }
  float greatest = -std::numeric_limits<float>::infinity(), sum = 0;
  for (std::size_t j = 0; j < count; ++j) scores[j] = scores[j] * scale * inverse_tau;
  for (std::size_t j = 0; j < count; ++j) {
    greatest = std::max(greatest, scores[j]);
    sum += scores[j] * 0.0f;  // NaN as soon as a score is not finite
  }
  return sum == 0 ? greatest : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

bool attend_in_single(const SingleRow& row, RowScratch& scratch, double* out) {
  const auto scale = static_cast<float>(row.head.score_scale), inverse_tau = static_cast<float>(row.inverse_tau);
  const std::size_t blocks = (row.count + kBlockOfScores - 1) / kBlockOfScores;
  scratch.scores.resize(row.count);
  scratch.greatest.resize(blocks);
  float greatest = -std::numeric_limits<float>::infinity();
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * kBlockOfScores, count = std::min(kBlockOfScores, row.count - first);
    scratch.greatest[b] = score_block(row, first, count, scale, inverse_tau, scratch.scores.data() + first);
    if (std::isnan(scratch.greatest[b])) return false;
    greatest = std::max(greatest, scratch.greatest[b]);
  }
  float total = 0;
  std::vector<float> sums(row.head.d_v, 0.0f);
  for (std::size_t b = 0; b < blocks; ++b) {
    if (scratch.greatest[b] - greatest < kVanishes) continue;
    const std::size_t last = std::min(row.count, (b + 1) * kBlockOfScores);
    for (std::size_t j = b * kBlockOfScores; j < last; ++j) {
      const float x = scratch.scores[j] - greatest;
      if (x < kVanishes) continue;
      const float e = x == 0 ? 1.0f : static_cast<float>(std::exp(static_cast<double>(x)));
      total = total + e;
      const double* value = row.values + j * row.head.d_v;
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = sums[c] + e * static_cast<float>(value[c]);
    }
  }
  for (std::size_t c = 0; c < sums.size(); ++c) out[c] = static_cast<double>(sums[c] / total);
  return true;
}

}  // namespace quench::run
