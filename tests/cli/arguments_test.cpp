// The word that is typed is the word that runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Everything a parser of arguments might want to understand.
std::vector<std::string> hostile_words() {
  std::vector<std::string> words = {"[()]", "[a,b]",  "[]",     "[[a]]", "{}", "{a}", "++",   "--", "-",  "---",  "-e",
                                    "--json", "--json=true", "-h",  "--help", "-1", "-0x1", "@a", "%%", "a,b", "a=b", "run",
                                    "eval",   "\"a\"",       "'a'", "a\tb",   "a b", " ",   "é",  "-é", "[é,é]"};
  for (char c = ' '; c <= '~'; ++c)
    for (const char* around : {"", "-", "--", "@", "[", "%", ",", " ", "a"}) words.push_back(around + std::string(1, c));
  return words;
}

class Arguments : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  void expect_exit(int code, const std::string& arguments, const std::string& message) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, code) << arguments << "\n" << finished.out << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }
  /// The words as the command saw them.
  std::vector<std::string> seen(const std::string& arguments) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    std::vector<std::string> words;
    std::istringstream lines(finished.out);
    for (std::string line; std::getline(lines, line);) words.push_back(json::parse(line)["word"]);
    return words;
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Arguments, EveryWordAfterTheDashesIsTakenAsItIs) {
  std::string typed;
  for (const std::string& word : hostile_words()) typed += " " + quoted(word);
  ASSERT_EQ(run("compile -e Q_a -o m.safetensors").exit_code, 0);
  for (const std::string command : {"eval -e Q_a --json --", "run -e Q_a --uncertified --json --",
                                    "run --json --uncertified -- m.safetensors", "run --json m.safetensors --"})
    EXPECT_EQ(seen(command + typed), hostile_words()) << command;
}

TEST_F(Arguments, WithoutTheDashesEveryWordButAnOption) {
  std::vector<std::string> words;
  std::string typed;
  for (const std::string& word : hostile_words()) {
    if (word.size() > 1 && word[0] == '-' && !std::isdigit(word[1])) continue;
    words.push_back(word);
    typed += " " + quoted(word);
  }
  EXPECT_EQ(seen("eval -e Q_a" + typed + " --json"), words);
  EXPECT_EQ(seen("run --json --uncertified -e Q_a" + typed), words);
}

TEST_F(Arguments, CommandsOfOneWordTakeItToo) {
  for (const char* word : {"[()]", "[a,b]", "{}", "++", "-a", "--", "@a"}) {
    const std::size_t n = std::string(word).size();
    const test::Finished traced = run("trace -e 'prev Q_a' --json -- " + quoted(word));
    ASSERT_EQ(traced.exit_code, 0) << word << traced.err;
    EXPECT_EQ(json::parse(traced.out)["word"], word);
    EXPECT_EQ(json::parse(traced.out)["symbols"].size(), n) << word;
    EXPECT_EQ(run("attend -e 'prev Q_a' -- " + quoted(word)).exit_code, 0) << word;
  }
}

TEST_F(Arguments, FilesAndRulesMayHaveAnyName) {
  for (const char* name : {"[a].tl", "{}", "-rule.tl", "--", "++", "a,b"}) {
    std::ofstream(directory_.path() / name) << "Q_a";
    EXPECT_EQ(seen("eval --json -- " + quoted(name) + " [a]"), std::vector<std::string>{"[a]"}) << name;
    EXPECT_EQ(run("diff -e Q_b -- " + quoted(name)).exit_code, 1) << name;
    EXPECT_EQ(run("compile -- " + quoted(name)).exit_code, 0) << name;
  }
  expect_exit(2, "lab run '[gap-temperature]'", "[gap-temperature]");
  expect_exit(3, "check -- '[a]' --b", "--b");
  expect_exit(2, "explain -- -x", "-x");
}

TEST_F(Arguments, ValuesOfOptionsAreTakenAsTheyAreToo) {
  EXPECT_EQ(run("eval '-e0 - 1 < #<[Q_a]' a").out, "a   1   accept\n");
  EXPECT_EQ(run("eval -e '-1 < #<[Q_a]' a").out, "a   1   accept\n");
  std::ofstream(directory_.path() / "[a,b]") << "a\n";
  EXPECT_EQ(run("eval -e Q_a --input '[a,b]'").out, "a   1   accept\n");
  EXPECT_EQ(run("eval -e Q_a --input=[a,b]").out, "a   1   accept\n");
  EXPECT_EQ(run("trace -e 'prev Q_a' -o- ab").exit_code, 0);
}

TEST_F(Arguments, AWordIsNotReadAsAFile) {
  ASSERT_EQ(run("compile -e Q_a -o ab").exit_code, 0);
  EXPECT_EQ(seen("run --uncertified --json -e Q_a ab"), std::vector<std::string>{"ab"});
}

TEST_F(Arguments, WhatHasNoUseIsRefused) {
  expect_exit(2, "eval -e Q_a ''", "empty");
  expect_exit(2, "eval -e Q_a -- ''", "empty");
  expect_exit(2, "eval -e '' a", "empty");
  expect_exit(2, "compile -e Q_a -o ''", "-o");
  expect_exit(2, "eval -e Q_a -x", "after --");
  expect_exit(2, "eval -e Q_a --jsno a", "--jsno");
  expect_exit(2, "frobnicate", "frobnicate");
  expect_exit(2, "bench attention extra", "extra");
  expect_exit(2, "check a b c", "\"c\"");
  for (const char* command : {"compile", "words", "show", "train", "soften", "bench", "certify"}) {
    expect_exit(2, std::string(command) + " -e Q_a extra", "extra");
    expect_exit(2, std::string(command) + " examples/formulas/dyck_1.tl -e Q_a", "no use for");
  }
  expect_exit(2, "translate --to brasp -e Q_a extra", "extra");
}

}  // namespace
}  // namespace quench
