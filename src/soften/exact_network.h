// A hard-attention network in exact rational arithmetic: the definition, without rounding, so that ties are ties.
// Position encodings have their exact values (i/n is the fraction), weights are the doubles of the file.
#pragma once

#include <gmpxx.h>

#include <functional>
#include <vector>

#include "base/word.h"
#include "model/transformer.h"

namespace quench::soften {

using State = std::vector<mpq_class>;  ///< one residual vector

/// The exact value of a position encoding. Throws Refusal for logarithms, which are not rational.
mpq_class exact_position(const PositionFormula& formula, std::size_t i, std::size_t n);

class ExactNetwork {
 public:
  /// What may be looked at while a word runs through; every member may be empty.
  struct Watch {
    std::function<void(std::size_t layer, const std::vector<State>&)> in, middle;  ///< before a layer, after attention
    std::function<void(std::size_t layer, std::size_t head, const std::vector<State>& q, const std::vector<State>& k,
                       const std::vector<State>& v)>
        projections;
    /// One row: q·k of the visible keys, unscaled.
    std::function<void(std::size_t layer, std::size_t head, std::size_t i, const State& scores)> row;
  };

  /// Every head must be hard, or uniform.
  explicit ExactNetwork(const model::Transformer& model) : model_(model) {}

  /// The residual stream after the last layer.
  std::vector<State> run(const Word& word, const Watch& watch = {}) const;

 private:
  std::vector<State> embed(const Word& word) const;
  void attend(std::size_t layer, std::vector<State>& states, const Watch& watch) const;
  void feed_forward(const model::FeedForward& ffn, State& state) const;

  const model::Transformer& model_;
};

mpq_class dot(const SparseMatrix::Row& row, const State& state);
/// Rounded down, rounded up.
double lower(const mpq_class& x);
double upper(const mpq_class& x);

}  // namespace quench::soften
