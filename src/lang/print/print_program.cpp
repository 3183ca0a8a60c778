// Works through an explicit list of tasks, so that no expression is too deep.
#include "lang/print/print_program.h"

#include <algorithm>
#include <cstdlib>

#include "base/overloaded.h"
#include "lang/operators.h"
#include "lang/print/writer.h"

namespace quench::lang {
namespace {

// The levels of the parser: how tightly an expression holds together.
enum Level : int {
  kChoice = -1,
  kNot = static_cast<int>(Precedence::unary),
  kComparison,
  kAdditive,
  kMultiplicative,
  kAtom
};

const OperatorFacts& facts(Connective op) {
  static constexpr Operator operators[] = {Operator::and_, Operator::or_, Operator::implies, Operator::iff,
                                           Operator::xor_};
  return facts(operators[static_cast<int>(op)]);
}

class ProgramWriter {
 public:
  ProgramWriter(const Program& program, std::size_t limit) : program_(program), limit_(limit) {}

  std::string run(ExpressionId root) {
    child(root, kChoice);
    while (!tasks_.empty() && out_.size() <= limit_) {
      const Task task = std::move(tasks_.back());
      tasks_.pop_back();
      task.id.valid() ? expand(task) : void(out_ += task.text);
    }
    return tasks_.empty() ? std::move(out_) : out_ + "…";
  }

 private:
  struct Task {
    std::string text;
    ExpressionId id;
    int level = 0;  // what holds together less tightly needs parentheses
  };

  void text(std::string text) { tasks_.push_back({std::move(text), {}, 0}); }
  void child(ExpressionId id, int level) { tasks_.push_back({{}, id, level}); }

  /// Pushes the pieces of an expression, last first.
  void expand(const Task& task) {
    const Expression& expression = program_[task.id];
    const bool parentheses = level_of(expression) < task.level;
    if (parentheses) text(")");
    std::visit(
        Overloaded{
            [&](const BooleanConstant& x) { text(x.value ? "true" : "false"); },
            [&](const SymbolConstant& x) { text(symbol(x.symbol)); },
            [&](const StringConstant& x) { text(string_text(program_.strings[static_cast<std::size_t>(x.string)])); },
            [&](const IntegerConstant& x) { text(std::to_string(x.value)); },
            [&](const ScoreConstant& x) { text(score_text(x.millionths)); },
            [&](const Input& x) { text("in" + position(x.at)); },
            [&](const PositionAt& x) { text("pos" + position(x.at)); },
            [&](const VectorAt& x) { text(program_[x.vector].name + position(x.at)); },
            [&](const Negation& x) { child(x.of, kNot), text("not "); }, [&](const Connection& x) { connection(x); },
            [&](const SameSymbol& x) { infix(x.left, " = ", x.right, kAdditive, kAdditive); },
            [&](const MemberOf& x) { member(x); },
            [&](const Compare& x) {
              infix(x.left, " " + std::string(facts(x.relation).symbol) + " ", x.right, kAdditive, kAdditive);
            },
            [&](const AsInteger& x) { child(x.of, task.level); }, [&](const AsString& x) { as_string(x, task.level); },
            [&](const AsScore& x) { child(x.of, task.level); }, [&](const Sum& x) { sum(x); },
            [&](const Choice& x) {
              child(x.no, kChoice), text(" : "), child(x.yes, kChoice), text(" ? "), child(x.condition, 0);
            }},
        expression);
    if (parentheses) text("(");
  }

  static int level_of(const Expression& expression) {
    return std::visit(Overloaded{[](const Negation&) { return static_cast<int>(kNot); },
                                 [](const Connection& x) { return static_cast<int>(facts(x.op).precedence); },
                                 [](const SameSymbol&) { return static_cast<int>(kComparison); },
                                 [](const MemberOf&) { return static_cast<int>(kComparison); },
                                 [](const Compare&) { return static_cast<int>(kComparison); },
                                 [](const Sum&) { return static_cast<int>(kAdditive); },
                                 [](const Choice&) { return static_cast<int>(kChoice); },
                                 [](const auto&) { return static_cast<int>(kAtom); }},
                      expression);
  }

  void infix(ExpressionId left, const std::string& op, ExpressionId right, int left_level, int right_level) {
    child(right, right_level), text(op), child(left, left_level);
  }

  void connection(const Connection& x) {
    const OperatorFacts& row = facts(x.op);
    const int level = static_cast<int>(row.precedence);
    const bool right = row.associativity == Associativity::right;
    const std::string_view word = row.word.empty() ? row.symbol : row.word;
    infix(x.left, " " + std::string(word) + " ", x.right, right ? level + 1 : level, right ? level : level + 1);
  }

  /// A character in double quotes is a string also where it stands alone.
  void as_string(const AsString& x, int level) {
    const auto* constant = std::get_if<SymbolConstant>(&program_[x.of]);
    const bool character = constant && Alphabet({symbol_text(constant->symbol)}).single_characters();
    character ? text(string_text({constant->symbol})) : child(x.of, level);
  }

  void member(const MemberOf& x) {
    std::string set;
    for (const Symbol s : x.symbols) set += (set.empty() ? "" : ", ") + symbol(s);
    text(" in {" + set + "}");
    child(x.of, kAdditive);
  }

  void sum(const Sum& x) {
    const std::string factor = std::abs(x.factor) == 1 ? "" : std::to_string(std::abs(x.factor)) + " * ";
    infix(x.left, (x.factor < 0 ? " - " : " + ") + factor, x.right, kAdditive, kMultiplicative);
  }

  static std::string position(At at) { return at == At::i ? "(i)" : "(j)"; }
  const std::string& symbol_text(Symbol s) const { return program_.alphabet.symbols()[static_cast<std::size_t>(s)]; }
  std::string symbol(Symbol s) const { return quoted_symbol(symbol_text(s)); }
  std::string string_text(const std::vector<Symbol>& symbols) const {
    std::string content;
    for (const Symbol s : symbols) {
      const std::string one = symbol(s);
      content += one == "'\"'" ? "\\\"" : one.substr(1, one.size() - 2);
    }
    return '"' + content + '"';
  }

  const Program& program_;
  std::size_t limit_;
  std::vector<Task> tasks_;
  std::string out_;
};

std::string right_side(const Program& program, const Vector& vector) {
  const auto text = [&](ExpressionId id) { return print(program, id); };
  return std::visit(
      Overloaded{[&](const Pointwise& x) { return text(x.value); },
                 [&](const Attention& x) {
                   const auto* score = std::get_if<BooleanConstant>(&program[x.score]);
                   std::string brackets(to_string(x.reach));
                   if (!(score && score->value)) brackets += ", " + text(x.score);
                   return std::string(x.side == Side::leftmost ? "leftmost" : "rightmost") + " j [" + brackets + "] " +
                          text(x.value) + " : " + text(x.otherwise);
                 },
                 [&](const SumOver& x) { return "psum j [" + std::string(to_string(x.reach)) + "] " + text(x.value); },
                 [&](const Mean& x) { return "mean j [" + std::string(to_string(x.reach)) + "] " + text(x.value); }},
      vector.definition);
}

}  // namespace

std::string print(const Program& program, ExpressionId id, std::size_t limit) {
  return ProgramWriter(program, limit).run(id);
}

std::string print(const Program& program) {
  std::string out = alphabet_text(program.alphabet) + "\n";
  for (std::size_t k = 0; k < program.vector_count(); ++k) {
    const Vector& vector = program[VectorId(k)];
    out += vector.name + "(i) = " + right_side(program, vector) + "\n";
  }
  return out;
}

std::string alphabet_text(const Alphabet& alphabet) {
  std::string text = "alphabet {";
  for (std::size_t s = 0; s < alphabet.size(); ++s) text += (s > 0 ? ", " : "") + quoted_symbol(alphabet.symbols()[s]);
  return text + "}";
}

std::string score_text(std::int64_t millionths) {
  const std::uint64_t size =
      millionths < 0 ? -static_cast<std::uint64_t>(millionths) : static_cast<std::uint64_t>(millionths);
  std::string decimals = std::to_string(size % kScoreUnit);
  decimals.insert(0, 6 - decimals.size(), '0');
  while (decimals.size() > 1 && decimals.back() == '0') decimals.pop_back();
  return (millionths < 0 ? "-" : "") + std::to_string(size / kScoreUnit) + "." + decimals;
}

std::string quoted_symbol(std::string_view symbol) {
  const std::string text = symbol_text(symbol, Notation::source);
  if (text.starts_with("Q['")) return text.substr(2, text.size() - 3);
  return "'" + std::string(symbol) + "'";
}

}  // namespace quench::lang
