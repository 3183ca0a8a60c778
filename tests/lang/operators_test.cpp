#include "lang/operators.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace quench::lang {
namespace {

TEST(Operators, NoSpellingMeansTwoThings) {
  std::set<std::string_view> seen;
  for (const OperatorFacts& row : all_operators())
    for (const std::string_view text : {row.symbol, row.word, row.unicode})
      EXPECT_TRUE(text.empty() || seen.insert(text).second) << text;
  for (const RelationFacts& row : all_relations())
    for (const std::string_view text : {row.symbol, row.unicode})
      EXPECT_TRUE(text.empty() || seen.insert(text).second) << text;
  for (const PredicateFacts& row : all_predicates()) EXPECT_TRUE(seen.insert(row.name).second) << row.name;
}

TEST(Operators, FactsAreFoundByTheirOperator) {
  for (const OperatorFacts& row : all_operators()) EXPECT_EQ(&facts(row.op), &row);
  for (const RelationFacts& row : all_relations()) EXPECT_EQ(&facts(row.relation), &row);
  for (const ScopeFacts& row : all_scopes()) EXPECT_EQ(&facts(row.scope), &row);
}

}  // namespace
}  // namespace quench::lang
