#include "oracle/program.h"

#include <algorithm>

#include "base/error.h"
#include "base/number/int128.h"
#include "oracle/expression_values.h"
#include "oracle/long_attention.h"

namespace quench::oracle {
namespace {

using namespace lang;

std::int64_t to_millionths(std::int64_t fine) {
  const std::int64_t half = fine < 0 ? -kFine / 2 : kFine / 2;
  return fine / kFine + (fine % kFine + half) / kFine;
}

bool visible(Reach reach, std::int64_t i, std::int64_t j) {
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

/// How many positions are visible from i, and the sum of the numbers there.
struct Visible {
  std::int64_t positions = 0;
  Int128 sum = 0;
};

std::vector<Visible> visible_sums(Reach reach, const Values& numbers) {
  const auto n = static_cast<std::int64_t>(numbers.size());
  std::vector<Int128> up_to{0};  // by position, the sum of the numbers up to it
  for (const std::int64_t number : numbers) up_to.push_back(up_to.back() + number);
  std::vector<Visible> result;
  for (std::int64_t i = 1; i <= n; ++i) {
    // What is visible is one interval, first … last.
    std::int64_t first = 1, last = n;
    if (reach == Reach::before || reach == Reach::up_to) last = visible(reach, i, i) ? i : i - 1;
    if (reach == Reach::after || reach == Reach::from) first = visible(reach, i, i) ? i : i + 1;
    result.push_back(
        {last - first + 1, up_to[static_cast<std::size_t>(last)] - up_to[static_cast<std::size_t>(first - 1)]});
  }
  return result;
}

class Evaluation {
 public:
  Evaluation(const Program& program, const Word& word, bool linear)
      : program_(program), values_(program, word), n_(values_.length()), linear_(linear) {}

  std::vector<Values> run() {
    for (std::size_t k = 0; k < program_.vector_count(); ++k) {
      const Vector& vector = program_[VectorId(k)];
      Values values = std::visit([&](const auto& definition) { return evaluate(definition); }, vector.definition);
      // A stored integer stays within 0 … N+1.
      if (vector.sort == Sort::integer)
        for (std::int64_t& value : values) value = std::clamp<std::int64_t>(value, 0, n_ + 1);
      values_.vectors.push_back(std::move(values));
    }
    for (std::size_t k = 0; k < program_.vector_count(); ++k)
      if (program_[VectorId(k)].sort == Sort::score)
        for (std::int64_t& value : values_.vectors[k]) value = to_millionths(value);
    return std::move(values_.vectors);
  }

 private:
  /// An expression of one position at all of them.
  Values everywhere(ExpressionId value) {
    const std::vector<ExpressionId> order = expressions_of(program_, {value});
    Values values;
    for (std::int64_t i = 1; i <= n_; ++i) values.push_back(values_.at(order, value, i, i));
    return values;
  }

  Values evaluate(const Pointwise& definition) { return everywhere(definition.value); }

  Values evaluate(const Attention& definition) {
    const std::vector<ExpressionId> value = expressions_of(program_, {definition.value}),
                                    otherwise = expressions_of(program_, {definition.otherwise});
    const std::vector<std::int64_t> found = positions(definition);
    Values values;
    for (std::int64_t i = 1; i <= n_; ++i) {
      const std::int64_t j = found[static_cast<std::size_t>(i - 1)];
      values.push_back(j > 0 ? values_.at(value, definition.value, i, j)
                             : values_.at(otherwise, definition.otherwise, i, i));
    }
    return values;
  }

  /// The position that each one attends to; 0: none.
  std::vector<std::int64_t> positions(const Attention& definition) {
    if (linear_)
      if (auto found = positions_of_a_long_word(values_, definition)) return *std::move(found);
    const std::vector<ExpressionId> score = expressions_of(program_, {definition.score});
    std::vector<std::int64_t> result;
    for (std::int64_t i = 1; i <= n_; ++i) {
      std::int64_t found = 0;
      for (std::int64_t j = 1; j <= n_; ++j) {
        if (definition.side == Side::leftmost && found > 0) break;
        if (visible(definition.reach, i, j) && values_.at(score, definition.score, i, j)) found = j;
      }
      result.push_back(found);
    }
    return result;
  }

  Values evaluate(const SumOver& definition) {
    Values values;
    for (const Visible& seen : sums(definition.reach, everywhere(definition.value)))
      values.push_back(static_cast<std::int64_t>(std::clamp<Int128>(seen.sum, 0, n_ + 1)));
    return values;
  }

  Values evaluate(const Mean& definition) {
    Values values;
    for (const Visible& seen : sums(definition.reach, everywhere(definition.value))) {
      const std::int64_t whole = kScoreUnit * kFine, holds = static_cast<std::int64_t>(seen.sum);
      values.push_back(holds * (whole / seen.positions) + holds * (whole % seen.positions) / seen.positions);
    }
    return values;
  }

  std::vector<Visible> sums(Reach reach, const Values& numbers) const {
    if (linear_) return visible_sums(reach, numbers);
    std::vector<Visible> result(numbers.size());
    for (std::int64_t i = 1; i <= n_; ++i)
      for (std::int64_t j = 1; j <= n_; ++j)
        if (visible(reach, i, j)) {
          Visible& seen = result[static_cast<std::size_t>(i - 1)];
          ++seen.positions, seen.sum += numbers[static_cast<std::size_t>(j - 1)];
        }
    return result;
  }

  const Program& program_;
  ExpressionValues values_;
  const std::int64_t n_;
  const bool linear_;
};

/// Words longer than this are evaluated in linear time where the program allows it.
constexpr std::size_t kLongestByDefinition = 512;

}  // namespace

std::vector<Values> evaluate_all(const Program& program, const Word& word) {
  return evaluate_all(program, word, word.size() > kLongestByDefinition);
}

std::vector<Values> evaluate_all(const Program& program, const Word& word, bool linear) {
  if (word.empty()) throw UserError("the empty word has no last position, so no rule has a value on it");
  return Evaluation(program, word, linear).run();
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
