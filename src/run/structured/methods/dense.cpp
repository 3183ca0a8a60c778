// Any soft head in quadratic time and linear memory.
//
// One word with softmax goes through the attention library's tiled kernel. A batch of words goes pair of positions by
// pair of positions, all words at once.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "attention/kernel/tiled.h"
#include "base/error.h"
#include "base/number/multiversion.h"
#include "run/structured/kernels/lane_exp.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

constexpr double kNoScore = -std::numeric_limits<double>::infinity();

// --- One word, softmax, finite numbers: the tiled kernel
// --------------------------------------------------------------

/// n × planes; without any plane, one column of zeros (a uniform head: all scores are 0).
template <class T>
std::vector<T> as_rows(const std::vector<Plane>& planes, std::size_t n, const HeadWork* scaled_by) {
  std::vector<T> rows(n * std::max<std::size_t>(planes.size(), 1));
  for (std::size_t c = 0; c < planes.size(); ++c)
    for (std::size_t i = 0; i < n; ++i)
      rows[i * planes.size() + c] = static_cast<T>(planes[c][i] * (scaled_by ? scaled_by->scale_at(i) : 1.0));
  return rows;
}

template <class T>
void run_tiled(HeadWork& work, bool parallel) {
  const std::vector<T> q = as_rows<T>(work.q, work.n, &work), k = as_rows<T>(work.k, work.n, nullptr),
                       v = as_rows<T>(work.v, work.n, nullptr);
  std::vector<T> out(v.size());
  attention::TiledAttention kernel;
  kernel.mask = attention::Visibility(work.mask);
  kernel.parallel = parallel;
  kernel.entropy = false;
  const auto view = [&](auto& data, std::size_t cols) {
    return attention::Rows<std::remove_reference_t<decltype(data[0])>>(data.data(), work.n, cols);
  };
  const std::size_t components = std::max<std::size_t>(work.q.size(), 1);
  attention::tiled_forward<T>(kernel, view(q, components), view(k, components), view(v, work.v.size()),
                              view(out, work.v.size()));
  for (std::size_t x = 0; x < work.v.size(); ++x)
    for (std::size_t i = 0; i < work.n; ++i) work.out[x][i] = out[i * work.v.size() + x];
}

// --- Many words at once ----------------------------------------------------------------------------------------------

QUENCH_MULTIVERSION void add_products(const double* q, const double* k, double* score, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) score[w] += q[w] * k[w];
}
QUENCH_MULTIVERSION void scale_and_raise(double scale, double* score, double* best, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) {
    score[w] *= scale;
    best[w] = score[w] > best[w] ? score[w] : best[w];
  }
}
QUENCH_MULTIVERSION void soften(const double* best, double* score, double* total, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) {
    score[w] = lane_exp(score[w] - best[w]);
    total[w] += score[w];
  }
}
QUENCH_MULTIVERSION void add_values(const double* weight, const double* v, double* out, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) out[w] += weight[w] * v[w];
}
QUENCH_MULTIVERSION void divide(const double* total, double* out, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) out[w] /= total[w];
}

void answer_lanes(HeadWork& work, std::size_t i, std::vector<double>& score) {
  const KeyRange range = visible(work.mask, i + 1, work.n);
  const std::size_t lanes = work.words, at = i * lanes;
  for (Plane& out : work.out) std::fill_n(out.data() + at, lanes, 0.0);
  if (range.first > range.last) return;
  const std::size_t count = range.last + 1 - range.first, keys = (range.first - 1) * lanes;
  score.assign((count + 2) * lanes, 0.0);
  double *best = score.data() + count * lanes, *total = best + lanes;
  std::fill_n(best, lanes, kNoScore);
  for (std::size_t j = 0; j < count; ++j) {
    double* row = score.data() + j * lanes;
    for (std::size_t l = 0; l < work.q.size(); ++l)
      add_products(work.q[l].data() + at, work.k[l].data() + keys + j * lanes, row, lanes);
    scale_and_raise(work.scale_at(i), row, best, lanes);
  }
  for (std::size_t j = 0; j < count; ++j) {
    double* row = score.data() + j * lanes;
    soften(best, row, total, lanes);
    for (std::size_t x = 0; x < work.v.size(); ++x)
      add_values(row, work.v[x].data() + keys + j * lanes, work.out[x].data() + at, lanes);
  }
  for (Plane& out : work.out) divide(total, out.data() + at, lanes);
}

}  // namespace

void run_densely(HeadWork& work, bool single, bool parallel) {
  QUENCH_ASSERT(work.weighting == Weighting::soft);
  if (work.words == 1) return single ? run_tiled<float>(work, parallel) : run_tiled<double>(work, parallel);
  const auto row = [&](std::size_t i) {
    std::vector<double> score;
    answer_lanes(work, i, score);
  };
  if (parallel)
    tbb::parallel_for(std::size_t{0}, work.n, row);
  else
    for (std::size_t i = 0; i < work.n; ++i) row(i);
}

}  // namespace quench::run
