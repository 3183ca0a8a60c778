// Regular expressions and automata at the terminal: wherever a rule is taken, and what is said where they cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Automata : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) {
    return test::shell("timeout 120 quench " + arguments, directory_.path());
  }
  std::string out(const std::string& arguments, int exit_code = 0) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code) << arguments << "\n" << finished.err;
    return finished.out;
  }
  json run_json(const std::string& arguments, int exit_code = 0) { return json::parse(out(arguments, exit_code)); }
  /// What is said of what is refused.
  std::string refusal(const std::string& arguments, int exit_code = 2) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit_code) << arguments << "\n" << finished.out << finished.err;
    return finished.err;
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(directory_.path() / name) << text; }

  test::TemporaryDirectory directory_;
};

TEST_F(Automata, AreTakenWhereverARuleIs) {
  EXPECT_EQ(out("eval --regex '(ab)*' ab aab"), "ab    01   accept\naab   000   reject\n");
  EXPECT_EQ(out("run --regex '(ab)*' ab aab"), out("eval --regex '(ab)*' ab aab"));
  EXPECT_EQ(out("run --regex '(ab)*' ab aab --engine bits"), out("eval --regex '(ab)*' ab aab"));
  EXPECT_THAT(out("verify --regex '(ab)*' --exhaustive 5"), HasSubstr(" 0 differences"));
  EXPECT_THAT(out("show --regex '(ab)*' --stage ast"), StartsWith("dfa\nalphabet a b\n"));
  EXPECT_THAT(out("show --regex '(ab)*' --stage ast --format dot"), StartsWith("digraph"));
  EXPECT_THAT(out("show --regex '(ab)*' --stage schedule"), HasSubstr("layer"));
  EXPECT_THAT(out("trace --regex '(ab)*' ab"), HasSubstr("Z Q_b"));
  EXPECT_NE(out("attend --regex '(ab)*' ab"), "");
  EXPECT_THAT(out("certify --regex '(ab)*' --dtype f32"), HasSubstr("f32"));
  EXPECT_THAT(out("certify --regex '(ab)*' --dtype f32 --length 1000"), HasSubstr("certifies n <= 1000"));
  EXPECT_THAT(out("compare --regex '.*a' --dtype f32"), HasSubstr("tight"));
  EXPECT_THAT(out("train --regex '(ab)*' --steps 1 --no-test"), HasSubstr("layers"));
  EXPECT_THAT(out("eval examples/automata/parity.dfa --all 2"),
              StartsWith("a    0   reject\nb    1   accept\naa   01   accept\n"));
  EXPECT_EQ(out("words examples/automata/flip_flop.dfa --count 4 --length 40 --balanced").size(), 4u * 43);
}

TEST_F(Automata, ModelsKeepTheRuleTheyWereMadeFrom) {
  const std::string made = out("compile --regex '(ab)*' -o m.safetensors");
  EXPECT_THAT(made, HasSubstr("formula     "));
  EXPECT_THAT(made, HasSubstr("(equal to the automaton on all words, by proof)"));
  EXPECT_EQ(out("run m.safetensors abab"), "abab   0101   accept\n");
  EXPECT_EQ(out("run m.safetensors abab --engine bits"), "abab   0101   accept\n");
  out("check m.certificate.json m.safetensors");
  EXPECT_THAT(out("verify m.safetensors --regex '(ab)*' --prove"), StartsWith("proved: "));
  EXPECT_THAT(out("verify m.safetensors --regex '(ab)*|ba' --prove", 1),
              StartsWith("counterexample: 'ba' at position 2"));
  EXPECT_THAT(out("verify m.safetensors --regex '(ab)*|ba' --exhaustive 3", 1), HasSubstr("counterexample: 'ba'"));
}

TEST_F(Automata, CompileSaysByWhichFormula) {
  const json summary = run_json("compile --regex '.*a' --json --certify");
  EXPECT_EQ(summary["formula"], "Q_a\n");
  EXPECT_EQ(summary["strategy"], "labels");
  EXPECT_EQ(summary["layers"], run_json("compile -e Q_a --json --certify")["layers"]);
  EXPECT_FALSE(run_json("compile -e Q_a --json").contains("formula"));
}

TEST_F(Automata, EveryFormatOfFilesIsRead) {
  for (const char* format : {"dfa", "att", "hoa"}) {
    const std::string name = std::string("x.") + format;
    write(name, out("translate --regex '(ab)*' --to " + std::string(format)));
    EXPECT_EQ(out("eval " + name + " abab aab"), out("eval --regex '(ab)*' abab aab")) << format;
    EXPECT_EQ(out("diff " + name + " --regex '(ab)*'"), "no difference on any word, by proof\n") << format;
  }
  write("x.regex", "// in turn\n(ab)*\n");
  EXPECT_EQ(out("eval x.regex ab"), "ab   01   accept\n");
  write("x.nfa.dfa", "nfa\nalphabet a b\ninitial 0\naccepting 2\n0 a b 0\n0 a 1\n1 a b 2\n");
  EXPECT_EQ(out("eval x.nfa.dfa aba bba"), "aba   010   reject\nbba   000   reject\n");
  const std::string formula = out("translate --regex '.*a' --to formula");
  EXPECT_THAT(formula, StartsWith("// depth 0, 0 heads; equal to the automaton on all words, by proof\n// made from"));
  EXPECT_THAT(formula, ::testing::EndsWith("\nQ_a\n"));
  EXPECT_THAT(out("translate -e 'odd(#<[Q_a])' --to dfa"), HasSubstr("alphabet a\n"));
  EXPECT_THAT(out("translate --regex '(ab)*' --to formula --all"), HasSubstr("\n// made from an automaton: "));
  // A partial automaton, whose words can leave it.
  EXPECT_THAT(out("translate --regex 'a*b' --to formula --all"), HasSubstr("by proof"));
}

TEST_F(Automata, FormulasAreMadeSmaller) {
  const auto smallest = [&](const std::string& rule) {
    const std::string text = out("translate -e '" + rule + "' --to formula --smallest");
    EXPECT_EQ(out("diff -e '" + rule + "' -e '" + text + "'"), "no difference on any word, by proof\n");
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_EQ(smallest("O (Q_a | Q_a & O Q_b) & H (Q_a -> O Q_a)"), "O Q_a\n");
  EXPECT_EQ(smallest("F (Q_a & F Q_a)"), "Q_a\n");
  EXPECT_EQ(smallest("mod(4,0)(#<[Q_a]) | mod(4,2)(#<[Q_a])"), "even(#<[Q_a])\n");
  EXPECT_EQ(smallest("alphabet {a, b}\nH (Q_a | Q_b) & prev Q_a"), "prev Q_a\n");
  EXPECT_THAT(refusal("translate -e '#<[Q_a] > #<[Q_b]' --to formula --smallest"), HasSubstr("#<[Q_a]"));
  EXPECT_THAT(refusal("translate -e 'O Q_a' --to dfa --smallest"), HasSubstr("--smallest is for formulas"));
}

TEST_F(Automata, DecideSaysWhichTransformersThereAre) {
  const json verdict = run_json("decide --regex 'b*(ab*ab*)*' --json");
  EXPECT_EQ(verdict["states"], 2);
  EXPECT_EQ(verdict["class"], "solvable");
  EXPECT_EQ(verdict["aperiodic"], false);
  EXPECT_EQ(verdict["quasi_aperiodic"], false);
  EXPECT_EQ(verdict["modulus"], nullptr);
  EXPECT_EQ(verdict["solvable"], true);
  EXPECT_EQ(verdict["witness"]["not_quasi_aperiodic"]["turning"], "a");
  EXPECT_EQ(verdict["witness"]["not_quasi_aperiodic"]["standing"], "b");
  ASSERT_EQ(verdict["architectures"].size(), 5u);
  const json& hard = verdict["architectures"][1];
  EXPECT_EQ(hard["name"], "hard attention");
  EXPECT_EQ(hard["answer"], "no");
  EXPECT_EQ(hard["kind"], "unconditional");
  EXPECT_EQ(hard["network"], nullptr);
  const json& soft = verdict["architectures"][3];
  EXPECT_EQ(soft["answer"], "yes");
  EXPECT_EQ(soft["kind"], "network");
  EXPECT_EQ(soft["network"]["certified"],
            run_json("compile --regex 'b*(ab*ab*)*' --recipe tight --certify --json")["certified"]["f32"]);
  EXPECT_EQ(run_json("decide -e 'odd(#<[Q_a])' --json --quick")["monoid"], 2);
  EXPECT_EQ(run_json("decide -e 'Q_a S Q_b' --json --quick")["class"], "DA");
  EXPECT_EQ(run_json("decide --regex '(..)*' --json --quick")["modulus"], 2);
  EXPECT_THAT(out("decide examples/automata/alternating_group_5.dfa"), HasSubstr("no, unless TC0 = NC1"));
  EXPECT_THAT(out("decide --regex '(ab)*' --dot"), StartsWith("digraph automaton {"));
  EXPECT_THAT(refusal("decide -e '#<[Q_a] > #<[Q_b]'"), HasSubstr("#<[Q_a]"));
}

TEST_F(Automata, DiffIsAProofOrAShortestWord) {
  EXPECT_EQ(out("diff --regex '(a|b)*' --regex '(a*b*)*'"), "no difference on any word, by proof\n");
  EXPECT_EQ(out("diff --regex '(ab)*' --regex '(ab)*|(ab)*ba'", 1), "they differ on 'ba': reject and accept\n");
  EXPECT_EQ(out("diff -e 'O Q_a' -e '!H !Q_a'"), "no difference on any word, by proof\n");
  EXPECT_EQ(out("diff -e 'O Q_a' -e '!H !Q_a' --length 3"), "no difference on the 14 words up to length 3\n");
  EXPECT_THAT(out("diff -e '#<[Q_a] > #<[Q_b]' -e '#<[Q_b] < #<[Q_a]'"), HasSubstr("longer words are not decided: "));
  const json proved = run_json("diff --regex 'a*' --regex 'a*' --json");
  EXPECT_EQ(proved, json({{"words", nullptr}, {"length", nullptr}, {"difference", nullptr}, {"proved", true}}));
  EXPECT_EQ(out("diff -e 'F Q_a' --regex '.*a' --everywhere", 1), "they differ on '_a': 11 and 01\n");
  write("a.tl", "Q_a");  // the first that is typed is the first that is answered
  EXPECT_EQ(out("diff --regex 'a|b|.*a' a.tl", 1), "they differ on 'b': accept and reject\n");
  EXPECT_EQ(out("diff a.tl --regex 'a|b|.*a'", 1), "they differ on 'b': reject and accept\n");
  EXPECT_EQ(out("diff '--regex=a|b|.*a' -eQ_a", 1), "they differ on 'b': accept and reject\n");
}

TEST_F(Automata, MistakesArePointedAt) {
  EXPECT_THAT(refusal("eval --regex '(ab' ab"), StartsWith("--regex:1:1: error E303: this bracket is not closed\n"));
  EXPECT_THAT(refusal("eval --regex 'a{1000000}' a"), HasSubstr("--limit repetition=N raises it"));
  write("x.dfa", "dfa\nalphabet a\ninitial 0\naccepting 0\n0 a 0\n0 a 1\n");
  EXPECT_THAT(refusal("eval x.dfa a"), HasSubstr("x.dfa:1:1: error E323"));
  write("y.dfa", "alphabet a\ninitial 0\naccepting 0\n0 b 0\n");
  EXPECT_THAT(refusal("eval y.dfa a"), HasSubstr("error E322"));
  write("z.hoa", "HOA: v2\n");
  EXPECT_THAT(refusal("eval z.hoa a"), HasSubstr("error E324"));
  EXPECT_THAT(refusal("eval nowhere.regex a", 3), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal("eval --regex 'a' -e Q_a"), HasSubstr("give one of them"));
  write("parity.txt", "dfa\nalphabet a\ninitial 0\naccepting 0\n0 a 0\n");
  EXPECT_THAT(refusal("eval parity.txt a"), HasSubstr("error E"));
  EXPECT_THAT(refusal("compile --recipe tight examples/automata/alternating_group_5.dfa"),
              HasSubstr("error E110: no formula defines"));
  EXPECT_THAT(refusal("eval --regex a --limit state=3 a"), HasSubstr("did you mean states?"));
  EXPECT_THAT(refusal("eval --regex a --limit states=x a"), HasSubstr("a number from 1 to"));
}

TEST_F(Automata, WhatIsTooLargeIsSaidSoAndNeverHangs) {
  EXPECT_THAT(refusal("decide --regex '(a|b)*a(a|b){40}' --quick"), HasSubstr("--limit "));
  std::string large = "alphabet a b\ninitial 0\naccepting 0\n";
  for (int s = 0; s < 100'001; ++s)
    large += std::to_string(s) + " a " + std::to_string(s + 1) + "\n" + std::to_string(s) + " b 0\n";
  write("large.dfa", large);
  EXPECT_THAT(refusal("eval large.dfa a"), HasSubstr("--limit states=N raises it"));
  std::string chain = "dfa\nalphabet a\ninitial 0\naccepting 19999\n";  // within the limits, and still answered at once
  for (int s = 0; s < 19'999; ++s) chain += std::to_string(s) + " a " + std::to_string(s + 1) + "\n";
  write("chain.dfa", chain);
  EXPECT_THAT(refusal("compile chain.dfa"), HasSubstr("--limit scan_states=N"));
  EXPECT_THAT(refusal("decide --regex '(a|b)*a(a|b){12}' --quick --limit monoid=1000"),
              HasSubstr("--limit monoid=N raises it"));
  EXPECT_EQ(out("eval --regex 'a{2000}' --limit repetition=3000 a"), "a   0   reject\n");
  EXPECT_THAT(refusal("compile --regex '(a|b)*a(a|b){20}'"), HasSubstr("--limit expression=N raises it"));
  EXPECT_THAT(out("compile --regex '(a|b)*a(a|b){8}'"), HasSubstr("strategy    backwards"));
  EXPECT_THAT(refusal("compile examples/automata/alternating_group_5.dfa --limit scan_states=3"),
              HasSubstr("scan_states"));
  EXPECT_THAT(refusal("compile examples/automata/alternating_group_5.dfa --limit scan_units=3"),
              HasSubstr("scan_units"));
  const std::string deep = std::string(2000, '(') + "a" + std::string(2000, ')');
  EXPECT_THAT(refusal("eval --regex '" + deep + "' a"), HasSubstr("--limit nesting=N"));
}

}  // namespace
}  // namespace quench
