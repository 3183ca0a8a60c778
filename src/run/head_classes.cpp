// Heads in linear time by classes of keys.
//
// s_ij = scale_i Σ_l q_l(i) k_l(j). Split the components: `common` ones, where scale_i q_l(i) is the same number for
// all queries, and the others. If the keys' vectors of other components take C ≤ 8 distinct values x_1 … x_C, then
//
//   s_ij = κ_j + o_c(i)    for j in class c,     κ_j = Σ_common scale·q_l·k_l(j),   o_c(i) = scale_i Σ_other q_l(i)
//   x_c,l
//
// and Σ_j e^{s_ij} v_j = Σ_c e^{o_c(i)} Σ_{j ∈ c} e^{κ_j} v_j: the inner sums do not depend on the query, so one scan
// over the keys keeps them, each as (m, Z, N) = (max κ, Σ e^{κ−m}, Σ e^{κ−m} v) so that nothing overflows. Uniform
// heads have κ = 0 and one class, sinks one class more, parities two; a tie-break τ = 1/n is one class with κ = 2γn(S ±
// j/2n).
//
// Rounding: κ and o carry a few units in the last place of the largest |s|, as any evaluation of q·k does; each step of
// the scan adds at most 8u relative (exp 3.5u), damped by the same factors as the sums themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lanes.h"
#include "run/head_work.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

bool is_constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
}

struct Classes {
  std::vector<std::size_t> other;            // components that vary with the query
  std::vector<std::vector<double>> vectors;  // by class, aligned with `other`
  std::vector<std::uint8_t> of;              // class of each key; empty if there is one
  Plane kappa;                               // empty if it is 0 everywhere
};

/// False if there are too many distinct key vectors.
bool classify(const HeadWork& work, Classes& classes) {
  if (classes.other.empty()) {
    classes.vectors.resize(1);
    return true;
  }
  classes.of.resize(work.size());
  std::size_t last = 0;
  std::vector<double> key(classes.other.size());
  for (std::size_t p = 0; p < work.size(); ++p) {
    for (std::size_t l = 0; l < key.size(); ++l) key[l] = work.k[classes.other[l]][p];
    if (classes.vectors.empty() || key != classes.vectors[last]) {
      const auto found = std::find(classes.vectors.begin(), classes.vectors.end(), key);
      last = static_cast<std::size_t>(found - classes.vectors.begin());
      if (found == classes.vectors.end()) {
        if (last == kMostClasses || !std::all_of(key.begin(), key.end(), [](double x) { return std::isfinite(x); }))
          return false;
        classes.vectors.push_back(key);
      }
    }
    classes.of[p] = static_cast<std::uint8_t>(last);
  }
  return true;
}

QUENCH_LANES void add_multiple(double factor, const double* plane, double* total, std::size_t count) {
  for (std::size_t p = 0; p < count; ++p) total[p] += factor * plane[p];
}

/// The components by kind, and κ.
Classes split(const HeadWork& work) {
  Classes classes;
  const bool steady = is_constant(work.scale);
  for (std::size_t l = 0; l < work.q.size(); ++l) {
    if (!steady || !is_constant(work.q[l])) {
      classes.other.push_back(l);
      continue;
    }
    if (classes.kappa.empty()) classes.kappa.assign(work.size(), 0.0);
    add_multiple(work.q[l][0], work.k[l].data(), classes.kappa.data(), work.size());
  }
  if (!classes.kappa.empty())
    for (double& x : classes.kappa) x *= work.scale[0];
  return classes;
}

/// Running sums (m, Z, N) by class and lane.
struct Sums {
  std::size_t lanes;
  std::vector<double> max, total;           // class × lanes
  std::vector<std::vector<double>> values;  // by value: class × lanes

  Sums(std::size_t classes, std::size_t values_count, std::size_t l)
      : lanes(l), max(classes * l, kNone), total(classes * l), values(values_count, std::vector<double>(classes * l)) {}
};

QUENCH_LANES void absorb_lanes(const double* kappa, double* max, double* total, double* keep, double* add,
                               std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) {
    const double x = kappa[w] - max[w];
    const double e = lane_exp(x > 0 ? -x : x);
    keep[w] = x > 0 ? e : 1.0;
    add[w] = x > 0 ? 1.0 : e;
    max[w] = x > 0 ? kappa[w] : max[w];
    total[w] = total[w] * keep[w] + add[w];
  }
}
QUENCH_LANES void absorb_values(const double* v, const double* keep, const double* add, double* sum,
                                std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) sum[w] = sum[w] * keep[w] + add[w] * v[w];
}
QUENCH_LANES void divide(const double* sum, const double* total, double* out, std::size_t lanes) {
  for (std::size_t w = 0; w < lanes; ++w) out[w] = total[w] == 0 ? 0.0 : sum[w] / total[w];
}

constexpr std::size_t kScanBlock = 512;  // one word, one class: only the recurrences themselves are serial

/// Steps of the scan over one block, the same for all values: N ← keep·N + add·v, and Z after each key.
struct Steps {
  double keep[kScanBlock], add[kScanBlock], total[kScanBlock];
};

void make_steps(const double* kappa, std::size_t count, bool backwards, double cutoff, double& max, double& z,
                Steps& steps) {
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t p = backwards ? count - 1 - step : step;
    const double x = kappa[p] - max;
    double keep = 1, add = 0;
    if (x > 0) {
      keep = x > 2 * cutoff ? 0.0 : lane_exp(-x);
      add = 1;
      max = kappa[p];
    } else if (x >= -cutoff) {
      add = x == 0 ? 1.0 : lane_exp(x);
    }
    z = z * keep + add;
    steps.keep[p] = keep;
    steps.add[p] = add;
    steps.total[p] = z;
  }
}

void scan_values(const double* v, const Steps& steps, std::size_t count, bool backwards, double& sum, double* out) {
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t p = backwards ? count - 1 - step : step;
    out[p] = sum = sum * steps.keep[p] + steps.add[p] * v[p];
  }
}

QUENCH_LANES void divide_by(const double* total, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] /= total[p];
}

/// κ without gaps between positions, masks that are not strict; unmasked heads keep the last result only.
void scan_one_word(HeadWork& work, const Plane& kappa) {
  static thread_local Steps steps;
  static const Plane zeros(kScanBlock, 0.0);
  const ScanOrder order(work.mask);
  double max = kNone, z = 0;
  std::vector<double> sums(work.v.size(), 0.0);
  const std::size_t blocks = (work.n + kScanBlock - 1) / kScanBlock;
  for (std::size_t step = 0; step < blocks; ++step) {
    const std::size_t first = order.at(step, blocks) * kScanBlock, count = std::min(kScanBlock, work.n - first);
    make_steps(kappa.empty() ? zeros.data() : kappa.data() + first, count, order.backwards, negligible(work), max, z,
               steps);
    for (std::size_t x = 0; x < work.v.size(); ++x) {
      double* out = work.out[x].data() + first;
      scan_values(work.v[x].data() + first, steps, count, order.backwards, sums[x], out);
      if (order.masked) divide_by(steps.total, count, out);
    }
  }
  if (!order.masked)
    for (std::size_t x = 0; x < work.v.size(); ++x) std::fill(work.out[x].begin(), work.out[x].end(), sums[x] / z);
}

class ClassScan {
 public:
  ClassScan(HeadWork& work, const Classes& classes)
      : work_(work),
        classes_(classes),
        cutoff_(negligible(work)),
        sums_(classes.vectors.size(), work.v.size(), work.lanes),
        keep_(work.lanes),
        add_(work.lanes) {}

  void run() {
    const ScanOrder order(work_.mask);
    for (std::size_t step = 0; step < work_.n; ++step) {
      const std::size_t i = order.at(step, work_.n);
      if (order.masked && order.strict) answer(i);
      absorb(i);
      if (order.masked && !order.strict) answer(i);
    }
    if (order.masked) return;
    if (!classes_.of.empty()) {
      for (std::size_t i = 0; i < work_.n; ++i) answer(i);
      return;
    }
    answer(0);
    for (Plane& out : work_.out)
      for (std::size_t p = work_.lanes; p < work_.size(); ++p) out[p] = out[p - work_.lanes];
  }

 private:
  void absorb(std::size_t i) {
    const std::size_t at = i * work_.lanes;
    if (classes_.of.empty() && classes_.kappa.empty()) {
      for (double& z : sums_.total) z += 1;
      for (std::size_t x = 0; x < work_.v.size(); ++x)
        for (std::size_t w = 0; w < work_.lanes; ++w) sums_.values[x][w] += work_.v[x][at + w];
    } else if (classes_.of.empty() && work_.lanes > 1) {
      absorb_lanes(classes_.kappa.data() + at, sums_.max.data(), sums_.total.data(), keep_.data(), add_.data(),
                   work_.lanes);
      for (std::size_t x = 0; x < work_.v.size(); ++x)
        absorb_values(work_.v[x].data() + at, keep_.data(), add_.data(), sums_.values[x].data(), work_.lanes);
    } else {
      for (std::size_t w = 0; w < work_.lanes; ++w) absorb_one(at + w, w);
    }
  }

  /// One key of one word into its class.
  void absorb_one(std::size_t p, std::size_t w) {
    const std::size_t s = (classes_.of.empty() ? 0 : classes_.of[p]) * work_.lanes + w;
    const double kappa = classes_.kappa.empty() ? 0.0 : classes_.kappa[p];
    const double x = kappa - sums_.max[s];
    if (x < -cutoff_) return;  // most keys of a tie-breaking head: γn below the best
    if (x <= 0) {
      const double e = x == 0 ? 1.0 : lane_exp(x);
      sums_.total[s] += e;
      for (std::size_t y = 0; y < work_.v.size(); ++y) sums_.values[y][s] += e * work_.v[y][p];
      return;
    }
    const double keep = x > 2 * cutoff_ ? 0.0 : lane_exp(-x);
    sums_.max[s] = kappa;
    sums_.total[s] = sums_.total[s] * keep + 1;
    for (std::size_t y = 0; y < work_.v.size(); ++y) sums_.values[y][s] = sums_.values[y][s] * keep + work_.v[y][p];
  }

  void answer(std::size_t i) {
    const std::size_t at = i * work_.lanes;
    if (classes_.of.empty()) {
      for (std::size_t x = 0; x < work_.v.size(); ++x)
        divide(sums_.values[x].data(), sums_.total.data(), work_.out[x].data() + at, work_.lanes);
    } else {
      for (std::size_t w = 0; w < work_.lanes; ++w) answer_one(i, w);
    }
  }

  /// The classes put together with the weights e^{o_c(i)} of this query.
  void answer_one(std::size_t i, std::size_t w) {
    const std::size_t p = i * work_.lanes + w, count = classes_.vectors.size();
    double score[kMostClasses];
    double best = kNone;
    for (std::size_t c = 0; c < count; ++c) {
      double offset = 0;
      for (std::size_t l = 0; l < classes_.other.size(); ++l)
        offset += work_.q[classes_.other[l]][p] * classes_.vectors[c][l];
      const std::size_t s = c * work_.lanes + w;
      score[c] = sums_.total[s] == 0 ? kNone : offset * work_.scale[i] + (classes_.kappa.empty() ? 0.0 : sums_.max[s]);
      best = std::max(best, score[c]);
    }
    double total = 0;
    for (std::size_t x = 0; x < work_.v.size(); ++x) work_.out[x][p] = 0;
    for (std::size_t c = 0; c < count; ++c) {
      if (score[c] == kNone || score[c] - best < -2 * cutoff_) continue;
      const double e = lane_exp(score[c] - best);
      total += e * sums_.total[c * work_.lanes + w];
      for (std::size_t x = 0; x < work_.v.size(); ++x) work_.out[x][p] += e * sums_.values[x][c * work_.lanes + w];
    }
    if (total == 0) return;
    for (std::size_t x = 0; x < work_.v.size(); ++x) work_.out[x][p] /= total;
  }

  HeadWork& work_;
  const Classes& classes_;
  const double cutoff_;
  Sums sums_;
  std::vector<double> keep_, add_;
};

}  // namespace

std::optional<std::string> run_by_classes(HeadWork& work, std::size_t most) {
  if (work.weighting != Weighting::soft) return "hard attention";
  if (!values_are_finite(work)) return "values that are not finite";
  Classes classes = split(work);
  if (most == 1 && !classes.other.empty()) return "scores that depend on the query";
  if (!all_finite(classes.kappa)) return "scores that are not finite";
  for (const std::size_t l : classes.other)
    if (!all_finite(work.q[l])) return "scores that are not finite";
  if (!classify(work, classes)) return "keys of a query-dependent component take more than 8 values";
  if (work.lanes == 1 && classes.of.empty() && !ScanOrder(work.mask).strict)
    scan_one_word(work, classes.kappa);
  else
    ClassScan(work, classes).run();
  return std::nullopt;
}

}  // namespace quench::run
