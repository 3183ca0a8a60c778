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
  /// Equal; scores: within a millionth. Both sides round to the nearest millionth, so with an error below half a
  /// millionth before that they can still be neighbours.
  bool agree(std::int64_t expected, std::int64_t got) const;
  /// "0", "1", the symbols in quotes, a number; of scores, the `column`-th of a position with its symbol.
  std::string text(std::int64_t answer, std::size_t column = 0) const;

 private:
  const model::Transformer& model_;
  const lang::Rule& rule_;
  bool scores_;
  std::map<std::vector<std::string>, std::int64_t> cases_;
  std::vector<std::size_t> column_;  // of scores: by the model's column, the rule's
};

}  // namespace quench::verify
