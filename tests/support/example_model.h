// Two models small enough to check by hand.
#pragma once

#include "model/transformer.h"

namespace quench::test {

/// "There is an a at or before this position": one head that prefers a's, then rounding. The worked example of
/// docs/model-format.md. Coordinates: 0 the constant 1, 1 [symbol = a], 2 what the head returns, 3 the answer.
inline model::Transformer once_model() {
  model::Transformer model;
  model.alphabet = Alphabet({"a", "b"});
  model.width = 4;
  model.embedding = SparseMatrix(3, 4);
  for (std::size_t row = 0; row < 3; ++row) model.embedding.add(row, 0, 1);
  model.embedding.add(0, 1, 1);
  model::Head head;
  head.name = "once a";
  head.mask = Mask::future;
  head.intended = Weighting::ahardmax;
  head.claim = {};  // written by hand: nothing is claimed about it
  head.q = head.k = head.v = SparseMatrix(1, 4);
  head.q.add(0, 0, 16);  // score 16·[symbol = a]
  head.k.add(0, 1, 1);
  head.v.add(0, 1, 1);
  head.o = SparseMatrix(4, 1);
  head.o.add(2, 0, 1);
  model::FeedForward ffn{SparseMatrix(2, 4), {-0.25, -0.75}, SparseMatrix(4, 2), {0, 0, 0, 0}};
  ffn.w1.add(0, 2, 1);  // 2 ReLU(x − ¼) − 2 ReLU(x − ¾) [P-L9]
  ffn.w1.add(1, 2, 1);
  ffn.w2.add(3, 0, 2);
  ffn.w2.add(3, 1, -2);
  model.layers.push_back({{head}, ffn});
  model.output = {model::OutputKind::boolean, 3, {}};
  model.tenants = {{0, "1", 0, 2, false, 1.0, 1.0},
                   {1, "Q_a", 0, 2, true, 0.0, 1.0},
                   {2, "~O Q_a", 1, 2, false, 0.0, 1.0},
                   {3, "O Q_a", 2, 2, true, 0.0, 1.0}};
  model.source = "O Q_a";
  model.recipe = "by hand";
  model.logic = "TL[since]";
  return model;
}

/// [Q-prev] s_ij = 2γn(−½(−1)^{i+j} + j/2n), future-masked, τ = 1/n: each position attends to the one before it (the
/// first to itself). Coordinates: 0 the constant 1, 1 i/n, 2 (−1)^i, 3 [symbol = a], 4 its predecessor's.
inline model::Transformer previous_model(double gamma) {
  model::Transformer model;
  model.alphabet = Alphabet({"a", "b"});
  model.width = 5;
  model.embedding = SparseMatrix(3, 5);
  for (std::size_t row = 0; row < 3; ++row) model.embedding.add(row, 0, 1);
  model.embedding.add(0, 3, 1);
  model.position_encodings = {{1, {PositionFormula::Kind::index_over_length, {}}},
                              {2, {PositionFormula::Kind::alternating, {}}}};
  model::Head head;
  head.name = "prev Q_a";
  head.mask = Mask::future;
  head.temperature = Temperature::inverse_n;
  head.intended = Weighting::rhardmax;
  head.claim = {HeadStructure::tie_break, Lemma::q_prev, gamma};
  head.q = head.k = SparseMatrix(4, 5);  // d_k = 4: its root 2 is folded into q
  head.v = SparseMatrix(1, 5);
  head.q.add(0, 2, -2 * gamma);
  head.k.add(0, 2, 1);
  head.q.add(1, 0, 2 * gamma);
  head.k.add(1, 1, 1);
  head.v.add(0, 3, 1);
  head.o = SparseMatrix(5, 1);
  head.o.add(4, 0, 1);
  model.layers.push_back({{head}, {SparseMatrix(0, 5), {}, SparseMatrix(5, 0), std::vector<double>(5)}});
  model.output = {model::OutputKind::boolean, 4, {}};
  model.tenants = {{0, "1", 0, 2, false, 1.0, 1.0},
                   {1, "i/n", 0, 2, false, 0.0, 1.0},
                   {2, "(-1)^i", 0, 2, false, -1.0, 1.0},
                   {3, "Q_a", 0, 2, true, 0.0, 1.0},
                   {4, "prev Q_a", 1, 2, true, 0.0, 1.0}};
  model.source = "prev Q_a";
  return model;
}

}  // namespace quench::test
