#include <quench/answer.h>

#include "api/convert.h"
#include "base/error.h"
#include "run/answers.h"

namespace quench::api {
namespace {

std::vector<std::string> put_out(const model::Output& output, std::int64_t answer) {
  if (answer < 0) return {""};
  return output.cases[static_cast<std::size_t>(answer)].symbols;
}

std::vector<Answer::Score> scores_at(const model::Output& output, const std::int64_t* millionths) {
  std::vector<Answer::Score> scores;
  for (const model::Output::Case& one : output.cases)
    scores.push_back({one.symbols.empty() ? "" : one.symbols.front(),
                      static_cast<double>(millionths[scores.size()]) / run::kScoreUnit});
  return scores;
}

}  // namespace

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

Answer answer_of(const model::Output& output, const std::vector<std::int64_t>& answers) {
  Answer answer;
  answer.kind = kind_of(output);
  switch (answer.kind) {
    case AnswerKind::truth:
      answer.truth.assign(answers.begin(), answers.end());
      break;
    case AnswerKind::numbers:
      answer.numbers = answers;
      break;
    case AnswerKind::symbols:
      for (const std::int64_t one : answers) answer.symbols.push_back(put_out(output, one));
      break;
    case AnswerKind::scores:
      for (std::size_t k = 0; k < answers.size(); k += output.cases.size())
        answer.scores.push_back(scores_at(output, answers.data() + k));
  }
  return answer;
}

Word word_of(const Alphabet& alphabet, const std::vector<std::string>& symbols) {
  if (symbols.empty()) throw quench::UserError("the empty word has no last position, so no rule has a value on it");
  Word word;
  for (const std::string& symbol : symbols) word.push_back(alphabet.find(symbol));
  return word;
}

}  // namespace quench::api
