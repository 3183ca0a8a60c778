// One word of any length through a model in a number format: which of its positions come out wrong, and how far each
// head is from its intended result. Short words are run whole by the reference executor. Of long ones chosen positions
// are computed exactly as the reference executor would (run/reference/chosen_rows.h), the other positions holding what
// the ideal network gives them: the linear-time executor in f64, whose own answers are compared with the oracle's at
// every position.
#pragma once

#include <cstdint>
#include <vector>

#include "base/number/random.h"
#include "lang/formula.h"
#include "model/transformer.h"
#include "run/reference/chosen_rows.h"
#include "run/reference/plan.h"
#include "run/reference/reference.h"
#include "run/structured/structured_executor.h"

namespace quench::verify {

class RowTrial {
 public:
  struct Wrong {
    std::size_t position = 0;  ///< from 1
    bool expected = false;     ///< what the oracle says, and the model does not
  };
  struct Outcome {
    std::vector<Wrong> wrong;
    bool whole = false;               ///< every position was computed, by the whole network
    bool ideal = true;                ///< the ideal network was evaluated without a mistake; else nothing is known
    std::size_t rows = 0;             ///< positions that were computed
    std::vector<double> head_errors;  ///< if measured: by head, the greatest distance from the intended result
    std::vector<double> head_sizes;   ///< … and the greatest intended result
  };

  /// Model and formula must live as long as this.
  RowTrial(const model::Transformer& model, const lang::Formula& formula, NumberFormat format);

  /// Words up to this length are run whole.
  std::size_t whole_up_to = 1024;
  /// How many keys the rows that are chosen at random may look at.
  double effort = 1e6;

  /// `word` is over formula.alphabet. `seed` decides which positions are tried besides the suspicious ones.
  Outcome run(const Word& word, std::uint64_t seed, bool measure);

  /// Every position of the word by the linear-time executor in f32, which forms sums over positions exactly or in
  /// double.
  Outcome run_structured(const Word& word);

 private:
  Word for_model(Word word) const;
  Outcome run_whole(const Word& word, const std::vector<std::uint8_t>& expected, bool measure);
  std::vector<std::size_t> choose(const Word& word, const std::vector<std::uint8_t>& expected, std::uint64_t seed);
  void add_suspects(const Word& word, const std::vector<std::uint8_t>& expected, std::vector<std::size_t>& positions);
  void add_ties(const Word& word, std::vector<std::size_t>& positions);
  void measure_layer(std::size_t l, const run::ReferenceRows::Rows& rows, const run::ReferenceRows::Rows& intended,
                     Outcome& outcome) const;

  const model::Transformer& model_;
  const lang::Formula& formula_;
  NumberFormat format_;
  std::vector<Symbol> to_model_;  // by symbol of the formula
  run::ReferenceExecutor whole_, whole_hard_;
  run::ReferenceRows rows_, rows_hard_;
  run::ReferencePlan plan_;           // in the format
  run::StructuredExecutor ideal_, quick_;  // quick_: f32, only where that is the format
  run::ReferenceExecutor::Workspace workspace_;
  run::StructuredExecutor::Workspace planes_, quick_planes_;  // each keeps its own position values
};

}  // namespace quench::verify
