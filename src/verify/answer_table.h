// The oracle's answers in the numbers of the model, so that the two can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lang/rule.h"
#include "model/transformer.h"
#include "oracle/rule.h"

namespace quench::verify {

class AnswerTable {
 public:
  /// Both must outlive the table. Throws UserError if the model's answers are of another kind than the rule's.
  AnswerTable(const model::Transformer& model, const lang::Rule& rule);

  const model::Transformer& model() const { return model_; }
  /// Coded as run::answers does; −2 for a string that the model cannot put out.
  std::vector<std::int64_t> as_model_answers(oracle::Values values) const;
  /// "0", "1", or the symbols in quotes.
  std::string text(std::int64_t answer) const;

 private:
  const model::Transformer& model_;
  const lang::Rule& rule_;
  std::map<std::vector<std::string>, std::int64_t> cases_;
};

}  // namespace quench::verify
