// Every option that takes a value, of every command, with values nobody means. The options are read from the help, so a
// new one is tested as soon as it is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;

/// One option as the help shows it: "train", "--layers", "N".
struct ValueOption {
  std::string command, name, kind;
};

/// What numbers are called in the help.
const std::set<std::string> kWhole = {"N", "L", "H", "T", "D", "MB"}, kReal = {"RATE", "NORM", "LAMBDA", "G"},
                            kPair = {"FROM:TO", "COUNTxLENGTH"};
/// What is no number (C begins C=V@P).
const std::set<std::string> kOther = {
    "TEXT",  "NAME", "WAY",  "FILE",     "FORMAT", "ENGINE", "WEIGHTING", "KIND", "DIR", "MODEL",     "STAGE", "SOURCE",
    "WHICH", "MASK", "LIST", "LANGUAGE", "L.H",    "C",      "TARGET",    "PATH", "R",   "NAME|FILE", "H|L.H"};

/// What each command needs beside its options.
const std::map<std::string, std::string> kCommands = {
    {"compile", "-e 'prev Q_a'"},
    {"compare", "-e 'prev Q_a'"},
    {"export", "-e 'prev Q_a' --decoder --to onnx -o model.onnx"},
    {"circuits", "--only tomita_1 -o made"},
    {"run", "-e 'prev Q_a' ab"},
    {"eval", "-e 'prev Q_a' ab"},
    {"verify", "-e 'prev Q_a'"},
    {"certify", "-e 'prev Q_a'"},
    {"show", "-e 'prev Q_a'"},
    {"trace", "-e 'prev Q_a' ab"},
    {"attend", "-e 'prev Q_a' ab"},
    {"words", "-e 'prev Q_a'"},
    {"translate", "-e 'prev Q_a'"},
    {"decide", "-e 'prev Q_a'"},
    {"diff", "-e Q_a -e Q_b"},
    {"train", "-e 'prev Q_a' --steps 1 --no-test --checkpoint c"},
    {"harden", "-e 'prev Q_a'"},
    {"soften", "-e 'prev Q_a'"},
    {"bench", "-e 'prev Q_a' --length 1 --dense-length 0 --reference-length 0 --repetitions 1"},
    {"bench attention", "--entropy --score-length 4"},
    {"lab run", "none"},
};

class Numbers : public ::testing::Test {
 protected:
  std::vector<ValueOption> options() {
    std::vector<ValueOption> found;
    const std::regex line(R"(\n  (?:-\w,)?(--?[\w-]+) ([A-Z][^\s=]*)(?=[\s=]))");
    for (const auto& [command, needed] : kCommands) {
      const std::string help = test::shell("quench " + command + " --help", directory_.path()).out;
      for (std::sregex_iterator it(help.begin(), help.end(), line), end; it != end; ++it)
        if (!(*it)[2].str().ends_with(",")) found.push_back({command, (*it)[1], (*it)[2]});
    }
    return found;
  }

  /// Runs all of them, and shows each exit code and standard error to `look`. The time limit is for this test's sake.
  void try_all(const std::vector<std::pair<ValueOption, std::string>>& cases,
               const std::function<void(const ValueOption&, const std::string&, int, const std::string&)>& look) {
    std::string script;
    for (const auto& [option, value] : cases)
      script += "timeout -s KILL 60 quench " + option.command + " " + kCommands.at(option.command) + " " + option.name +
                " '" + value + "' >/dev/null 2>e; printf '%s\\n' $?; cat e; printf '\\001'\n";
    std::ofstream(directory_.path() / "try.sh") << script;  // longer than an argument may be
    std::istringstream results(test::shell("sh try.sh", directory_.path()).out);
    std::size_t k = 0;
    for (std::string result; std::getline(results, result, '\1') && k < cases.size(); ++k)
      look(cases[k].first, cases[k].second, std::atoi(result.c_str()), result.substr(result.find('\n') + 1));
    EXPECT_EQ(k, cases.size());
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Numbers, EveryCommandAndKindOfValueIsKnownHere) {
  std::map<std::string, int> numbers;
  for (const ValueOption& option : options()) {
    const bool number = kWhole.contains(option.kind) || kReal.contains(option.kind) || kPair.contains(option.kind);
    EXPECT_TRUE(number || kOther.contains(option.kind))
        << option.command << " " << option.name << " " << option.kind << ": what is it?";
    numbers[option.command] += number;
  }
  EXPECT_GE(numbers["train"], 15);
  EXPECT_GE(numbers["bench"], 6);
  EXPECT_GE(numbers["bench attention"], 4);
  const std::string help = test::shell("quench --help", directory_.path()).out;
  const std::regex command(R"(\n  (\w+)  )");
  for (std::sregex_iterator it(help.begin(), help.end(), command), end; it != end; ++it) {
    const std::string name = (*it)[1];
    const bool without_numbers = name == "lab" || name == "check" || name == "explain" || name == "help";
    EXPECT_TRUE(kCommands.contains(name) || without_numbers || name == "studio")
        << name;  // which ends when it is told to
  }
}

TEST_F(Numbers, WhatIsNoneIsRefusedByName) {
  std::vector<std::pair<ValueOption, std::string>> cases;
  for (const ValueOption& option : options()) {
    if (kOther.contains(option.kind)) continue;
    for (const char* value : {"", "-x1", "0x10", "nan", "99999999999999999999999e999"})
      cases.emplace_back(option, value);
    if (kWhole.contains(option.kind))
      for (const char* value : {"-1", "1.5", "99999999999999999999"}) cases.emplace_back(option, value);
  }
  ASSERT_GE(cases.size(), 300u);
  try_all(cases, [](const ValueOption& option, const std::string& value, int code, const std::string& err) {
    EXPECT_EQ(code, 2) << option.command << " " << option.name << " " << value << "\n" << err;
    EXPECT_THAT(err, HasSubstr(option.name)) << option.command << " " << value;
    EXPECT_THAT(err, HasSubstr("\"" + value + "\"")) << option.command << " " << option.name;
  });
}

TEST_F(Numbers, SlowNoValueOfAnyOptionBreaksAnything) {
  std::vector<std::pair<ValueOption, std::string>> cases;
  for (const ValueOption& option : options())
    for (const char* value : {"-1",
                              "+1",
                              " 1",
                              "1 ",
                              "1:",
                              "1x",
                              "x1",
                              "1x1x1",
                              "1:1:1",
                              "inf",
                              "-inf",
                              "-nan",
                              "1_0",
                              "[1]",
                              "[1,2]",
                              "{}",
                              "%s",
                              "٣",
                              "9223372036854775807",
                              "18446744073709551615",
                              "1-9223372036854775807",
                              "9223372036854775807x1",
                              "1x9223372036854775807",
                              "1e-320:1e400",
                              "/",
                              "nowhere/x",
                              "0.0=1e999@1",
                              "9999999999999999999999.0",
                              "-1.-1"})
      cases.emplace_back(option, value);
  try_all(cases, [](const ValueOption& option, const std::string& value, int code, const std::string& err) {
    EXPECT_GE(code, 0);
    EXPECT_LE(code, 3) << option.command << " " << option.name << " " << value << "\n" << err;
  });
}

TEST_F(Numbers, AreDecimal) {
  const auto run = [&](const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); };
  EXPECT_EQ(run("words -e Q_a --count 010 --seed 08").out, run("words -e Q_a --count 10 --seed 8").out);
  EXPECT_THAT(run("train -e Q_a --layers 010 --steps 1 --no-test").out, HasSubstr("10 layers"));
  EXPECT_THAT(run("compile -e 'prev Q_a' --gamma 0x10").err, HasSubstr("--gamma: \"0x10\" is not a number from ln 16"));
  EXPECT_EQ(run("compile -e 'prev Q_a' --gamma 1.6e1").out, run("compile -e 'prev Q_a' --gamma 16").out);
  EXPECT_THAT(run("words -e Q_a --length 1-9223372036854775807").err, HasSubstr("from 1 to 10000000"));
  EXPECT_THAT(run("words -e Q_a --count -1").err, HasSubstr("from 0 to 10000000"));
  EXPECT_THAT(run("words -e Q_a --count 10000000 --length 10000000").err, HasSubstr("too many"));
  EXPECT_EQ(run("bench -e Q_a --length 3,5 --length 7 --dense-length 0 --reference-length 0 --repetitions 1").exit_code,
            0);
}

}  // namespace
}  // namespace quench
