#include <quench/answer.h>

#include "api/convert.h"
#include "base/error.h"
#include "run/answers.h"

namespace quench::api {
namespace {

std::vector<Answer::Score> scores_at(const std::vector<std::vector<std::string>>& cases,
                                     const std::int64_t* millionths) {
  std::vector<Answer::Score> scores;
  for (const std::vector<std::string>& one : cases)
    scores.push_back(
        {one.empty() ? "" : one.front(), static_cast<double>(millionths[scores.size()]) / run::kScoreUnit});
  return scores;
}

}  // namespace

std::string_view name_of(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::truth:
      return "truth";
    case AnswerKind::numbers:
      return "numbers";
    case AnswerKind::symbols:
      return "symbols";
    case AnswerKind::scores:
      return "scores";
  }
  return "truth";
}

bool Answer::accepted() const {
  if (kind != AnswerKind::truth || truth.empty())
    throw UserError("only an answer of truth values accepts a word or rejects it");
  return truth.back();
}

AnswerKind kind_of(const model::Output& output) {
  switch (output.kind) {
    case model::OutputKind::boolean:
      return AnswerKind::truth;
    case model::OutputKind::integer:
    case model::OutputKind::whole:
      return AnswerKind::numbers;
    case model::OutputKind::string:
      return AnswerKind::symbols;
    case model::OutputKind::scores:
    case model::OutputKind::ratios:
      return AnswerKind::scores;
  }
  return AnswerKind::truth;
}

Answer answer_of(AnswerKind kind, const std::vector<std::int64_t>& values,
                 const std::function<std::vector<std::string>(std::int64_t)>& symbols_of,
                 const std::vector<std::vector<std::string>>& cases) {
  Answer answer;
  answer.kind = kind;
  switch (kind) {
    case AnswerKind::truth:
      answer.truth.assign(values.begin(), values.end());
      break;
    case AnswerKind::numbers:
      answer.numbers = values;
      break;
    case AnswerKind::symbols:
      for (const std::int64_t value : values) answer.symbols.push_back(symbols_of(value));
      break;
    case AnswerKind::scores:
      for (std::size_t k = 0; k < values.size(); k += cases.size())
        answer.scores.push_back(scores_at(cases, values.data() + k));
  }
  return answer;
}

Answer answer_of(const model::Output& output, const std::vector<std::int64_t>& answers) {
  std::vector<std::vector<std::string>> cases;
  for (const model::Output::Case& one : output.cases) cases.push_back(one.symbols);
  const auto put_out = [&](std::int64_t answer) {
    return answer < 0 ? std::vector<std::string>{""} : cases[static_cast<std::size_t>(answer)];
  };
  return answer_of(kind_of(output), answers, put_out, cases);
}

Word word_of(const Alphabet& alphabet, const std::vector<std::string>& symbols) {
  if (symbols.empty()) throw quench::UserError("the empty word has no last position, so no rule has a value on it");
  Word word;
  for (const std::string& symbol : symbols) word.push_back(alphabet.find(symbol));
  return word;
}

}  // namespace quench::api
