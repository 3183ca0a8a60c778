// [Q-penalty]: the form that matches of integers take in long words, made for short ones, against the interpreter.
#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/check.h"
#include "lang/random_program.h"
#include "lower/program/exact/exact_program_check.h"
#include "lower/program/exact/penalised.h"

namespace quench {
namespace {

using test::ExactProgramCheck;
using test::exactly_to;
using test::example_programs;
using test::penalised;

struct Numbers {
  const char* text;  ///< what a and b are
  std::size_t longest;
};

/// Integers that are often equal, that are 0, and that are beyond the word.
const std::vector<Numbers>& numbers() {
  static const std::vector<Numbers> all{{"a(i) = #[j <= i] Q_a(j)\nb(i) = #[j <= i] Q_b(j)\n", 6},
                                        {"a(i) = #[j <= i] Q_a(j)\nb(i) = a(i)\n", 6},
                                        {"a(i) = Q_a(i) ? pos(i) + 2 : 1\nb(i) = 2 * pos(i) - 1\n", 5},
                                        {"a(i) = #[j >= i] Q_a(j) - #[j <= i] Q_b(j)\nb(i) = #[j] Q_a(j)\n", 5}};
  return all;
}

/// Every reach, from both ends, with and without a choice of keys, to words as long as they may be: no fit, one fit, many,
/// at the sink, at the sink and elsewhere.
TEST(Penalties, FindWhatFits) {
  for (const Numbers& each : numbers())
    for (const char* reach : {"true", "j < i", "j <= i", "j > i", "j >= i"})
      for (const char* side : {"leftmost", "rightmost"})
        for (const char* score : {"", "Q_a(j), ", "Q_a(i) and Q_b(j) or Q_b(i), "})
          for (const std::size_t length : {std::size_t{8}, std::size_t{16}}) {
            const std::string text = std::string(each.text) + "out(i) = " + side + " j [" + reach + ", " + score +
                                     "b(j) = a(i)] pos(j) : 0";
            SCOPED_TRACE(text);
            const lang::Program program = driver::parse_program(text);
            ExactProgramCheck check(program, penalised(program, length), {NumberFormat::f32});
            test::for_all_words(check.symbols(), true, length == 8 ? each.longest : 4,
                                [&](const Word& word) { check.expect_right_on(word); });
            Random random(1);
            check.expect_right_at_random(random, {length, length, length - 1, length - 2});
            if (::testing::Test::HasFailure()) return;
          }
}

TEST(Penalties, FindSymbolsAndTruthValues) {
  for (const char* text : {"a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [j <= i, a(j) = a(i)] in(j) : '?'",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j >= i, a(j) = pos(i)] Q_a(j) : Q_b(i)",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [true, a(j) = pos(i)] in(j) : in(i)"}) {
    SCOPED_TRACE(text);
    const lang::Program program = driver::parse_program(text);
    ExactProgramCheck check(program, penalised(program, 16), {NumberFormat::f64, NumberFormat::f32});
    check.expect_right_on_short_words(4000, 7);
    Random random(2);
    check.expect_right_at_random(random, {16, 16, 15, 15});
  }
}

TEST(Penalties, AreInDecodersAsWell) {
  for (const char* text : {"a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [j <= i, Q_b(j), a(j) = a(i)] Q_a(j) : false",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j < i, a(j) = a(i)] Q_a(j) : true"}) {
    SCOPED_TRACE(text);
    const lang::Program program = driver::parse_program(text);
    ExactProgramCheck check(program, penalised(program, 16, true), {NumberFormat::f64, NumberFormat::f32});
    for (const model::Layer& layer : check.model().layers)
      for (const model::Head& head : layer.heads) EXPECT_EQ(head.mask, Mask::future);
    check.expect_right_on_short_words(1000, 7);
  }
}

}  // namespace
}  // namespace quench
