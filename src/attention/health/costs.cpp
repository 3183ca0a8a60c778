#include "attention/health/costs.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>

#include "attention/kernel/tiled.h"
#include "attention/score/score.h"
#include "base/error.h"
#include "base/number/random.h"

namespace quench::attention {

namespace {

// "VmHWM:    1234 kB" of the process's status.
std::size_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return std::stoul(line.substr(field.size() + 1)) * 1024;
  throw IoError("the system does not report " + field);
}

// How far the peak resident memory rises above what was resident before while `run` runs. Freed memory is given back
// first, so that reusing it counts.
template <class Run>
std::size_t peak_growth(Run&& run) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // starts a new peak
  const std::size_t before = status_bytes("VmRSS");
  run();
  const std::size_t peak = status_bytes("VmHWM");
  return peak > before ? peak - before : 0;
}

std::vector<float> random_floats(Random& random, std::size_t size) {
  std::vector<float> x(size);
  for (float& value : x) value = static_cast<float>(2 * random.unit() - 1);
  return x;
}

struct FloatProblem {
  std::size_t n, d;
  std::vector<float> q, k, v, d_output;

  FloatProblem(std::size_t length, std::size_t width) : n(length), d(width) {
    Random random(length);
    for (auto* x : {&q, &k, &v, &d_output}) *x = random_floats(random, n * d);
  }
  Rows<const float> rows(const std::vector<float>& x) const { return {x.data(), n, d}; }
};

// Attention as it is first written down, with the matrix of weights in memory. Returns something that depends on it.
float with_matrix(const FloatProblem& p) {
  std::vector<float> weights(p.n * p.n);
  for (std::size_t i = 0; i < p.n; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      const float* q = p.q.data() + i * p.d;
      sum += weights[i * p.n + j] = std::exp(std::inner_product(q, q + p.d, p.k.data() + j * p.d, 0.0f));
    }
    for (std::size_t j = 0; j < p.n; ++j) weights[i * p.n + j] = j <= i ? weights[i * p.n + j] / sum : 0;
  }
  return weights[p.n * p.n - 1];
}

MemoryRow measure_length(std::size_t length, std::size_t width, std::size_t matrix_budget) {
  const FloatProblem p(length, width);
  const TiledAttention causal{.mask = Mask::future};
  MemoryRow row{.length = length, .matrix_entries = length * length, .matrix_bytes = {}};
  std::vector<float> output;
  RowStatistics<float> statistics;
  row.tiled_forward_bytes = peak_growth([&] {
    output.resize(p.n * p.d);
    statistics = tiled_forward<float>(causal, p.rows(p.q), p.rows(p.k), p.rows(p.v), {output.data(), p.n, p.d});
  });
  row.tiled_backward_bytes = peak_growth([&] {
    std::vector<float> d_q(p.n * p.d), d_k(p.n * p.d), d_v(p.n * p.d), d_tau(p.n);
    const auto rows = [&](std::vector<float>& x) { return Rows<float>(x.data(), p.n, p.d); };
    tiled_backward<float>(causal, p.rows(p.q), p.rows(p.k), p.rows(p.v), p.rows(output), statistics,
                          {p.rows(p.d_output)}, {rows(d_q), rows(d_k), rows(d_v), d_tau});
  });
  if (row.matrix_entries * sizeof(float) <= matrix_budget) {
    volatile float keep = 0;  // so that the matrix cannot be optimised away
    row.matrix_bytes = peak_growth([&] { keep = with_matrix(p); });
  }
  return row;
}

double best_seconds(auto&& run) {
  double best = INFINITY;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

Matrix random_matrix(Random& random, std::size_t rows, std::size_t cols) {
  Matrix m(rows, cols);
  for (double& value : m.data) value = 2 * random.unit() - 1;
  return m;
}

std::string megabytes(std::size_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 0x1p20); }

}  // namespace

std::vector<MemoryRow> measure_memory(std::span<const std::size_t> lengths, std::size_t width,
                                      std::size_t matrix_budget) {
  measure_length(256, width, 0);  // starts the threads, whose stacks belong to no length
  std::vector<MemoryRow> rows;
  for (const std::size_t length : lengths) rows.push_back(measure_length(length, width, matrix_budget));
  return rows;
}

std::string to_table(std::span<const MemoryRow> rows) {
  std::string text = fmt::format("{:>9}{:>16}{:>16}{:>16}{:>16}\n", "length", "n*n entries", "n*n matrix",
                                 "tiled forward", "tiled backward");
  for (const MemoryRow& row : rows)
    text += fmt::format("{:>9}{:>16}{:>16}{:>16}{:>16}\n", row.length, row.matrix_entries,
                        row.matrix_bytes ? megabytes(*row.matrix_bytes) : "not made",
                        megabytes(row.tiled_forward_bytes), megabytes(row.tiled_backward_bytes));
  return text;
}

std::vector<ScoreCost> measure_scores(std::size_t length, std::size_t width) {
  Random random(1);
  const Matrix q = random_matrix(random, length, width), k = random_matrix(random, length, width);
  const std::vector<std::pair<std::string, Score>> scores = {
      {"dot", Dot{}},
      {"scaled dot", ScaledDot{}},
      {"general", General{random_matrix(random, width, width)}},
      {"cosine", Cosine{}},
      {"additive", Additive{random_matrix(random, width, width), random_matrix(random, width, width),
                            random_matrix(random, 1, width).data, std::vector<double>(width, 0.0)}}};
  std::vector<std::size_t> visible(length);
  std::iota(visible.begin(), visible.end(), std::size_t{0});
  std::vector<double> row(length);
  std::vector<ScoreCost> costs;
  for (const auto& [name, score] : scores) {
    const double seconds = best_seconds([&, &s = score] {
      const auto pass = begin_pass(s, k, width);
      for (std::size_t i = 0; i < length; ++i) pass->row(Rows<const double>(q)[i], visible, row);
    });
    const double each = seconds / static_cast<double>(length * length) * 1e9;
    costs.push_back({name, each, costs.empty() ? 1 : each / costs.front().nanoseconds_per_pair});
  }
  return costs;
}

std::string to_table(std::span<const ScoreCost> costs) {
  std::string text = fmt::format("{:<12}{:>12}{:>12}\n", "score", "ns per pair", "relative");
  for (const ScoreCost& cost : costs)
    text += fmt::format("{:<12}{:>12.2f}{:>12.1f}\n", cost.score, cost.nanoseconds_per_pair, cost.relative);
  return text;
}

}  // namespace quench::attention
