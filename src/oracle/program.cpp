#include "oracle/program.h"
#include "oracle/relation.h"

#include <algorithm>

#include "base/error.h"
#include "base/number/int128.h"
#include "base/overloaded.h"

namespace quench::oracle {
namespace {

using namespace lang;

/// Inside, scores are counted in units of 10^−12, so that sums of means come out right to the millionth.
constexpr std::int64_t kFine = 1'000'000;

std::int64_t to_millionths(std::int64_t fine) {
  const std::int64_t half = fine < 0 ? -kFine / 2 : kFine / 2;
  return fine / kFine + (fine % kFine + half) / kFine;
}

class Evaluation {
 public:
  Evaluation(const Program& program, const Word& word)
      : program_(program), word_(word), n_(static_cast<std::int64_t>(word.size())), cells_(program.size()) {}

  std::vector<Values> run() {
    for (std::size_t k = 0; k < program_.vector_count(); ++k) {
      const Vector& vector = program_[VectorId(k)];
      Values values = std::visit([&](const auto& definition) { return evaluate(definition); }, vector.definition);
      // A stored integer stays within 0 … N+1.
      if (vector.sort == Sort::integer)
        for (std::int64_t& value : values) value = std::clamp<std::int64_t>(value, 0, n_ + 1);
      vectors_.push_back(std::move(values));
    }
    for (std::size_t k = 0; k < program_.vector_count(); ++k)
      if (program_[VectorId(k)].sort == Sort::score)
        for (std::int64_t& value : vectors_[k]) value = to_millionths(value);
    return std::move(vectors_);
  }

 private:
  Values evaluate(const Pointwise& definition) {
    const std::vector<ExpressionId> order = expressions_of(program_, {definition.value});
    Values values;
    for (std::int64_t i = 1; i <= n_; ++i) values.push_back(at(order, definition.value, i, i));
    return values;
  }

  Values evaluate(const Attention& definition) {
    const std::vector<ExpressionId> score = expressions_of(program_, {definition.score}),
                                    value = expressions_of(program_, {definition.value}),
                                    otherwise = expressions_of(program_, {definition.otherwise});
    Values values;
    for (std::int64_t i = 1; i <= n_; ++i) {
      std::int64_t found = 0;
      for (std::int64_t j = 1; j <= n_; ++j) {
        if (definition.side == Side::leftmost && found > 0) break;
        if (visible(definition.reach, i, j) && at(score, definition.score, i, j)) found = j;
      }
      values.push_back(found > 0 ? at(value, definition.value, i, found) : at(otherwise, definition.otherwise, i, i));
    }
    return values;
  }

  Values evaluate(const SumOver& definition) {
    const std::vector<ExpressionId> order = expressions_of(program_, {definition.value});
    Values added, values;
    for (std::int64_t j = 1; j <= n_; ++j) added.push_back(at(order, definition.value, j, j));
    for (std::int64_t i = 1; i <= n_; ++i) {
      Int128 sum = 0;
      for (std::int64_t j = 1; j <= n_; ++j)
        if (visible(definition.reach, i, j)) sum += added[static_cast<std::size_t>(j - 1)];
      values.push_back(static_cast<std::int64_t>(std::clamp<Int128>(sum, 0, n_ + 1)));
    }
    return values;
  }

  Values evaluate(const Mean& definition) {
    const std::vector<ExpressionId> order = expressions_of(program_, {definition.value});
    Values values;
    for (std::int64_t i = 1; i <= n_; ++i) {
      std::int64_t seen = 0, holds = 0;
      for (std::int64_t j = 1; j <= n_; ++j)
        if (visible(definition.reach, i, j)) ++seen, holds += at(order, definition.value, j, j);
      const std::int64_t whole = kScoreUnit * kFine;
      values.push_back(holds * (whole / seen) + holds * (whole % seen) / seen);
    }
    return values;
  }

  static bool visible(Reach reach, std::int64_t i, std::int64_t j) {
    switch (reach) {
      case Reach::all:
        return true;
      case Reach::before:
        return j < i;
      case Reach::up_to:
        return j <= i;
      case Reach::after:
        return j > i;
      case Reach::from:
        return j >= i;
    }
    return false;
  }

  /// The value of `root`, whose subexpressions are `order`, for positions i and j.
  std::int64_t at(const std::vector<ExpressionId>& order, ExpressionId root, std::int64_t i, std::int64_t j) {
    for (const ExpressionId id : order) cells_[id.index] = value_of(program_[id], i, j);
    return cells_[root.index];
  }

  std::int64_t value_of(const Expression& expression, std::int64_t i, std::int64_t j) {
    const auto index = [&](At at) { return static_cast<std::size_t>((at == At::i ? i : j) - 1); };
    const auto cell = [&](ExpressionId id) { return cells_[id.index]; };
    return std::visit(
        Overloaded{[](const BooleanConstant& x) -> std::int64_t { return x.value; },
                   [](const SymbolConstant& x) -> std::int64_t { return x.symbol; },
                   [](const StringConstant& x) -> std::int64_t { return x.string; },
                   [](const IntegerConstant& x) -> std::int64_t { return x.value; },
                   [](const ScoreConstant& x) -> std::int64_t { return x.millionths * kFine; },
                   [&](const Input& x) -> std::int64_t { return word_[index(x.at)]; },
                   [&](const PositionAt& x) -> std::int64_t { return x.at == At::i ? i : j; },
                   [&](const VectorAt& x) -> std::int64_t { return vectors_[x.vector.index][index(x.at)]; },
                   [&](const Negation& x) -> std::int64_t { return !cell(x.of); },
                   [&](const Connection& x) -> std::int64_t { return connect(x.op, cell(x.left), cell(x.right)); },
                   [&](const SameSymbol& x) -> std::int64_t { return cell(x.left) == cell(x.right); },
                   [&](const MemberOf& x) -> std::int64_t {
                     return std::find(x.symbols.begin(), x.symbols.end(), cell(x.of)) != x.symbols.end();
                   },
                   [&](const Compare& x) -> std::int64_t { return compare(x.relation, cell(x.left), cell(x.right)); },
                   [&](const AsInteger& x) -> std::int64_t { return cell(x.of); },
                   [&](const AsScore& x) -> std::int64_t { return cell(x.of) * kScoreUnit * kFine; },
                   [&](const AsString& x) -> std::int64_t { return -2 - (cell(x.of) + 1); },
                   [&](const Sum& x) -> std::int64_t { return plus(cell(x.left), cell(x.right), x.factor); },
                   [&](const Choice& x) -> std::int64_t { return cell(x.condition) ? cell(x.yes) : cell(x.no); }},
        expression);
  }

  static bool connect(Connective op, bool a, bool b) {
    switch (op) {
      case Connective::and_:
        return a && b;
      case Connective::or_:
        return a || b;
      case Connective::implies:
        return !a || b;
      case Connective::iff:
        return a == b;
      case Connective::xor_:
        return a != b;
    }
    return false;
  }

  static std::int64_t plus(std::int64_t a, std::int64_t b, std::int64_t factor) {
    std::int64_t product = 0, sum = 0;
    if (__builtin_mul_overflow(b, factor, &product) || __builtin_add_overflow(a, product, &sum))
      throw UserError("the program's arithmetic exceeds 64 bits (scores: 9 million)");
    return sum;
  }

  const Program& program_;
  const Word& word_;
  std::int64_t n_;
  std::vector<std::int64_t> cells_;  // by expression, for the positions at hand
  std::vector<Values> vectors_;
};

}  // namespace

std::vector<Values> evaluate_all(const Program& program, const Word& word) {
  if (word.empty()) throw UserError("the empty word has no last position, so no rule has a value on it");
  return Evaluation(program, word).run();
}

Values evaluate(const Program& program, const Word& word) {
  std::vector<Values> all = evaluate_all(program, word);
  if (program.scores.empty()) return std::move(all[program.output.index]);
  Values values;
  for (std::size_t i = 0; i < word.size(); ++i)
    for (const SymbolScore& score : program.scores) values.push_back(all[score.vector.index][i]);
  return values;
}

std::vector<Symbol> string_of(const Program& program, std::int64_t value) {
  if (value < 0) return {static_cast<Symbol>(-2 - value - 1)};
  return program.strings[static_cast<std::size_t>(value)];
}

}  // namespace quench::oracle
