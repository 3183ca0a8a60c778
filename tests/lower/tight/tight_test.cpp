// What only our recipes promise: exact scores, long words in float32, half formats by digits, sinks, decoders that say
// what they cannot do, sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/number/number_format.h"
#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lower/recipe.h"
#include "model/position.h"
#include "oracle/evaluate.h"
#include "run/reference/reference.h"
#include "support/all_words.h"

namespace quench {
namespace {

using ::testing::HasSubstr;

driver::Compilation compile(const std::string& text, const char* recipe, bool digits = false) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.digits = digits;
  return driver::compile(driver::parse(text), options);
}

/// One head of the first layer, whose inputs are embeddings: its scores can be formed one pair (i, j) at a time, for
/// any n, with every elementary operation rounded as the reference executor rounds it.
class ScoreProbe {
 public:
  ScoreProbe(const model::Transformer& model, NumberFormat format)
      : model_(model),
        head_(model.layers[0].heads[0]),
        storage_(storage_format(format)),
        compute_(compute_format(format)) {}

  double score(std::size_t i, std::size_t j, std::size_t n, Symbol at_j) const {
    const std::vector<double> query = projected(head_.q, i, n, 0), key = projected(head_.k, j, n, at_j);
    double sum = 0;
    for (std::size_t l = 0; l < query.size(); ++l) sum = c(sum + c(query[l] * key[l]));
    const double scale = c(1 / std::sqrt(static_cast<double>(query.size())));
    return c(c(sum * scale) * c(model::inverse_temperature(head_.temperature, i, n)));
  }

 private:
  double s(double x) const { return round_to(storage_, x); }
  double c(double x) const { return round_to(compute_, x); }

  std::vector<double> projected(const SparseMatrix& matrix, std::size_t i, std::size_t n, Symbol symbol) const {
    std::vector<double> h(model_.width), result;
    for (const auto& [column, value] : model_.embedding.rows[static_cast<std::size_t>(symbol)]) h[column] = s(value);
    for (const auto& [coordinate, formula] : model_.position_encodings)
      h[coordinate] = s(c(h[coordinate] + s(model::position_value(formula, i, n))));
    for (const SparseMatrix::Row& row : matrix.rows) {
      double sum = 0;
      for (const auto& [column, value] : row) sum = c(sum + c(s(value) * h[column]));
      result.push_back(s(sum));
    }
    return result;
  }

  const model::Transformer& model_;
  const model::Head& head_;
  const FloatFormat &storage_, &compute_;
};

/// What the score of a pair stands for, divided by γ: an integer.
using Meaning = std::function<double(double i, double j, double n, bool selected)>;

/// Symbols: Q_a (0) is not selected, Q_b (1) is. Tries both ends, places around powers of two, and random ones.
bool exact_everywhere(const driver::Compilation& compilation, NumberFormat format, std::size_t n,
                      const Meaning& meaning) {
  const ScoreProbe probe(compilation.model, format);
  std::vector<std::size_t> places{1, 2, 3, n / 2, n - 3, n - 2, n - 1, n};
  for (std::size_t power = 4; power < n; power *= 2) places.insert(places.end(), {power - 1, power, power + 1});
  Random random(n);
  for (int k = 0; k < 100; ++k) places.push_back(1 + random.below(n));
  std::erase_if(places, [&](std::size_t place) { return place < 1 || place > n; });
  for (const std::size_t i : {n, n - 1, n / 2 + 1})
    for (const std::size_t j : places)
      for (const Symbol symbol : {0, 1}) {
        if (j > i) continue;
        const auto real = [](std::size_t x) { return static_cast<double>(x); };
        if (probe.score(i, j, n, symbol) != lower::kTightGamma * meaning(real(i), real(j), real(n), symbol == 1))
          return false;
      }
  return true;
}

double power(double n) { return static_cast<double>(power_above(static_cast<std::size_t>(n))); }
double sign(double i, double j) { return std::fmod(i + j, 2) == 0 ? -1 : 1; }  // −(−1)^{i+j}

const Meaning kSince = [](double, double j, double n, bool s) { return 2 * power(n) * s + j; };
const Meaning kSinceDecoder = [](double i, double j, double, bool s) { return 2 * i * s + j; };
const Meaning kSincePosition = [](double, double j, double n, bool s) { return 2 * n * s + j; };
const Meaning kPrevious = [](double i, double j, double n, bool) { return power(n) * sign(i, j) + j; };
const Meaning kPreviousLinear = [](double i, double j, double, bool) { return 2 * sign(i, j) + j; };

constexpr std::size_t kMillions = 4'194'304;  // 2^22

TEST(Dyadic, ScoresAreTheIntegersTheyStandForUpTo2ToThePrecisionMinusTwo) {
  const driver::Compilation since = compile("Q_a S Q_b", "tight"), previous = compile("Q_a & prev Q_b", "tight");
  struct Limit {
    NumberFormat format;
    std::size_t n;
  };
  for (const auto& [format, limit] :
       {Limit{NumberFormat::f32, kMillions}, Limit{NumberFormat::f16_pure, 512}, Limit{NumberFormat::bf16_pure, 64}}) {
    for (const std::size_t less : {0, 1, 2, 5, 17}) {
      EXPECT_TRUE(exact_everywhere(since, format, limit - less, kSince)) << to_string(format) << " " << less;
      EXPECT_TRUE(exact_everywhere(previous, format, limit - less, kPrevious)) << to_string(format) << " " << less;
    }
    EXPECT_FALSE(exact_everywhere(since, format, limit + 1, kSince)) << to_string(format);
  }
  EXPECT_TRUE(exact_everywhere(since, NumberFormat::f64, std::size_t{1} << 51, kSince));
  EXPECT_TRUE(exact_everywhere(previous, NumberFormat::f64, std::size_t{1} << 51, kPrevious));
}

TEST(Dyadic, FlavoursWithoutATemperatureAreExactUpToAThirdOf2ToThePrecision) {
  const driver::Compilation since = compile("Q_a S Q_b", "tight-decoder"),
                            position = compile("Q_a S Q_b", "tight-position"),
                            previous = compile("Q_a & prev Q_b", "tight-decoder");
  EXPECT_TRUE(exact_everywhere(since, NumberFormat::f32, 5'592'405, kSinceDecoder));
  EXPECT_FALSE(exact_everywhere(since, NumberFormat::f32, 5'592'406, kSinceDecoder));
  EXPECT_TRUE(exact_everywhere(since, NumberFormat::bf16_pure, 85, kSinceDecoder));
  EXPECT_FALSE(exact_everywhere(since, NumberFormat::bf16_pure, 86, kSinceDecoder));
  EXPECT_TRUE(exact_everywhere(since, NumberFormat::f16_pure, 682, kSinceDecoder));
  EXPECT_FALSE(exact_everywhere(since, NumberFormat::f16_pure, 683, kSinceDecoder));
  EXPECT_TRUE(exact_everywhere(position, NumberFormat::f32, 5'592'405, kSincePosition));
  EXPECT_TRUE(exact_everywhere(previous, NumberFormat::f32, (1u << 24) - 2, kPreviousLinear));
}

TEST(Digits, ReachTheLengthOfFloat32InHalfFormats) {
  const driver::Compilation since = compile("Q_a S Q_b", "tight", true),
                            previous = compile("Q_a & prev Q_b", "tight", true),
                            decoder = compile("Q_a & prev Q_b", "tight-decoder", true);
  for (const NumberFormat format : {NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16}) {
    for (const std::size_t n : {std::size_t{300}, std::size_t{65'535}, std::size_t{70'000}, kMillions - 1, kMillions}) {
      EXPECT_TRUE(exact_everywhere(since, format, n, kSince)) << to_string(format) << " " << n;
      EXPECT_TRUE(exact_everywhere(previous, format, n, kPrevious)) << to_string(format) << " " << n;
      EXPECT_TRUE(exact_everywhere(decoder, format, n, kPreviousLinear)) << to_string(format) << " " << n;
    }
    EXPECT_FALSE(exact_everywhere(since, format, kMillions + 1, kSince));
  }
  EXPECT_FALSE(exact_everywhere(compile("Q_a S Q_b", "tight"), NumberFormat::bf16, 300, kSince));
}

/// In a half format i/256 is rounded in the decoder's query, so scores are not integers; but the gap stays, at any
/// length.
TEST(Digits, DecodersKeepTheirGapInHalfFormats) {
  const driver::Compilation since = compile("Q_a S Q_b", "tight-decoder", true);
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::f16}) {
    const ScoreProbe probe(since.model, format);
    for (const std::size_t i : {std::size_t{300}, std::size_t{70'001}, kMillions - 1}) {
      // The only selected position is the first, farthest from i; and the rightmost of two beats its neighbour.
      EXPECT_GE(probe.score(i, 1, i, 1) - probe.score(i, i, i, 0), 0.9 * lower::kTightGamma * static_cast<double>(i));
      EXPECT_EQ(probe.score(i, i, i, 1) - probe.score(i, i - 1, i, 1), lower::kTightGamma);
    }
  }
}

struct Trial {
  const char* recipe;
  const char* text;
};

/// The network in `format` against the oracle.
void expect_right(const driver::Compilation& compilation, const lang::Formula& formula, NumberFormat format,
                  const Word& word) {
  const std::vector<double> outputs = run::outputs(compilation.model, word, {format, false});
  EXPECT_EQ(run::booleans(outputs), oracle::evaluate(formula, word))
      << lang::print(formula) << " by " << compilation.model.recipe << " in " << to_string(format) << " at length "
      << word.size();
}

void check_long_words(const Trial& trial, NumberFormat format, std::initializer_list<std::size_t> lengths) {
  const lang::Formula formula = driver::parse(trial.text);
  const driver::Compilation compilation = compile(trial.text, trial.recipe);
  Random random(3);
  for (const std::size_t length : lengths)
    expect_right(compilation, formula, format, random_word(random, formula.alphabet.size(), false, length));
}

constexpr Trial kLong[] = {
    {"tight", "(Q_a | prev Q_b) S (Q_b & prev Q_a)"},
    {"tight", "#<[Q_a] > #<[Q_b]"},
    {"tight", "2*#<[Q_a] - 2*#<[Q_b] = #<[Q_a & prev Q_a] - #<[Q_b & prev Q_b]"},
    {"tight", "#<[Q_a] + #>[Q_b] >= #>[Q_a] + #<[Q_b]"},
    {"tight", "next (Q_a until Q_b) & #[Q_a] > #[Q_b]"},
    {"tight-position", "(Q_a | prev Q_b) S (Q_b & prev Q_a)"},
    {"tight-position", "#<[Q_a] >= #<[Q_b]"},
    {"tight-position", "#<[Q_a] + #>[Q_b] >= #>[Q_a] + #<[Q_b]"},
    {"tight-decoder", "(Q_a | prev Q_b) S (Q_b & prev Q_a)"},
    {"tight-decoder", "#<[Q_a] = #<[Q_b]"},
};

TEST(LongWords, InFloat32) {
  for (const Trial& trial : kLong) check_long_words(trial, NumberFormat::f32, {1000, 1733});
}

TEST(LongWords, SlowInFloat32) {
  for (const Trial& trial : kLong) check_long_words(trial, NumberFormat::f32, {2048, 3001, 5000});
}

TEST(LongWords, InFloat64) {
  for (const Trial& trial : kLong) check_long_words(trial, NumberFormat::f64, {2000});
}

/// Counts that stay one apart, where the sign is hardest to tell.
TEST(LongWords, NearlyEqualCountsInFloat32) {
  for (const Trial& trial : kLong) {
    const lang::Formula formula = driver::parse(trial.text);
    const driver::Compilation compilation = compile(trial.text, trial.recipe);
    Word alternating(1501), halves(1500);
    for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = static_cast<Symbol>(i % 2);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = i < 750 ? 0 : 1;
    expect_right(compilation, formula, NumberFormat::f32, alternating);
    expect_right(compilation, formula, NumberFormat::f32, halves);
  }
}

/// One row of a sign head at a time: the mean is an exact integer sum divided once, as engines that normalise last form
/// it; everything from there on is rounded to float32 as the reference executor rounds it.
TEST(LongWords, SignsAreRightNextToTheThresholdAtTwoMillionInFloat32) {
  const auto f = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  struct Comparison {
    const char* recipe;
    const char* text;
    double constant;  // c of D = Σ c_k κ_k + c
  };
  for (const auto& [recipe, text, constant] :
       {Comparison{"tight", "#<[Q_a] >= #<[Q_b]", 0}, Comparison{"tight", "5*#<[Q_a] - #<[Q_b] >= 3", -3},
        Comparison{"tight", "#<[Q_a] >= 100000", -100000}, Comparison{"tight-decoder", "5*#<[Q_a] - #<[Q_b] >= -7", 7},
        Comparison{"tight-position", "2*#<[Q_a] >= 3*#<[Q_b]", 0}}) {
    const model::Transformer model = compile(text, recipe).model;
    const model::Head& head = model.layers[1].heads[0];
    ASSERT_EQ(head.claim.structure.value(), HeadStructure::sign);
    const auto inverse = [&](std::uint32_t column) {
      return std::any_of(model.position_encodings.begin(), model.position_encodings.end(),
                         [&](const model::PositionEncoding& pe) { return pe.coordinate == column; });
    };
    Random random(8);
    for (int k = 0; k < 2000; ++k) {
      const double i = static_cast<double>(2'000'000 - random.below(1000)),
                   d = static_cast<double>(random.between(-3, 2));
      double query = 0;
      for (const auto& [column, value] : head.q.rows[0])
        query = f(query + f(f(value) * (inverse(column) ? f(1 / i) : f((d - constant) / i))));
      // Temperature: the two parities are 2·query·N apart; τ = 1: the last two positions are query·(2i − 1) apart.
      EXPECT_EQ(query > 0, d >= 0) << text << " at i = " << i << ", D = " << d;
      EXPECT_GE(2 * std::fabs(query) * i, 1.9 * lower::kTightGamma) << text;
    }
  }
}

TEST(Digits, ComputeTheSame) {
  const std::pair<const char*, const char*> trials[] = {
      {"tight", "(Q_a since Q_b) & (prev Q_a | next Q_b) | (Q_b until prev Q_a)"},
      {"tight-position", "(Q_a since Q_b) & (prev Q_a | next Q_b) | (Q_b until prev Q_a)"},
      {"tight-decoder", "(Q_a since Q_b) & (prev Q_a | #<[Q_a] > 2)"}};
  for (const auto& [recipe, text] : trials) {
    const lang::Formula formula = driver::parse(text);
    const driver::Compilation compilation = compile(text, recipe, true);
    test::for_all_words(2, true, 6,
                        [&](const Word& word) { expect_right(compilation, formula, NumberFormat::f64, word); });
    Random random(1);
    const Word word = random_word(random, 2, true, 700);
    for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32})
      expect_right(compilation, formula, format, word);
  }
  // Without counts, half formats do as well as float32.
  for (const char* recipe : {"tight", "tight-decoder"}) {
    const lang::Formula formula = driver::parse("(Q_a | prev Q_b) since prev (Q_b | !Q_a)");
    const driver::Compilation compilation = compile("(Q_a | prev Q_b) since prev (Q_b | !Q_a)", recipe, true);
    Random random(2);
    const Word word = random_word(random, 2, true, 1300);
    for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::f16})
      expect_right(compilation, formula, format, word);
  }
}

TEST(Sink, WeighsTheFirstPositionWithEverythingToTheRightOfTheQuery) {
  const driver::Compilation compilation = compile("#<[Q_a] >= #>[Q_b]", "tight");
  Random random(4);
  for (const std::size_t n : {1, 2, 3, 7, 64, 150}) {
    int sinks = 0;
    run::Observer observer;
    observer.row = [&](run::HeadIndex index, std::size_t i, std::size_t first, const std::vector<double>& weights) {
      const model::Head& head = compilation.model.layers[index.layer].heads[index.head];
      if (head.claim.structure != HeadStructure::sink) return;
      ++sinks;
      const std::size_t place = head.mask == Mask::future ? 1 : n, here = head.mask == Mask::future ? n - i + 1 : i;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const double expected = first + k == place ? static_cast<double>(here) : 1;
        EXPECT_NEAR(weights[k], expected / static_cast<double>(n), 1e-14);
      }
    };
    run::run(compilation.model, random_word(random, 2, true, n), {}, observer);
    EXPECT_EQ(sinks, static_cast<int>(2 * n));
  }
}

std::string complaint(const std::string& text, lower::RecipeOptions options) {
  try {
    driver::compile(driver::parse(text), options);
  } catch (const DiagnosticError& error) {
    const Diagnostic& d = error.diagnostics.front();
    std::string all = d.code + " " + d.message;
    for (const std::string& note : d.notes) all += "\n" + note;
    return all;
  }
  return "no error";
}

TEST(Choice, TheOptionsChooseTheFlavour) {
  using enum lower::Sharpen;
  const lang::Formula formula = driver::parse("prev Q_a");
  const auto chosen = [&](const char* recipe, std::optional<lower::Sharpen> sharpen, bool decoder) {
    return lower::choose_recipe(formula, {recipe, sharpen, decoder, {}, false}).name;
  };
  EXPECT_EQ(chosen("auto", {}, false), "tight");
  EXPECT_EQ(chosen("auto", temperature, false), "tight");
  EXPECT_EQ(chosen("auto", position, false), "tight-position");
  EXPECT_EQ(chosen("auto", {}, true), "tight-decoder");
  EXPECT_EQ(chosen("tight", position, true), "tight-decoder");
  EXPECT_EQ(chosen("tight-position", {}, false), "tight-position");
  EXPECT_EQ(chosen("paper", {}, false), "13a");
  EXPECT_EQ(chosen("paper", position, true), "13b");
  EXPECT_THAT(complaint("prev Q_a", {"tight", temperature, true, {}, false}), HasSubstr("E102"));
  EXPECT_THAT(complaint("prev Q_a", {"tight-position", temperature, false, {}, false}), HasSubstr("E102"));
  EXPECT_THAT(complaint("prev Q_a", {"tight-position", {}, true, {}, false}), HasSubstr("E102"));
  EXPECT_THAT(complaint("prev Q_a", {"13a", {}, false, {}, true}), HasSubstr("E102"));
  EXPECT_THAT(complaint("prev Q_a", {"paper", {}, false, {}, true}), HasSubstr("E102"));
  EXPECT_THAT(complaint("prev Q_a", {"tight", {}, false, 2.5, false}), HasSubstr("E104"));
}

TEST(Choice, DecodersNameWhatTheyCannotCompute) {
  const lower::RecipeOptions decoder{"auto", {}, true, {}, false};
  EXPECT_THAT(complaint("Q_a & next Q_b", decoder), AllOf(HasSubstr("E103"), HasSubstr("'next Q_b'")));
  EXPECT_THAT(complaint("Q_a U Q_b", decoder), AllOf(HasSubstr("E103"), HasSubstr("'Q_a U Q_b'")));
  EXPECT_THAT(complaint("#>[Q_a] > 1", decoder), HasSubstr("E103"));
  EXPECT_THAT(complaint("#[Q_a] > 1", decoder), HasSubstr("E103"));
  EXPECT_THAT(complaint("Q_b & odd(#<[Q_a])", decoder),
              AllOf(HasSubstr("E103"), HasSubstr("'odd(#<[Q_a])'"), HasSubstr("21 and 23")));
  EXPECT_THAT(complaint("Q_b & last", decoder), AllOf(HasSubstr("E103"), HasSubstr("'last'")));
  EXPECT_EQ(complaint("prime & #<[prev Q_a] > #<[Q_b S Q_a]", decoder), "no error");
}

TEST(Gamma, IsRoundedUpToAPowerOfTwo) {
  for (const auto& [given, used] : {std::pair{2.78, 4.0}, {4.0, 4.0}, {5.0, 8.0}, {32.0, 32.0}}) {
    const driver::Compilation compilation =
        driver::compile(driver::parse("Q_a S Q_b"), {"tight", {}, false, given, false});
    EXPECT_EQ(compilation.model.layers[0].heads[0].claim.gamma, used);
  }
}

struct Size {
  const char* text;
  std::size_t layers, heads;
};

/// Layers and heads of the temperature flavour; docs/theory-tight.md compares them with the paper's.
TEST(Size, OfKnownFormulas) {
  for (const Size& size :
       {Size{"odd(#<[Q_1])", 2, 3}, Size{"#<[#<[prev Q_1] = #>[Q_1]] = 0", 4, 7}, Size{"#<[Q_1] > #<[Q_0]", 2, 2},
        Size{"((Q_a S Q_b) S Q_c) S Q_d", 3, 3}, Size{"prev prev Q_1 & prev Q_1 & Q_0", 2, 2},
        Size{"#<[#<[Q_b] > #<[Q_a]] = 0 & #<[Q_a] = #<[Q_b]", 3, 4}, Size{"O Q_a & H Q_b", 1, 2}}) {
    const model::Transformer model = compile(size.text, "tight").model;
    EXPECT_EQ(model.layers.size(), size.layers) << size.text;
    EXPECT_EQ(model.head_count(), size.heads) << size.text;
  }
}

}  // namespace
}  // namespace quench
