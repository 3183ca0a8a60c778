// Coefficients, constants and γ of every size: what is compiled is right in double precision, and the rest is refused
// with a code. Nothing ends in an assertion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/number/int128.h"
#include "base/number/random.h"
#include "certify/certify.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lower/comparison.h"
#include "lower/gamma.h"
#include "oracle/evaluate.h"
#include "run/reference/reference.h"
#include "support/all_words.h"
#include "support/examples.h"

namespace quench {
namespace {

using ::testing::HasSubstr;

lower::RecipeOptions by(std::string_view recipe, std::optional<double> gamma = {}) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.gamma = gamma;
  return options;
}

/// The model, or the code of what is wrong with the rule.
struct Outcome {
  std::optional<model::Transformer> model;
  std::string code, text;
};

Outcome outcome(const lang::Rule& rule, const lower::RecipeOptions& options) {
  try {
    return {driver::compile(rule, options).model, {}, {}};
  } catch (const DiagnosticError& error) {
    std::string text = error.diagnostics[0].message;
    for (const std::string& note : error.diagnostics[0].notes) text += "\n" + note;
    return {std::nullopt, error.diagnostics[0].code, text};
  }
}

void expect_right(const lang::Formula& formula, const model::Transformer& model, std::size_t all_to,
                  const std::vector<std::size_t>& lengths, std::uint64_t seed) {
  const run::ReferenceExecutor executor(model);
  run::ReferenceExecutor::Workspace workspace;
  std::vector<double> outputs;
  const auto check = [&](const Word& word) {
    if (::testing::Test::HasFailure()) return;
    executor.outputs(word, workspace, outputs);
    EXPECT_EQ(run::booleans(outputs), oracle::evaluate(formula, word))
        << lang::print(formula) << "by " << model.recipe << " on " << formula.alphabet.print(word);
  };
  test::for_all_words(formula.alphabet.size(), formula.alphabet.size() == 0, all_to, check);
  Random random(seed);
  for (const std::size_t length : lengths) {
    check(random_word(random, formula.alphabet.size(), true, length));
    if (formula.alphabet.size() < 2) continue;
    Word halves(length, 1);  // many counts are equal, or nearly
    std::fill_n(halves.begin(), (length + 1) / 2, 0);
    check(halves);
  }
}

TEST(LargeNumbers, WrongOnesOfOld) {
  for (const char* text :
       {"#>[Q_b] + 5527947777909667 < #>[Q_a]", "#<[Q_a] + 9007199254740993 > #<[Q_b]",
        "4503599627370497*#<[Q_a] > 4503599627370496*#<[Q_b]", "9007199254740991*#<[Q_a] > #<[Q_b]",
        "#<[Q_a] - #>[Q_b] = 9007199254740992", "9223372036854775807*#<[Q_a] >= 9223372036854775806*#>[Q_b] + 1"}) {
    const lang::Formula formula = driver::parse(text);
    for (const char* recipe : {"tight", "tight-position", "22a", "22b", "20a", "20b"}) {
      const Outcome result = outcome(formula, by(recipe));
      if (result.model) {
        expect_right(formula, *result.model, 6, {100, 256}, 1);
      } else {
        EXPECT_EQ(result.code, "E106") << text;
      }
    }
  }
}

TEST(LargeNumbers, WhatTheConstantDecidesIsCompiledWithoutIt) {
  for (const lower::Recipe& recipe : lower::recipes()) {
    const Outcome result = outcome(driver::parse("#<[Q_a] + 9007199254740993 > #<[Q_b]"), by(recipe.name));
    if (result.code == "E101" || result.code == "E103") continue;
    ASSERT_TRUE(result.model) << result.text;
    for (const model::Layer& layer : result.model->layers) EXPECT_TRUE(layer.heads.empty()) << recipe.name;
  }
}

TEST(LargeNumbers, WhatTheConstantDecides) {
  const auto truth = [](const char* text) {
    const lang::Formula formula = driver::parse(text);
    return lower::decided(
        lower::normal_form(formula, std::get<lang::Comparison>(formula[formula.root])));
  };
  // 2^53 = 9007199254740992 is the greatest length.
  EXPECT_EQ(truth("#<[Q_a] + 9007199254740992 >= #<[Q_b]"), true);
  EXPECT_EQ(truth("#<[Q_a] + 9007199254740991 >= #<[Q_b]"), std::nullopt);
  EXPECT_EQ(truth("#<[Q_a] + 9007199254740993 > #<[Q_b]"), true);
  EXPECT_EQ(truth("#<[Q_a] + 9007199254740992 > #<[Q_b]"), std::nullopt);
  EXPECT_EQ(truth("#<[Q_a] >= #>[Q_b] + 9007199254740993"), false);
  EXPECT_EQ(truth("#<[Q_a] >= #>[Q_b] + 9007199254740992"), std::nullopt);
  EXPECT_EQ(truth("#<[Q_a] - #[Q_b] = 9007199254740993"), false);
  EXPECT_EQ(truth("#<[Q_a] - #[Q_b] = 9007199254740992"), std::nullopt);
  EXPECT_EQ(truth("#<[Q_a] - #[Q_b] != -9007199254740993"), true);
  EXPECT_EQ(truth("#<[Q_a] - #[Q_b] != -9007199254740992"), std::nullopt);
  EXPECT_EQ(truth("2*#<[Q_a] + 9223372036854775807 > 1024*#<[Q_b]"), std::nullopt);
  EXPECT_EQ(truth("2*#<[Q_a] + 9223372036854775807 > 1022*#<[Q_b]"), true);
  EXPECT_EQ(truth("2*#<[Q_a] = 2*#<[Q_b] + 1"), false);
  EXPECT_EQ(truth("2*#<[Q_a] != 2*#<[Q_b] + 1"), true);
  EXPECT_EQ(truth("#<[Q_a] >= 0"), true);
  EXPECT_EQ(truth("#<[Q_a] < 0"), false);
  EXPECT_EQ(truth("#<[Q_a] - #<[Q_a] = 0"), true);
  EXPECT_EQ(truth("#<[Q_a] - #<[Q_a] != 0"), false);
  EXPECT_EQ(truth("-9223372036854775808 < 9223372036854775807"), true);
  EXPECT_EQ(truth("-9223372036854775808*#<[Q_a] > 9223372036854775807*#<[Q_b]"), false);
}

TEST(LargeNumbers, DivisionRoundsTheRightWay) {
  const auto normal = [](const char* text) {
    const lang::Formula formula = driver::parse(text);
    const auto form = lower::normal_form(formula, std::get<lang::Comparison>(formula[formula.root]));
    std::string result;
    for (const auto& part : form.parts) result += to_string(part.coefficient) + " ";
    return result + to_string(form.constant);
  };
  EXPECT_EQ(normal("3*#<[Q_a] - 6*#<[Q_b] >= 4"), "1 -2 -2");   // a − 2b ≥ 4/3
  EXPECT_EQ(normal("3*#<[Q_a] - 6*#<[Q_b] >= -4"), "1 -2 1");   // ≥ −4/3
  EXPECT_EQ(normal("3*#<[Q_a] - 6*#<[Q_b] > -3"), "1 -2 0");    // ≥ −2/3
  EXPECT_EQ(normal("3*#<[Q_a] - 6*#<[Q_b] <= 4"), "-1 2 1");    // 2b − a ≥ −4/3
  EXPECT_EQ(normal("3*#<[Q_a] - 6*#<[Q_b] = -9"), "1 -2 3");
  EXPECT_EQ(normal("-9223372036854775808*#<[Q_a] >= 9223372036854775807 - #<[Q_b] + #<[Q_b]"), "-1 -1");
}

/// Numbers near powers of two from 2^10 on, the extremes, and small ones.
class Numbers {
 public:
  explicit Numbers(Random& random) : random_(random) {}
  Int128 next() {
    if (random_.chance(0.3)) return random_.between(1, 5);
    if (random_.chance(0.05)) return std::numeric_limits<std::int64_t>::max();
    const Int128 power = Int128(1) << random_.between(10, random_.chance(0.5) ? 46 : 63);
    return std::min<Int128>(power + random_.between(-2, 2), std::numeric_limits<std::int64_t>::max());
  }

 private:
  Random& random_;
};

std::string random_comparison(Random& random, bool left_only) {
  static const std::vector<std::string> relations{"<=", "<", ">=", ">", "=", "!="};
  static const std::vector<std::string> scopes{"#<", "#>", "#"};
  static const std::vector<std::string> counted{"Q_a", "Q_b", "true", "(Q_a | prev Q_b)", "!Q_a"};
  Numbers numbers(random);
  const auto side = [&] {
    std::string text;
    for (std::size_t parts = random.below(3); parts > 0; --parts) {
      text += random.chance(0.5) ? " + " : " - ";
      text += to_string(numbers.next()) + "*" + (left_only ? "#<" : scopes[random.below(3)]) + "[" +
              counted[random.below(counted.size())] + "]";
    }
    const std::string constant = random.chance(0.1) ? "9223372036854775808" : to_string(numbers.next());
    return "0" + text + (random.chance(0.6) ? " - " + constant : "");
  };
  return side() + " " + relations[random.below(6)] + " " + side();
}

void check_random(std::uint64_t seed, int count, std::size_t all_to) {
  Random random(seed);
  int compiled = 0, refused = 0;
  for (int k = 0; k < count; ++k) {
    const bool left_only = random.chance(0.5);
    const std::string text = random_comparison(random, left_only);
    SCOPED_TRACE(text);
    lang::Rule rule;
    try {
      rule = driver::parse_rule(text, "x.tl");
    } catch (const DiagnosticError& error) {
      EXPECT_EQ(error.diagnostics[0].code, "E007");  // a sum beyond 64 bits
      continue;
    }
    for (const lower::Recipe& recipe : lower::recipes()) {
      const Outcome result = outcome(rule, by(recipe.name));
      if (result.code == "E101" || result.code == "E103") continue;
      if (result.model) {
        ++compiled;
        expect_right(std::get<lang::Formula>(rule), *result.model, all_to, {20, 1 + random.below(256)}, seed);
        certify::certify(*result.model, certify::Arithmetic::of(NumberFormat::f64),
                         certify::Summation::normalise_last);
      } else {
        ++refused;
        EXPECT_EQ(result.code, "E106") << result.text;
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(compiled, count);
  EXPECT_GT(refused, count);
}

TEST(LargeNumbers, RandomComparisonsAreRightOrRefused) { check_random(1, 60, 4); }
TEST(SlowLargeNumbers, RandomComparisonsAreRightOrRefused) { check_random(2, 3000, 6); }

/// Just within the bounds of bounds/double_length.h, with words that come next to the threshold.
TEST(LargeNumbers, JustWithinTheBounds) {
  for (const char* text :
       {"17592186044415*#<[Q_a] > 17592186044414*#<[Q_b]", "17592186044415*#<[Q_a] >= 17592186044414*#[true] + 1",
        "35184372088829*#<[Q_a] >= 1 + #<[Q_b]", "#<[Q_a] >= 35184372088828*#<[Q_b]",
        "1073741823*#<[Q_a] > 1073741822*#>[Q_b]", "1073741823*#<[Q_a] = 1073741823*#>[Q_b] + 1073741822*#[Q_a] - 5",
        "3*#<[Q_a] - 2*#<[Q_b] + 35184372088820 > 0", "3*#<[Q_a] - 2*#>[Q_b] = 35184372088820"}) {
    const lang::Formula formula = driver::parse(text);
    for (const char* recipe : {"tight", "tight-position", "20a", "20b", "22a", "22b"}) {
      const Outcome result = outcome(formula, by(recipe));
      if (result.model)
        expect_right(formula, *result.model, 8, {9, 10, 11, 12, 31, 32, 33, 64, 100, 200, 255, 256}, 5);
      else
        EXPECT_EQ(result.code, "E106");
    }
  }
}

TEST(LargeNumbers, TheRefusalSaysHowFarItWouldReach) {
  const Outcome none = outcome(driver::parse("#<[Q_a] > 9007199254740993*#<[Q_b]"), {});
  EXPECT_EQ(none.code, "E106");
  EXPECT_THAT(none.text, HasSubstr("recipe tight is right at no length"));
  const Outcome some = outcome(driver::parse("#>[Q_a] > 8589934591*#<[Q_b] + 3"), {});
  EXPECT_EQ(some.code, "E106");
  EXPECT_THAT(some.text, HasSubstr("right only up to length 128"));
}

TEST(Gamma, OutOfRangeIsRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* text : {"prev Q_a", "#<[Q_a] > #>[Q_b]", "out(i) = rightmost j [j < i] Q_a(j) : false",
                           "out(i) = psum j [j <= i] Q_a(j)"})
    for (const char* recipe : {"auto", "paper"})
      for (const double gamma : {1e308, 1.7e308, infinity, -infinity, std::nan(""), 0.0, -1.0, 1e-300, 2.77, 6e210}) {
        const Outcome result = outcome(driver::parse_rule(text), by(recipe, gamma));
        EXPECT_EQ(result.code, "E104") << text << " " << gamma;
        EXPECT_THAT(result.text, HasSubstr("at most 5.26e+210"));
      }
}

/// The largest γ is as good as any: every recipe is right, and can be certified, in double precision and in others.
TEST(Gamma, TheLargestWorks) {
  for (const char* text : {"prev Q_a & next Q_b", "Q_a since (Q_b | prev Q_a)", "prev Q_b", "#<[Q_a] > 2*#<[Q_b] - 1",
                           "#>[Q_a] = #<[Q_b]", "prime(#<[Q_a])", "30000000*#<[Q_a] > 29999999*#<[Q_b]"}) {
    const lang::Formula formula = driver::parse(text);
    for (const lower::Recipe& recipe : lower::recipes()) {
      if (recipe.exact) continue;  // it has no gamma
      const Outcome result = outcome(formula, by(recipe.name, lower::kLargestGamma));
      if (result.code == "E101" || result.code == "E103") continue;
      ASSERT_TRUE(result.model) << result.text;
      expect_right(formula, *result.model, 5, {50, 300}, 3);
      for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16})
        certify::certify(*result.model, certify::Arithmetic::of(format), certify::Summation::normalise_last);
    }
  }
}

}  // namespace
}  // namespace quench
