// Answers on bit planes: where a certificate proves that the network's rounded outputs are the formula's, the formula
// answers for the network. The choice `bits` of certified/runner.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bits/batch.h"
#include "lang/rule.h"
#include "model/transformer.h"
#include "run/reference/reference.h"

namespace quench::certified {

class BitsEngine {
 public:
  /// What a call keeps; one thread has it at a time.
  struct Workspace {
    std::optional<bits::BatchEvaluator> evaluator;
    bits::Planes planes;
    std::vector<std::size_t> lengths;  ///< of the words of the last call
  };

  /// `compiled_from` is the rule that the model has just been compiled from; null for a model from elsewhere, which
  /// then has to be what the compiler makes of the rule it names, and whose own certificate counts. Throws UserError if
  /// the model is none that the compiler makes from a formula, or hard attention is asked for.
  BitsEngine(const model::Transformer& model, const run::Options& options, const lang::Rule* compiled_from);
  BitsEngine(const BitsEngine&) = delete;  // evaluators point to the formula
  BitsEngine& operator=(const BitsEngine&) = delete;

  /// The length up to which the certificate covers the format; there is no answer beyond.
  std::uint64_t longest() const { return longest_; }
  /// Why a certificate that is there does not count, or counts on trust only; empty if there is nothing to say.
  const std::string& warning() const { return warning_; }
  const Alphabet& alphabet() const { return formula_.alphabet; }

  /// The words at once; the truth at every position of each of them. None is empty or longer than longest().
  std::vector<std::vector<std::int64_t>> answers(std::span<const Word> words, Workspace& workspace) const;
  /// What was proved and what the last call ran, in words.
  std::string explanation(const Workspace& workspace) const;

 private:
  lang::Formula formula_;
  std::uint64_t longest_ = 0;
  std::string warning_, format_, recipe_;
};

}  // namespace quench::certified
