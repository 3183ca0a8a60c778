// Any head in quadratic time and linear memory.
//
// One word with softmax goes through the attention library's tiled kernel. A batch of words goes pair of positions by
// pair of positions, all words at once. Hard attention, and numbers that are not finite, take the definition row by
// row.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/tiled.h"
#include "base/lanes.h"
#include "run/head_work.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// --- One word, softmax, finite numbers: the tiled kernel
// --------------------------------------------------------------

/// n × planes; without any plane, one column of zeros (a uniform head: all scores are 0).
template <class T>
std::vector<T> as_rows(const std::vector<Plane>& planes, std::size_t n, const std::vector<double>* scale) {
  std::vector<T> rows(n * std::max<std::size_t>(planes.size(), 1));
  for (std::size_t c = 0; c < planes.size(); ++c)
    for (std::size_t i = 0; i < n; ++i)
      rows[i * planes.size() + c] = static_cast<T>(planes[c][i] * (scale ? (*scale)[i] : 1.0));
  return rows;
}

template <class T>
void run_tiled(HeadWork& work, bool parallel) {
  const std::vector<T> q = as_rows<T>(work.q, work.n, &work.scale), k = as_rows<T>(work.k, work.n, nullptr),
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

QUENCH_LANES void add_products(const double* q, const double* k, double* score, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) score[w] += q[w] * k[w];
}
QUENCH_LANES void scale_and_raise(double scale, double* score, double* best, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) {
    score[w] *= scale;
    best[w] = score[w] > best[w] ? score[w] : best[w];
  }
}
QUENCH_LANES void soften(const double* best, double* score, double* total, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) {
    score[w] = lane_exp(score[w] - best[w]);
    total[w] += score[w];
  }
}
QUENCH_LANES void add_values(const double* weight, const double* v, double* out, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) out[w] += weight[w] * v[w];
}
QUENCH_LANES void divide(const double* total, double* out, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) out[w] /= total[w];
}

void answer_lanes(HeadWork& work, std::size_t i, std::vector<double>& score) {
  const KeyRange range = visible(work.mask, i + 1, work.n);
  const std::size_t lanes = work.lanes, at = i * lanes;
  for (Plane& out : work.out) std::fill_n(out.data() + at, lanes, 0.0);
  if (range.first > range.last) return;
  const std::size_t count = range.last + 1 - range.first, keys = (range.first - 1) * lanes;
  score.assign((count + 2) * lanes, 0.0);
  double *best = score.data() + count * lanes, *total = best + lanes;
  std::fill_n(best, lanes, kNone);
  for (std::size_t j = 0; j < count; ++j) {
    double* row = score.data() + j * lanes;
    for (std::size_t l = 0; l < work.q.size(); ++l)
      add_products(work.q[l].data() + at, work.k[l].data() + keys + j * lanes, row, lanes);
    scale_and_raise(work.scale[i], row, best, lanes);
  }
  for (std::size_t j = 0; j < count; ++j) {
    double* row = score.data() + j * lanes;
    soften(best, row, total, lanes);
    for (std::size_t x = 0; x < work.v.size(); ++x)
      add_values(row, work.v[x].data() + keys + j * lanes, work.out[x].data() + at, lanes);
  }
  for (Plane& out : work.out) divide(total, out.data() + at, lanes);
}

// --- The definition, row by row --------------------------------------------------------------------------------------

/// e_j of one row, from its scores; returns their sum. As run/reference.h defines it.
double weigh(Weighting weighting, std::vector<double>& row) {
  double best = kNone;
  for (const double s : row)
    if (s > best) best = s;  // never true of NaN
  double total = 0;
  const auto chosen = [&](double s) { return best == kNone || s == best; };
  const auto only = [&](std::ptrdiff_t index) {
    std::fill(row.begin(), row.end(), 0.0);
    return row[static_cast<std::size_t>(index)] = 1;
  };
  switch (weighting) {
    case Weighting::soft:
      for (double& s : row) total += (s = std::exp(s - best));
      return total;
    case Weighting::ahardmax:
      for (double& s : row) total += (s = chosen(s) ? 1 : 0);
      return total;
    case Weighting::lhardmax:
      return only(std::find_if(row.begin(), row.end(), chosen) - row.begin());
    case Weighting::rhardmax:
      return only(std::find_if(row.rbegin(), row.rend(), chosen).base() - 1 - row.begin());
  }
  return total;
}

void answer_row(HeadWork& work, std::size_t i, std::size_t w) {
  const KeyRange range = visible(work.mask, i + 1, work.n);
  const std::size_t p = i * work.lanes + w;
  for (Plane& out : work.out) out[p] = 0;
  if (range.first > range.last) return;
  std::vector<double> row(range.last + 1 - range.first, 0.0);
  const auto key = [&](std::size_t j) { return (range.first - 1 + j) * work.lanes + w; };
  for (std::size_t j = 0; j < row.size(); ++j) {
    for (std::size_t l = 0; l < work.q.size(); ++l) row[j] += work.q[l][p] * work.k[l][key(j)];
    row[j] *= work.scale[i];
  }
  const double total = weigh(work.weighting, row);
  for (std::size_t x = 0; x < work.v.size(); ++x) {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (work.weighting == Weighting::soft || row[j] != 0) sum += row[j] * work.v[x][key(j)];
    work.out[x][p] = sum / total;
  }
}

bool finite(const HeadWork& work) {
  return std::all_of(work.q.begin(), work.q.end(), all_finite) &&
         std::all_of(work.k.begin(), work.k.end(), all_finite) && values_are_finite(work);
}

}  // namespace

void run_densely(HeadWork& work, bool single, bool parallel) {
  const bool plain = work.weighting == Weighting::soft && finite(work);
  if (plain && work.lanes == 1) {
    if (single)
      run_tiled<float>(work, parallel);
    else
      run_tiled<double>(work, parallel);
    return;
  }
  const auto row = [&](std::size_t i) {
    std::vector<double> score;
    if (plain)
      answer_lanes(work, i, score);
    else
      for (std::size_t w = 0; w < work.lanes; ++w) answer_row(work, i, w);
  };
  if (parallel)
    tbb::parallel_for(std::size_t{0}, work.n, row);
  else
    for (std::size_t i = 0; i < work.n; ++i) row(i);
}

}  // namespace quench::run
