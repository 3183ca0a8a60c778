#include "circuits/pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "circuits/entries.h"
#include "driver/compile.h"
#include "oracle/rule.h"

namespace quench::circuits {
namespace {

std::size_t distance(const Word& a, const Word& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

std::int64_t last_answer(const lang::Rule& rule, const Word& word) { return oracle::evaluate(rule, word).back(); }

/// Whether some change of one symbol gives another answer, tried out from scratch.
bool one_change_is_enough(const lang::Rule& rule, const Word& word) {
  const auto symbols = static_cast<Symbol>(lang::alphabet(rule).size());
  for (std::size_t i = 0; i < word.size(); ++i)
    for (Symbol symbol = symbols < 2 ? kUnmentioned : 0; symbol < symbols; ++symbol) {
      Word changed = word;
      changed[i] = symbol;
      if (last_answer(rule, changed) != last_answer(rule, word)) return true;
    }
  return false;
}

TEST(WordPairs, AreAsCloseAsTheyCanBeAndBalanced) {
  for (const Entry& entry : entries()) {
    const lang::Rule rule = entry.rule();
    const model::Transformer model = driver::compile(rule, entry.options()).model;
    const std::vector<WordPair> pairs = word_pairs(rule, verify::AnswerTable(model, rule), {.count = 40});
    EXPECT_GE(pairs.size(), 30u) << entry.name();
    EXPECT_LE(pairs.size(), 40u) << entry.name();
    std::map<std::int64_t, std::size_t> classes;
    std::set<std::pair<Word, Word>> seen;
    for (const WordPair& pair : pairs) {
      ASSERT_EQ(pair.clean.size(), pair.corrupted.size()) << entry.name();
      EXPECT_NE(last_answer(rule, pair.clean), last_answer(rule, pair.corrupted)) << entry.name();
      EXPECT_NE(pair.clean_answer, pair.corrupted_answer) << entry.name();
      EXPECT_TRUE(seen.emplace(pair.clean, pair.corrupted).second) << entry.name();
      const std::size_t changed = distance(pair.clean, pair.corrupted);
      EXPECT_TRUE(changed == 1 || (changed == 2 && !one_change_is_enough(rule, pair.clean))) << entry.name();
      ++classes[pair.clean_answer];
    }
    ASSERT_GE(classes.size(), 2u) << entry.name();
    for (const auto& [answer, count] : classes) EXPECT_EQ(count, classes.begin()->second) << entry.name();
  }
}

/// An even number of a's, and as many b's as a's: one symbol changed is not enough to get out of "not so" again.
TEST(WordPairs, ChangeTwoSymbolsWhereOneIsNotEnough) {
  const lang::Rule rule = driver::parse("#<[Q_a] = #<[Q_b]");
  const Word word = lang::alphabet(rule).parse("aaab");  // two apart
  for (const Word& other : nearest_with_another_answer(rule, word)) EXPECT_EQ(distance(word, other), 1u);
  const Word far = lang::alphabet(rule).parse("aaaa");
  const std::vector<Word> found = nearest_with_another_answer(rule, far);
  EXPECT_EQ(found.size(), 6u);  // any two of four become b
  for (const Word& other : found) EXPECT_EQ(distance(far, other), 2u);
  EXPECT_TRUE(nearest_with_another_answer(rule, lang::alphabet(rule).parse("aaaaaa")).empty());
}

TEST(WordPairs, AreNoneWhereEveryAnswerIsTheSame) {
  const lang::Rule rule = driver::parse("Q_a | !Q_a");
  const model::Transformer model = driver::compile(rule).model;
  EXPECT_TRUE(word_pairs(rule, verify::AnswerTable(model, rule), {.count = 4}).empty());
}

TEST(WordPairs, TakeTheSymbolsOfTheModel) {
  const Alphabet rule({"x", "y", "z"}), model({"z", "x"});
  const std::vector<WordPair> moved = over_alphabet({{{0, 1, kUnmentioned}, {2, 2, 0}, 1, 0}}, rule, model);
  EXPECT_EQ(moved.front(), (WordPair{{1, kUnmentioned, kUnmentioned}, {0, 0, 1}, 1, 0}));
}

}  // namespace
}  // namespace quench::circuits
