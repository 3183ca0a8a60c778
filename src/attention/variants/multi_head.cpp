#include "attention/variants/multi_head.h"

#include <tbb/parallel_for.h>

#include "attention/score/product.h"
#include "base/error.h"

namespace quench::attention {

Attention MultiHead::of_head(std::size_t h) const {
  if (attention.size() != 1) return attention[h];
  Attention shared = attention[0];
  if (shared.dropout) shared.dropout->seed += h;
  return shared;
}

namespace {

void check(const MultiHead& layer, Rows<const double> x, Rows<const double> memory) {
  const auto fail = [](const char* what) { throw UserError(std::string("multi-head attention: ") + what); };
  if (layer.heads == 0 || layer.kv_heads == 0 || layer.heads % layer.kv_heads != 0)
    fail("the number of key/value heads must divide the number of heads");
  if (layer.attention.size() != 1 && layer.attention.size() != layer.heads)
    fail("one attention for all heads, or each");
  if (layer.w_q.rows != x.cols || layer.w_k.rows != memory.cols || layer.w_v.rows != memory.cols)
    fail("W_Q, W_K and W_V must have as many rows as their inputs have columns");
  if (layer.w_q.cols % layer.heads != 0 || layer.w_k.cols % layer.kv_heads != 0 || layer.w_v.cols % layer.kv_heads != 0)
    fail("the columns of W_Q, W_K and W_V must divide evenly among the heads");
  if (layer.w_o.rows != layer.heads * (layer.w_v.cols / layer.kv_heads))
    fail("W_O must have as many rows as the concatenated heads have columns");
}

// The projections of one input, and each head's columns of them.
struct Projected {
  Matrix q, k, v;
  std::size_t d_q, d_k, d_v, group;

  Projected(const MultiHead& layer, Rows<const double> x, Rows<const double> memory)
      : q(product(x, layer.w_q)),
        k(product(memory, layer.w_k)),
        v(product(memory, layer.w_v)),
        d_q(q.cols / layer.heads),
        d_k(k.cols / layer.kv_heads),
        d_v(v.cols / layer.kv_heads),
        group(layer.heads / layer.kv_heads) {}

  Rows<const double> head_q(std::size_t h) const { return Rows<const double>(q).columns(h * d_q, d_q); }
  Rows<const double> head_k(std::size_t h) const { return Rows<const double>(k).columns(h / group * d_k, d_k); }
  Rows<const double> head_v(std::size_t h) const { return Rows<const double>(v).columns(h / group * d_v, d_v); }
};

Matrix concatenated(const MultiHead& layer, const Projected& p) {
  Matrix all(p.q.rows, layer.heads * p.d_v);
  for (std::size_t h = 0; h < layer.heads; ++h)
    add(attend(layer.of_head(h), p.head_q(h), p.head_k(h), p.head_v(h)), Rows<double>(all).columns(h * p.d_v, p.d_v));
  return all;
}

}  // namespace

Matrix multi_head(const MultiHead& layer, Rows<const double> x, Rows<const double> memory) {
  check(layer, x, memory);
  return product(concatenated(layer, Projected(layer, x, memory)), layer.w_o);
}

MultiHeadGradients multi_head_backward(const MultiHead& layer, Rows<const double> x, Rows<const double> memory,
                                       const Upstream& upstream) {
  check(layer, x, memory);
  if (upstream.d_output.rows != x.rows || upstream.d_output.cols != layer.w_o.cols)
    throw UserError("multi-head attention: the upstream gradient must have the shape of the output");
  const Projected p(layer, x, memory);
  MultiHeadGradients result;
  result.w_o = transposed_product(concatenated(layer, p), upstream.d_output);
  const Matrix d_all = product_transposed(upstream.d_output, layer.w_o);
  Matrix d_q(p.q.rows, p.q.cols), d_k(p.k.rows, p.k.cols), d_v(p.v.rows, p.v.cols);
  for (std::size_t h = 0; h < layer.heads; ++h) {
    Gradients g = attend_backward(layer.of_head(h), p.head_q(h), p.head_k(h), p.head_v(h),
                                  {Rows<const double>(d_all).columns(h * p.d_v, p.d_v), upstream.advantages});
    add(g.q, Rows<double>(d_q).columns(h * p.d_q, p.d_q));
    add(g.k, Rows<double>(d_k).columns(h / p.group * p.d_k, p.d_k));
    add(g.v, Rows<double>(d_v).columns(h / p.group * p.d_v, p.d_v));
    g.q = g.k = g.v = Matrix();
    result.heads.push_back(std::move(g));
  }
  result.w_q = transposed_product(x, d_q);
  result.w_k = transposed_product(memory, d_k);
  result.w_v = transposed_product(memory, d_v);
  result.x = product_transposed(d_q, layer.w_q);
  result.memory = product_transposed(d_k, layer.w_k);
  add(product_transposed(d_v, layer.w_v), result.memory);
  return result;
}

std::vector<Matrix> multi_head_batch(const MultiHead& layer, std::span<const Matrix> x,
                                     std::span<const Matrix> memory) {
  if (x.size() != memory.size()) throw UserError("a batch needs as many memories as inputs");
  std::vector<Matrix> outputs(x.size());
  tbb::parallel_for(std::size_t{0}, x.size(), [&](std::size_t b) { outputs[b] = multi_head(layer, x[b], memory[b]); });
  return outputs;
}

BatchGradients multi_head_batch_backward(const MultiHead& layer, std::span<const Matrix> x,
                                         std::span<const Matrix> memory, std::span<const Matrix> d_output) {
  if (x.size() != memory.size() || x.size() != d_output.size())
    throw UserError("a batch needs as many memories and upstream gradients as inputs");
  std::vector<MultiHeadGradients> each(x.size());
  tbb::parallel_for(std::size_t{0}, x.size(),
                    [&](std::size_t b) { each[b] = multi_head_backward(layer, x[b], memory[b], {d_output[b]}); });
  BatchGradients total;
  const auto like = [](const Matrix& m) { return Matrix(m.rows, m.cols); };
  total.w_q = like(layer.w_q);
  total.w_k = like(layer.w_k);
  total.w_v = like(layer.w_v);
  total.w_o = like(layer.w_o);
  for (MultiHeadGradients& one : each) {
    add(one.w_q, total.w_q);
    add(one.w_k, total.w_k);
    add(one.w_v, total.w_v);
    add(one.w_o, total.w_o);
    total.x.push_back(std::move(one.x));
    total.memory.push_back(std::move(one.memory));
    total.heads.push_back(std::move(one.heads));
  }
  return total;
}

}  // namespace quench::attention
