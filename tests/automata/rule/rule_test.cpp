// Regular expressions and automata as rules: read from every format, printed, read back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "automata/formats/formats.h"
#include "automata/machine/boolean.h"
#include "automata/regex_text.h"
#include "base/text/explain.h"
#include "lang/print/print_rule.h"
#include "parse/parse_formula.h"
#include "support/automata.h"

namespace quench::automata {
namespace {

using lang::AutomatonText;
using testing::HasSubstr;

constexpr const char* kEvenAs =
    "dfa\nalphabet a b\ninitial even\naccepting even\neven a odd\nodd a even\neven b even\nodd b odd\n";

std::vector<std::string> codes(const std::function<void()>& work) {
  try {
    work();
  } catch (const DiagnosticError& error) {
    std::vector<std::string> found;
    for (const Diagnostic& one : error.diagnostics) found.push_back(one.code);
    return found;
  }
  return {};
}

TEST(AutomatonRules, TheFormatsAgree) {
  const lang::Dfa expected = read_rule(kEvenAs, AutomatonText::dfa).dfa;
  EXPECT_EQ(expected, dfa_over("ab", "b*(ab*ab*)*"));
  EXPECT_EQ(read_rule(print_att(expected), AutomatonText::att).dfa, expected);
  EXPECT_EQ(read_rule(print_hoa(expected), AutomatonText::hoa).dfa, expected);
  EXPECT_FALSE(difference(read_rule("b*(ab*ab*)*", AutomatonText::regex).dfa, expected));
  // Not deterministic, and so made so: a two symbols before the end.
  const char* nfa = "nfa\nalphabet a b\ninitial 0\naccepting 2\n0 a b 0\n0 a 1\n1 a b 2\n";
  EXPECT_FALSE(difference(read_rule(nfa, AutomatonText::dfa).dfa, dfa_over("ab", ".*a.")));
}

TEST(AutomatonRules, KindsAreEndingsOfFiles) {
  EXPECT_EQ(kind_of_file("x/parity.dfa"), AutomatonText::dfa);
  EXPECT_EQ(kind_of_file("a.b.regex"), AutomatonText::regex);
  EXPECT_EQ(kind_of_file("a.att"), AutomatonText::att);
  EXPECT_EQ(kind_of_file("a.hoa"), AutomatonText::hoa);
  for (const char* other : {"", "dfa", "a.tl", "a.dfa.txt", "a.DFA", "regex/a"})
    EXPECT_FALSE(kind_of_file(other)) << other;
}

TEST(AutomatonRules, ADeclaredAlphabetIsClosedUnlessOthersAreNamed) {
  EXPECT_TRUE(lang::closed(read_rule(kEvenAs, AutomatonText::dfa)));
  EXPECT_FALSE(lang::closed(read_rule(std::string(kEvenAs) + "even other even\n", AutomatonText::dfa)));
  EXPECT_FALSE(lang::closed(test::regex_rule("(ab)*")));
  EXPECT_FALSE(lang::closed(test::regex_rule(".*a")));
}

TEST(AutomatonRules, PrintedTextReadsBack) {
  const std::pair<AutomatonText, std::string> texts[] = {
      {AutomatonText::regex, "(ab)*"},
      {AutomatonText::regex, "// in turn\n\n(a\n b)* // and so on\n\n"},
      {AutomatonText::dfa, kEvenAs},
      {AutomatonText::att, print_att(dfa_over("ab", "(ab)*"))},
      {AutomatonText::hoa, print_hoa(dfa_over("ab", "(ab)*"))},
  };
  for (const auto& [kind, text] : texts) {
    const lang::Automaton rule = read_rule(text, kind);
    const std::string printed = lang::print(rule);
    ASSERT_TRUE(describes_automaton(printed));
    const lang::Automaton again = read_description(printed);
    EXPECT_EQ(again.kind, kind);
    EXPECT_EQ(again.dfa, rule.dfa) << text;
    EXPECT_FALSE(again.formula);
    EXPECT_EQ(lang::print(again), printed);
  }
}

TEST(AutomatonRules, AFormulaIsReadWithItsProof) {
  lang::Automaton rule = test::regex_rule(".*a");
  rule.formula = *parse::parse_formula("Q_a").formula;
  const std::string printed = lang::print(rule);
  EXPECT_EQ(printed, "//= regex\n//= .*a\nQ_a\n");
  EXPECT_TRUE(read_description(printed).formula);
  EXPECT_TRUE(parse::parse_formula(printed).formula) << "to others it is a formula with a comment";
  try {
    read_description("//= regex\n//= .*a\nO Q_a\n");
    FAIL() << "they differ";
  } catch (const DiagnosticError& error) {
    EXPECT_EQ(error.diagnostics.at(0).code, "E326");
    EXPECT_THAT(error.what(), HasSubstr("they differ on 'a"));
  }
  EXPECT_EQ(codes([] { read_description("//= grammar\n//= S -> a\n"); }), std::vector<std::string>{"E326"});
  EXPECT_EQ(codes([] { read_description("//= "); }), std::vector<std::string>{"E326"});
  EXPECT_EQ(codes([] { read_description("//= regex\n//= (a\n"); }), std::vector<std::string>{"E303"});
  EXPECT_FALSE(codes([] { read_description("//= regex\n//= a\nQ_a &\n"); }).empty());
}

TEST(AutomatonRules, TheExampleOfTheCodeProvokesIt) {
  for (const Explanation& entry : all_explanations()) {
    if (entry.code != "E326") continue;
    EXPECT_EQ(codes([&] { read_description(entry.wrong); }), std::vector<std::string>{"E326"});
    EXPECT_TRUE(read_description(entry.right).formula);
  }
}

TEST(AutomatonRules, LimitsAreNamedWithTheOptionThatRaisesThem) {
  const auto message = [](std::string_view text, AutomatonText kind, const Limits& limits) -> std::string {
    try {
      read_rule(text, kind, limits);
    } catch (const UserError& error) {
      return error.what();
    } catch (const DiagnosticError& error) {
      return error.what() + (" " + error.diagnostics.at(0).notes.back());
    }
    return "";
  };
  EXPECT_THAT(message("a{1000000}", AutomatonText::regex, {}), HasSubstr("--limit repetition=N"));
  EXPECT_THAT(message("(a|b)*a(a|b){25}", AutomatonText::regex, {}), HasSubstr("--limit "));
  Limits few;
  few.states = 3;
  EXPECT_THAT(message("abcdef", AutomatonText::regex, few), HasSubstr("--limit states=N"));
  std::string large = "alphabet a\ninitial 0\naccepting 0\n";
  for (int s = 0; s < 5; ++s) large += fmt::format("{} a {}\n", s, (s + 1) % 5);
  EXPECT_THAT(message(large, AutomatonText::dfa, few), HasSubstr("--limit states=N"));
  few = {};
  few.nesting = 2;
  EXPECT_THAT(message("(((a)))", AutomatonText::regex, few), HasSubstr("--limit nesting=N"));
  few.length = 3;
  EXPECT_THAT(message("abcd", AutomatonText::regex, few), HasSubstr("--limit length=N"));
}

class AutomatonExamples : public testing::TestWithParam<test::AutomatonExample> {};

TEST_P(AutomatonExamples, AcceptAndRejectTheWordsTheyName) {
  const auto& [file, rule] = GetParam();
  const auto accepts = [&rule = rule](const std::string& word) {
    return rule.dfa.accepts(rule.dfa.alphabet.parse(word));
  };
  for (const std::string& word : file.accepts) EXPECT_TRUE(accepts(word)) << word;
  for (const std::string& word : file.rejects) EXPECT_FALSE(accepts(word)) << word;
  EXPECT_GE(file.accepts.size(), 3u);
  EXPECT_GE(file.rejects.size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(All, AutomatonExamples, testing::ValuesIn(test::automaton_examples()),
                         [](const auto& example) { return example.param.file.name; });

}  // namespace
}  // namespace quench::automata
