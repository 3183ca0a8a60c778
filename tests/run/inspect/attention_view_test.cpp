// Attention as data and as pictures.
#include "run/inspect/attention_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "support/example_model.h"

namespace quench::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(AttentionView, HoldsTheWeightsOfTheHead) {
  const double gamma = 1;
  const AttentionView view = attention_view(test::previous_model(gamma), {0, 1, 1, 0}, {0, 0});
  for (std::size_t i = 1; i <= 4; ++i) {
    double total = 0;
    for (std::size_t j = 1; j <= i; ++j) {
      const double sign = (i + j) % 2 == 0 ? 1 : -1;
      total += std::exp(2 * gamma * (-0.5 * sign * 4 + static_cast<double>(j) / 2));
    }
    for (std::size_t j = 1; j <= 4; ++j) {
      const double sign = (i + j) % 2 == 0 ? 1 : -1;
      const double expected = j > i ? 0 : std::exp(2 * gamma * (-0.5 * sign * 4 + static_cast<double>(j) / 2)) / total;
      EXPECT_NEAR(view.weights(i - 1, j - 1), expected, 1e-12);
    }
  }
}

TEST(AttentionView, HardWeightingShowsTheIntendedPattern) {
  const AttentionView view = attention_view(test::previous_model(1), {0, 1, 1, 0}, {0, 0}, {NumberFormat::f64, true});
  EXPECT_EQ(view.weighting, Weighting::rhardmax);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(view.weights(i, j), (i == 0 ? j == 0 : j == i - 1) ? 1 : 0);
}

TEST(AttentionView, TerminalPictureOfAShortWord) {
  const AttentionView view = attention_view(test::previous_model(3), {0, 1, 0}, {0, 0});
  EXPECT_EQ(to_terminal(view),
            "layer 0, head 0: prev Q_a\n"
            "future mask (j ≤ i) · τ = 1/n · softmax · f64 · n = 3\n"
            "\n"
            "      a b a\n"
            " 1 a │██\n"
            " 2 b │██·\n"
            " 3 a │· ██·\n"
            "\n"
            "rows: queries i, columns: keys j;  · below 2%  ░ to 25%  ▒ to 50%  ▓ to 75%  █ above\n");
  const std::string ascii = to_terminal(view, {.ascii = true});
  EXPECT_THAT(ascii, AllOf(HasSubstr(" 3 a |. ##."), HasSubstr("tau = 1/n"), HasSubstr("j <= i")));
  EXPECT_TRUE(
      std::all_of(ascii.begin(), ascii.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; }));
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(AttentionView, LongWordsAreSummarised) {
  const AttentionView view = attention_view(test::previous_model(3), Word(500, 0), {0, 0});
  const std::string picture = to_terminal(view);
  EXPECT_LT(lines(picture), 70u);
  EXPECT_THAT(picture, HasSubstr("greatest of 9 × 9 weights"));
  const MergedWeights merged = merge(view, 60);
  EXPECT_EQ(merged.block, 9u);
  EXPECT_EQ(merged.greatest.rows, 56u);
  EXPECT_NEAR(merged.greatest(0, 0), 1, 1e-9);
  EXPECT_FALSE(merged.seen[1]);  // hidden by the mask
  EXPECT_THAT(to_svg(view), HasSubstr("greatest of 2 × 2 weights"));
}

TEST(AttentionView, UniformRowsShowAtEveryLength) {
  const AttentionView view = attention_view(test::once_model(), Word(60, 1), {0, 0});  // no a: uniform
  EXPECT_THAT(to_terminal(view), Not(HasSubstr("│·")));
}

TEST(AttentionView, LengthOne) {
  const AttentionView view = attention_view(test::once_model(), {0}, {0, 0});
  EXPECT_THAT(to_terminal(view), HasSubstr(" 1 a │██"));
  EXPECT_THAT(to_svg(view), HasSubstr("</svg>"));
}

TEST(AttentionView, SvgEscapesWhatTheUserWrote) {
  model::Transformer model = test::previous_model(3);
  model.layers[0].heads[0].name = "<script>&\"'";
  const std::string svg = to_svg(attention_view(model, {0, 1}, {0, 0}, {}, {"<b>", "\x01&"}));
  EXPECT_THAT(svg, AllOf(HasSubstr("&lt;script&gt;&amp;&quot;&apos;"), HasSubstr("&lt;b&gt;"), HasSubstr("&amp;")));
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("<b>"))));
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
}

TEST(AttentionView, SvgHasOneCellPerVisiblePair) {
  const std::string svg = to_svg(attention_view(test::previous_model(3), {0, 1, 0, 1}, {0, 0}));
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) ++cells;
  EXPECT_EQ(cells, 10u + 5u);  // and background, hatch, hidden area, frame, scale
  EXPECT_THAT(svg, AllOf(HasSubstr("key position"), HasSubstr("query position"), HasSubstr("τ = 1/n")));
}

TEST(AttentionView, RefusesWhatCannotBeShown) {
  const model::Transformer model = test::previous_model(3);
  EXPECT_THROW(attention_view(model, {0}, {1, 0}), UserError);
  EXPECT_THROW(attention_view(model, {0}, {0, 1}), UserError);
  EXPECT_THROW(attention_view(model, Word(kLongestView + 1, 0), {0, 0}), UserError);
  EXPECT_THROW(attention_view(model, {}, {0, 0}), UserError);
}

TEST(AttentionView, UndefinedWeightsShowAsSuch) {
  model::Transformer model = test::once_model();
  model.layers[0].heads[0].q.add(0, 0, 1e308);
  model.embedding.add(0, 1, 1e308);
  const AttentionView view = attention_view(model, {0, 0}, {0, 0});
  EXPECT_THAT(to_terminal(view), HasSubstr("??"));
  EXPECT_THAT(to_svg(view), AllOf(HasSubstr("#d62728"), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace quench::run
