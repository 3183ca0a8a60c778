#include "answers.h"

#include <algorithm>

#include "arrays.h"
#include "names.h"

namespace quench::python {
namespace {

nb::object truth_array(const std::vector<bool>& truth) {
  auto kept = std::make_unique<std::unique_ptr<bool[]>>(std::make_unique<bool[]>(truth.size()));
  bool* const data = kept->get();
  std::copy(truth.begin(), truth.end(), data);
  return array_of<bool>(std::move(kept), data, {truth.size()});
}

nb::object score_array(const std::vector<std::vector<Answer::Score>>& scores, std::size_t cases) {
  std::vector<double> flat;
  for (const std::vector<Answer::Score>& row : scores)
    for (const Answer::Score& score : row) flat.push_back(score.value);
  return array_of<double>(std::move(flat), {scores.size(), cases});
}

}  // namespace

nb::tuple to_python(const Answer& answer) {
  std::vector<std::string> symbols;
  if (!answer.scores.empty())
    for (const Answer::Score& score : answer.scores.front()) symbols.push_back(score.symbol);
  nb::object values;
  switch (answer.kind) {
    case AnswerKind::truth:
      values = truth_array(answer.truth);
      break;
    case AnswerKind::numbers:
      values = array_of<std::int64_t>(answer.numbers, {answer.numbers.size()});
      break;
    case AnswerKind::symbols:
      values = nb::cast(answer.symbols);
      break;
    case AnswerKind::scores:
      values = score_array(answer.scores, symbols.size());
      break;
  }
  return nb::make_tuple(std::string(name_of(answer.kind)), values, symbols);
}

}  // namespace quench::python
