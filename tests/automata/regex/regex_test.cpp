// Regular expressions: what they mean, and what is said about those that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "automata/every_word.h"
#include "automata/machine/boolean.h"
#include "automata/regex/naive_regex.h"
#include "automata/regex/read_regex.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"
#include "base/text/explain.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> found(std::string_view text) {
  std::vector<std::string> result;
  const parse::ParsedRegex parsed = parse::parse_regex(text);
  EXPECT_EQ(parsed.regex.has_value(), parsed.diagnostics.empty());
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    EXPECT_FALSE(diagnostic.notes.empty()) << text << " has no way out";
    result.push_back(diagnostic.code + "@" + std::to_string(diagnostic.span.begin) + "-" +
                     std::to_string(diagnostic.span.end));
  }
  return result;
}

void agrees(const std::string& text, std::size_t longest) {
  const lang::Regex regex = regex_of(text);
  const Dfa dfa = automaton_of(regex);
  for_every_word(regex.alphabet.size(), true, longest, [&](const Word& w) {
    ASSERT_EQ(dfa.accepts(w), NaiveRegex(regex, w).matches()) << text << " on " << regex.alphabet.print(w);
  });
}

TEST(Regex, MeansWhatItsDefinitionSays) {
  for (const char* text : {"a b",
                           "ab|c",
                           "a*",
                           "a+b?",
                           "(ab)*",
                           "a{2}",
                           "a{2,}b",
                           "a{0,2}",
                           "(a|b){2,3}",
                           ".",
                           ".*ab.*",
                           "[ab]c",
                           "[^a]b",
                           "~(ab)",
                           "~a b",
                           "a*&(aa)*",
                           "(a|b)*&~(.*aa.*)",
                           "()",
                           "()*",
                           "(a?){3}",
                           "(a*)*",
                           "[a-c]b",
                           "'foo' 'bar'*",
                           "\\* a",
                           "~~a",
                           "(~a)*",
                           "a|b c&d",
                           "((a|())b)*",
                           "(a{2,3}){2}",
                           "a{0}",
                           "(a|b)**"})
    agrees(text, 5);
}

TEST(Regex, RandomOnesAgreeWithTheDefinition) {
  Random random(5);
  for (int k = 0; k < 400; ++k) agrees(random_regex(random, 1 + static_cast<int>(random.below(9)), 2), 5);
}

TEST(Regex, BindsAsDocumented) {
  EXPECT_FALSE(difference(dfa_of("~ab*"), dfa_of("(~a)(b*)")));
  EXPECT_FALSE(difference(dfa_of("a|b&c"), dfa_of("a|(b&c)")));
  EXPECT_FALSE(difference(dfa_of("ab&c"), dfa_of("(ab)&c")));
  EXPECT_FALSE(difference(dfa_of("~a*"), dfa_of("~(a*)")));
  EXPECT_FALSE(difference(dfa_of("a // comment\n b"), dfa_of("ab")));
}

TEST(Regex, WithAnAlphabetKnowsNoOtherSymbols) {
  const Dfa dfa = dfa_over("ab", "~(.*b.*)");
  EXPECT_TRUE(dfa.accepts({0, 0}));
  EXPECT_FALSE(dfa.accepts({0, kUnmentioned}));
  EXPECT_FALSE(difference(dfa, dfa_of("a*")));
  EXPECT_THROW(dfa_over("a", "ab"), UserError);
}

TEST(RegexDiagnostics, EveryCodeIsProvokedByItsOwnExample) {
  for (const Explanation& entry : all_explanations()) {
    if (entry.code < "E301" || entry.code >= "E320" || entry.code[0] == 'W') continue;
    const parse::ParsedRegex wrong = parse::parse_regex(entry.wrong);
    ASSERT_FALSE(wrong.diagnostics.empty()) << entry.code;
    for (const Diagnostic& diagnostic : wrong.diagnostics) EXPECT_EQ(diagnostic.code, entry.code) << entry.wrong;
    EXPECT_TRUE(parse::parse_regex(entry.right).regex) << entry.code;
  }
}

TEST(RegexDiagnostics, SpansAreExact) {
  EXPECT_THAT(found(""), ElementsAre("E301@0-0"));
  EXPECT_THAT(found("a|"), ElementsAre("E301@1-2"));
  EXPECT_THAT(found("|a"), ElementsAre("E301@0-1"));
  EXPECT_THAT(found("a||b"), ElementsAre("E301@1-2"));
  EXPECT_THAT(found("(a|)"), ElementsAre("E301@2-3"));
  EXPECT_THAT(found("a~"), ElementsAre("E301@1-2"));
  EXPECT_THAT(found("*a"), ElementsAre("E302@0-1"));
  EXPECT_THAT(found("a|+b"), ElementsAre("E302@2-3"));
  EXPECT_THAT(found("((a)"), ElementsAre("E303@0-1"));
  EXPECT_THAT(found("("), ElementsAre("E303@0-1"));
  EXPECT_THAT(found("a)b)"), ElementsAre("E304@1-2", "E304@3-4"));
  EXPECT_THAT(found("a{"), ElementsAre("E305@1-2"));
  EXPECT_THAT(found("a{x}b"), ElementsAre("E305@1-4"));
  EXPECT_THAT(found("a{3,1}"), ElementsAre("E305@1-6"));
  EXPECT_THAT(found("a}"), ElementsAre("E305@1-2"));
  EXPECT_THAT(found("[ab"), ElementsAre("E306@0-1"));
  EXPECT_THAT(found("[]"), ElementsAre("E306@0-2"));
  EXPECT_THAT(found("[a-]"), ElementsAre("E306@1-3"));
  EXPECT_THAT(found("a]"), ElementsAre("E306@1-2"));
  EXPECT_THAT(found("^a$"), ElementsAre("E307@0-1", "E307@2-3"));
  EXPECT_THAT(found("\\d+"), ElementsAre("E307@0-2"));
  EXPECT_THAT(found("(?:a)"), ElementsAre("E307@0-2"));
  EXPECT_THAT(found("a*?"), ElementsAre("E307@1-3"));
  EXPECT_THAT(found("a{1000000}"), ElementsAre("E308@1-10"));
  EXPECT_THAT(found("'a"), ElementsAre("E003@0-2"));
  EXPECT_THAT(found("a\xff"), ElementsAre("E001@1-2"));
  EXPECT_THAT(found("'foo' ' '"), ElementsAre("E027@6-9"));
}

TEST(RegexDiagnostics, ShowThePlaceAndAWayOut) {
  const std::string_view text = "(a|b)*{3,1}";
  const std::string shown = render(parse::parse_regex(text).diagnostics, text, "regex");
  EXPECT_THAT(shown, HasSubstr("regex:1:7: error E305"));
  EXPECT_THAT(shown, HasSubstr("|       ^~~~~"));
  EXPECT_THAT(shown, HasSubstr("write `{1,3}`"));
  const std::string_view large = "a{1000000}";
  EXPECT_THAT(render(parse::parse_regex(large).diagnostics, large, "regex"), HasSubstr("limit `repetition`"));
}

TEST(RegexLimits, NeitherDepthNorLengthOverflowsTheStack) {
  const std::string deep = std::string(100'000, '(') + "a" + std::string(100'000, ')');
  EXPECT_THAT(found(deep), testing::Contains(HasSubstr("E308")));
  std::string tildes(100'001, '~');
  EXPECT_FALSE(difference(dfa_of(tildes + "a"), dfa_of("~a")));
  EXPECT_EQ(dfa_of(std::string(20'000, 'a')).size(), 20'001u);
  std::string optional;
  for (int k = 0; k < 300; ++k) optional += "a?";
  EXPECT_EQ(dfa_of(optional).size(), 301u);
  std::string nested = "a";
  for (int k = 0; k < 900; ++k) nested = "(" + nested + ")?";
  EXPECT_FALSE(difference(dfa_of(nested), dfa_of("a?")));
}

TEST(RegexLimits, AreErrorsThatNameTheLimit) {
  for (const char* text :
       {"(a|b)*a(a|b){40}", "((a{1000}){1000})", "(a{900}){900}&(b|a{899}){899}", "~((a|b)*a(a|b){30}c)"}) {
    try {
      dfa_of(text);
      FAIL() << text;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("(the limit `")) << text;
    }
  }
}

TEST(RegexLimits, OfAutomataAreThoseOfTheParserToo) {
  Limits limits;
  EXPECT_NO_THROW(read_regex("((a{3}))", {}, limits));
  limits.repetition = 2;
  EXPECT_THROW(read_regex("a{3}", {}, limits), DiagnosticError);
  limits.nesting = 1;
  EXPECT_THROW(read_regex("((a))", {}, limits), DiagnosticError);
  limits.states = 1;
  EXPECT_THROW(read_regex("ab", {}, limits), UserError);
  EXPECT_TRUE(read_regex("a*b").accepts({0, 0, 1}));
}

TEST(RegexParser, SurvivesAnyBytes) {
  Random random(6);
  const std::string signs = "ab()[]{}|&~*+?.'\\^-,01 \n\xff\xce\xb1/";
  for (int k = 0; k < 3000; ++k) {
    std::string text;
    for (std::uint64_t n = random.below(12); n > 0; --n) text += signs[random.below(signs.size())];
    const parse::ParsedRegex parsed = parse::parse_regex(text);
    EXPECT_EQ(parsed.regex.has_value(), parsed.diagnostics.empty()) << text;
    if (parsed.regex) automaton_of(*parsed.regex);
  }
}

}  // namespace
}  // namespace quench::automata
