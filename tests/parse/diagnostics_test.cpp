// What is said about texts that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text/explain.h"
#include "parse/parse_formula.h"

namespace quench::parse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "E009@4-5" for every diagnostic.
std::vector<std::string> found(std::string_view text) {
  std::vector<std::string> result;
  const ParsedFormula parsed = parse_formula(text);
  EXPECT_EQ(parsed.formula.has_value(), parsed.diagnostics.empty());
  for (const Diagnostic& diagnostic : parsed.diagnostics)
    result.push_back(diagnostic.code + "@" + std::to_string(diagnostic.span.begin) + "-" +
                     std::to_string(diagnostic.span.end));
  return result;
}

std::string rendered(std::string_view text) { return render(parse_formula(text).diagnostics, text, "text"); }

TEST(Diagnostics, EveryCodeIsProvokedByItsOwnExample) {
  for (const Explanation& entry : all_explanations()) {
    if (entry.code >= "E100") continue;  // not about the text alone
    const ParsedFormula wrong = parse_formula(entry.wrong);
    ASSERT_FALSE(wrong.diagnostics.empty()) << entry.code;
    for (const Diagnostic& diagnostic : wrong.diagnostics) {
      EXPECT_EQ(diagnostic.code, entry.code) << rendered(entry.wrong);
      EXPECT_FALSE(diagnostic.notes.empty()) << entry.code << " has no way out";
    }
    EXPECT_TRUE(parse_formula(entry.right).formula) << entry.code << "\n" << rendered(entry.right);
  }
}

TEST(Diagnostics, SpansAreExact) {
  EXPECT_THAT(found("Q_a &"), ElementsAre("E009@4-5"));
  EXPECT_THAT(found("Q_a & & Q_b"), ElementsAre("E009@6-7"));
  EXPECT_THAT(found("& Q_a"), ElementsAre("E009@0-1"));
  EXPECT_THAT(found("()"), ElementsAre("E009@1-2"));
  EXPECT_THAT(found("#<[]"), ElementsAre("E009@3-4"));
  EXPECT_THAT(found("Q_a (Q_b)"), ElementsAre("E010@4-5"));
  EXPECT_THAT(found("((Q_a)"), ElementsAre("E011@0-1"));
  EXPECT_THAT(found("#<[Q_a) >= 1"), ElementsAre("E011@0-3"));
  EXPECT_THAT(found("Q_a]"), ElementsAre("E012@3-4"));
  EXPECT_THAT(found("Q_a & 3"), ElementsAre("E017@6-7"));
  EXPECT_THAT(found("#<[#<[Q_a]] >= 1"), ElementsAre("E017@3-10"));
  EXPECT_THAT(found("#<[Q_a]"), ElementsAre("E017@0-7"));
  EXPECT_THAT(found("Q_a + 1 >= 2"), ElementsAre("E018@0-3"));
  EXPECT_THAT(found("prime(2*#<[Q_a])"), ElementsAre("E021@6-15"));
  EXPECT_THAT(found("mod(0,1)"), ElementsAre("E022@0-8"));
  EXPECT_THAT(found("let = Q_a\nQ_b"), ElementsAre("E023@4-5"));
  EXPECT_THAT(found("pred p(odd) = true\nQ_a"), ElementsAre("E016@7-10"));
  EXPECT_THAT(found("pred p(x) = (x > 1\nQ_a"), ElementsAre("E024@19-22"));
  EXPECT_THAT(found("pred p(x) = (x > 1;Q_a"), ElementsAre("E011@12-13"));
  EXPECT_THAT(found("pred p = {1, -2}\np"), ElementsAre("E024@13-14"));
  EXPECT_THAT(found("pred p(x) = y > 1\np"), ElementsAre("E013@12-13"));
  EXPECT_THAT(found("pred p(x) = 1 < x < 3\np"), ElementsAre("E025@12-17"));
  EXPECT_THAT(found(""), ElementsAre("E026@0-0"));
  EXPECT_THAT(found("// nothing\n"), ElementsAre("E026@11-11"));
}

TEST(Diagnostics, AllMistakesAreReportedAtOnce) {
  EXPECT_THAT(found("let x = Q_a &\nlet y = foo | Q_b\nlet z = y + 1\nx & (y\n"),
              ElementsAre("E009@12-13", "E013@22-25", "E011@50-51"));
  EXPECT_THAT(found("3 & Q_a & #<[Q_b] | (Q_c >= 1)"), ElementsAre("E017@0-1", "E017@10-17", "E018@21-24"));
  EXPECT_THAT(found("Q_a $ Q_b\nfoo"), ElementsAre("E002@4-5", "E013@10-13"));
}

TEST(Diagnostics, AMistakeInADefinitionIsNotRepeatedAtItsUses) {
  EXPECT_THAT(found("let x = Q_a Q_b\nx & x & !x"), ElementsAre("E010@12-15"));
  EXPECT_THAT(found("pred p(x) = \np(#<[Q_a]) & p"), ElementsAre("E013@13-14"));
}

TEST(Diagnostics, TermsInsideBracketsDoNotSwallowTheRest) {
  EXPECT_THAT(found("let x = (Q_a & Q_b\nlet y = Q_a + 1\ny"), ElementsAre("E011@8-9", "E018@27-30"));
}

TEST(Diagnostics, ARegularExpressionIsOneMistake) {
  EXPECT_THAT(found("a*b*"), ElementsAre("E029@3-4"));
  EXPECT_THAT(found("(a|b)+"), ElementsAre("E029@5-6"));
  EXPECT_THAT(found("a*|b*"), ElementsAre("E029@1-2"));
  EXPECT_THAT(found("(ab)+ & c"), ElementsAre("E029@4-5"));
  EXPECT_THAT(found("foo & Q_a\na+"), ElementsAre("E013@0-3", "E029@11-12"));
  // Counts are added.
  EXPECT_THAT(found("#<[Q_a] +"), ElementsAre("E009@8-9"));
  EXPECT_THAT(found("(#<[Q_a] +) >= 1"), ElementsAre("E009@10-11"));
  EXPECT_THAT(found("#<[Q_a] + & Q_b"), ElementsAre("E009@10-11"));
}

TEST(Diagnostics, HintsNameTheWayOut) {
  EXPECT_THAT(rendered("Q_a sinse Q_b"), HasSubstr("did you mean `since`?"));
  EXPECT_THAT(rendered("nxt Q_a"), HasSubstr("did you mean `next`?"));
  EXPECT_THAT(rendered("NOT Q_a"), HasSubstr("did you mean `not`?"));
  EXPECT_THAT(rendered("fibonaci"), HasSubstr("did you mean `fibonacci`?"));
  EXPECT_THAT(rendered("let start = Q_a\nstrat"), HasSubstr("did you mean `start`?"));
  EXPECT_THAT(rendered("a"), HasSubstr("`Q_a`"));
  EXPECT_THAT(rendered("Q_a = Q_b"), HasSubstr("`<->`"));
  EXPECT_THAT(rendered("#<[Q_a] <-> 3"), HasSubstr("`=`"));
  EXPECT_THAT(rendered("2 #<[Q_a] >= 1"), HasSubstr("`*`"));
  EXPECT_THAT(rendered("#<(Q_a) >= 1"), HasSubstr("#<[φ]"));
  EXPECT_THAT(rendered("# a comment"), HasSubstr("`//`"));
  EXPECT_THAT(rendered("Q_a ==> Q_b"), HasSubstr("`->`"));
  EXPECT_THAT(rendered("\"a\""), HasSubstr("single quotes"));
  EXPECT_THAT(rendered("[Q_a]"), HasSubstr("parentheses"));
  EXPECT_THAT(found("[]Q_a"), ElementsAre("E006@0-2"));
  EXPECT_THAT(rendered("[]Q_a"), HasSubstr("write `G` instead"));
  EXPECT_THAT(rendered("<>Q_a"), HasSubstr("write `F` instead"));
  EXPECT_THAT(found("Q_a*"), ElementsAre("E029@3-4"));
  EXPECT_THAT(found("Q_a+"), ElementsAre("E029@3-4"));
  EXPECT_THAT(rendered("Q_a+"), HasSubstr("`+` adds counts"));
  EXPECT_THAT(rendered("(Q_a\nQ_b)"), HasSubstr("is the bracket opened at line 1, column 1 closed?"));
  EXPECT_THAT(rendered("((Q_a)\nlet y = Q_b\ny"), HasSubstr("before `let` at line 2, column 1"));
  EXPECT_THAT(rendered("let y = Q_b\nlet y = Q_c\ny"), HasSubstr("first defined at line 1, column 5"));
  EXPECT_THAT(rendered("p(#<[Q_a])"), HasSubstr("`pred p(x) = …`"));
  EXPECT_THAT(rendered("Q_a /* why */ & Q_b"), HasSubstr("comments begin with `//`"));
  EXPECT_THAT(found("Q_a /* why */ & Q_b"), ElementsAre("E006@4-6"));
  EXPECT_THAT(rendered("let x = Q_a\n-#<[x] >= -3"), HasSubstr("end that one with `;`"));
  EXPECT_THAT(rendered("let y = y\ny"), HasSubstr("used before it is defined"));
}

TEST(Diagnostics, NumbersOutOfRangeAreReported) {
  EXPECT_THAT(found("#<[Q_a] >= 9223372036854775808"), ElementsAre("E007@11-30"));
  EXPECT_THAT(found("9223372036854775807 + 1 >= #<[Q_a]"), ElementsAre("E007@0-23"));
  EXPECT_THAT(found("4611686018427387904*(2*#<[Q_a]) >= 0"), ElementsAre("E007@0-31"));
  EXPECT_THAT(found("let t = 4611686018427387904*#<[Q_a]; t + t >= 0"), ElementsAre("E007@37-42"));
  EXPECT_THAT(found("#<[Q_a] >= 18446744073709551617"), ElementsAre("E007@11-31"));
}

TEST(Diagnostics, TermsThatLetMakesHugeAreRefused) {
  std::string text = "let t = 0";
  for (int k = 0; k < 20'000; ++k) text += "+#<[Q_s" + std::to_string(k) + "]";
  text += "\n0";
  for (int k = 0; k < 20'000; ++k) text += "+t";
  text += ">= 1";
  const ParsedFormula parsed = parse_formula(text);
  ASSERT_EQ(parsed.diagnostics.size(), 1u);
  EXPECT_EQ(parsed.diagnostics[0].code, "E007");
}

TEST(Diagnostics, ThereAreNeverTooManyAndTheyAreInOrder) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "foo & $\n";
  const ParsedFormula parsed = parse_formula(text);
  EXPECT_EQ(parsed.diagnostics.size(), kMaxDiagnostics);
  for (std::size_t k = 1; k < parsed.diagnostics.size(); ++k)
    EXPECT_LE(parsed.diagnostics[k - 1].span.begin, parsed.diagnostics[k].span.begin);
  EXPECT_EQ(parsed.diagnostics[0].code, "E013");
  EXPECT_EQ(parsed.diagnostics[1].code, "E002");
}

TEST(Diagnostics, ControlCharactersOfTheTextDoNotReachTheTerminal) {
  const std::string text = rendered(std::string("Q_a & \x1b[31m\0", 12));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace quench::parse
