#include "lang/print/predicate_text.h"

#include <string_view>
#include <vector>

namespace quench::lang {
namespace {

using Op = IntInstruction::Op;

struct OpText {
  std::string_view text;
  int level;  // how tightly it binds
};

OpText facts(Op op) {
  switch (op) {
    case Op::logical_or:
      return {" or ", 1};
    case Op::logical_and:
      return {" and ", 2};
    case Op::logical_not:
      return {"not ", 3};
    case Op::equal:
      return {" = ", 4};
    case Op::not_equal:
      return {" != ", 4};
    case Op::less:
      return {" < ", 4};
    case Op::less_equal:
      return {" <= ", 4};
    case Op::greater:
      return {" > ", 4};
    case Op::greater_equal:
      return {" >= ", 4};
    case Op::add:
      return {" + ", 5};
    case Op::subtract:
      return {" - ", 5};
    case Op::multiply:
      return {"*", 6};
    case Op::divide:
      return {" / ", 6};
    case Op::modulo:
      return {" % ", 6};
    case Op::negate:
      return {"-", 7};
    case Op::constant:
      return {"", 8};
    case Op::x:
      return {"x", 8};
    case Op::n:
      return {"n", 8};
  }
  return {"", 8};
}

bool is_leaf(Op op) { return op == Op::constant || op == Op::x || op == Op::n; }
bool is_unary(Op op) { return op == Op::negate || op == Op::logical_not; }

/// In postfix order an operand ends just before what follows it; this gives where each subexpression begins.
std::vector<std::size_t> beginnings(const std::vector<IntInstruction>& code) {
  std::vector<std::size_t> begin(code.size());
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (is_leaf(code[k].op)) {
      begin[k] = k;
    } else if (is_unary(code[k].op)) {
      begin[k] = begin[k - 1];
    } else {
      begin[k] = begin[begin[k - 1] - 1];
    }
  }
  return begin;
}

std::string infix(const std::vector<IntInstruction>& code) {
  struct Task {
    std::size_t at;         // the last instruction of a subexpression …
    int level;              // … and what may stand there without parentheses
    std::string_view text;  // or a text, if not empty
  };
  const std::vector<std::size_t> begin = beginnings(code);
  std::string out;
  std::vector<Task> tasks{{code.size() - 1, 0, ""}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    if (!task.text.empty()) {
      out += task.text;
      continue;
    }
    const Op op = code[task.at].op;
    const OpText row = facts(op);
    if (row.level < task.level) {
      out += "(";
      tasks.push_back({0, 0, ")"});
    }
    if (op == Op::constant) {
      out += std::to_string(code[task.at].value);
    } else if (is_leaf(op)) {
      out += row.text;
    } else if (is_unary(op)) {
      out += row.text;
      tasks.push_back({task.at - 1, row.level, ""});
    } else {
      // Everything associates to the left; comparisons do not chain.
      tasks.push_back({task.at - 1, row.level + 1, ""});
      tasks.push_back({0, 0, row.text});
      tasks.push_back({begin[task.at - 1] - 1, row.level == 4 ? 5 : row.level, ""});
    }
  }
  return out;
}

}  // namespace

bool is_user_defined(const Predicate& predicate) {
  return predicate.kind == Predicate::Kind::set || predicate.kind == Predicate::Kind::expression;
}

std::string definition(const Predicate& predicate) {
  std::string text = "pred " + predicate.name;
  if (predicate.kind == Predicate::Kind::expression)
    return text + (predicate.depends_on_length() ? "(x, n) = " : "(x) = ") + infix(predicate.code);
  text += " = {";
  for (std::size_t k = 0; k < predicate.members.size(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(predicate.members[k]);
  return text + "}";
}

}  // namespace quench::lang
