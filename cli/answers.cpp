#include "answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "run/answers.h"
#include "run/reference.h"

namespace quench::cli {

Answer answer_of(const lang::Rule& rule, const oracle::Values& values) {
  Answer answer{values.size(), {}, {}, {}};
  switch (lang::output_sort(rule)) {
    case lang::Sort::boolean:
      answer.values.emplace(values.begin(), values.end());
      break;
    case lang::Sort::integer:
      answer.numbers = values;
      break;
    case lang::Sort::symbol:
    case lang::Sort::string: {
      std::string text;
      const bool single = lang::alphabet(rule).single_characters();
      for (const std::int64_t value : values)
        for (const std::string& symbol : oracle::symbols_of(rule, value))
          text += (single || text.empty() ? "" : " ") + (symbol.empty() ? "?" : symbol);
      answer.output = text;
    }
  }
  return answer;
}

Answer answer_of(const model::Transformer& model, const Matrix& residual) {
  const std::vector<std::int64_t> answers = run::answers(model, residual);
  Answer answer{answers.size(), {}, {}, {}};
  if (model.output.kind == "boolean")
    answer.values.emplace(answers.begin(), answers.end());
  else if (model.output.kind == "string")
    answer.output = run::output_text(model, answers);
  else
    answer.numbers = answers;
  return answer;
}

std::string answer_json(const std::string& word, const Answer& answer) {
  nlohmann::ordered_json json;
  json["word"] = word;
  json["n"] = answer.n;
  if (answer.values) {
    json["values"] = *answer.values;
    json["accept"] = answer.values->back() != 0;
  } else if (answer.output) {
    json["output"] = *answer.output;
  } else {
    json["output"] = *answer.numbers;
  }
  return json.dump() + "\n";
}

std::string answer_text(const std::string& word, const Answer& answer, std::size_t width) {
  std::string text = word;
  const std::size_t used = display_width(word);
  text.append(width > used ? width - used : 0, ' ');
  text += "   ";
  if (!answer.values) return text + label_of(answer) + "\n";
  for (const std::uint8_t value : *answer.values) text += value ? '1' : '0';
  return text + (answer.values->back() ? "   accept\n" : "   reject\n");
}

std::string label_of(const Answer& answer) {
  if (answer.values) return answer.values->back() ? "1" : "0";
  return answer.output ? *answer.output : fmt::format("{}", fmt::join(*answer.numbers, " "));
}

std::size_t widest(const std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, display_width(word));
  return width;
}

}  // namespace quench::cli
