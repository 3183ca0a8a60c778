// The row-by-row path: the definition of attention/attention.h in loops, and the oracle of the tiled one.
#include <algorithm>

#include "attention/attention.h"
#include "attention/row_pass.h"
#include "attention/score/product.h"
#include "base/error.h"

namespace quench::attention {

namespace {

bool carries_coverage(const Attention& attention) {
  return attention.coverage || std::ranges::any_of(attention.regularisers, needs_coverage);
}

// What rows hand to the rows after them, over all keys; empty vectors where nothing is handed on.
struct Memory {
  std::vector<double> carry, previous;

  Memory(const Attention& attention, std::size_t keys) {
    if (carries_coverage(attention)) carry.assign(keys, 0.0);
    if (is_recurrent(attention.weighting)) {
      previous.resize(keys);
      MonotonicAttention::before_first(previous);
    }
  }
  bool recurrent() const { return !carry.empty() || !previous.empty(); }
  void after(const RowPass& row) {
    if (!carry.empty())
      for (std::size_t t = 0; t < row.keys().size(); ++t) carry[row.keys()[t]] += row.weights()[t];
    if (previous.empty()) return;
    std::ranges::fill(previous, 0.0);
    for (std::size_t t = 0; t < row.keys().size(); ++t) previous[row.keys()[t]] = row.weights()[t];
  }
};

template <class Visit>
void for_each_row(const Attention& attention, Rows<const double> q, Rows<const double> k, Visit&& visit) {
  RowPass pass(attention, q, k);
  Memory memory(attention, k.rows);
  for (std::size_t i = 0; i < q.rows; ++i) {
    pass.run(i, memory.carry, memory.previous);
    visit(i, pass);
    memory.after(pass);
  }
}

void check_values(Rows<const double> k, Rows<const double> v) {
  if (k.rows != v.rows) throw UserError("attention needs as many values as keys");
}

// Every Memory before its row, for the recurrent cases: n × m, and nothing otherwise.
std::vector<Memory> remember(const Attention& attention, Rows<const double> q, Rows<const double> k) {
  std::vector<Memory> memories;
  Memory memory(attention, k.rows);
  if (!memory.recurrent()) return memories;
  RowPass pass(attention, q, k);
  for (std::size_t i = 0; i < q.rows; ++i) {
    memories.push_back(memory);
    pass.run(i, memory.carry, memory.previous);
    memory.after(pass);
  }
  return memories;
}

Gradients zero_gradients(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v) {
  Gradients g{Matrix(q.rows, q.cols),
              Matrix(k.rows, k.cols),
              Matrix(v.rows, v.cols),
              zero_like(attention.score),
              {},
              std::vector<double>(q.rows, 0.0),
              {},
              0};
  for (const PositionTerm& term : attention.position_terms) g.position_terms.push_back(zero_like(term));
  if (attention.window) g.window = attention.window->zero_like();
  return g;
}

// ∂L/∂α_i from the output and the regularisers, and the values' gradient.
struct RowUpstream {
  std::vector<double> d_weights, d_coverage;
};

RowUpstream row_upstream(const Attention& attention, const RowPass& pass, Rows<const double> v,
                         std::span<const double> d_output, std::size_t rows, Matrix& d_v) {
  RowUpstream up{std::vector<double>(pass.keys().size()), std::vector<double>(pass.keys().size(), 0.0)};
  for (std::size_t t = 0; t < pass.keys().size(); ++t) {
    const std::size_t j = pass.keys()[t];
    const double factor = pass.dropout_factor(t);
    up.d_weights[t] = factor == 0 ? 0 : factor * dot(v[j], d_output);
    add_scaled(factor * pass.weights()[t], d_output, Rows<double>(d_v)[j]);
  }
  for (const Regulariser& term : attention.regularisers)
    regularisation_backward(term, pass.weights(), pass.coverage(), rows, up.d_weights, up.d_coverage);
  return up;
}

void check_upstream(const Attention& attention, const Upstream& upstream, std::size_t rows, std::size_t width) {
  if (upstream.d_output.rows != rows || upstream.d_output.cols != width)
    throw UserError("the upstream gradient must have the shape of the output");
  if (std::holds_alternative<SampledHard>(attention.weighting) && upstream.advantages.size() != rows)
    throw UserError("sampled hard attention needs an advantage (loss minus baseline) per row to go backward");
}

}  // namespace

Matrix attend_by_rows(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                      const RowObserver& observer) {
  check_values(k, v);
  Matrix output(q.rows, v.cols);
  for_each_row(attention, q, k, [&](std::size_t i, const RowPass& row) {
    if (observer) observer(i, row.keys(), row.weights());
    for (std::size_t t = 0; t < row.keys().size(); ++t)
      add_scaled(row.dropout_factor(t) * row.weights()[t], v[row.keys()[t]], Rows<double>(output)[i]);
  });
  return output;
}

double regularisation(const Attention& attention, Rows<const double> q, Rows<const double> k) {
  double total = 0;
  for_each_row(attention, q, k, [&](std::size_t, const RowPass& row) {
    for (const Regulariser& term : attention.regularisers)
      total += regularisation(term, row.weights(), row.coverage(), q.rows);
  });
  return total;
}

Matrix weights(const Attention& attention, Rows<const double> q, Rows<const double> k) {
  Matrix result(q.rows, k.rows);
  for_each_row(attention, q, k, [&](std::size_t i, const RowPass& row) {
    for (std::size_t t = 0; t < row.keys().size(); ++t) result(i, row.keys()[t]) = row.weights()[t];
  });
  return result;
}

Gradients attend_by_rows_backward(const Attention& attention, Rows<const double> q, Rows<const double> k,
                                  Rows<const double> v, const Upstream& upstream) {
  check_values(k, v);
  check_upstream(attention, upstream, q.rows, v.cols);
  Gradients gradients = zero_gradients(attention, q, k, v);
  RowPass pass(attention, q, k);
  const std::vector<Memory> memories = remember(attention, q, k);
  const Memory nothing = Memory(Attention{}, 0);
  // d_carry: the sum over later rows of ∂L/∂c, which is what each α_i adds to; d_previous: ∂L/∂α_i by the next row.
  std::vector<double> d_carry(carries_coverage(attention) ? k.rows : 0, 0.0), d_next;
  for (std::size_t i = q.rows; i-- > 0;) {
    const Memory& memory = memories.empty() ? nothing : memories[i];
    pass.run(i, memory.carry, memory.previous);
    RowUpstream up = row_upstream(attention, pass, v, upstream.d_output[i], q.rows, gradients.v);
    for (std::size_t t = 0; t < pass.keys().size(); ++t) {
      if (!d_carry.empty()) up.d_weights[t] += d_carry[pass.keys()[t]];
      if (!d_next.empty()) up.d_weights[t] += d_next[pass.keys()[t]];
    }
    d_next.assign(memory.previous.size(), 0.0);
    pass.backward(i, up.d_weights, up.d_coverage, upstream.advantages.empty() ? 0 : upstream.advantages[i],
                  memory.previous, {gradients, d_carry, d_next});
  }
  pass.finish(gradients);
  return gradients;
}

}  // namespace quench::attention
