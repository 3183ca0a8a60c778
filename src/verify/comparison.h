// Network and oracle side by side on given words: one at a time, or many of one length at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/word.h"
#include "lang/formula.h"
#include "model/transformer.h"
#include "run/executor.h"
#include "verify/sliced_oracle.h"
#include "verify/verify.h"

namespace quench::verify {

/// Words are over the joint alphabet of model and rule, and a last symbol that stands for all that neither mentions;
/// over the alphabet that the rule declares, if it does.
class Comparison {
 public:
  Comparison(const model::Transformer& model, const lang::Formula& formula, const run::Options& options,
             run::Engine engine);

  std::size_t symbols() const { return model_symbol_.size(); }
  std::size_t mentioned() const { return joint_.size(); }

  /// Buffers of one thread.
  struct Scratch {
    explicit Scratch(const Comparison& comparison) : oracle(comparison.formula_) {}
    run::Executor::Workspace workspace;
    std::vector<double> outputs;
    Word for_model, for_formula;
    run::Batch batch;
    SlicedOracle oracle;
  };
  struct Outcome {
    std::uint64_t differences = 0;
    std::size_t position = 0;  ///< 1-based, first difference
    bool expected = false;
  };

  /// Against the simple oracle.
  Outcome compare(const Word& word, Scratch& scratch) const;

  /// Words of equal length, against the sliced oracle; `failed` gets the indices of words that differ.
  std::uint64_t compare_many(const std::vector<Word>& words, Scratch& scratch, std::vector<std::size_t>& failed) const;

  bool differs(const Word& word, Scratch& scratch) const { return compare(word, scratch).differences > 0; }
  Counterexample counterexample(const Word& word) const;

  std::string text(Word word) const;

 private:
  const lang::Formula& formula_;
  run::Executor executor_;
  Alphabet joint_;
  std::vector<Symbol> model_symbol_, formula_symbol_;  // by joint symbol
};

}  // namespace quench::verify
