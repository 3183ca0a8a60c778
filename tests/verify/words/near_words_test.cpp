#include <gtest/gtest.h>

#include <map>

#include "driver/compile.h"
#include "oracle/rule.h"
#include "support/examples.h"
#include "support/paths.h"
#include "verify/words/near_words.h"

namespace quench {
namespace {

/// Every accepted word that is found is followed by its three neighbours.
TEST(NearWords, AreAcceptedAndOneStepFromIt) {
  for (const std::string name : {"programs/dyck_2.srasp", "programs/a_n_b_n_c_n.srasp", "formulas/a_n_b_n.tl",
                                 "formulas/dyck_1.tl", "programs/parity.srasp", "automata/parity.dfa"}) {
    const lang::Rule rule = driver::parse_rule(test::read_text(test::source_path("examples/" + name)), name);
    const std::vector<Word> words = verify::near_words(rule, 1000, 8, 1);
    ASSERT_GE(words.size(), 4u) << name;
    ASSERT_EQ(words.size() % 4, 0u) << name;
    int rejected = 0;
    for (std::size_t w = 0; w < words.size(); ++w) {
      EXPECT_LE(words[w].size(), 1000u) << name;
      EXPECT_GE(words[w].size(), 980u) << name;
      const bool accepted = oracle::evaluate(rule, words[w]).back() != 0;
      if (w % 4 == 0) {
        EXPECT_TRUE(accepted) << name;
      }
      rejected += !accepted;
      std::size_t differences = 0;
      const Word& of = words[w / 4 * 4];
      std::map<Symbol, int> balance;
      for (std::size_t i = 0; i < of.size(); ++i) {
        differences += of[i] != words[w][i];
        ++balance[of[i]], --balance[words[w][i]];
      }
      if (w % 4 == 1) {
        EXPECT_EQ(differences, 1u) << name;
      } else {
        for (const auto& [symbol, times] : balance) EXPECT_EQ(times, 0) << name;
      }
      if (w % 4 == 2) {
        EXPECT_LE(differences, 2u) << name;
      }
    }
    EXPECT_GE(rejected, 1) << name;
  }
}

TEST(NearWords, AreNoneWhereNothingIsAccepted) {
  EXPECT_TRUE(verify::near_words(driver::parse_rule("false", "x.tl"), 100, 8, 1).empty());
  const std::string sort = "programs/sort.srasp";
  EXPECT_TRUE(
      verify::near_words(driver::parse_rule(test::read_text(test::source_path("examples/" + sort)), sort), 100, 8, 1)
          .empty());
}

}  // namespace
}  // namespace quench
