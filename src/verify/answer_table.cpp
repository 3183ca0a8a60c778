#include "verify/answer_table.h"

#include "base/error.h"

namespace quench::verify {

AnswerTable::AnswerTable(const model::Transformer& model, const lang::Rule& rule) : model_(model), rule_(rule) {
  const bool symbols = lang::output_sort(rule) == lang::Sort::symbol || lang::output_sort(rule) == lang::Sort::string;
  const char* kind = symbols ? "string" : lang::output_sort(rule) == lang::Sort::integer ? "integer" : "boolean";
  if (model.output.kind != kind)
    throw UserError("the model answers with " + model.output.kind + "s, the rule with a " +
                    std::string(to_string(lang::output_sort(rule))));
  for (std::size_t c = 0; c < model.output.cases.size(); ++c)
    cases_.emplace(model.output.cases[c].symbols, static_cast<std::int64_t>(c));
}

std::vector<std::int64_t> AnswerTable::as_model_answers(oracle::Values values) const {
  if (model_.output.cases.empty()) return values;
  for (std::int64_t& value : values) {
    const std::vector<std::string> symbols = oracle::symbols_of(rule_, value);
    const auto found = cases_.find(symbols);
    value = found != cases_.end() ? found->second : symbols == std::vector<std::string>{""} ? -1 : -2;
  }
  return values;
}

std::string AnswerTable::text(std::int64_t answer) const {
  if (model_.output.cases.empty()) return std::to_string(answer);
  if (answer < 0) return "?";
  std::string text;
  for (const std::string& symbol : model_.output.cases[static_cast<std::size_t>(answer)].symbols) text += symbol;
  return '"' + text + '"';
}

}  // namespace quench::verify
