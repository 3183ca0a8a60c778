#include "run/answers.h"

#include <cmath>

namespace quench::run {

std::vector<std::int64_t> answers(const model::Transformer& model, const Matrix& residual) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < residual.rows; ++i) {
    const auto reads_true = [&](std::uint32_t coordinate) { return residual(i, coordinate) >= 0.5; };
    if (model.output.kind == "integer") {
      const double scaled = residual(i, model.output.coordinate) * static_cast<double>(residual.rows);
      result.push_back(std::fabs(scaled) < 0x1p62 ? std::llround(scaled) : -1);
      continue;
    }
    if (model.output.cases.empty()) {
      result.push_back(reads_true(model.output.coordinate));
      continue;
    }
    std::int64_t chosen = -1;
    for (std::size_t c = model.output.cases.size(); c-- > 0;)
      if (reads_true(model.output.cases[c].coordinate)) chosen = static_cast<std::int64_t>(c);
    result.push_back(chosen);
  }
  return result;
}

std::string output_text(const model::Transformer& model, const std::vector<std::int64_t>& answers,
                        const std::string& unmentioned) {
  bool single = true;  // as words are written: one character each, or separated by blanks
  for (const model::Output::Case& one : model.output.cases)
    for (const std::string& symbol : one.symbols) single = single && Alphabet({symbol}).single_characters();
  std::string text;
  const auto put = [&](const std::string& symbol) { text += (single || text.empty() ? "" : " ") + symbol; };
  for (const std::int64_t answer : answers) {
    if (answer < 0) {
      put(unmentioned);
      continue;
    }
    for (const std::string& symbol : model.output.cases[static_cast<std::size_t>(answer)].symbols) put(symbol);
  }
  return text;
}

}  // namespace quench::run
