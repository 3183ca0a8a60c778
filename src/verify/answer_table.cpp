#include "verify/answer_table.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/text/word_text.h"
#include "lang/print/print_program.h"

namespace quench::verify {
namespace {

model::OutputKind output_kind(lang::Sort sort) {
  switch (sort) {
    case lang::Sort::boolean:
      return model::OutputKind::boolean;
    case lang::Sort::integer:
      return model::OutputKind::integer;
    case lang::Sort::symbol:
    case lang::Sort::string:
      return model::OutputKind::string;
    case lang::Sort::score:
      return model::OutputKind::scores;
  }
  return model::OutputKind::boolean;
}

}  // namespace

AnswerTable::AnswerTable(const model::Transformer& model, const lang::Rule& rule)
    : model_(model), rule_(rule), scores_(lang::output_sort(rule) == lang::Sort::score) {
  const lang::Sort sort = lang::output_sort(rule);
  const bool whole = (sort == lang::Sort::integer && model.output.kind == model::OutputKind::whole) ||
                     (sort == lang::Sort::score && model.output.kind == model::OutputKind::ratios);
  if (model.output.kind != output_kind(sort) && !whole)
    throw UserError("the model's answers are of the kind \"" + std::string(name_of(model.output.kind)) +
                    "\", those of the rule of the sort " + std::string(to_string(sort)));
  for (std::size_t c = 0; c < model.output.cases.size(); ++c)
    cases_.emplace(model.output.cases[c].symbols, static_cast<std::int64_t>(c));
  if (!scores_) return;
  const std::vector<std::vector<std::string>> own = oracle::score_symbols(rule);
  for (const model::Output::Case& one : model.output.cases)
    column_.push_back(static_cast<std::size_t>(std::find(own.begin(), own.end(), one.symbols) - own.begin()));
  if (column_.size() != own.size() || std::count(column_.begin(), column_.end(), own.size()) > 0)
    throw UserError("the model gives scores to other symbols than the rule does");
}

std::vector<std::int64_t> AnswerTable::as_model_answers(oracle::Values values) const {
  if (model_.output.cases.empty()) return values;
  if (scores_) {
    oracle::Values ordered;
    for (std::size_t row = 0; row < values.size(); row += column_.size())
      for (const std::size_t column : column_) ordered.push_back(values[row + column]);
    return ordered;
  }
  for (std::int64_t& value : values) {
    const std::vector<std::string> symbols = oracle::symbols_of(rule_, value);
    const auto found = cases_.find(symbols);
    value = found != cases_.end() ? found->second : symbols == std::vector<std::string>{""} ? -1 : -2;
  }
  return values;
}

bool AnswerTable::agree(std::int64_t expected, std::int64_t got) const {
  return expected == got || (scores_ && (expected > got ? expected - got : got - expected) == 1);
}

std::string AnswerTable::text(std::int64_t answer, std::size_t column) const {
  if (scores_) {
    const std::vector<std::string>& symbols = model_.output.cases[column].symbols;
    return (symbols.empty() ? "" : symbols[0] + ":") + lang::score_text(answer);
  }
  if (model_.output.cases.empty()) return std::to_string(answer);
  if (answer < 0) return "?";
  return '"' + joined_symbols(lang::alphabet(rule_), model_.output.cases[static_cast<std::size_t>(answer)].symbols) +
         '"';
}

}  // namespace quench::verify
