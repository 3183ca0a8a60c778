// Any bytes at all: mutations of good texts, token soup, garbage. Deterministic.
#include <gtest/gtest.h>

#include <ctime>

#include "base/number/random.h"
#include "base/text/explain.h"
#include "base/text/utf8.h"
#include "lang/same_formula.h"
#include "oracle/evaluate.h"
#include "parse/parse_text.h"
#include "parse/text/spellings.h"

namespace quench {
namespace {

const char* const kSeeds[] = {
    "let even_here = even(#<[Q_1])\npred p(i, n) = i*i <= n and not (i % 3 = 1)\n#<[even_here & p] >= 2*#>[Q_0] - 3",
    "(Q_a since prev 'b') | !next Q['('] & mod(3,1)(#[Q_a]) -> ⊖Q_a ∧ ¬(←#[Q_a] ≤ 4)",
    "pred s = {1, 4, 9}; s(#<[Q_a]) <-> s xor (G Q_a) W F Q_b // done",
};

/// The invariants of every answer.
void check(const std::string& text) {
  const parse::ParsedFormula parsed = parse::parse_formula(text);
  ASSERT_EQ(parsed.formula.has_value(), parsed.diagnostics.empty());
  ASSERT_LE(parsed.diagnostics.size(), parse::kMaxDiagnostics);
  std::size_t before = 0;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    ASSERT_LE(diagnostic.span.begin, diagnostic.span.end);
    ASSERT_LE(diagnostic.span.end, text.size());
    ASSERT_LE(before, diagnostic.span.begin);
    ASSERT_NE(explain(diagnostic.code), nullptr) << diagnostic.code;
    before = diagnostic.span.begin;
  }
  ASSERT_TRUE(valid_utf8(render(parsed.diagnostics, text, "fuzz")));
  if (!parsed.formula) return;
  const std::string printed = lang::print(*parsed.formula);
  ASSERT_TRUE(same_formula(*parsed.formula, parse_text(printed))) << text << "\n" << printed;
}

std::string mutated(Random& random, std::string text) {
  static constexpr std::string_view kSnippets[] = {"(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   "#<[",
                                                   "\n",
                                                   ";",
                                                   "'",
                                                   "let ",
                                                   "Q_",
                                                   "-",
                                                   "\\",
                                                   "/",
                                                   "odd",
                                                   "{",
                                                   "\0",
                                                   "→",
                                                   "\xff",
                                                   "999999999999999999"};
  for (std::uint64_t edits = 1 + random.below(6); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(4)) {
      case 0:
        text.insert(at, kSnippets[random.below(std::size(kSnippets))]);
        break;
      case 1:
        text.erase(at, random.below(4));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      default:
        text.insert(at, text.substr(random.below(text.size() + 1), random.below(30)));
    }
  }
  return text;
}

TEST(Fuzz, MutationsOfGoodTexts) {
  Random random(2024);
  for (int round = 0; round < 20'000; ++round) {
    check(mutated(random, kSeeds[random.below(std::size(kSeeds))]));
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(Fuzz, TokenSoup) {
  Random random(99);
  std::vector<std::string> tokens{"Q_a", "'b'", "(", ")", "[", "]", "#<[", "#>", "#", "3", "\n", ";", "=",       "<=",
                                  "+",   "-",   "*", "%", ",", "{", "}",   "x",  "y", "!", "&",  "|", "let x = "};
  for (const std::string_view word : parse::reserved_words()) tokens.emplace_back(word);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint64_t k = random.below(25); k > 0; --k) text += tokens[random.below(tokens.size())] + " ";
    check(text);
    ASSERT_FALSE(HasFatalFailure());
  }
}

/// Processor time, which other work on the machine does not change much.
double seconds_to_parse(const std::string& text) {
  const std::clock_t begin = std::clock();
  const parse::ParsedFormula parsed = parse::parse_formula(text);
  render(parsed.diagnostics, text, "fuzz");
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Fuzz, TimeGrowsWithTheTextNotWithItsSquare) {
  constexpr std::size_t kLong = 1 << 20, kShort = kLong / 8;
  Random random(5);
  std::vector<std::string> texts(4);
  for (char& c : (texts[0] = std::string(kLong, ' '))) c = static_cast<char>(random.below(256));
  for (char& c : (texts[1] = std::string(kLong, ' '))) c = static_cast<char>(' ' + random.below(95));
  for (char& c : (texts[2] = std::string(kLong, ' '))) c = "()[]{}#<>&|!-\n;Q_a'"[random.below(19)];
  while (texts[3].size() < kLong) texts[3] += "Q_a & $ | foo\n";
  for (const char* unit :
       {"\0",          "\xff", "\n", "'", "#",    "a ",  "let a=", "pred p(", "1+",  "-",      "Q_a\n", "x=1;", "→#",
        "let x=Q_a\n", "a",    "9",  "/", "mod(", "{1,", "\\",     "Q[",      "Q['", "(Q_a\n", "foo ",  "foo("}) {
    std::string text;
    const std::string piece = *unit == '\0' ? std::string(1, '\0') : unit;
    while (text.size() < kLong) text += piece;
    texts.push_back(std::move(text));
  }
  for (const std::string& text : texts) {
    // Eight times the text takes about eight times as long, in quadratic time 64 times; what is added is noise.
    const double little = seconds_to_parse(text.substr(0, kShort));
    EXPECT_LT(seconds_to_parse(text), 24 * little + 0.5) << printable(text, 30);
  }
}

}  // namespace
}  // namespace quench
