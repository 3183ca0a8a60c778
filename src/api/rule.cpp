#include <quench/rule.h>

#include <fstream>
#include <iterator>

#include "api/convert.h"
#include "api/inside.h"
#include "automata/rule/read_rule.h"
#include "driver/compile.h"
#include "driver/lint_rule.h"
#include "lang/print/print_rule.h"
#include "oracle/rule.h"

namespace quench::api {
namespace {

template <class Parse>
Rule parsed(std::string_view text, std::string_view name, Parse parse) {
  return diagnosed(text, name, [&] {
    return Rule(std::make_shared<const Rule::Inside>(Rule::Inside{parse(), std::string(text), std::string(name)}));
  });
}

AnswerKind kind_of_rule(const lang::Rule& rule) {
  switch (lang::output_sort(rule)) {
    case lang::Sort::boolean:
      return AnswerKind::truth;
    case lang::Sort::integer:
      return AnswerKind::numbers;
    case lang::Sort::score:
      return AnswerKind::scores;
    case lang::Sort::symbol:
    case lang::Sort::string:
      return AnswerKind::symbols;
  }
  return AnswerKind::truth;
}

Answer evaluate_word(const lang::Rule& rule, const Word& word) {
  const AnswerKind kind = kind_of_rule(rule);
  const auto put_out = [&](std::int64_t value) { return oracle::symbols_of(rule, value); };
  return answer_of(kind, oracle::evaluate(rule, word), put_out,
                   kind == AnswerKind::scores ? oracle::score_symbols(rule) : std::vector<std::vector<std::string>>());
}

}  // namespace

bool Rule::is_program() const { return std::holds_alternative<lang::Program>(inside().rule); }

bool Rule::is_automaton() const { return std::holds_alternative<lang::Automaton>(inside().rule); }

std::string Rule::text() const { return lang::print(inside().rule); }

std::vector<std::string> Rule::symbols() const { return lang::alphabet(inside().rule).symbols(); }

AnswerKind Rule::answers() const { return kind_of_rule(inside().rule); }

std::vector<Diagnostic> Rule::warnings() const { return placed(driver::lint_rule(inside().rule), inside().text); }

Rule parse_formula(std::string_view text) {
  return parsed(text, "rule", [&] { return driver::parse(text); });
}

Rule parse_program(std::string_view text) {
  return parsed(text, "rule", [&] { return driver::parse_program(text); });
}

Rule parse_regex(std::string_view text) {
  return parsed(text, "rule", [&] { return automata::read_rule(text, lang::AutomatonText::regex); });
}

Rule parse_rule(std::string_view text, std::string_view name) {
  return parsed(text, name.empty() ? "rule" : name, [&] { return driver::parse_rule(text, name); });
}

Rule read_rule(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) throw IoError(path.string() + ": cannot read it");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_rule(text, path.string());
}

Answer evaluate(const Rule& rule, std::string_view word) {
  const lang::Rule& inside = rule.inside().rule;
  return translated([&] { return evaluate_word(inside, lang::alphabet(inside).parse(word)); });
}

Answer evaluate_symbols(const Rule& rule, const std::vector<std::string>& symbols) {
  const lang::Rule& inside = rule.inside().rule;
  return translated([&] { return evaluate_word(inside, word_of(lang::alphabet(inside), symbols)); });
}

}  // namespace quench::api
