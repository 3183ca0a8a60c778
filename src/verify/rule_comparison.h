// A network and a rule of any kind side by side. The answers may be Booleans, symbols, strings, integers or scores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/word.h"
#include "lang/rule.h"
#include "model/transformer.h"
#include "run/executor.h"
#include "verify/answer_table.h"
#include "verify/verify.h"

namespace quench::verify {

/// Words are over the joint alphabet of model and rule, and a last symbol that stands for all that neither mentions; over
/// the alphabet that the rule declares, if it does.
class RuleComparison {
 public:
  /// The model must outlive it. Throws UserError if the model's answers are of another kind than the rule's.
  RuleComparison(const model::Transformer& model, lang::Rule rule, const run::Options& options,
                 run::Engine engine);
  RuleComparison(const RuleComparison&) = delete;

  std::size_t symbols() const { return model_symbol_.size(); }
  std::size_t mentioned() const { return joint_.size(); }

  /// Buffers of one thread.
  struct Scratch {
    explicit Scratch(const RuleComparison&) {}
    run::Executor::Workspace workspace;
    run::Batch batch;
  };

  bool differs(const Word& word, Scratch& scratch) const;
  std::uint64_t compare_many(const std::vector<Word>& words, Scratch& scratch, std::vector<std::size_t>& failed) const;
  Counterexample counterexample(const Word& word) const;

 private:
  using Answers = std::vector<std::int64_t>;
  std::vector<Answers> got(const std::vector<Word>& words, Scratch& scratch) const;
  Answers expected(const Word& word) const;
  std::string text(Word word) const;

  lang::Rule rule_;
  run::Executor executor_;
  AnswerTable answers_;
  Alphabet joint_;
  std::vector<Symbol> model_symbol_, rule_symbol_;  // by joint symbol
};

}  // namespace quench::verify
