#include "base/word.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/number/random.h"

namespace quench {
namespace {

TEST(Alphabet, SingleCharactersAreReadOneByOne) {
  const Alphabet alphabet({"a", "b"});
  EXPECT_EQ(alphabet.parse("abxa"), (Word{0, 1, kUnmentioned, 0}));
  EXPECT_EQ(Alphabet({"α", "字"}).parse("字α字"), (Word{1, 0, 1}));
  EXPECT_EQ(alphabet.parse("a b"), (Word{0, kUnmentioned, 1}));  // the blank is a symbol like any other
}

TEST(Alphabet, LongerSymbolsAreSeparatedByBlanks) {
  const Alphabet alphabet({"w", "foo"});
  EXPECT_EQ(alphabet.parse("  foo w\tbar "), (Word{1, 0, kUnmentioned}));
  EXPECT_EQ(alphabet.print({1, 0, 0}), "foo w w");
}

TEST(Alphabet, RefusesTheEmptyWordAndInvalidUtf8) {
  EXPECT_THROW(Alphabet({"a"}).parse(""), UserError);
  EXPECT_THROW(Alphabet({"foo"}).parse("  "), UserError);
  EXPECT_THROW(Alphabet({"a"}).parse("a\xff"), UserError);
}

TEST(Alphabet, InternAndFindAgree) {
  Alphabet alphabet;
  EXPECT_EQ(alphabet.intern("x"), 0);
  EXPECT_EQ(alphabet.intern("y"), 1);
  EXPECT_EQ(alphabet.intern("x"), 0);
  EXPECT_EQ(alphabet.find("y"), 1);
  EXPECT_EQ(alphabet.find("z"), kUnmentioned);
}

TEST(Alphabet, PrintedWordsParseBack) {
  Random random(1);
  for (const Alphabet& alphabet : {Alphabet({"a", "b"}), Alphabet({"_", ".", "*", "?"}), Alphabet({"foo", "b", "_"})}) {
    for (int round = 0; round < 100; ++round) {
      const Word word = random_word(random, alphabet.size(), true, 1 + random.below(10));
      EXPECT_EQ(alphabet.parse(alphabet.print(word)), word);
    }
  }
}

TEST(Alphabet, UnmentionedIsNeverInTheAlphabet) {
  Alphabet alphabet;
  for (int k = 0; k < 300; ++k) {
    const std::string other = alphabet.unmentioned();
    EXPECT_EQ(alphabet.find(other), kUnmentioned);
    alphabet.intern(other);
    EXPECT_TRUE(alphabet.single_characters());
  }
}

TEST(Random, IsTheSameOnEveryMachine) {
  Random random(42);
  EXPECT_EQ(random.bits(), 13679457532755275413ULL);
  EXPECT_EQ(random.bits(), 2949826092126892291ULL);
}

TEST(Random, WordsUseEverySymbolAllowedAndNoOther) {
  Random random(7);
  std::vector<int> seen(4);
  for (const Symbol symbol : random_word(random, 3, true, 1000)) {
    ASSERT_GE(symbol, kUnmentioned);
    ASSERT_LT(symbol, 3);
    ++seen[static_cast<std::size_t>(symbol + 1)];
  }
  for (const int count : seen) EXPECT_GT(count, 150);
  for (const Symbol symbol : random_word(random, 2, false, 1000)) EXPECT_NE(symbol, kUnmentioned);
  EXPECT_EQ(random_word(random, 0, false, 2), (Word{kUnmentioned, kUnmentioned}));
}

}  // namespace
}  // namespace quench
