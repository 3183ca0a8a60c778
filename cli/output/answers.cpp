#include "cli/output/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/utf8.h"
#include "base/text/word_text.h"
#include "lang/print/print_program.h"
#include "run/answers.h"
#include "run/reference/reference.h"

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
    case lang::Sort::score:
      answer.scores = {oracle::score_symbols(rule), values};
      answer.n = values.size() / answer.scores->symbols.size();
      break;
    case lang::Sort::symbol:
    case lang::Sort::string: {
      std::vector<std::string> symbols;
      for (const std::int64_t value : values)
        for (const std::string& symbol : oracle::symbols_of(rule, value))
          symbols.push_back(symbol.empty() ? "?" : symbol);
      answer.output = joined_symbols(lang::alphabet(rule), symbols);
    }
  }
  return answer;
}

namespace {

Answer::Scores scores_of(const model::Transformer& model, const std::vector<std::int64_t>& millionths) {
  Answer::Scores scores{{}, millionths};
  for (const model::Output::Case& one : model.output.cases) scores.symbols.push_back(one.symbols);
  return scores;
}

/// A list of numbers; or of objects {"a": -0.5, …}, one per position.
nlohmann::ordered_json scores_json(const Answer::Scores& scores) {
  auto json = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < scores.millionths.size(); ++k) {
    const std::size_t column = k % scores.symbols.size();
    const double score = static_cast<double>(scores.millionths[k]) / lang::kScoreUnit;
    if (scores.symbols[column].empty())
      json.push_back(score);
    else
      (column == 0 ? json.emplace_back(nlohmann::ordered_json::object()) : json.back())[scores.symbols[column][0]] =
          score;
  }
  return json;
}

/// "0.0 0.5", or "a:-0.5 b:-0.25 | a:-0.5 b:-0.25" with a bar between positions.
std::string scores_text(const Answer::Scores& scores) {
  std::string text;
  for (std::size_t k = 0; k < scores.millionths.size(); ++k) {
    const std::size_t column = k % scores.symbols.size();
    const bool named = !scores.symbols[column].empty();
    if (k > 0) text += named && column == 0 ? " | " : " ";
    text += (named ? scores.symbols[column][0] + ":" : "") + lang::score_text(scores.millionths[k]);
  }
  return text;
}

}  // namespace

Answer answer_of(const model::Transformer& model, std::size_t n, const std::vector<std::int64_t>& answers) {
  Answer answer{n, {}, {}, {}};
  switch (model.output.kind) {
    case model::OutputKind::boolean:
      answer.values.emplace(answers.begin(), answers.end());
      break;
    case model::OutputKind::integer:
    case model::OutputKind::whole:
      answer.numbers = answers;
      break;
    case model::OutputKind::string:
      answer.output = run::output_text(model, answers);
      break;
    case model::OutputKind::scores:
    case model::OutputKind::ratios:
      answer.scores = scores_of(model, answers);
      break;
  }
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
  } else if (answer.scores) {
    json["output"] = scores_json(*answer.scores);
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
  if (answer.scores) return scores_text(*answer.scores);
  return answer.output ? *answer.output : fmt::format("{}", fmt::join(*answer.numbers, " "));
}

std::size_t widest(const std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, display_width(word));
  return width;
}

}  // namespace quench::cli
