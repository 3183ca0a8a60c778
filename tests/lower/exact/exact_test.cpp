// The recipes `exact` against the oracle: every construct, exhaustively on short words, at random on longer ones, at
// the corners of bits and counts; and soft attention that equals hard attention to the last bit.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "base/number/random.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "lower/exact/exact_check.h"
#include "support/all_words.h"
#include "lower/recipe_fragment.h"

namespace quench {
namespace {

using test::ExactCheck;
using test::kAllFormats;
using test::kWide;

constexpr std::size_t kMillion = std::size_t{1} << 20;

struct Case {
  const char* text;
  const std::vector<NumberFormat>* formats;
};

/// Booleans and residues are exact in every format; whole numbers where the format holds them.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"prev Q_a", &kAllFormats},
      {"next Q_a", &kAllFormats},
      {"weak_prev Q_a", &kAllFormats},
      {"weak_next (prev Q_a)", &kAllFormats},
      {"Q_a S Q_b", &kAllFormats},
      {"Q_a U Q_b", &kAllFormats},
      {"once Q_a", &kAllFormats},
      {"historically Q_a", &kAllFormats},
      {"eventually Q_a", &kAllFormats},
      {"always (Q_a | Q_b)", &kAllFormats},
      {"#<[Q_a] > 0", &kAllFormats},
      {"#[Q_a] = 0", &kAllFormats},
      {"#>[Q_a] + #<[Q_b] >= 1", &kAllFormats},
      {"odd(#<[Q_a])", &kAllFormats},
      {"even(#>[Q_a])", &kAllFormats},
      {"odd(#[Q_a])", &kAllFormats},
      {"mod(3,1)(#<[Q_a])", &kAllFormats},
      {"mod(5,0)(#>[Q_a | Q_b])", &kAllFormats},
      {"mod(7,6)(#[!Q_a])", &kAllFormats},
      {"mod(200,3)(#<[Q_a])", &kWide},
      {"mod(2000,3)(#<[Q_a])", &kWide},
      {"#<[Q_a] >= #<[Q_b]", &kAllFormats},
      {"#<[Q_a] = #<[Q_b]", &kAllFormats},
      {"#<[Q_a] != 2", &kAllFormats},
      {"#>[Q_a] > #>[Q_b]", &kAllFormats},
      {"#[Q_a] < #[Q_b]", &kAllFormats},
      {"#<[Q_a] >= #>[Q_b]", &kAllFormats},
      {"2*#<[Q_a] - 3*#>[Q_b] + #[Q_a] <= 1", &kAllFormats},
      {"3*#<[Q_a] = 2*#[Q_b] + 1", &kAllFormats},
      {"#<[true] = 3", &kAllFormats},
      {"#<[#<[Q_a] >= #<[Q_b]] = #<[Q_a]", &kAllFormats},
      {"prime(#<[Q_a])", &kWide},
      {"square(#>[Q_a])", &kWide},
      {"fibonacci(#[Q_a | Q_b])", &kWide},
      {"pow2(#<[true])", &kAllFormats},
      {"prime(#[true])", &kAllFormats},
      {"square(#>[Q_a | !Q_a])", &kAllFormats},
      {"odd(#<[true]) & mod(200,3)(#>[true])", &kAllFormats},
      {"last(#[Q_a])", &kWide},
      {"odd(#<[prime(#<[Q_a])])", &kWide},
      {"prev odd(#<[once Q_b])", &kAllFormats},
  };
  return all;
}

TEST(Exact, IsRightOnAllShortWords) {
  for (const Case& one : cases()) {
    ExactCheck check(one.text, kMillion, *one.formats);
    const std::size_t kinds = check.formula().alphabet.size() + 1;
    test::for_all_words(kinds - 1, true, kinds == 2 ? 7 : 5, [&](const Word& word) { check.expect_right_on(word); });
    if (HasFailure()) return;
  }
}

/// Lengths that are powers of two, and their neighbours; words of one symbol make counts as large as they can be.
TEST(Exact, IsRightAtTheCornersOfBits) {
  Random random(15);
  for (const Case& one : cases()) {
    ExactCheck check(one.text, kMillion, *one.formats);
    const std::size_t symbols = check.formula().alphabet.size();
    // Sums of these comparisons reach 6n; bfloat16 holds whole numbers to 256.
    for (const std::size_t n : {std::size_t{15}, std::size_t{16}, std::size_t{17}, std::size_t{32}, std::size_t{40}}) {
      for (Symbol s = 0; s < static_cast<Symbol>(symbols); ++s) check.expect_right_on(Word(n, s));
      check.expect_right_on(random_word(random, symbols, true, n));
    }
    if (HasFailure()) return;
  }
}

/// Models for short words, on all words as long as they may be: n = N, κ = 0 and κ = N, i = n.
TEST(Exact, ReachesTheLengthAskedFor) {
  for (const Case& one : cases())
    for (const std::size_t length : {std::size_t{1}, std::size_t{4}, std::size_t{8}}) {
      ExactCheck check(one.text, length, *one.formats);
      const std::size_t kinds = check.formula().alphabet.size() + 1;
      test::for_all_words(kinds - 1, true, std::min<std::size_t>(length, kinds == 2 ? 8 : 6),
                          [&](const Word& word) { check.expect_right_on(word); });
      Random random(length);
      for (int k = 0; k < 200; ++k) check.expect_right_on(random_word(random, kinds - 1, k % 2, length));
      if (HasFailure()) return;
    }
}

/// The limits are real: where a position or a count has more bits than the weights know, answers are wrong.
TEST(Exact, EndsAtTheLengthAskedFor) {
  for (const char* text : {"odd(#<[Q_a])", "prime(#<[Q_a])", "#<[Q_a] >= 10", "#[Q_a] = 12", "prev (prev Q_a)"}) {
    ExactCheck check(text, 8, {NumberFormat::f64});
    bool wrong = false;
    Random random(8);
    for (int k = 0; k < 100 && !wrong; ++k)
      wrong = !check.right_on(random_word(random, 1, k % 2, 10 + random.below(10)));
    EXPECT_TRUE(wrong) << text;
  }
}

void check_random(std::uint64_t seed, int count, bool decoder, bool theta, const std::vector<NumberFormat>& formats) {
  Random random(seed);
  lang::RandomFormulaOptions options;
  options.fragment = lower::fragment_for(*lower::find_recipe(decoder ? "exact-decoder" : "exact"));
  options.fragment.count_predicate = theta;
  options.fragment.length_predicate = !decoder;
  for (int k = 0; k < count; ++k) {
    options.symbols = 1 + k % 2;
    options.operators = 1 + static_cast<int>(random.below(8));
    const lang::Formula formula = lang::random_formula(random, options);
    const std::size_t length = std::size_t{1} << (9 + random.below(12));
    ExactCheck check(formula, length, formats, decoder);
    const std::size_t symbols = formula.alphabet.size();
    test::for_all_words(symbols, true, symbols > 1 ? 4 : 5, [&](const Word& word) { check.expect_right_on(word); });
    const std::size_t longest = formats.size() > 2 ? 20 : 300;  // whole numbers of halves: 256 / Σ|c_k|
    for (const std::size_t n : {1 + random.below(longest), longest})
      check.expect_right_on(random_word(random, symbols, random.chance(0.5) || symbols == 0, n));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Exact, IsRightOnRandomFormulas) { check_random(1, 40, false, true, kWide); }
TEST(Exact, IsRightOnRandomFormulasInHalves) { check_random(2, 40, false, false, kAllFormats); }
TEST(Exact, IsRightOnRandomFormulasAsADecoder) { check_random(3, 40, true, true, kWide); }
TEST(ExactSlow, IsRightOnManyRandomFormulas) {
  check_random(4, 300, false, true, kWide);
  check_random(5, 300, false, false, kAllFormats);
  check_random(6, 300, true, true, kWide);
}

/// [Q-gap], [Q-address], [Q-count], [Q-match], [Q-theta]: weights of soft and hard attention are the same numbers.
TEST(Exact, AttendsHardToTheLastBit) {
  Random random(7);
  for (const Case& one : cases())
    for (const NumberFormat format : *one.formats) {
      ExactCheck check(one.text, kMillion, {});
      const model::Transformer& model = check.compilation().model;
      const Word word = random_word(random, check.formula().alphabet.size(), false, 37);
      std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<double>> hard;
      run::Observer collect, compare;
      collect.row = [&](run::HeadIndex head, std::size_t i, std::size_t, const std::vector<double>& weights) {
        hard[{head.layer, head.head, i}] = weights;
      };
      compare.row = [&](run::HeadIndex head, std::size_t i, std::size_t, const std::vector<double>& weights) {
        EXPECT_EQ((hard.at({head.layer, head.head, i})), weights)
            << one.text << " " << head.layer << "." << head.head << " at " << i << " in " << to_string(format);
        const auto winners =
            static_cast<std::size_t>(std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }));
        EXPECT_TRUE(std::has_single_bit(winners));
      };
      run::outputs(model, word, {format, true}, collect);
      run::outputs(model, word, {format, false}, compare);
      if (HasFailure()) return;
    }
}

TEST(Exact, DecodersSeeOnlyThePast) {
  for (const char* text : {"prime(#<[Q_a])", "odd(#<[Q_a])", "Q_a S prev Q_b", "#<[Q_a] >= 2*#<[Q_b]"}) {
    ExactCheck check(text, kMillion, kWide, true);
    const model::Transformer& model = check.compilation().model;
    for (const model::Layer& layer : model.layers)
      for (const model::Head& head : layer.heads) {
        EXPECT_EQ(head.mask, Mask::future);
        EXPECT_EQ(head.temperature, Temperature::one);
      }
    for (const model::PositionEncoding& encoding : model.position_encodings)
      EXPECT_FALSE(encoding.formula.predicate->depends_on_length());
    test::for_all_words(check.formula().alphabet.size(), true, 5,
                        [&](const Word& word) { check.expect_right_on(word); });
  }
}

struct Size {
  const char* text;
  std::size_t length, layers, heads, width;
};

/// What docs/theory-exact.md says of sizes.
TEST(Exact, HasTheseSizes) {
  for (const Size& size : std::vector<Size>{
           {"odd(#<[Q_a])", 1 << 10, 3, 11, 14},
           {"odd(#<[Q_a])", kMillion, 4, 21, 24},
           {"mod(3,0)(#<[Q_a])", kMillion, 4, 21, 25},
           {"#<[Q_a] >= #>[Q_b]", kMillion, 2, 42, 48},
           {"prime(#<[Q_a])", kMillion, 4, 22, 55},
       }) {
    const driver::Compilation c = driver::compile(driver::parse(size.text), ExactCheck::options(size.length, false));
    EXPECT_EQ(c.model.layers.size(), size.layers) << size.text;
    EXPECT_EQ(c.model.head_count(), size.heads) << size.text;
    EXPECT_EQ(c.model.width, size.width) << size.text;
  }
}

/// Whole words at the length that the weights are made for.
TEST(ExactSlow, IsRightOnLongWords) {
  Random random(4095);
  for (const Case& one : std::vector<Case>{{"odd(#<[Q_a])", &kAllFormats},
                                           {"mod(3,1)(#>[Q_a])", &kAllFormats},
                                           {"Q_a S prev Q_b", &kAllFormats},
                                           {"prime(#<[Q_a])", &kWide},
                                           {"#<[Q_a] >= #>[Q_b]", &kWide}})
    for (const std::size_t n : {std::size_t{4095}, std::size_t{4096}}) {
      ExactCheck check(one.text, 4096, *one.formats);
      check.expect_right_on(random_word(random, check.formula().alphabet.size(), false, n));
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace quench
