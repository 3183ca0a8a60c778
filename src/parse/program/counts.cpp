// Counts in expressions: a count is a vector of its own, read at i. How many positions there are lies between 0 and n,
// so storing it clips nothing.
#include "parse/program/checker.h"
#include "parse/text/codes.h"

namespace quench::parse {

using lang::At;
using lang::Sort;

ProgramChecker::Meaning ProgramChecker::count(const Syntax& node) {
  const auto of = operand(node, 0, Sort::boolean);
  if (!of) return {};
  if (program_.reads(*of, At::i)) {
    reporter_.add(code::kPosition, node.span, "what is counted may only look at the position counted");
    return {};
  }
  const lang::SumOver counted{node.reach, program_.add(lang::AsInteger{*of}, node.span)};
  const lang::VectorId vector = program_.add(lang::Vector{fresh_name("count"), Sort::integer, counted, node.span});
  return made(lang::VectorAt{vector, At::i}, node.span);
}

std::string ProgramChecker::fresh_name(const std::string& stem) {
  std::size_t k = 1;
  while (names.contains(stem + std::to_string(k))) ++k;
  const std::string name = stem + std::to_string(k);
  names[name].done = true;
  return name;
}

}  // namespace quench::parse
