// How an answer looks: what run, eval and words print for one word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/rule.h"
#include "model/transformer.h"
#include "oracle/rule.h"

namespace quench::cli {

/// Truth at every position; or what is put out, for rules that answer with symbols; or a number at every position; or
/// scores.
struct Answer {
  std::size_t n = 0;
  std::optional<std::vector<std::uint8_t>> values;
  std::optional<std::string> output;
  std::optional<std::vector<std::int64_t>> numbers;
  struct Scores {
    std::vector<std::vector<std::string>> symbols;  ///< what each score of a position is of
    std::vector<std::int64_t> millionths;           ///< position by position
  };
  std::optional<Scores> scores = {};
};

Answer answer_of(const lang::Rule& rule, const oracle::Values& values);
/// From what run::answers reads off the model.
Answer answer_of(const model::Transformer& model, std::size_t n, const std::vector<std::int64_t>& answers);

/// {"word","n","values":[0/1…],"accept"} or {"word","n","output"}
std::string answer_json(const std::string& word, const Answer& answer);
/// "0111   0101   accept", the word padded to `width` columns
std::string answer_text(const std::string& word, const Answer& answer, std::size_t width);
/// The answer to the whole word: "1", "0", what is put out.
std::string label_of(const Answer& answer);
/// The widest of the words, in columns.
std::size_t widest(const std::vector<std::string>& words);

}  // namespace quench::cli
