// Automata as texts: they come back as they were, and wrong ones are told what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "automata/formats/formats.h"
#include "automata/machine/boolean.h"
#include "automata/machine/determinise.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"
#include "base/text/explain.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::Nfa;
using testing::HasSubstr;

using Parse = ParsedAutomaton (*)(std::string_view, const Limits&);

Nfa read(Parse parse, std::string_view text) {
  ParsedAutomaton parsed = parse(text, {});
  if (!parsed.nfa) throw std::runtime_error(render(parsed.diagnostics, text, "text"));
  return std::move(*parsed.nfa);
}
std::vector<std::string> codes(Parse parse, std::string_view text) {
  std::vector<std::string> result;
  const ParsedAutomaton parsed = parse(text, {});
  EXPECT_EQ(parsed.nfa.has_value(), parsed.diagnostics.empty());
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    EXPECT_FALSE(diagnostic.notes.empty());
    result.push_back(diagnostic.code);
  }
  return result;
}

TEST(PlainText, RoundTrips) {
  Random random(10);
  for (int k = 0; k < 200; ++k) {
    const Dfa dfa = random_dfa(random, 1 + random.below(6), 1 + random.below(3), 0.3);
    const std::string text = print_automaton(dfa);
    EXPECT_TRUE(parse_automaton(text).deterministic);
    EXPECT_EQ(as_dfa(read(parse_automaton, text)), dfa) << text;
    EXPECT_EQ(print_automaton(as_dfa(read(parse_automaton, text))), text);
    const Nfa nfa = random_nfa(random, 1 + random.below(5), 2, 0.3);
    EXPECT_EQ(read(parse_automaton, print_automaton(nfa)), nfa) << print_automaton(nfa);
  }
}

TEST(PlainText, RoundTripsAnySymbols) {
  const Dfa dfa = dfa_of("('//' 'other' 'epsilon' '\\'' '\\\\' 'α' 'a\\'b' '\"')*|[^'x']");
  EXPECT_EQ(as_dfa(read(parse_automaton, print_automaton(dfa))), dfa) << print_automaton(dfa);
  const Dfa blank = dfa_of("(' ' '\\n' '\\t' '\\u{d}' a)*");
  EXPECT_EQ(as_dfa(read(parse_automaton, print_automaton(blank))), blank) << print_automaton(blank);
  EXPECT_EQ(as_dfa(read(parse_hoa, print_hoa(dfa))), dfa);
}

TEST(PlainText, IsReadAsDocumented) {
  const Nfa nfa = read(parse_automaton,
                       "// even\nalphabet a 'b'\ninitial even\naccepting even\neven a odd\nodd a even // back\n"
                       "even b even\nodd b odd");
  EXPECT_FALSE(difference(as_dfa(nfa), dfa_of("(b|ab*a)*")));
  const Nfa silent = read(parse_automaton, "alphabet a b\ninitial 0\naccepting 1\n0 a 0\n0 epsilon 1\n1 b other 1");
  EXPECT_FALSE(difference(determinise(silent), dfa_of("a*[^a]*")));
}

TEST(Att, RoundTripsAndReadsWeightsAndEpsilon) {
  Random random(11);
  for (int k = 0; k < 100; ++k) {
    const Dfa dfa = minimise(random_dfa(random, 1 + random.below(6), 2));
    if (!shortest_accepted(dfa)) continue;
    EXPECT_FALSE(difference(as_dfa(read(parse_att, print_att(dfa))), dfa));
  }
  EXPECT_FALSE(difference(determinise(read(parse_att, "0 1 a a 0.5\n1 0 <eps>\n1 1.0\n")), dfa_of("a+")));
  EXPECT_FALSE(difference(determinise(read(parse_att, "5 5 0\n5 5 1\n5\n")), dfa_of("[01]*")));
  EXPECT_THAT(codes(parse_att, "0 1 a b\n1\n"), testing::ElementsAre("E325"));
  EXPECT_THAT(codes(parse_att, "0 x\n"), testing::ElementsAre("E321"));
  EXPECT_THAT(codes(parse_att, ""), testing::ElementsAre("E324"));
  EXPECT_THROW(print_att(dfa_of(".")), UserError);
}

TEST(Hoa, RoundTripsAndReadsLabels) {
  Random random(12);
  for (int k = 0; k < 100; ++k) {
    const Dfa dfa = random_dfa(random, 1 + random.below(6), 1 + random.below(3));
    EXPECT_EQ(as_dfa(read(parse_hoa, print_hoa(dfa))), dfa) << print_hoa(dfa);
  }
  const std::string text =
      "HOA: v1\nname: \"x\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nAlias: @c !0 & !1\nAcceptance: 1 Inf(0)\n"
      "--BODY--\nState: 0\n[0 | 1] 1\nState: 1 {0}\n[(!0 & t) | f] 1\n[@c] 0\n--END--\n";
  // After a or b: b again stays, another symbol stays or returns.
  EXPECT_FALSE(difference(determinise(read(parse_hoa, text)), dfa_of("[ab]([^a]*([^ab][ab])?)*")));
  EXPECT_THAT(codes(parse_hoa, "HOA: v1\nStart: 0&1\nAcceptance: 1 Inf(0)\n--BODY--\n--END--"),
              testing::Contains("E325"));
  EXPECT_THAT(codes(parse_hoa, "HOA: v1\nStart: 0\nAP: 1 \"a\"\n--BODY--\nState: 0\n[7] 0\n--END--"),
              testing::Contains("E321"));
  EXPECT_THAT(codes(parse_hoa, "HOA: v1\nStart: 0\n"), testing::Contains("E324"));
}

TEST(AutomatonDiagnostics, EveryCodeIsProvokedByItsOwnExample) {
  for (const Explanation& entry : all_explanations()) {
    if (entry.code < "E320" || entry.code >= "E326" || entry.code[0] == 'W') continue;
    const Parse parse = entry.wrong.starts_with("HOA") ? parse_hoa : parse_automaton;
    ASSERT_FALSE(codes(parse, entry.wrong).empty()) << entry.code;
    for (const std::string& code : codes(parse, entry.wrong)) EXPECT_EQ(code, entry.code) << entry.wrong;
    EXPECT_THAT(codes(parse, entry.right), testing::IsEmpty()) << entry.code;
  }
}

TEST(AutomatonDiagnostics, ShowThePlace) {
  const std::string_view text = "alphabet a b\ninitial 0\naccepting 0\n0 c 0";
  EXPECT_THAT(render(parse_automaton(text).diagnostics, text, "x.dfa"), HasSubstr("x.dfa:4:3: error E322"));
}

TEST(AutomatonLimits, AreErrorsThatNameTheLimit) {
  std::string text = "alphabet a\ninitial 0\n";
  for (int k = 0; k < 100'001; ++k) text += std::to_string(k) + " a " + std::to_string(k + 1) + "\n";
  for (const Parse parse : {parse_automaton}) {
    try {
      parse(text, {});
      FAIL();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("limit `states`"));
    }
  }
}

TEST(AutomatonReaders, SurviveAnyBytes) {
  Random random(13);
  const std::string signs = "ab01 \t\n[]{}@&|!\"'\\:tf-HOA\xff";
  for (int k = 0; k < 2000; ++k) {
    std::string text = k % 3 == 0 ? "HOA: v1\nStart: 0\nAP: 1 \"a\"\n--BODY--\nState: 0\n" : "";
    for (std::uint64_t n = random.below(30); n > 0; --n) text += signs[random.below(signs.size())];
    for (const Parse parse : {parse_automaton, parse_att, parse_hoa}) {
      const ParsedAutomaton parsed = parse(text, {});
      EXPECT_EQ(parsed.nfa.has_value(), parsed.diagnostics.empty()) << text;
      if (parsed.nfa) determinise(*parsed.nfa);
    }
  }
}

}  // namespace
}  // namespace quench::automata
