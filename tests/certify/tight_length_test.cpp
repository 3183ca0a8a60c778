// The lengths that our recipes are made for, as certified: LTL under any order of summation.
#include <gtest/gtest.h>

#include "certify/certify.h"
#include "driver/compile.h"

namespace quench::certify {
namespace {

constexpr std::uint64_t kMillions = 4'194'304;  // 2^22

model::Transformer compile(const std::string& text, const char* recipe = "tight", bool digits = false) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.digits = digits;
  return driver::compile(driver::parse(text), options).model;
}

std::uint64_t length(const model::Transformer& model, NumberFormat format, Summation summation = Summation::any) {
  return certify(model, Arithmetic::of(format), summation).length;
}

const std::vector<std::string> kTemporal{"prev Q_a",
                                         "next !Q_a",
                                         "Q_a since Q_b",
                                         "Q_a until Q_b",
                                         "O Q_a & O Q_b & O Q_c",
                                         "G(Q_a -> F Q_b)",
                                         "((Q_a S Q_b) S Q_c) & Y Q_a",
                                         "(Q_a U Q_b) | (prev (Q_a S Q_b) & H(Q_a -> X Q_b) & O Q_c & F Q_a)"};

/// No head scores with any error, at the certified length.
void expect_exact_scores(const model::Transformer& model, NumberFormat format) {
  for (const HeadLine& line : certify(model, Arithmetic::of(format), Summation::any).heads)
    EXPECT_EQ(line.score_error, 0) << model.source << " " << line.name;
}

TEST(TightLength, TemporalFormulasUnderAnySummation) {
  for (const std::string& text : kTemporal) {
    const model::Transformer model = compile(text);
    EXPECT_GE(length(model, NumberFormat::f64), std::uint64_t{1} << 51) << text;
    EXPECT_GE(length(model, NumberFormat::f32), kMillions) << text;
    EXPECT_GE(length(model, NumberFormat::f16_pure), 512u) << text;
    EXPECT_GE(length(model, NumberFormat::bf16_pure), 64u) << text;
    expect_exact_scores(model, NumberFormat::f32);
  }
}

TEST(TightLength, TemporalFormulasInHalfFormatsWithDigits) {
  for (const std::string& text : kTemporal)
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16}) {
      const model::Transformer model = compile(text, "tight", true);
      EXPECT_GE(length(model, format), kMillions) << text << " " << to_string(format);
      expect_exact_scores(model, format);
    }
}

TEST(TightLength, DecodersAndPositionFlavours) {
  const std::string text = "O Q_c & prev (Q_a S Q_b) & H(Q_a -> Y Q_b)";
  for (const char* recipe : {"tight-decoder", "tight-position"}) {
    EXPECT_EQ(length(compile(text, recipe), NumberFormat::f32), 5'592'405u) << recipe;
    EXPECT_GE(length(compile(text, recipe, true), NumberFormat::bf16), kMillions) << recipe;
  }
  EXPECT_GE(length(compile(text, "tight-decoder", true), NumberFormat::f16), kMillions);
}

/// The limit of exact scores: the next length has a row in which two positions change places.
TEST(TightLength, EndsWhereScoresStopBeingExact) {
  EXPECT_EQ(length(compile("Q_a S Q_b"), NumberFormat::f32), kMillions);
  EXPECT_EQ(length(compile("Q_a S Q_b"), NumberFormat::f16_pure), 512u);
  EXPECT_EQ(length(compile("Q_a S Q_b"), NumberFormat::bf16_pure), 64u);
  EXPECT_EQ(length(compile("Q_a S Q_b"), NumberFormat::bf16), 64u);
  EXPECT_EQ(length(compile("Q_a S Q_b"), NumberFormat::f16), 512u);
}

/// The structured executor forms sums over positions in double precision: `exact-count` in float32.
TEST(TightLength, ComparisonsOfOneDirection) {
  for (const char* recipe : {"tight", "tight-position", "tight-decoder"})
    for (const char* text : {"#<[Q_a] >= #<[Q_b]", "3*#<[Q_a] > 3*#<[Q_b] + 1", "5*#<[Q_a] = #<[Q_b]",
                             "#<[Q_a] + #<[Q_b] + #<[Q_c] >= 3*#<[Q_d] - 4", "6*#<[Q_a] <= 100"}) {
      const model::Transformer model = compile(text, recipe);
      EXPECT_GE(length(model, NumberFormat::f32, Summation::exact_count), 1'000'000u) << text << " " << recipe;
      if (std::string(recipe) == "tight") {
        EXPECT_GE(length(model, NumberFormat::f32, Summation::normalise_last), 1'000'000u) << text;
      }
      EXPECT_GE(length(model, NumberFormat::f64, Summation::normalise_last), 1'000'000'000u) << text << " " << recipe;
    }
  for (const char* text : {"#>[Q_a] >= 5*#>[Q_b]", "3*#[Q_a] >= 3*#[Q_b] + 2"})
    EXPECT_GE(length(compile(text), NumberFormat::f32, Summation::exact_count), 1'000'000u) << text;
}

/// An equality is two comparisons; beside other conditions, what they exclude has to be seen in the weights.
TEST(TightLength, EqualitiesAmongOtherConditions) {
  const char* brackets_of_two_kinds =
      "let sum_1 = #<[Q_b] - #<[Q_a]\nlet sum_2 = #<[Q_d] - #<[Q_c]\n"
      "let since_1 = !(Q_c & sum_2 = -1) S (Q_a & sum_1 = -1)\n"
      "!O (sum_1 <= -4 | sum_1 >= 1 | sum_1 = -3 & sum_2 <= -1 | sum_1 <= -2 & sum_2 <= -2 | Q_b & prev Q_c | "
      "Q_b & sum_1 >= 0 & sum_2 = -1 & !since_1 | sum_1 <= -1 & sum_2 = -3 | sum_2 <= -4 | sum_2 >= 1 | "
      "Q_d & prev Q_a | Q_d & sum_1 <= -1 & sum_2 >= 0 & since_1) & (sum_1 = 0 & sum_2 = 0)";
  for (const char* text :
       {"(#<[Q_d] >= 1) & !O ((Q_c | Q_d) & !(#<[Q_d] = 1) | Q_a & (#<[Q_d] >= 1))", brackets_of_two_kinds}) {
    const model::Transformer model = compile(text);
    EXPECT_GE(length(model, NumberFormat::f32, Summation::normalise_last), 1'000'000u) << text;
    EXPECT_GE(length(model, NumberFormat::f32), 2'000u) << text;
    EXPECT_GE(length(model, NumberFormat::f64), 10'000'000u) << text;
  }
}

TEST(TightLength, MixedComparisons) {
  for (const char* recipe : {"tight", "tight-position"})
    for (const char* text :
         {"#<[Q_a] >= #>[Q_b]", "#<[Q_a] = #>[Q_b]", "3*#<[Q_a] >= 3*#>[Q_b] + 1", "5*#<[Q_a] >= #>[Q_b]",
          "#<[Q_a] + #>[Q_b] >= 2*#>[Q_a] + 2*#<[Q_b]", "3*#<[Q_a] = 2*#>[Q_b] + #[Q_b]"}) {
      const model::Transformer model = compile(text, recipe);
      EXPECT_GE(length(model, NumberFormat::f32, Summation::exact_count), 100'000u) << text << " " << recipe;
      EXPECT_GE(length(model, NumberFormat::f64, Summation::exact_count), 1'000'000'000u) << text << " " << recipe;
    }
}

TEST(TightLength, Lookups) {
  for (const char* recipe : {"tight", "tight-position"})
    for (const char* text : {"odd(#<[Q_a])", "prime(#>[Q_a])", "mod(3,1)(#[Q_a])"})
      EXPECT_GE(length(compile(text, recipe), NumberFormat::f64, Summation::normalise_last), 10'000'000u)
          << text << " " << recipe;
}

/// Every layer starts from exact Booleans, so depth costs nothing: 1,000 operators in as many layers.
TEST(TightLength, DeepFormulas) {
  std::string text = "Q_a";
  for (int k = 0; k < 500; ++k) text = "!prev (" + text + " since " + (k % 2 == 0 ? "Q_b" : "O Q_c") + ")";
  for (const bool digits : {false, true}) {
    const model::Transformer model = compile(text, "tight", digits);
    EXPECT_GT(model.layers.size(), 900u);
    EXPECT_EQ(length(model, NumberFormat::f32), kMillions);
  }
  EXPECT_GE(length(compile(text, "tight", true), NumberFormat::bf16), kMillions);
}

}  // namespace
}  // namespace quench::certify
