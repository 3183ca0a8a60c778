// What texts mean: spelling, precedence, statements, definitions.
#include <gtest/gtest.h>

#include "lang/print.h"
#include "parse/parse_text.h"

namespace quench {
namespace {

TEST(ParseFormula, ReadsTheExamplesOfThePaper) {
  EXPECT_EQ(reprint("Q_1 & next Q_1 & next next Q_0"), "Q_1 & next Q_1 & next next Q_0");
  EXPECT_EQ(reprint("odd(#<[Q_1])"), "odd(#<[Q_1])");
  EXPECT_EQ(reprint("#<[#<[⊖Q_1] = →#[Q_1]] = 0"), "#<[#<[prev Q_1] = #>[Q_1]] = 0");
}

}  // namespace
}  // namespace quench
