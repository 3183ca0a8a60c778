// Linear attention (Katharopoulos et al. 2020): the weight of key j for query i is φ(q_i)·φ(k_j), normalised over the
// visible keys. Since it factorises, one running r × d_v state replaces the n × m weights: time and memory O(n).
//
//   o_i = Σ_j (φ(q_i)·φ(k_j)) v_j / Σ_j φ(q_i)·φ(k_j),   j visible;  0 where the denominator is 0
//
// There is no temperature, hence no hard limit: it cannot select. Gradient: exact, by the same sweep with the roles of
// queries and keys exchanged.
#pragma once

#include <span>
#include <variant>

#include "attention/rows.h"
#include "base/attention_kind.h"
#include "base/number/matrix.h"

namespace quench::attention {

/// φ(x) = elu(x) + 1, entry by entry: e^x for x < 0, else x + 1.
struct EluPlusOne {};
/// φ(x) = max(0, x). Sparse; a query can end up without any weight.
struct ReluFeatures {};
/// φ(x)_a = exp(ω_a·x − |x|²/2)/√r for r random directions ω (rows, standard normal): E[φ(q)·φ(k)] = exp(q·k), so this
/// estimates softmax attention with dot scores (Choromanski et al. 2021).
struct RandomFeatures {
  Matrix omega;  ///< r × d
};
using FeatureMap = std::variant<EluPlusOne, ReluFeatures, RandomFeatures>;

struct LinearAttention {
  FeatureMap features = EluPlusOne{};
  Mask mask = Mask::none;
};

struct LinearGradients {
  Matrix q, k, v;
};

Matrix linear_attention(const LinearAttention& attention, Rows<const double> q, Rows<const double> k,
                        Rows<const double> v);
LinearGradients linear_attention_backward(const LinearAttention& attention, Rows<const double> q, Rows<const double> k,
                                          Rows<const double> v, Rows<const double> d_output);

/// φ of one row.
std::vector<double> feature(const FeatureMap& map, std::span<const double> x);

}  // namespace quench::attention
