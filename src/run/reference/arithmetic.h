// The arithmetic of the reference executor, operation by operation, on one position or one row at a time: what
// run/reference/reference.h defines. Shared by the executor of whole words and by the evaluation of single rows
// (run/reference/chosen_rows.h), so that the two cannot differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/number/rounding.h"
#include "run/reference/plan.h"

namespace quench::run {

/// Rounding to a format the compiler knows: double pays nothing for it.
template <const FloatFormat& format>
struct FixedRounding {
  double operator()(double x) const { return round_as<format>(x); }
};

/// Rounding to a format of at most 24 bits that is known only when the program runs.
struct NarrowRounding {
  const FloatFormat* format;
  double operator()(double x) const { return round_narrow(*format, x); }
};

template <class Storage, class Compute>
struct ReferenceArithmetic {
  [[no_unique_address]] Storage s{};
  [[no_unique_address]] Compute c{};

  double sum(const SparseMatrix::Entry* entry, const SparseMatrix::Entry* last, const double* h) const {
    double total = 0;
    for (; entry != last; ++entry) total = c(total + c(entry->value * h[entry->column]));
    return total;
  }
  double dot(const FlatRows& matrix, const FlatRows::Row& row, const double* h) const {
    return sum(matrix.entries.data() + row.first, matrix.entries.data() + row.last, h);
  }

  /// scores (count): the scaled scores of keys; component l of key j at keys[l·stride + j], q by component.
  void score(const HeadPlan& head, const double* q, const double* keys, std::size_t stride, std::size_t count,
             double exact_inverse_tau, double* scores) const {
    std::fill(scores, scores + count, 0.0);
    for (std::size_t component = 0; component < head.components; ++component, keys += stride)
      for (std::size_t j = 0; j < count; ++j) scores[j] = c(scores[j] + c(q[component] * keys[j]));
    const double scale = head.score_scale, inverse_tau = c(exact_inverse_tau);
    for (std::size_t j = 0; j < count; ++j) scores[j] = c(c(scores[j] * scale) * inverse_tau);
  }

  /// Scores become e_j, or 0 and 1 of hard attention; the result is their sum.
  double weigh(Weighting weighting, double* scores, std::size_t count) const {
    switch (weighting) {
      case Weighting::soft:
        return soften(scores, count);
      case Weighting::lhardmax:
      case Weighting::rhardmax:
      case Weighting::ahardmax:
        return harden(weighting, scores, count);
    }
    return 0;
  }

  /// out (d_v, zero before): the weighted mean of the values (count × d_v).
  void retrieve(const HeadPlan& head, const double* weights, double total, const double* value, std::size_t count,
                double* out) const {
    for (std::size_t j = 0; j < count; ++j, value += head.d_v) {
      const double e = weights[j];
      if (head.weighting != Weighting::soft && e == 0) continue;
      for (std::size_t component = 0; component < head.d_v; ++component)
        out[component] = c(out[component] + c(e * value[component]));
    }
    for (std::size_t component = 0; component < head.d_v; ++component) out[component] = s(c(out[component] / total));
  }

  /// h (d) += Σ_heads W_O · (the head's part of mixed); `ablated` by head.
  void mix(const LayerPlan& layer, const std::uint8_t* ablated, const double* mixed, double* h) const {
    for (const MixTarget& target : layer.targets) {
      double total = 0;
      const SparseMatrix::Entry* entries = layer.target_entries.data();
      for (const MixTarget::Part& part : target.parts)
        if (!ablated[part.head]) total = c(total + sum(entries + part.first, entries + part.last, mixed));
      h[target.coordinate] = s(c(h[target.coordinate] + total));
    }
  }

  /// h (d) += W_2·ReLU(W_1·h + b_1) + b_2; hidden (m) is scratch.
  void feed_forward(const LayerPlan& layer, double* hidden, double* h) const {
    for (std::size_t unit = 0; unit < layer.hidden_width; ++unit) {
      const double x = c(dot(layer.w1, layer.w1.rows[unit], h) + layer.b1[unit]);
      hidden[unit] = s(x <= 0 ? 0 : x);  // keeps NaN
    }
    for (std::size_t row = 0; row < layer.w2.rows.size(); ++row) {
      const double x = c(dot(layer.w2, layer.w2.rows[row], hidden) + layer.b2[row]);
      double& target = h[layer.w2.rows[row].index];
      target = s(c(target + x));
    }
  }

 private:
  static double maximum(const double* scores, std::size_t count) {
    double greatest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j)
      if (scores[j] > greatest) greatest = scores[j];  // never true of NaN
    return greatest;
  }

  /// NaN scores, and rows whose maximum is infinite, give NaN.
  double soften(double* scores, std::size_t count) const {
    const double greatest = maximum(scores, count);
    double total = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const double x = c(scores[j] - greatest);
      const double e = x < -746 ? 0 : c(std::exp(x));  // below −746 exp is 0 in double; saves the call
      scores[j] = e;
      total = c(total + e);
    }
    return total;
  }

  /// The result is the number of ones, as the format counts.
  double harden(Weighting weighting, double* scores, std::size_t count) const {
    const double greatest = maximum(scores, count);
    const bool all_tie = greatest == -std::numeric_limits<double>::infinity();
    const auto chosen = [&](double score) { return all_tie || score == greatest; };
    const auto take = [&](std::size_t j, std::size_t step) {
      while (!chosen(scores[j])) j += step;
      std::fill(scores, scores + count, 0.0);
      scores[j] = 1;
    };
    switch (weighting) {
      case Weighting::soft:
        break;
      case Weighting::ahardmax: {
        double total = 0;
        for (std::size_t j = 0; j < count; ++j) total = c(total + (scores[j] = chosen(scores[j]) ? 1 : 0));
        return total;
      }
      case Weighting::lhardmax:
        take(0, 1);
        return 1;
      case Weighting::rhardmax:
        take(count - 1, -std::size_t{1});
        return 1;
    }
    throw InternalError("soft attention has no hard weights");
  }
};

/// Calls body(arithmetic) with the arithmetic of the format.
template <class Body>
void with_arithmetic(NumberFormat format, const Body& body) {
  const auto fixed = [&]<const FloatFormat & storage, const FloatFormat & compute>() {
    body(ReferenceArithmetic<FixedRounding<storage>, FixedRounding<compute>>{});
  };
  switch (format) {
    case NumberFormat::f64:
      return fixed.template operator()<kDouble, kDouble>();
    case NumberFormat::f32:
      return fixed.template operator()<kSingle, kSingle>();
    case NumberFormat::bf16:
      return fixed.template operator()<kBfloat16, kSingle>();
    case NumberFormat::f16:
      return fixed.template operator()<kHalf, kSingle>();
    case NumberFormat::bf16_pure:
      return fixed.template operator()<kBfloat16, kBfloat16>();
    case NumberFormat::f16_pure:
      return fixed.template operator()<kHalf, kHalf>();
    case NumberFormat::f8e4m3:
      return fixed.template operator()<kFloat8E4M3, kFloat8E4M3>();
    case NumberFormat::f8e5m2:
      return fixed.template operator()<kFloat8E5M2, kFloat8E5M2>();
      QUENCH_EMULATED_FORMATS(QUENCH_FORMAT_CASE)
      return body(
          ReferenceArithmetic<NarrowRounding, NarrowRounding>{{&storage_format(format)}, {&compute_format(format)}});
  }
}

}  // namespace quench::run
