// --engine bits: answers on bit planes, where the certificate proves that they are the network's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/batch.h"
#include "cli/shared/source.h"
#include "lang/formula.h"
#include "run/reference/reference.h"

namespace quench::cli {

class BitsEngine {
 public:
  /// Throws UserError if the model is none that the compiler makes from a formula, or hard attention is asked for.
  BitsEngine(const LoadedModel& loaded, const run::Options& options);

  /// The length up to which the certificate covers the format; there is no answer beyond.
  std::uint64_t longest() const { return longest_; }
  Word parse(const std::string& word) const { return formula_.alphabet.parse(word); }
  /// The words at once; then the values of each of them.
  void evaluate(std::span<const Word> words);
  std::vector<std::uint8_t> values(std::size_t word) const;
  /// What was proved and what evaluate() ran, in words.
  std::string explanation() const;

 private:
  lang::Formula formula_;
  bits::BatchEvaluator evaluator_;
  std::vector<std::size_t> lengths_;  ///< of the words
  bits::Planes planes_;
  std::uint64_t longest_ = 0;
  std::string format_, recipe_;
};

}  // namespace quench::cli
