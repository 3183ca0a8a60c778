// A deliberately naive dense transformer in one native floating-point type: what the reference executor is compared
// with. Every matrix is dense, every sum runs over all entries, nothing is cached; `Real` does its own rounding,
// and `Store` is what becomes of a value that is put away (nothing, unless storage is narrower than arithmetic).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/position.h"
#include "model/transformer.h"

namespace quench::test {

struct AsItIs {
  template <class Real>
  static Real round(Real x) {
    return x;
  }
};

/// Nearest value with `precision` bits and least exponent `least`, by library functions; no overflow.
template <int precision, int least>
struct Narrow {
  static float round(double x) {
    if (x == 0) return static_cast<float>(x);
    const int exponent = std::max(std::ilogb(x), least) - precision + 1;
    return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent));
  }
};

template <class Real>
using Dense = std::vector<std::vector<Real>>;

template <class Real, class Store>
Dense<Real> dense(const SparseMatrix& matrix) {
  Dense<Real> result(matrix.rows.size(), std::vector<Real>(matrix.cols, Real(0)));
  for (std::size_t r = 0; r < matrix.rows.size(); ++r)
    for (const auto& entry : matrix.rows[r]) result[r][entry.column] = static_cast<Real>(Store::round(entry.value));
  return result;
}

template <class Store, class Real>
std::vector<Real> stored(std::vector<Real> values) {
  for (Real& value : values) value = Store::round(value);
  return values;
}

template <class Real>
std::vector<Real> times(const Dense<Real>& matrix, const std::vector<Real>& x) {
  std::vector<Real> result;
  for (const auto& row : matrix) {
    Real sum = 0;
    for (std::size_t c = 0; c < row.size(); ++c) sum = sum + row[c] * x[c];
    result.push_back(sum);
  }
  return result;
}

inline bool sees(Mask mask, std::size_t i, std::size_t j) {
  switch (mask) {
    case Mask::none:
      return true;
    case Mask::future:
      return j <= i;
    case Mask::past:
      return j >= i;
    case Mask::strict_future:
      return j < i;
    case Mask::strict_past:
      return j > i;
  }
  return false;
}

template <class Real>
Real inverse_tau(Temperature temperature, std::size_t i, std::size_t n) {
  const Real real_i = static_cast<Real>(i), real_n = static_cast<Real>(n);
  switch (temperature) {
    case Temperature::one:
      return 1;
    case Temperature::inverse_n:
      return real_n;
    case Temperature::inverse_i:
      return real_i;
    case Temperature::inverse_i_sq:
      return real_i * real_i;
    case Temperature::inverse_power:
      return static_cast<Real>(power_above(n));
    case Temperature::inverse_log:
      return static_cast<Real>(std::log(static_cast<double>(n) + 1));
    case Temperature::inverse_n_log:
      return static_cast<Real>(static_cast<double>(n) * std::log(static_cast<double>(n) + 1));
    case Temperature::inverse_n_sq_log:
      return static_cast<Real>(static_cast<double>(n * n) * std::log(static_cast<double>(n) + 1));
    case Temperature::inverse_n_cubed_log:
      return static_cast<Real>(static_cast<double>(n * n * n) * std::log(static_cast<double>(n) + 1));
  }
  return 0;
}

/// e_j of Definitions 2 and 3 from the scores of the visible keys.
template <class Real>
std::vector<Real> weigh(Weighting weighting, const std::vector<Real>& scores) {
  Real greatest = scores[0];
  for (const Real score : scores) greatest = std::max(greatest, score);
  std::vector<Real> e;
  bool taken = false;
  for (const Real score : scores) {
    if (weighting == Weighting::soft) {
      const Real difference = score - greatest;
      e.push_back(static_cast<Real>(std::exp(static_cast<double>(difference))));
    } else {
      const bool choose = score == greatest && !(weighting == Weighting::lhardmax && taken);
      if (choose && weighting == Weighting::rhardmax) std::fill(e.begin(), e.end(), Real(0));
      taken = taken || choose;
      e.push_back(choose ? Real(1) : Real(0));
    }
  }
  return e;
}

/// n × n weights α (0 where invisible) of one head; `out` receives W_O · Σ α v, n × d.
template <class Real, class Store>
Dense<Real> naive_head(const model::Head& head, bool hard, const Dense<Real>& h, Dense<Real>& out) {
  const std::size_t n = h.size();
  const auto q = dense<Real, Store>(head.q), k = dense<Real, Store>(head.k), v = dense<Real, Store>(head.v),
             o = dense<Real, Store>(head.o);
  const Weighting weighting = hard && head.intended != Weighting::soft ? head.intended : head.weighting;
  const Real scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(q.size())));
  Dense<Real> alpha(n, std::vector<Real>(n, Real(0)));
  out.clear();
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<std::size_t> keys;
    std::vector<Real> scores;
    const std::vector<Real> query = stored<Store>(times(q, h[i - 1]));
    for (std::size_t j = 1; j <= n; ++j) {
      if (!sees(head.mask, i, j)) continue;
      const std::vector<Real> key = stored<Store>(times(k, h[j - 1]));
      Real sum = 0;
      for (std::size_t c = 0; c < key.size(); ++c) sum = sum + query[c] * key[c];
      const Real scaled = sum * scale;
      keys.push_back(j);
      scores.push_back(scaled * inverse_tau<Real>(head.temperature, i, n));
    }
    std::vector<Real> mean(v.size(), Real(0));
    if (!keys.empty()) {
      const std::vector<Real> e = weigh(weighting, scores);
      Real total = 0;
      for (std::size_t at = 0; at < keys.size(); ++at) {
        const std::vector<Real> value = stored<Store>(times(v, h[keys[at] - 1]));
        for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = mean[c] + e[at] * value[c];
        total = total + e[at];
      }
      for (Real& component : mean) component = Store::round(component / total);
      for (std::size_t at = 0; at < keys.size(); ++at) alpha[i - 1][keys[at] - 1] = e[at] / total;
    }
    out.push_back(times(o, mean));
  }
  return alpha;
}

template <class Real, class Store>
void naive_feed_forward(const model::FeedForward& ffn, std::vector<Real>& h) {
  std::vector<Real> hidden = times(dense<Real, Store>(ffn.w1), h);
  for (std::size_t unit = 0; unit < hidden.size(); ++unit) {
    hidden[unit] = hidden[unit] + static_cast<Real>(Store::round(ffn.b1[unit]));
    hidden[unit] = hidden[unit] < 0 ? 0 : Store::round(hidden[unit]);
  }
  const std::vector<Real> change = times(dense<Real, Store>(ffn.w2), hidden);
  for (std::size_t c = 0; c < h.size(); ++c) {
    const Real biased = change[c] + static_cast<Real>(Store::round(ffn.b2[c]));
    h[c] = Store::round(h[c] + biased);
  }
}

/// The residual stream after the last layer; all attention weights by layer and head if asked for.
template <class Real, class Store = AsItIs>
Dense<Real> naive_run(const model::Transformer& model, const Word& word, bool hard,
                      std::vector<std::vector<Dense<Real>>>* alphas = nullptr) {
  const std::size_t n = word.size();
  const auto embedding = dense<Real, Store>(model.embedding);
  Dense<Real> h;
  for (std::size_t i = 1; i <= n; ++i) {
    h.push_back(word[i - 1] == kUnmentioned ? embedding.back() : embedding[static_cast<std::size_t>(word[i - 1])]);
    for (const auto& encoding : model.position_encodings) {
      Real& target = h.back()[encoding.coordinate];
      target = Store::round(target + static_cast<Real>(Store::round(model::position_value(encoding.formula, i, n))));
    }
  }
  for (const model::Layer& layer : model.layers) {
    Dense<Real> total(n, std::vector<Real>(model.width, Real(0)));
    if (alphas) alphas->emplace_back();
    for (const model::Head& head : layer.heads) {
      Dense<Real> out;
      auto alpha = naive_head<Real, Store>(head, hard, h, out);
      if (alphas) alphas->back().push_back(std::move(alpha));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < model.width; ++c) total[i][c] = total[i][c] + out[i][c];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < model.width; ++c) h[i][c] = Store::round(h[i][c] + total[i][c]);
      naive_feed_forward<Real, Store>(layer.ffn, h[i]);
    }
  }
  return h;
}

}  // namespace quench::test
