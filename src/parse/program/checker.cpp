#include "parse/program/checker.h"

#include <utility>

#include "base/text/utf8.h"
#include "parse/text/codes.h"
#include "parse/text/read_tokens.h"

namespace quench::parse {

using lang::At;
using lang::ExpressionId;
using lang::Sort;

namespace {

constexpr std::size_t kMostWork = std::size_t{1} << 22;  // nodes visited, function bodies once per call
constexpr std::uint64_t kLongestExpression = 1u << 20;   // operators, written out
constexpr std::int64_t kLargestScore = 1'000'000;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 53;

std::string sort_name(Sort sort) { return (sort == Sort::integer ? "an " : "a ") + std::string(to_string(sort)); }

}  // namespace

std::optional<ExpressionId> ProgramChecker::check(SyntaxId syntax, const Variables& variables) {
  const Meaning meaning = walk(syntax, Frame{variables, {}});
  if (meaning.kind == Meaning::Kind::position) {
    reporter_.add(code::kPosition, tree_[syntax].span, "a position alone is not a value",
                  {"write `pos(" + std::string(reporter_.text(tree_[syntax].span)) + ")` for its number"});
    return std::nullopt;
  }
  if (meaning.kind == Meaning::Kind::broken) return std::nullopt;
  if (program_.length(meaning.id) > kLongestExpression) {
    reporter_.add(code::kExpansion, tree_[syntax].span, "this expression is too long once its functions are expanded",
                  {"give parts of it vectors of their own"});
    return std::nullopt;
  }
  return meaning.id;
}

std::optional<ExpressionId> ProgramChecker::check(SyntaxId syntax, const Variables& variables, Sort sort) {
  const std::optional<ExpressionId> id = check(syntax, variables);
  return id ? coerce(*id, sort, tree_[syntax].span) : std::nullopt;
}

std::optional<ExpressionId> ProgramChecker::coerce(ExpressionId id, Sort sort, Span span) {
  const Sort found = program_.sort(id);
  if (found == sort) return id;
  if (found == Sort::boolean && sort == Sort::integer) return program_.add(lang::AsInteger{id}, span);
  if (found == Sort::boolean && sort == Sort::score) return program_.add(lang::AsScore{id}, span);
  if (found == Sort::symbol && sort == Sort::string) return program_.add(lang::AsString{id}, span);
  const auto* number = std::get_if<lang::IntegerConstant>(&program_[id]);
  if (sort == Sort::score && number && std::abs(number->value) < kLargestScore)
    return program_.add(lang::ScoreConstant{number->value * lang::kScoreUnit}, span);
  if (sort == Sort::boolean && number && (number->value == 0 || number->value == 1))  // the papers write 1 for true
    return program_.add(lang::BooleanConstant{number->value == 1}, span);
  std::vector<std::string> notes;
  if (sort == Sort::boolean && found == Sort::symbol) notes.push_back("compare it: `in(i) = 'a'`, or `Q_a(i)`");
  if (sort == Sort::boolean && found == Sort::integer) notes.push_back("compare it: `c(i) >= 1`");
  reporter_.add(code::kWrongSort, span, "expected " + sort_name(sort) + ", found " + sort_name(found),
                std::move(notes));
  return std::nullopt;
}

bool ProgramChecker::unify(ExpressionId& left, ExpressionId& right, Span span) {
  const Sort a = program_.sort(left), b = program_.sort(right);
  if (a == b) return true;
  const auto pair = [&](Sort x, Sort y) { return (a == x && b == y) || (a == y && b == x); };
  if (a == Sort::score || b == Sort::score) {
    const auto x = coerce(left, Sort::score, span), y = coerce(right, Sort::score, span);
    if (x && y) left = *x, right = *y;
    return x && y;
  }
  const std::optional<Sort> common = pair(Sort::boolean, Sort::integer) ? std::optional(Sort::integer)
                                     : pair(Sort::symbol, Sort::string) ? std::optional(Sort::string)
                                                                        : std::nullopt;
  if (!common) {
    reporter_.add(code::kSortsDiffer, span, "the two sides differ in sort: " + sort_name(a) + " and " + sort_name(b));
    return false;
  }
  left = *coerce(left, *common, span);
  right = *coerce(right, *common, span);
  return true;
}

ProgramChecker::Meaning ProgramChecker::made(const lang::Expression& expression, Span span) {
  return {Meaning::Kind::expression, program_.add(expression, span), {}};
}

/// Operands first, on an explicit stack; a count's operand is walked with the count's variable in force.
ProgramChecker::Meaning ProgramChecker::walk(SyntaxId root, const Frame& frame) {
  struct Task {
    SyntaxId id;
    std::string_view binder;
    bool entered;
  };
  auto outer = std::exchange(meanings_, {});
  std::vector<Task> tasks{{root, frame.variables.binder, false}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    const Syntax& node = tree_[task.id];
    if (task.entered) {
      tasks.pop_back();
      meanings_[task.id.index] = evaluate(node, frame, task.binder);
      continue;
    }
    tasks.back().entered = true;
    if (++work_ == kMostWork)
      reporter_.add(code::kExpansion, node.span, "the functions of this program expand to too much",
                    {"give parts of it vectors of their own"});
    if (work_ >= kMostWork) break;
    for (const SyntaxId arg : node.args)
      tasks.push_back({arg, node.kind == Syntax::Kind::count ? node.binder : task.binder, false});
  }
  const Meaning result = meanings_[root.index];
  meanings_ = std::move(outer);
  return result;
}

ProgramChecker::Meaning ProgramChecker::evaluate(const Syntax& node, const Frame& frame, std::string_view binder) {
  using Kind = Syntax::Kind;
  switch (node.kind) {
    case Kind::truth:
      return made(lang::BooleanConstant{node.number != 0}, node.span);
    case Kind::symbol:
      return made(lang::SymbolConstant{node.symbols[0]}, node.span);
    case Kind::string:
      return string(node);
    case Kind::number:
      if (node.number <= static_cast<std::uint64_t>(kLargestNumber))
        return made(lang::IntegerConstant{static_cast<std::int64_t>(node.number)}, node.span);
      reporter_.add(code::kTooLarge, node.span, "numbers in a program are at most 2^53");
      return {};
    case Kind::decimal:
      return made(lang::ScoreConstant{static_cast<std::int64_t>(node.number)}, node.span);
    case Kind::name:
      return name(node, frame, binder);
    case Kind::call:
      return call(node, frame);
    case Kind::symbol_test:
      if (const auto at = position_argument(node, 1, "a test of the symbol"))
        return made(lang::SameSymbol{program_.add(lang::Input{*at}, node.span),
                                     program_.add(lang::SymbolConstant{node.symbols[0]}, node.span)},
                    node.span);
      return {};
    case Kind::negation:
      if (const auto x = operand(node, 0, Sort::boolean)) return made(lang::Negation{*x}, node.span);
      return {};
    case Kind::connective:
      return connective(node);
    case Kind::relation:
      return relation(node);
    case Kind::member:
      if (const auto x = operand(node, 0, Sort::symbol)) return made(lang::MemberOf{*x, node.symbols}, node.span);
      return {};
    case Kind::sum:
      return sum(node, 1);
    case Kind::difference:
      return sum(node, -1);
    case Kind::product:
      return product(node);
    case Kind::minus:
      return minus(node);
    case Kind::choice:
      return choice(node);
    case Kind::count:
      return count(node);
    case Kind::broken:
      return {};
  }
  return {};
}

std::optional<ExpressionId> ProgramChecker::operand(const Syntax& node, std::size_t k) {
  const Meaning& meaning = meanings_[node.args[k].index];
  if (meaning.kind == Meaning::Kind::expression) return meaning.id;
  if (meaning.kind == Meaning::Kind::position) {
    const Span span = tree_[node.args[k]].span;
    std::vector<std::string> notes{"its number is `pos(" + std::string(reporter_.text(span)) + ")`"};
    if (node.kind == Syntax::Kind::relation)
      notes.push_back("positions are compared only as a mask, the first thing in the brackets of an attention");
    reporter_.add(code::kPosition, span, reporter_.quote(span) + " is a position, not a value", std::move(notes));
  }
  return std::nullopt;
}

std::optional<ExpressionId> ProgramChecker::operand(const Syntax& node, std::size_t k, Sort sort) {
  const std::optional<ExpressionId> id = operand(node, k);
  return id ? coerce(*id, sort, tree_[node.args[k]].span) : std::nullopt;
}

ProgramChecker::Meaning ProgramChecker::connective(const Syntax& node) {
  const auto left = operand(node, 0, Sort::boolean), right = operand(node, 1, Sort::boolean);
  return left && right ? made(lang::Connection{node.connective, *left, *right}, node.span) : Meaning{};
}

/// Equality of symbols, of Booleans, or of numbers; order of numbers.
ProgramChecker::Meaning ProgramChecker::relation(const Syntax& node) {
  auto left = operand(node, 0), right = operand(node, 1);
  if (!left || !right) return {};
  const bool equality = node.relation == lang::Relation::equal || node.relation == lang::Relation::not_equal;
  const bool ordered_booleans =
      !equality && program_.sort(*left) == Sort::boolean && program_.sort(*right) == Sort::boolean;
  if (ordered_booleans)
    left = coerce(*left, Sort::integer, node.span), right = coerce(*right, Sort::integer, node.span);
  if (!unify(*left, *right, node.span)) return {};
  const Sort sort = program_.sort(*left);
  if (sort == Sort::integer) return made(lang::Compare{node.relation, *left, *right}, node.span);
  if (sort == Sort::score) {
    reporter_.add(code::kScore, node.span, "scores are only put out; they cannot be compared",
                  {"compare what they are made of; whole numbers are compared without a point"});
    return {};
  }
  if (!equality || sort == Sort::string) {
    reporter_.add(code::kWrongSort, node.span,
                  sort == Sort::string ? "strings are only outputs; they cannot be compared"
                                       : "only numbers are ordered; these are symbols");
    return {};
  }
  const bool negated = node.relation == lang::Relation::not_equal;
  const ExpressionId same = sort == Sort::symbol
                                ? program_.add(lang::SameSymbol{*left, *right}, node.span)
                                : program_.add(lang::Connection{lang::Connective::iff, *left, *right}, node.span);
  return negated ? made(lang::Negation{same}, node.span) : Meaning{Meaning::Kind::expression, same, {}};
}

ProgramChecker::Meaning ProgramChecker::choice(const Syntax& node) {
  const auto condition = operand(node, 0, Sort::boolean);
  auto yes = operand(node, 1), no = operand(node, 2);
  if (!condition || !yes || !no || !unify(*yes, *no, node.span)) return {};
  return made(lang::Choice{*condition, *yes, *no}, node.span);
}

/// One symbol per character.
ProgramChecker::Meaning ProgramChecker::string(const Syntax& node) {
  std::vector<Symbol> symbols;
  const std::string& text = tokens_.strings[node.number];
  if (!can_occur(text, program_.alphabet, node.span, reporter_)) return {};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = decode_utf8(text, at).length;
    symbols.push_back(program_.alphabet.intern(text.substr(at, length)));
    at += length;
  }
  if (symbols.size() == 1)
    return made(lang::AsString{program_.add(lang::SymbolConstant{symbols[0]}, node.span)}, node.span);
  return made(lang::StringConstant{program_.intern(symbols)}, node.span);
}

}  // namespace quench::parse
