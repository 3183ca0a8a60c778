// What a person asks about a rule at the terminal: its recipes, its words, its symbols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Rules : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  json run_json(const std::string& arguments) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << arguments << "\n" << finished.err;
    return finished.exit_code == 0 ? json::parse(finished.out) : json();
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Rules, CompareSaysOfEveryRecipeWhatCompileSays) {
  const json comparison = run_json("compare -e 'O Q_a' --json");
  std::vector<std::string> covered;
  for (const json& row : comparison["recipes"]) {
    covered.push_back(row["recipe"]);
    const json summary = run_json("compile -e 'O Q_a' --certify --json --recipe " + covered.back());
    for (const char* field : {"recipe", "layers", "heads", "width", "parameters", "position_encodings", "certified"})
      EXPECT_EQ(row[field], summary[field]) << covered.back() << " " << field;
    EXPECT_EQ(row["temperature"][0], summary["temperature"][0]);
  }
  EXPECT_EQ(covered,
            (std::vector<std::string>{"tight", "tight-position", "tight-decoder", "exact", "exact-decoder", "15a",
                                      "15b", "16a", "16b", "17a", "17b", "18a", "18b", "22a", "22b", "23"}));
  EXPECT_EQ(comparison["uncovered"].size(), 7u);
  EXPECT_EQ(comparison["uncovered"][0], json({{"recipe", "12a"}, {"reason", "recipe 12a does not cover 'O Q_a'"}}));
}

TEST_F(Rules, CompareIsOneTableOfTheRecipesAskedFor) {
  const test::Finished finished = run("compare -e 'O Q_a' --recipes 16a,13a --dtype f32,f64");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out,
            "recipes that cover the rule, and the lengths certified in any engine\n"
            "  recipe  layers  heads  width  parameters  f32   f64       temperature  position encodings\n"
            "  16a     1       1      5      57          1603  37174065  1/i^2        1/i\n"
            "\n"
            "recipes that do not\n"
            "  recipe  reason\n"
            "  13a     recipe 13a does not cover 'O Q_a'\n");
  EXPECT_EQ(run("compare -e 'O Q_a' --recipes 13a").exit_code, 1);
  EXPECT_EQ(run("compare -e 'O Q_a' --recipes 99").exit_code, 2);
  EXPECT_EQ(run_json("compare examples/programs/reverse.srasp --dtype f64 --json")["recipes"][0]["recipe"], "srasp");
}

TEST_F(Rules, EvalAllIsTheTruthTable) {
  const test::Finished finished = run("eval -e 'Q_a since Q_b | Q_b' --all 2 --mentioned");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out,
            "a    0   reject\n"
            "b    1   accept\n"
            "aa   00   reject\n"
            "ab   01   accept\n"
            "ba   10   reject\n"
            "bb   11   accept\n"
            "\n"
            "length     words  accepted\n"
            "     1         2         1\n"
            "     2         4         2\n");
  EXPECT_EQ(run("eval -e 'odd(#<[Q_1])' --all 2 --accepted").out,
            "1    1   accept\n"
            "1_   11   accept\n"
            "_1   01   accept\n"
            "\n"
            "length     words  accepted\n"
            "     1         2         1\n"
            "     2         4         2\n"
            "'_' stands for any symbol that the rule does not mention\n");
}

TEST_F(Rules, EvalAllInJsonHasTheWordsAndTheirNumbers) {
  const json table = run_json("eval -e 'odd(#<[Q_1])' --all 3 --json");
  EXPECT_EQ(table["symbols"], json({"1"}));
  EXPECT_EQ(table["other"], "_");
  ASSERT_EQ(table["words"].size(), 14u);
  EXPECT_EQ(table["words"][2], json::parse(run("eval -e 'odd(#<[Q_1])' 11 --json").out));
  EXPECT_EQ(table["lengths"][2], json({{"length", 3}, {"words", 8}, {"accepted", 4}}));
  EXPECT_EQ(run_json("eval examples/programs/reverse.srasp --all 1 --json")["words"][0]["output"].is_string(), true);
}

TEST_F(Rules, EvalAllSaysHowManyWordsAreTooMany) {
  const test::Finished finished = run("eval -e 'Q_a | Q_b' --all 13");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.err,
            "error: there are 2391483 words up to length 13 over 3 symbols, and a table has at most 1000000\n");
  EXPECT_THAT(run("eval -e 'Q_a | Q_b' --all 64").err, HasSubstr("more than 10^18 words"));
  EXPECT_THAT(run("eval -e 'Q_a' --all 2 ab").err, HasSubstr("leave out the word"));
  EXPECT_EQ(run("eval -e 'Q_a' --accepted ab").exit_code, 2);
}

/// The labels of the words of `words --balanced`, and that all of them have the length.
std::pair<int, int> accepted_and_rejected(const test::Finished& finished, std::size_t length) {
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  std::istringstream lines(finished.out);
  int count[2] = {0, 0};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.size(), length + 2) << line;
    ++count[line.back() == '1'];
  }
  return {count[1], count[0]};
}

TEST_F(Rules, BalancedWordsOfSparseLanguagesAreFoundAtAnyLength) {
  const std::pair half(2, 2);
  const auto labels = [&](const std::string& rule, std::size_t length) {
    return accepted_and_rejected(run("words " + rule + " --balanced --count 4 --length " + std::to_string(length)),
                                 length);
  };
  for (const char* rule : {"flip_flop", "ab_star", "dyck_2_depth_2", "tomita_6", "k_hop_2", "d_2"})
    for (const std::size_t length : {12u, 1000u})
      EXPECT_EQ(labels("examples/formulas/" + std::string(rule) + ".tl", length), half) << rule << " " << length;
  for (const char* rule : {"a_n_b_n", "dyck_1", "shuffle_dyck_2", "a_n_b_n_c_n_d_n"})
    for (const std::size_t length : {12u, 252u})
      EXPECT_EQ(labels("examples/formulas/" + std::string(rule) + ".tl", length), half) << rule << " " << length;
  EXPECT_EQ(labels("-e 'H (Q_a -> F Q_b)'", 300), half);
  EXPECT_EQ(labels("-e 'H (Q_a | Q_b U Q_c) & prime'", 211), half);
  EXPECT_EQ(labels("-e 'O Q_a'", 500), half);
}

TEST_F(Rules, BalancedWordsAreNotToldFromTheirPlace) {
  const test::Finished finished = run("words examples/formulas/flip_flop.tl --count 100 --balanced --length 250-260");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  std::istringstream lines(finished.out);
  int changes = 0;
  char last = '-';
  for (std::string line; std::getline(lines, line); last = line.back()) changes += line.back() != last;
  EXPECT_GT(changes, 20);
}

TEST_F(Rules, WordsThatDoNotExistAreSaidNotToExist) {
  const test::Finished odd = run("words examples/formulas/ab_star.tl --balanced --length 251");
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_EQ(
      odd.err,
      "error: found only 0 accepted and 5 rejected words: no word of length 251 is accepted; try another --length\n");
  EXPECT_THAT(run("words examples/formulas/a_n_b_n.tl --balanced --length 251").err,
              HasSubstr("no word of length 251"));
  EXPECT_THAT(run("words -e 'prime(#[Q_a]) & !prime(#[Q_a])' --balanced --length 250").err,
              HasSubstr("a search for accepted words of length 250 gave up"));
  EXPECT_THAT(run("words examples/programs/a_n_b_n_c_n.srasp --balanced --length 64").err,
              HasSubstr("a search for accepted words of length 64 gave up after 12000 made of short ones"));
}

TEST_F(Rules, SymbolsThatLookMistypedAreWarnedOfOnce) {
  const std::string rule = " examples/formulas/request_grant.tl ";
  const std::string warning = "warning W003: the rule does not mention 'reqest'; did you mean 'request'?\n";
  const test::Finished evaluated = run("eval" + rule + "'reqest grant' 'reqest other'");
  EXPECT_EQ(evaluated.exit_code, 0);
  EXPECT_EQ(evaluated.err, warning);
  EXPECT_EQ(run("eval" + rule + "'reqest grant' --no-lint").err, "");
  EXPECT_EQ(run("run --uncertified" + rule + "'reqest grant'").err, warning);
  EXPECT_EQ(run("trace" + rule + "'reqest grant'").err, warning);
  EXPECT_EQ(run("eval" + rule + "'request other grant'").err, "");
}

TEST_F(Rules, StrictRefusesSymbolsThatTheRuleDoesNotMention) {
  const std::string rule = " examples/formulas/request_grant.tl ";
  for (const char* command : {"eval", "run", "trace", "run --engine bits"}) {
    EXPECT_EQ(run(command + rule + "'request grant' --strict").exit_code, 0) << command;
    const test::Finished refused = run(command + rule + "'request other grant' --strict");
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.err,
                HasSubstr("the word 'request other grant' has 'other' at position 2, which the rule does not mention"));
  }
  EXPECT_EQ(run_json("verify -e 'Q_a S Q_b' --exhaustive 3 --json")["words"], 3 + 9 + 27);
  EXPECT_EQ(run_json("verify -e 'Q_a S Q_b' --exhaustive 3 --strict --json")["words"], 2 + 4 + 8);
}

TEST_F(Rules, NoTwoCoordinatesHaveOneName) {
  // The two retrieve the same position, and are told apart by number.
  const json trace = run_json(
      "trace -e 'pred odder = {1, 3}; #<[Q_a] > #<[Q_b] & 2*#<[Q_a] > #>[Q_b] & odder(#<[Q_a])' --recipe 22a --json "
      "ab");
  bool numbered = false;
  for (const json& step : trace["steps"]) {
    std::set<std::string> names;
    for (const json& coordinate : step["coordinates"]) {
      const std::string name = coordinate["name"];
      EXPECT_TRUE(names.insert(name).second) << step["title"] << ": " << name;
      numbered |= name.ends_with(" (2)");
    }
  }
  EXPECT_TRUE(numbered);
}

TEST_F(Rules, LayersAndHeadsAreCountedFromZero) {
  const json head = run_json("harden -e 'Q_c S Q_b' --json")["heads"][0];
  EXPECT_EQ(head["layer"], 0);
  EXPECT_EQ(head["head"], 0);
  const std::string schedule = run("show -e 'Q_c S Q_b' --stage schedule").out;
  EXPECT_THAT(schedule, HasSubstr("attention 0"));
  EXPECT_THAT(schedule, Not(HasSubstr("attention 1")));
}

TEST_F(Rules, TheScheduleHasTheNamesOfTheRule) {
  const std::string schedule =
      run("show -e 'let ready = prev Q_b; let goes = Q_a S ready; goes & !Q_c' --stage schedule").out;
  for (const char* name :
       {"  what it is\n", "  ready, attended; ", "  ready\n", "  goes, attended\n", "  goes & !Q_c\n"})
    EXPECT_THAT(schedule, HasSubstr(name));
}

TEST_F(Rules, OtherNotationsAreToldOurs) {
  const auto error = [&](const std::string& text) { return run("eval -e '" + text + "' a").err; };
  EXPECT_EQ(error("[]Q_a"),
            "-e:1:1: error E006: `[]` is not an operator of this language\n"
            " 1 | []Q_a\n"
            "   | ^~\n"
            "   = write `G` instead\n"
            "   = a rule is about the last position: \"always so far\" is `H`\n");
  EXPECT_THAT(error("Q_b -> <>Q_a"), HasSubstr("`<>` is not an operator of this language"));
  EXPECT_THAT(error("Q_b -> <>Q_a"), HasSubstr("write `F` instead"));
  EXPECT_THAT(error("#<[Q_a] <> 3"), HasSubstr("write `!=` instead"));
  EXPECT_THAT(error("Q_a ^ Q_b"), HasSubstr("or `&`, if both are to be true"));
  for (const char* regular : {"Q_a*Q_b*", "a*b*", "(Q_a*)"})
    EXPECT_THAT(error(regular), HasSubstr("error E029")) << regular;
  EXPECT_THAT(error("#<[]"), Not(HasSubstr("E006")));
}

TEST_F(Rules, ADeclaredAlphabetIsAllThereIs) {
  const std::string rule = "-e \"alphabet {a, b, '('}; H (Q_a | '(')\" ";
  EXPECT_EQ(run_json("eval " + rule + "--all 1 --json")["symbols"], json({"a", "b", "("}));
  EXPECT_EQ(run_json("eval " + rule + "--all 1 --json")["other"], nullptr);
  EXPECT_EQ(run_json("eval " + rule + "--all 3 --json")["words"].size(), 3u + 9u + 27u);
  EXPECT_EQ(run_json("verify " + rule + "--exhaustive 3 --json")["words"], 3 + 9 + 27);
  EXPECT_THAT(run("words " + rule + "--count 50").out, Not(HasSubstr("_")));
  // With a and b alone, what is not a is b.
  EXPECT_EQ(run("diff -e 'alphabet {a, b}; !Q_a' -e 'Q_b' --length 3").out,
            "no difference on the 14 words up to length 3\n");
  EXPECT_EQ(run("diff -e '!Q_a' -e 'Q_b' --length 3").exit_code, 1);
  EXPECT_EQ(run("diff -e 'alphabet {a}; Q_a' -e 'alphabet {b}; Q_b'").exit_code, 2);
}

TEST_F(Rules, SymbolsOutsideADeclaredAlphabetAreErrors) {
  EXPECT_EQ(run("eval -e 'alphabet {request, grant}; H (Q_reqest -> Q_grant)' grant").err,
            "-e:1:31: error E030: the symbol `Q_reqest` is not in the declared alphabet\n"
            " 1 | alphabet {request, grant}; H (Q_reqest -> Q_grant)\n"
            "   |                               ^~~~~~~~\n"
            "   = did you mean `request`?\n");
  for (const char* wrong : {"alphabet {}; Q_a", "alphabet {a b}; Q_a", "alphabet {a,}; Q_a", "alphabet {a; Q_a",
                            "alphabet {a}; alphabet {a}; Q_a"})
    EXPECT_THAT(run("eval -e '" + std::string(wrong) + "' a").err, HasSubstr("E030")) << wrong;
}

TEST_F(Rules, AModelKnowsTheDeclaredAlphabet) {
  ASSERT_EQ(run("compile -e 'alphabet {c, a, b}; Q_a S Q_b' -o declared.safetensors").exit_code, 0);
  EXPECT_EQ(run("run declared.safetensors bcab --engine bits").exit_code, 0);  // for models that our compiler makes
  const test::Finished checked = run("check declared.certificate.json declared.safetensors");
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("compute"));
  EXPECT_THAT(run("show -e 'alphabet {c, a, b}; Q_a S Q_b' --stage ast").out, HasSubstr("alphabet {'c', 'a', 'b'}"));
}

TEST_F(Rules, LetNamesStayWhereOneLooksInside) {
  std::ofstream(directory_.path() / "memory.tl") << "let stored_1 = !Q_w0 S Q_w1\nlet good = !Q_r | stored_1\nH good\n";
  ASSERT_EQ(run("compile memory.tl -o memory.safetensors").exit_code, 0);
  const auto outputs = [&](const std::string& patch) {
    return run_json("trace memory.safetensors 'w1 r w0 r' --json " + patch)["outputs"];
  };
  EXPECT_EQ(outputs(""), json({1.0, 1.0, 1.0, 0.0}));
  EXPECT_EQ(outputs("--patch stored_1=1@4"), json({1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(outputs("--patch stored_1=0@2"), json({1.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(outputs("--patch good=1@4"), json({1.0, 1.0, 1.0, 1.0}));  // the coordinate holds its negation
  EXPECT_EQ(run("trace memory.safetensors 'w1 r' --patch stored_2=0@2").exit_code, 2);
  for (const char* command : {"show memory.tl --stage layout", "show memory.tl --stage ir --format dot",
                              "show memory.tl --stage ast", "trace memory.safetensors 'w1 r'",
                              "attend memory.safetensors 'w1 r'", "certify memory.safetensors --dtype f32"})
    EXPECT_THAT(run(command).out, HasSubstr("stored_1")) << command;
  EXPECT_EQ(run("run memory.safetensors 'w1 r w0 r' --engine bits").exit_code, 0);  // it is known as our own
}

}  // namespace
}  // namespace quench
