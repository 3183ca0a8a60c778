#include "verify/words/near_ties.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/position.h"
#include "run/reference/arithmetic.h"

namespace quench::verify {
namespace {

constexpr std::size_t kPairs = 3;  // of neighbouring keys, per head

struct Pair {
  double step;      // between their scores
  std::size_t key;  // the one that is meant, from 1
};

/// Rows of a matrix at every position, rounded to storage: row l at [l·n, l·n + n).
template <class Arithmetic>
std::vector<double> project(const Arithmetic& arithmetic, const run::FlatRows& matrix, std::size_t rows,
                            const std::vector<std::vector<double>>& planes) {
  const std::size_t n = planes.front().size();
  std::vector<double> result(rows * n), h(planes.size());
  for (const run::FlatRows::Row& row : matrix.rows)
    for (std::size_t j = 0; j < n; ++j) {
      for (std::uint32_t entry = row.first; entry < row.last; ++entry) {
        const std::uint32_t column = matrix.entries[entry].column;
        h[column] = arithmetic.s(planes[column][j]);
      }
      result[row.index * n + j] = arithmetic.s(arithmetic.dot(matrix, row, h.data()));
    }
  return result;
}

/// The row at position i (from 1), computed with the keys of all positions.
template <class Arithmetic>
std::vector<double> scores_at(const Arithmetic& arithmetic, const run::HeadPlan& head, std::size_t i,
                              const std::vector<std::vector<double>>& planes) {
  const std::size_t n = planes.front().size();
  std::vector<double> h(planes.size()), q(head.components), scores(n);
  for (std::size_t k = 0; k < planes.size(); ++k) h[k] = arithmetic.s(planes[k][i - 1]);
  for (const run::FlatRows::Row& row : head.q.rows) q[row.index] = arithmetic.s(arithmetic.dot(head.q, row, h.data()));
  const std::vector<double> keys = project(arithmetic, head.k, head.components, planes);
  arithmetic.score(head, q.data(), keys.data(), n, n, model::inverse_temperature(head.temperature, i, n),
                   scores.data());
  return scores;
}

}  // namespace

void add_near_ties(const run::HeadPlan& head, NumberFormat format, const std::vector<std::vector<double>>& planes,
                   std::vector<std::size_t>& positions) {
  const std::size_t n = planes.front().size();
  const bool leftward = head.mask == Mask::past;  // the meant key is the leftmost
  if (head.components == 0 || head.mask == Mask::none || n < 4) return;
  std::vector<double> scores, values;
  run::with_arithmetic(format, [&](const auto& arithmetic) {
    scores = scores_at(arithmetic, head, leftward ? 1 : n, planes);
    values = project(arithmetic, head.v, head.d_v, planes);
  });
  std::vector<Pair> best;
  double greatest = -std::numeric_limits<double>::infinity();
  const auto at = [&](std::size_t k) { return leftward ? n - 1 - k : k; };  // in the order in which rows grow
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t key = at(k);
    for (std::size_t back = 1; back <= std::min<std::size_t>(k, 2); ++back) {
      const std::size_t other = at(k - back);
      bool differ = false;
      for (std::size_t l = 0; l < head.d_v; ++l) differ = differ || values[l * n + key] != values[l * n + other];
      const double step = scores[key] - scores[other];
      if (!differ || !(scores[key] >= greatest)) continue;  // the meant key is the maximum of its row
      // Later pairs first among equals: there numbers are greatest.
      if (best.size() == kPairs && step > best.back().step) continue;
      best.insert(std::find_if(best.begin(), best.end(), [&](const Pair& p) { return step <= p.step; }),
                  Pair{step, key + 1});
      if (best.size() > kPairs) best.pop_back();
    }
    greatest = std::fmax(greatest, scores[key]);
  }
  for (const Pair& pair : best) {
    positions.push_back(pair.key);
    positions.push_back(leftward ? pair.key - 1 : pair.key + 1);  // may fall off the ends
  }
}

}  // namespace quench::verify
