// Terms are brought into normal form by the parser, so oracle and compiler both rest on that. Here the value of a
// random comparison is computed beside its text, while it is written.
#include <gtest/gtest.h>

#include <functional>

#include "base/number/random.h"
#include "oracle/evaluate.h"
#include "parse/parse_text.h"
#include "support/all_words.h"

namespace quench {
namespace {

struct Place {
  const Word& word;
  std::size_t i;  ///< from 0
};
using Number = std::function<std::int64_t(const Place&)>;
struct Written {
  std::string text;
  Number value;
};

Written count(Random& random) {
  const std::uint64_t scope = random.below(3);
  const Symbol symbol = random.chance(0.5) ? 0 : 1;
  static const char* const names[] = {"#<", "#>", "#"};
  return {std::string(names[scope]) + (symbol == 0 ? "[Q_a]" : "[Q_b]"), [=](const Place& at) {
            std::int64_t found = 0;
            for (std::size_t j = 0; j < at.word.size(); ++j)
              found += at.word[j] == symbol && (scope == 2 || (scope == 0 ? j <= at.i : j >= at.i));
            return found;
          }};
}

Written term(Random& random, int depth) {
  if (depth == 0 || random.chance(0.2)) {
    if (random.chance(0.7)) return count(random);
    const std::int64_t number = random.between(0, 9);
    return {std::to_string(number), [=](const Place&) { return number; }};
  }
  const Written a = term(random, depth - 1), b = term(random, depth - 1);
  const std::int64_t factor = random.between(0, 4);
  switch (random.below(5)) {
    case 0:
      return {"(" + a.text + " + " + b.text + ")", [=](const Place& at) { return a.value(at) + b.value(at); }};
    case 1:
      return {"(" + a.text + " - " + b.text + ")", [=](const Place& at) { return a.value(at) - b.value(at); }};
    case 2:
      return {"-(" + a.text + ")", [=](const Place& at) { return -a.value(at); }};
    case 3:
      return {std::to_string(factor) + "*(" + a.text + ")", [=](const Place& at) { return factor * a.value(at); }};
    default:
      return {"(" + a.text + ")*" + std::to_string(factor), [=](const Place& at) { return factor * a.value(at); }};
  }
}

TEST(LinearTerms, MeanWhatTheirTextSays) {
  static const std::vector<std::pair<const char*, std::function<bool(std::int64_t, std::int64_t)>>> relations{
      {" < ", std::less<>()},           {" <= ", std::less_equal<>()}, {" > ", std::greater<>()},
      {" >= ", std::greater_equal<>()}, {" = ", std::equal_to<>()},    {" != ", std::not_equal_to<>()}};
  Random random(1);
  for (int k = 0; k < 2000 && !HasFailure(); ++k) {
    const Written left = term(random, 4), right = term(random, 3);
    const auto& relation = relations[random.below(relations.size())];
    const auto& holds = relation.second;
    const std::string text = "(Q_a | !Q_a) & (Q_b | !Q_b) & " + left.text + relation.first + right.text;
    const lang::Formula formula = parse_text(text);
    test::for_all_words(2, true, 3, [&](const Word& word) {
      const auto values = oracle::evaluate(formula, word);
      for (std::size_t i = 0; i < word.size(); ++i)
        EXPECT_EQ(values[i] != 0, holds(left.value({word, i}), right.value({word, i}))) << text << " at " << i + 1;
    });
  }
}

}  // namespace
}  // namespace quench
