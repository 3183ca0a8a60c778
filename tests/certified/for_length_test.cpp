// Compiling for a length: what is taken is certified up to there, and nothing smaller is.
#include "certified/for_length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "automata/rule/read_rule.h"
#include "certify/certify.h"
#include "model/summary.h"

namespace quench::certified {
namespace {

using ::testing::HasSubstr;

ForLength made(const std::string& source, std::uint64_t length, NumberFormat format = NumberFormat::f32,
               const lower::RecipeOptions& options = {}) {
  return compile_for_length(driver::parse_rule(source), options, {{}, format}, length);
}

bool reaches(const model::Transformer& model, NumberFormat format, std::uint64_t length) {
  return certify::holds(model, certify::Arithmetic::of(format), model::Summation::any, length);
}

TEST(ForLength, IsTightAsFarAsThatReachesAndExactBeyond) {
  const std::string odd = "odd(#<[Q_a])";
  const std::uint64_t end = made(odd, 1u << 20).too_short.at(0).length;
  EXPECT_EQ(made(odd, end).compilation.model.recipe, "tight");
  EXPECT_EQ(made(odd, end + 1).compilation.model.recipe, "exact");
  EXPECT_EQ(made("Q_a since Q_b", 1u << 22).compilation.model.recipe, "tight");
}

TEST(ForLength, IsCertifiedWhereverItWasAskedFor) {
  for (const char* source : {"odd(#<[Q_a])", "Q_a since Q_b", "prev Q_a", "#<[Q_a] >= #<[Q_b]", "#<[Q_a] > #>[Q_b] + 1",
                             "prime(#[Q_a])", "Q_a"})
    for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16})
      for (const std::uint64_t length : {1u, 100u, 5000u, 1u << 20}) {
        const auto rule = driver::parse_rule(source);
        std::optional<ForLength> found;
        try {
          found = compile_for_length(rule, {}, {{}, format}, length);
        } catch (const DiagnosticError& error) {
          EXPECT_EQ(error.diagnostics.at(0).code, "E108");
        }
        if (!found) continue;
        EXPECT_TRUE(reaches(found->compilation.model, format, length)) << source << " " << length;
        EXPECT_EQ(driver::compile(rule, found->options).model.recipe, found->compilation.model.recipe);
        for (const TooShort& other : found->too_short) EXPECT_LT(other.length, length) << source;
      }
}

TEST(ForLength, SaysHowFarEverythingGetsIfNothingReaches) {
  try {
    made("odd(#<[Q_a])", 1u << 24);
    FAIL() << "2^24 was certified";
  } catch (const DiagnosticError& error) {
    const Diagnostic& found = error.diagnostics.at(0);
    EXPECT_EQ(found.code, "E108");
    EXPECT_EQ(found.message, "no construction is certified up to 16777216 in f32");
    EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("tight is certified up to ")));
    EXPECT_THAT(found.notes, ::testing::Contains("exact serves words up to 8388608"));
    EXPECT_EQ(found.notes.back(), "ask for --length 8388608");
  }
}

/// What the error names is to be had.
TEST(ForLength, NamesTheLengthAndTheFormatThatCanBeHad) {
  const std::string depth =
      "d(i) = #[j <= i] Q_a(j) - #[j <= i] Q_b(j)\nout(i) = rightmost j [j < i, d(j) = d(i)] in(j) : '?'";
  const auto notes = [&](NumberFormat format) -> std::string {
    try {
      compile_for_length(driver::parse_program(depth), {}, {{}, format}, 100000);
    } catch (const DiagnosticError& error) {
      return error.diagnostics.at(0).notes.back();
    }
    return "";
  };
  const std::string bf16 = notes(NumberFormat::bf16);
  EXPECT_THAT(bf16, ::testing::EndsWith(", or for --dtype f32"));
  ASSERT_THAT(bf16, ::testing::StartsWith("ask for --length "));
  const std::uint64_t shorter = std::stoull(bf16.substr(17));
  EXPECT_GT(shorter, 1u);
  EXPECT_NO_THROW(compile_for_length(driver::parse_program(depth), {}, {{}, NumberFormat::bf16}, shorter));
  EXPECT_NO_THROW(compile_for_length(driver::parse_program(depth), {}, {{}, NumberFormat::f32}, 100000));
  EXPECT_EQ(notes(NumberFormat::f8e4m3), "ask for --dtype f32");
}

std::optional<Diagnostic> refused(const std::string& source, std::uint64_t length, NumberFormat format) {
  try {
    made(source, length, format);
  } catch (const DiagnosticError& error) {
    return error.diagnostics.at(0);
  }
  return std::nullopt;
}

/// Counts in digits are taken without being asked for, and named where they reach further than the rest.
TEST(ForLength, TakesDigitsWhereNothingElseReaches) {
  const std::string prime = "prime(#<[Q_a])";
  for (const auto& [format, length] :
       {std::pair{NumberFormat::f16, 1u << 18}, std::pair{NumberFormat::bf16, 1u << 20}}) {
    const ForLength found = made(prime, length, format);
    EXPECT_TRUE(found.options.digits);
    EXPECT_EQ(found.compilation.model.recipe, "exact");
    EXPECT_TRUE(reaches(found.compilation.model, format, length));
  }
  EXPECT_FALSE(made(prime, 1u << 20).options.digits);
  const std::optional<Diagnostic> found = refused(prime, 1u << 20, NumberFormat::f16);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->notes.back(), "ask for --length 262144, or for --dtype bf16");
}

/// What stops the construction that reaches furthest is underlined.
TEST(ForLength, PointsAtThePartThatLimits) {
  const std::string rule = "Q_b & prime(#<[Q_a]) & prev Q_a", part = "prime(#<[Q_a])";
  const std::optional<Diagnostic> found = refused(rule, 1u << 20, NumberFormat::f16);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(rule.substr(found->span.begin, found->span.end - found->span.begin), part);
}

/// Scans have gaps for formats with few bits.
TEST(ForLength, TakesScansWhereBitsAreFew) {
  const lang::Rule parity = automata::read_rule("(b*ab*a)*b*", lang::AutomatonText::regex);
  for (const auto& [format, length] : {std::pair{NumberFormat::f8e4m3, 65536u}, std::pair{NumberFormat::f8e5m2, 256u},
                                       std::pair{NumberFormat::f16_pure, 1u << 20}}) {
    const ForLength found = compile_for_length(parity, {}, {{}, format}, length);
    EXPECT_EQ(found.compilation.model.recipe, "scan") << to_string(format);
    EXPECT_TRUE(reaches(found.compilation.model, format, length)) << to_string(format);
  }
}

TEST(ForLength, KeepsToTheOptions) {
  lower::RecipeOptions decoder;
  decoder.decoder = true;
  EXPECT_EQ(made("odd(#<[Q_a])", 1u << 20, NumberFormat::bf16, decoder).compilation.model.recipe, "exact-decoder");
  EXPECT_EQ(made("prev Q_a", 1000, NumberFormat::f32, decoder).compilation.model.recipe, "tight-decoder");
  try {
    made("next Q_a", 1000, NumberFormat::f32, decoder);
    FAIL() << "a decoder looked to its right";
  } catch (const DiagnosticError& error) {
    EXPECT_EQ(error.diagnostics.at(0).code, "E103");
  }
}

}  // namespace
}  // namespace quench::certified
