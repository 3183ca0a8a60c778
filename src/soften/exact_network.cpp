#include "soften/exact_network.h"

#include <cmath>

#include "base/error.h"
#include "base/tied_keys.h"
#include "model/position.h"
#include "soften/facts.h"
#include "soften/hard_model.h"

namespace quench::soften {

mpq_class exact_position(const PositionFormula& formula, std::size_t position, std::size_t length) {
  using Kind = PositionFormula::Kind;
  const mpq_class i = static_cast<unsigned long>(position), n = static_cast<unsigned long>(length);
  const mpq_class power = static_cast<unsigned long>(power_above(length));
  switch (formula.kind) {
    case Kind::index_over_length:
      return i / n;
    case Kind::index_over_length_sq:
      return i * i / (n * n);
    case Kind::inverse_index:
      return 1 / i;
    case Kind::inverse_remaining:
      return 1 / (n - i + 1);
    case Kind::inverse_length:
      return 1 / n;
    case Kind::log_index:
    case Kind::log_remaining:
      throw Refusal("the position encoding " + to_string(formula) +
                    " is not a rational number, so ties cannot be decided by exact arithmetic; try --gap interval");
    default:  // whole numbers, quotients by powers of two, tables, 0 and 1: exact in double
      return mpq_class(model::position_value(formula, position, length));
  }
}

mpq_class dot(const SparseMatrix::Row& row, const State& state) {
  mpq_class total;
  for (const auto& [column, value] : row)
    if (state[column] != 0) total += mpq_class(value) * state[column];
  return total;
}

namespace {

/// Towards zero.
double truncated(const mpq_class& x) {
  static const mpq_class most(0x1.fffffffffffffp1023);
  if (abs(x) > most) throw Refusal("values of the hard network overflow doubles");
  return x.get_d();
}

}  // namespace

double lower(const mpq_class& x) {
  const double d = truncated(x);
  return mpq_class(d) > x ? std::nextafter(d, -kInfinity) : d;
}
double upper(const mpq_class& x) {
  const double d = truncated(x);
  return mpq_class(d) < x ? std::nextafter(d, kInfinity) : d;
}

std::vector<State> ExactNetwork::embed(const Word& word) const {
  std::vector<State> states(word.size(), State(model_.width));
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t row = word[i] < 0 ? model_.alphabet.size() : static_cast<std::size_t>(word[i]);
    for (const auto& [column, value] : model_.embedding.rows[row]) states[i][column] = value;
    for (const auto& [coordinate, formula] : model_.position_encodings)
      states[i][coordinate] += exact_position(formula, i + 1, word.size());
  }
  return states;
}

namespace {

std::vector<State> product(const SparseMatrix& matrix, const std::vector<State>& states) {
  std::vector<State> result(states.size(), State(matrix.rows.size()));
  for (std::size_t i = 0; i < states.size(); ++i)
    for (std::size_t row = 0; row < matrix.rows.size(); ++row) result[i][row] = dot(matrix.rows[row], states[i]);
  return result;
}

/// The keys that share the weight, as indices into the scores.
std::vector<std::size_t> chosen(Weighting weighting, const State& scores) {
  std::vector<std::size_t> best;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (!best.empty() && scores[j] > scores[best[0]]) best.clear();
    if (best.empty() || scores[j] == scores[best[0]]) best.push_back(j);
  }
  return sharing_keys(weighting, std::move(best));
}

}  // namespace

void ExactNetwork::attend(std::size_t layer, std::vector<State>& states, const Watch& watch) const {
  const std::size_t n = states.size();
  std::vector<State> sums = states;
  for (std::size_t h = 0; h < model_.layers[layer].heads.size(); ++h) {
    const model::Head& head = model_.layers[layer].heads[h];
    QUENCH_ASSERT(head.weighting != Weighting::soft || is_uniform(head));
    const auto q = product(head.q, states), k = product(head.k, states), v = product(head.v, states);
    if (watch.projections) watch.projections(layer, h, q, k, v);
    for (std::size_t i = 1; i <= n; ++i) {
      const KeyRange keys = visible(head.mask, i, n);
      if (keys.first > keys.last) continue;
      State scores(keys.last + 1 - keys.first);
      for (std::size_t j = keys.first; j <= keys.last; ++j)
        for (std::size_t l = 0; l < q[i - 1].size(); ++l) scores[j - keys.first] += q[i - 1][l] * k[j - 1][l];
      if (watch.row) watch.row(layer, h, i, scores);
      const std::vector<std::size_t> best = chosen(head.weighting, scores);
      State mean(head.v.rows.size());
      for (std::size_t component = 0; component < mean.size(); ++component) {
        for (const std::size_t j : best) mean[component] += v[keys.first - 1 + j][component];
        mean[component] /= static_cast<unsigned long>(best.size());
      }
      for (std::size_t c = 0; c < head.o.rows.size(); ++c)
        if (!head.o.rows[c].empty()) sums[i - 1][c] += dot(head.o.rows[c], mean);
    }
  }
  states = std::move(sums);
}

void ExactNetwork::feed_forward(const model::FeedForward& ffn, State& state) const {
  State hidden(ffn.b1.size());
  for (std::size_t unit = 0; unit < hidden.size(); ++unit) {
    hidden[unit] = dot(ffn.w1.rows[unit], state) + mpq_class(ffn.b1[unit]);
    if (hidden[unit] < 0) hidden[unit] = 0;
  }
  for (std::size_t c = 0; c < state.size(); ++c) state[c] += dot(ffn.w2.rows[c], hidden) + mpq_class(ffn.b2[c]);
}

std::vector<State> ExactNetwork::run(const Word& word, const Watch& watch) const {
  std::vector<State> states = embed(word);
  for (std::size_t l = 0; l < model_.layers.size(); ++l) {
    if (watch.in) watch.in(l, states);
    attend(l, states, watch);
    if (watch.middle) watch.middle(l, states);
    for (State& state : states) feed_forward(model_.layers[l].ffn, state);
  }
  return states;
}

}  // namespace quench::soften
