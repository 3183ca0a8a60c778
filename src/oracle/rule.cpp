#include "oracle/rule.h"

#include "base/overloaded.h"
#include "oracle/evaluate.h"

namespace quench::oracle {
namespace {

/// The state after each prefix.
Values evaluate(const lang::Dfa& dfa, const Word& word) {
  Values values;
  lang::State state = dfa.initial;
  for (const Symbol symbol : word) {
    state = dfa.next(state, dfa.letter(symbol));
    values.push_back(dfa.accepting(state) ? 1 : 0);
  }
  return values;
}

}  // namespace

Values evaluate(const lang::Rule& rule, const Word& word) {
  return std::visit(Overloaded{[&](const lang::Formula& formula) {
                                 const std::vector<std::uint8_t> truth = evaluate(formula, word);
                                 return Values(truth.begin(), truth.end());
                               },
                               [&](const lang::Program& program) { return evaluate(program, word); },
                               [&](const lang::Automaton& automaton) { return evaluate(automaton.dfa, word); }},
                    rule);
}

std::vector<std::string> symbols_of(const lang::Rule& rule, std::int64_t value) {
  const auto& program = std::get<lang::Program>(rule);
  std::vector<Symbol> symbols{static_cast<Symbol>(value)};
  if (program.output_sort() == lang::Sort::string) symbols = string_of(program, value);
  std::vector<std::string> texts;
  for (const Symbol s : symbols)
    texts.push_back(s == kUnmentioned ? "" : program.alphabet.symbols()[static_cast<std::size_t>(s)]);
  return texts;
}

std::vector<std::vector<std::string>> score_symbols(const lang::Rule& rule) {
  const auto& program = std::get<lang::Program>(rule);
  if (program.scores.empty()) return {{}};
  std::vector<std::vector<std::string>> symbols;
  for (const lang::SymbolScore& score : program.scores)
    symbols.push_back({program.alphabet.symbols()[static_cast<std::size_t>(score.symbol)]});
  return symbols;
}

}  // namespace quench::oracle
