// Names in expressions of programs: position variables, parameters, vectors, and functions, which are expanded.
#include "base/text/suggest.h"
#include "parse/program/checker.h"
#include "parse/program/program_spellings.h"
#include "parse/text/codes.h"

namespace quench::parse {

using lang::At;

namespace {

constexpr int kDeepestCall = 200;

}  // namespace

ProgramChecker::Meaning ProgramChecker::name(const Syntax& node, const Frame& frame, std::string_view binder) {
  const std::string_view text = reporter_.text(node.span);
  for (const auto& [parameter, meaning] : frame.parameters)
    if (parameter == text) return meaning;
  if (!text.empty() && text == frame.variables.position) return {Meaning::Kind::position, {}, At::i};
  if (!text.empty() && text == binder) return {Meaning::Kind::position, {}, At::j};
  if (names.contains(std::string(text)) || text == "in" || text == "pos") {
    reporter_.add(code::kPosition, node.span, reporter_.quote(node.span) + " lacks its argument",
                  {"a vector is read at a position: `" + std::string(text) + "(i)`"});
    return {};
  }
  return unknown(node, text);
}

ProgramChecker::Meaning ProgramChecker::unknown(const Syntax& node, std::string_view text) {
  std::vector<std::string_view> candidates = program_words();
  for (const auto& [known, entry] : names) candidates.push_back(known);
  std::vector<std::string> notes;
  const std::string meant = nearest(text, candidates);
  if (!meant.empty()) notes.push_back("did you mean `" + meant + "`?");
  if (meant.empty()) notes.push_back("a symbol stands in quotes, `'a'`; a vector is defined by `name(i) = …`");
  reporter_.add(code::kUnknownVector, node.mark, "nothing is called " + reporter_.quote(node.mark), std::move(notes));
  return {};
}

std::optional<At> ProgramChecker::position_argument(const Syntax& node, std::size_t arity, std::string_view what) {
  if (node.args.size() != arity) {
    reporter_.add(code::kWrongArity, node.span,
                  std::string(what) + " takes one position, not " + std::to_string(node.args.size()) + " arguments");
    return std::nullopt;
  }
  const Meaning& argument = meanings_[node.args[0].index];
  if (argument.kind == Meaning::Kind::position) return argument.at;
  if (argument.kind == Meaning::Kind::expression)
    reporter_.add(
        code::kPosition, tree_[node.args[0]].span, "expected a position, such as `i`",
        {"to read a vector at a computed position p, attend to it: `rightmost j [true, pos(j) = p(i)] v(j) : …`"});
  return std::nullopt;
}

ProgramChecker::Meaning ProgramChecker::call(const Syntax& node, const Frame& frame) {
  const std::string text(reporter_.text(node.mark));
  if (text == "in" || text == "pos") {
    const std::optional<At> at = position_argument(node, 1, "`" + text + "`");
    if (!at) return {};
    return text == "in" ? made(lang::Input{*at}, node.span) : made(lang::PositionAt{*at}, node.span);
  }
  const auto found = names.find(text);
  if (found == names.end()) return unknown(node, text);
  const ProgramName& entry = found->second;
  const bool later = entry.function && entry.function->name.begin >= frame.defined_at;
  if (!entry.done || later) {
    reporter_.add(code::kCyclicDefinition, node.mark,
                  reporter_.quote(node.mark) + " is used before it is defined, or to define itself",
                  {"it is defined at " + reporter_.place(entry.span.begin),
                   "definitions use only earlier ones, so that none is circular"});
    return {};
  }
  if (entry.function) return call_function(node, *entry.function, frame);
  if (!entry.vector.valid()) return {};  // its definition was wrong, and reported
  const std::optional<At> at = position_argument(node, 1, "the vector `" + text + "`");
  return at ? made(lang::VectorAt{entry.vector, *at}, node.span) : Meaning{};
}

ProgramChecker::Meaning ProgramChecker::call_function(const Syntax& node, const FunctionDefinition& function,
                                                      const Frame& frame) {
  if (node.args.size() != function.parameters.size()) {
    reporter_.add(code::kWrongArity, node.span,
                  reporter_.quote(node.mark) + " takes " + std::to_string(function.parameters.size()) +
                      " arguments, not " + std::to_string(node.args.size()),
                  {"it is defined at " + reporter_.place(function.name.begin)});
    return {};
  }
  if (frame.depth >= kDeepestCall) {
    reporter_.add(code::kExpansion, node.span, "functions call each other too deeply here",
                  {"at most " + std::to_string(kDeepestCall) + " calls may be open at once"});
    return {};
  }
  Frame inner;
  inner.depth = frame.depth + 1;
  inner.defined_at = function.name.begin;
  for (std::size_t k = 0; k < node.args.size(); ++k) {
    const Meaning& argument = meanings_[node.args[k].index];
    if (argument.kind == Meaning::Kind::broken) return {};
    inner.parameters.emplace_back(function.parameters[k], argument);
  }
  return walk(function.body, inner);
}

}  // namespace quench::parse
