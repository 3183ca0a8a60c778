// The lengths that docs/theory-exact.md states are real: up to there everything is right, and one symbol more is wrong
// somewhere, if the word is chosen for it; or it says how far from the last word a limit is.
#include <gtest/gtest.h>

#include "certify/certify.h"
#include "lower/exact/exact_check.h"
#include "lower/program/exact/exact_program_check.h"

namespace quench {
namespace {

using test::ExactCheck;

std::uint64_t certified_length_of(const model::Transformer& model, NumberFormat format) {
  return certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length;
}

struct Limit {
  const char* text;
  NumberFormat format;
  std::size_t length, wrong;  ///< certified to, and wrong at, first, on words of one symbol
};

/// [Q-cmp]. In aⁿ the last position has D = Cn. Where that is 2^p, D + 1 is stored as 2^p as well and [D ≥ 0] is 0; one
/// step of C before or after it, the two differ by 2. If what is subtracted has the greater weights, sums that have more
/// bits are negative first, and no unit looks at those: they are right up to where sums on the other side end.
void expect_to_end(const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    SCOPED_TRACE(std::string(limit.text) + " in " + std::string(to_string(limit.format)));
    ExactCheck check(limit.text, std::size_t{1} << 20, {limit.format});
    EXPECT_EQ(certified_length_of(check.compilation().model, limit.format), limit.length);
    const auto right = [&](std::size_t n) { return check.right_on(Word(n, 0)) && check.right_on(Word(n, 1)); };
    for (const std::size_t n : {limit.length, limit.length + 1, limit.wrong - 1, limit.wrong})
      EXPECT_EQ(right(n), n < limit.wrong) << n;
  }
}

TEST(ExactLimits, OfComparisonsAreWrongOneSymbolBeyond) {
  expect_to_end({{"#<[Q_a] >= #>[Q_b]", NumberFormat::bf16, 255, 256},
                 {"#<[Q_a] = #>[Q_b]", NumberFormat::bf16, 255, 256},
                 {"#<[Q_a] >= #<[Q_b]", NumberFormat::bf16, 255, 256},
                 {"3*#<[Q_a] >= 2*#>[Q_b]", NumberFormat::bf16, 85, 86},
                 {"3*#<[Q_a] >= 2*#>[Q_b]", NumberFormat::f16, 682, 683},
                 {"3*#<[Q_a] >= 5*#<[Q_b]", NumberFormat::bf16, 52, 86}});
}

TEST(ExactLimitsSlow, OfComparisonsAreWrongOneSymbolBeyond) {
  expect_to_end(
      {{"#<[Q_a] >= #>[Q_b]", NumberFormat::f16, 2047, 2048}, {"#<[Q_a] >= #<[Q_b]", NumberFormat::f16, 2047, 2048}});
}

/// [Q-limbs]. Numbers that have more bits than the format exceed n + 1, and are cut off whatever they are rounded to: the
/// limits are those of the proof, which asks for every number to be exact.
TEST(ExactLimits, OfSumsOfPositionsAreNotTheLastWord) {
  const lang::Program program = driver::parse_program("s(i) = psum j [j <= i] pos(j)\nout(i) = s(i) > 10");
  for (const auto& [format, length] : {std::pair{NumberFormat::bf16, 16u}, std::pair{NumberFormat::f16, 32u}}) {
    test::ExactProgramCheck check(program, 128, {format});
    EXPECT_EQ(certified_length_of(check.model(), format), length);
    for (const std::size_t n : {16u, 17u, 32u, 33u, 100u, 128u}) check.expect_right_on(Word(n, -1));
  }
}

}  // namespace
}  // namespace quench
