#include "attention/variants/linear_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/score/product.h"
#include "base/error.h"
#include "base/overloaded.h"

namespace quench::attention {

std::vector<double> feature(const FeatureMap& map, std::span<const double> x) {
  std::vector<double> phi(x.size());
  std::visit(Overloaded{[&](const EluPlusOne&) {
                          std::ranges::transform(x, phi.begin(), [](double y) { return y < 0 ? std::exp(y) : y + 1; });
                        },
                        [&](const ReluFeatures&) {
                          std::ranges::transform(x, phi.begin(), [](double y) { return std::max(0.0, y); });
                        },
                        [&](const RandomFeatures& random) {
                          phi.resize(random.omega.rows);
                          const double half = dot(x, x) / 2, root = std::sqrt(static_cast<double>(phi.size()));
                          for (std::size_t a = 0; a < phi.size(); ++a)
                            phi[a] = std::exp(dot(Rows<const double>(random.omega)[a], x) - half) / root;
                        }},
             map);
  return phi;
}

namespace {

// Adds ∂L/∂x to d_x for phi = feature(map, x).
void feature_backward(const FeatureMap& map, std::span<const double> x, std::span<const double> phi,
                      std::span<const double> d_phi, std::span<double> d_x) {
  std::visit(Overloaded{[&](const EluPlusOne&) {
                          for (std::size_t c = 0; c < x.size(); ++c) d_x[c] += d_phi[c] * (x[c] < 0 ? phi[c] : 1);
                        },
                        [&](const ReluFeatures&) {
                          for (std::size_t c = 0; c < x.size(); ++c) d_x[c] += x[c] > 0 ? d_phi[c] : 0;
                        },
                        [&](const RandomFeatures& random) {
                          for (std::size_t a = 0; a < phi.size(); ++a) {
                            add_scaled(d_phi[a] * phi[a], Rows<const double>(random.omega)[a], d_x);
                            add_scaled(-d_phi[a] * phi[a], x, d_x);
                          }
                        }},
             map);
}

// Calls absorb(j) for every key and emit(i) for every query such that, when emit(i) is called, exactly the keys visible
// from i have been absorbed.
template <class Absorb, class Emit>
void sweep(Mask mask, std::size_t queries, std::size_t keys, Absorb&& absorb, Emit&& emit) {
  if (mask == Mask::none) {
    for (std::size_t j = 0; j < keys; ++j) absorb(j);
    for (std::size_t i = 0; i < queries; ++i) emit(i);
    return;
  }
  const bool backwards = mask == Mask::past || mask == Mask::strict_past;
  const bool strict = mask == Mask::strict_future || mask == Mask::strict_past;
  const std::size_t steps = std::max(queries, keys);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t at = backwards ? steps - 1 - step : step;
    if (strict && at < queries) emit(at);
    if (at < keys) absorb(at);
    if (!strict && at < queries) emit(at);
  }
}

// j visible from i under `mask` iff i visible from j under this.
Mask transposed(Mask mask) {
  switch (mask) {
    case Mask::none:
      return Mask::none;
    case Mask::future:
      return Mask::past;
    case Mask::past:
      return Mask::future;
    case Mask::strict_future:
      return Mask::strict_past;
    case Mask::strict_past:
      return Mask::strict_future;
  }
  throw InternalError("a mask without a meaning");
}

std::vector<std::vector<double>> features(const FeatureMap& map, Rows<const double> x) {
  std::vector<std::vector<double>> phi;
  for (std::size_t r = 0; r < x.rows; ++r) phi.push_back(feature(map, x[r]));
  return phi;
}

// v_j with a 1 behind it, so that numerator and denominator are one sum.
std::vector<double> with_one(std::span<const double> v) {
  std::vector<double> result(v.begin(), v.end());
  result.push_back(1);
  return result;
}

// state += φ xᵀ.
void absorb_into(Matrix& state, std::span<const double> phi, std::span<const double> x) {
  for (std::size_t a = 0; a < phi.size(); ++a) add_scaled(phi[a], x, Rows<double>(state)[a]);
}

std::vector<double> from_left(std::span<const double> phi, const Matrix& state) {
  std::vector<double> result(state.cols, 0.0);
  for (std::size_t a = 0; a < phi.size(); ++a) add_scaled(phi[a], Rows<const double>(state)[a], result);
  return result;
}

std::vector<double> from_right(const Matrix& state, std::span<const double> x) {
  std::vector<double> result(state.rows);
  for (std::size_t a = 0; a < state.rows; ++a) result[a] = dot(Rows<const double>(state)[a], x);
  return result;
}

void check(Rows<const double> q, Rows<const double> k, Rows<const double> v) {
  if (q.cols != k.cols) throw UserError("linear attention needs queries and keys of the same width");
  if (k.rows != v.rows) throw UserError("attention needs as many values as keys");
}

std::size_t feature_count(const FeatureMap& map, std::size_t width) {
  const auto* random = std::get_if<RandomFeatures>(&map);
  if (random && random->omega.cols != width) throw UserError("random features need directions as wide as the keys");
  return random ? random->omega.rows : width;
}

}  // namespace

Matrix linear_attention(const LinearAttention& attention, Rows<const double> q, Rows<const double> k,
                        Rows<const double> v) {
  check(q, k, v);
  Matrix output(q.rows, v.cols), state(feature_count(attention.features, q.cols), v.cols + 1);
  sweep(
      attention.mask, q.rows, k.rows,
      [&](std::size_t j) { absorb_into(state, feature(attention.features, k[j]), with_one(v[j])); },
      [&](std::size_t i) {
        const std::vector<double> sums = from_left(feature(attention.features, q[i]), state);
        if (sums.back() == 0) return;
        for (std::size_t c = 0; c < v.cols; ++c) output(i, c) = sums[c] / sums.back();
      });
  return output;
}

LinearGradients linear_attention_backward(const LinearAttention& attention, Rows<const double> q, Rows<const double> k,
                                          Rows<const double> v, Rows<const double> d_output) {
  check(q, k, v);
  LinearGradients g{Matrix(q.rows, q.cols), Matrix(k.rows, k.cols), Matrix(v.rows, v.cols)};
  const auto phi_q = features(attention.features, q), phi_k = features(attention.features, k);
  // Forward again, for each query the gradient to its sums (numerators and denominator) and to φ(q).
  Matrix state(feature_count(attention.features, q.cols), v.cols + 1), d_sums(q.rows, v.cols + 1);
  sweep(
      attention.mask, q.rows, k.rows, [&](std::size_t j) { absorb_into(state, phi_k[j], with_one(v[j])); },
      [&](std::size_t i) {
        const std::vector<double> sums = from_left(phi_q[i], state);
        if (sums.back() == 0) return;
        const auto d = Rows<double>(d_sums)[i];
        for (std::size_t c = 0; c < v.cols; ++c) {
          d[c] = d_output(i, c) / sums.back();
          d[v.cols] -= d[c] * sums[c] / sums.back();
        }
        feature_backward(attention.features, q[i], phi_q[i], from_right(state, d), Rows<double>(g.q)[i]);
      });
  // And with the roles exchanged: each key collects from the queries that see it.
  state = Matrix(state.rows, state.cols);
  sweep(
      transposed(attention.mask), k.rows, q.rows,
      [&](std::size_t i) { absorb_into(state, phi_q[i], Rows<const double>(d_sums)[i]); },
      [&](std::size_t j) {
        feature_backward(attention.features, k[j], phi_k[j], from_right(state, with_one(v[j])), Rows<double>(g.k)[j]);
        const std::vector<double> d_v = from_left(phi_k[j], state);
        std::copy_n(d_v.begin(), v.cols, Rows<double>(g.v)[j].begin());
      });
  return g;
}

}  // namespace quench::attention
