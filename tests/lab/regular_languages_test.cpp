// The languages of the atlas are what they are called.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "automata/classify/decision.h"
#include "base/error.h"
#include "lab/regular_languages.h"
#include "support/shell.h"

namespace quench::lab {
namespace {

TEST(RegularLanguages, GroupsHaveTheirOrders) {
  const std::map<std::string, std::size_t> orders = {{"Z_60", 60}, {"S_3", 6},  {"dihedral D_4", 8},   {"Q_8", 8},
                                                     {"A_4", 12},  {"S_4", 24}, {"F_20", 20}, {"A_4 × Z_5", 60},
                                                     {"A_5", 60},  {"S_5", 120}};
  std::size_t met = 0;
  for (const RegularLanguage& language : languages_of_the_field()) {
    if (language.family != "groups") continue;
    const automata::Decision decision = automata::decide(language.dfa);
    EXPECT_EQ(decision.monoid, orders.at(language.name)) << language.name;
    EXPECT_EQ(decision.solvable, language.name != "A_5" && language.name != "S_5") << language.name;
    ++met;
  }
  EXPECT_EQ(met, orders.size());
}

TEST(RegularLanguages, AcceptWhatTheyShould) {
  const std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> words = {
      {"Tomita 3", {{"1", "100", "1001"}, {"10", "101000"}}},
      {"Tomita 6", {{"ab", "aaa", "aabb"}, {"a", "aab"}}},
      {"PARITY", {{"1", "0111"}, {"0", "11"}}},
      {"D_2", {{"ab", "aabbab"}, {"aaabbb", "a", "ba"}}},
      {"ninth symbol from the end", {{"abbbbbbbb", "baaaaaaaaa"}, {"aaaaaaaa", "bbbbbbbbb"}}},
      {"Dyck-(2,2)", {{"ab", "cabd", "abcd"}, {"cb", "acacdbdb", "ad", "aaabbb"}}},
      {"flip-flop", {{"w0", "w0r0", "w1i0r1", "w1w0r0"}, {"w", "r0", "w0r1", "w1i0r0", "i0"}}},
      {"even pairs", {{"a", "aba", "abba"}, {"ab", "ba"}}},
      {"modular arithmetic (simple)", {{"0", "2+3", "2*3-1", "4*4-1"}, {"1", "2+", "2+3*2", "-1+1"}}},
      {"cycle navigation", {{"ab", "aaaaa", "cc"}, {"a", "aab"}}},
  };
  std::size_t met = 0;
  for (const RegularLanguage& language : languages_of_the_field()) {
    const auto found = words.find(language.name);
    if (found == words.end()) continue;
    ++met;
    const auto accepts = [&](const std::string& word) {
      return language.dfa.accepts(language.dfa.alphabet.parse(word));
    };
    for (const std::string& word : found->second.first) EXPECT_TRUE(accepts(word)) << language.name << " " << word;
    for (const std::string& word : found->second.second) EXPECT_FALSE(accepts(word)) << language.name << " " << word;
  }
  EXPECT_EQ(met, words.size());
}

TEST(RegularLanguages, RandomOnesAreOfEveryClassAndTheSameAgain) {
  const std::vector<RegularLanguage> first = random_regular_languages(1, 2), again = random_regular_languages(1, 2);
  std::set<automata::LanguageClass> classes;
  for (const RegularLanguage& language : first) classes.insert(automata::decide(language.dfa).language_class);
  EXPECT_GE(classes.size(), 9u);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t k = 0; k < first.size(); ++k) EXPECT_EQ(first[k].dfa, again[k].dfa);
}

TEST(RegularLanguages, FilesOfOthers) {
  const test::TemporaryDirectory folder;
  EXPECT_THROW(automaton_files(folder.path() / "nowhere"), IoError);
  EXPECT_THROW(automaton_files(folder.path()), UserError);
  std::ofstream(folder.path() / "b.regex") << "(ab)*";
  const std::string before = contents_of(folder.path());
  std::ofstream(folder.path() / "a.att") << "0\t1\ta\ta\n1\n";
  const auto files = automaton_files(folder.path());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].filename(), "a.att");
  EXPECT_EQ(read_automaton_file(files[1]).dfa.size(), 2u);
  EXPECT_NE(contents_of(folder.path()), before);
}

}  // namespace
}  // namespace quench::lab
