// Position values, temperatures and predicates against slow and obvious definitions.
#include "model/position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/number/random.h"

namespace quench::model {
namespace {

using Kind = PositionFormula::Kind;
using Op = IntInstruction::Op;
using testing::HasSubstr;

double value(Kind kind, std::size_t i, std::size_t n) { return position_value({kind, {}}, i, n); }

TEST(PositionValue, SmallCasesByHand) {
  EXPECT_EQ(value(Kind::index, 3, 7), 3);
  EXPECT_EQ(value(Kind::index_sq, 3, 7), 9);
  EXPECT_EQ(value(Kind::length, 3, 7), 7);
  EXPECT_EQ(value(Kind::index_length, 3, 7), 21);
  EXPECT_EQ(value(Kind::index_sq_length, 3, 7), 63);
  EXPECT_EQ(value(Kind::index_over_length, 3, 7), 3.0 / 7.0);
  EXPECT_EQ(value(Kind::inverse_index, 3, 7), 1.0 / 3.0);
  EXPECT_EQ(value(Kind::inverse_remaining, 3, 7), 0.2);
  EXPECT_EQ(value(Kind::inverse_remaining, 7, 7), 1);
  EXPECT_EQ(value(Kind::alternating, 3, 7), -1);
  EXPECT_EQ(value(Kind::alternating, 4, 7), 1);
  EXPECT_EQ(value(Kind::index_over_power, 3, 7), 3.0 / 8);
  EXPECT_EQ(value(Kind::index_over_power, 3, 8), 3.0 / 8);
  EXPECT_EQ(value(Kind::index_over_power, 3, 9), 3.0 / 16);
  EXPECT_EQ(value(Kind::inverse_length, 3, 7), 1.0 / 7);
  EXPECT_EQ(value(Kind::log_index, 3, 7), std::log(3.0));
  EXPECT_EQ(value(Kind::log_remaining, 3, 7), std::log(5.0));
  EXPECT_EQ(value(Kind::index_alternating, 3, 7), -3);
  EXPECT_EQ(value(Kind::index_alternating, 4, 7), 4);
}

TEST(PositionValue, ProductsBeyond53BitsAreRoundedOnce) {
  // (2^30 + 1)² · 2^20 = 2^80 + 2^51 + 2^20: the last bit of a double there is 2^28, so 2^20 rounds away.
  const std::size_t i = (std::size_t{1} << 30) + 1, n = std::size_t{1} << 20;
  EXPECT_EQ(value(Kind::index_sq_length, i, n), 0x1.0p80 + 0x1.0p51);
  EXPECT_EQ(value(Kind::index_sq, i, n), 0x1.0p60 + 0x1.0p31);  // … + 1 rounds away: 2^60 has steps of 2^8
  // Computed with unbounded integers elsewhere; the last two are within 2^-22 of a tie.
  struct Case {
    std::size_t i, n;
    double rounded;
  };
  for (const Case& known :
       std::initializer_list<Case>{{(1ULL << 53) - 1, (1ULL << 53) - 1, 0x1.ffffffffffffdp158},
                                   {835351532923, 22924268736609, 0x1.811c19efdc37dp123},
                                   {236389797578262, 523832096, 0x1.6058b9b9a9549p124},
                                   {492614851160, 28212444190974, 0x1.49a31f24ee588p122},
                                   {25129985031900, 697444855, 0x1.534efd8fed79ep118},
                                   {1082765258270654783, 7622220408825, 0x1.8751a1c17925ap162},
                                   {2243254585093357709, 2480709793740167745, 0x1.04aa69c269c2ap183}})
    EXPECT_EQ(value(Kind::index_sq_length, known.i, known.n), known.rounded) << known.i;
  EXPECT_EQ(value(Kind::index_sq_length, std::size_t{1} << 62, std::size_t{1} << 62), 0x1.0p186);
}

TEST(PositionValue, DigitsAddUpToThePosition) {
  for (const std::size_t n : {1, 255, 256, 257, 65535, 65536, 70000, 5000000, 20000000})
    for (const std::size_t i : {std::size_t{1}, n / 3 + 1, n - n / 256, n}) {
      const double low = value(Kind::digit_0, i, n), middle = value(Kind::digit_1, i, n);
      EXPECT_LT(std::max(low, middle), 256);
      EXPECT_EQ(low + 256 * middle + 256 * value(Kind::digit_2, i, n), static_cast<double>(i));
      EXPECT_EQ(value(Kind::digit_0_over_power, i, n) + value(Kind::digit_1_over_power, i, n) +
                    value(Kind::digit_2_over_power, i, n),
                value(Kind::index_over_power, i, n));
    }
}

TEST(PositionValue, TemperaturesAreExactInverses) {
  EXPECT_EQ(inverse_temperature(Temperature::one, 3, 7), 1);
  EXPECT_EQ(inverse_temperature(Temperature::inverse_n, 3, 7), 7);
  EXPECT_EQ(inverse_temperature(Temperature::inverse_i, 3, 7), 3);
  EXPECT_EQ(inverse_temperature(Temperature::inverse_i_sq, 3, 7), 9);
  EXPECT_EQ(inverse_temperature(Temperature::inverse_power, 3, 7), 8);
  EXPECT_EQ(inverse_temperature(Temperature::inverse_power, 3, 8), 8);
  EXPECT_EQ(inverse_temperature(Temperature::inverse_power, 1, 1), 1);
}

bool holds(Predicate::Kind kind, std::int64_t x, std::int64_t n = 1'000'000) {
  Predicate predicate;
  predicate.kind = kind;
  return predicate_holds(predicate, x, n);
}

TEST(PredicateValue, BuiltInsAgreeWithTheirDefinitionsUpTo10000) {
  using P = Predicate::Kind;
  std::set<std::int64_t> squares, cubes, powers, triangles, fibonacci;
  for (std::int64_t r = 0; r <= 200; ++r)
    squares.insert(r * r), cubes.insert(r * r * r), triangles.insert(r * (r + 1) / 2);
  for (std::int64_t power = 1; power < 20000; power *= 2) powers.insert(power);
  for (std::int64_t a = 0, b = 1; a < 20000; b += a, a = b - a) fibonacci.insert(a);
  for (std::int64_t x = 0; x <= 10000; ++x) {
    bool prime = x >= 2;
    for (std::int64_t d = 2; d * d <= x; ++d) prime = prime && x % d != 0;
    EXPECT_EQ(holds(P::prime, x), prime) << x;
    EXPECT_EQ(holds(P::square, x), squares.contains(x)) << x;
    EXPECT_EQ(holds(P::cube, x), cubes.contains(x)) << x;
    EXPECT_EQ(holds(P::pow2, x), powers.contains(x)) << x;
    EXPECT_EQ(holds(P::triangular, x), triangles.contains(x)) << x;
    EXPECT_EQ(holds(P::fibonacci, x), fibonacci.contains(x)) << x;
    EXPECT_EQ(holds(P::odd, x), x % 2 == 1) << x;
    EXPECT_EQ(holds(P::even, x), x % 2 == 0) << x;
    EXPECT_EQ(holds(P::first, x), x == 1) << x;
    EXPECT_EQ(holds(P::last, x, 77), x == 77) << x;
  }
}

TEST(PredicateValue, LargeArguments) {
  using P = Predicate::Kind;
  EXPECT_TRUE(holds(P::prime, 9223372036854775783));  // the greatest prime below 2^63
  EXPECT_FALSE(holds(P::prime, 9223372036854775807));
  EXPECT_FALSE(holds(P::prime, 3215031751));           // strong pseudoprime to 2, 3, 5, 7
  EXPECT_FALSE(holds(P::prime, 3825123056546413051));  // … and to 11, 13, 17, 19, 23
  EXPECT_TRUE(holds(P::square, 3037000499LL * 3037000499LL));
  EXPECT_FALSE(holds(P::square, 3037000499LL * 3037000499LL + 1));
  EXPECT_TRUE(holds(P::cube, 2097151LL * 2097151 * 2097151));
  EXPECT_FALSE(holds(P::cube, 2097151LL * 2097151 * 2097151 - 1));
  EXPECT_TRUE(holds(P::pow2, std::int64_t{1} << 62));
  EXPECT_TRUE(holds(P::fibonacci, 7540113804746346429));
  EXPECT_FALSE(holds(P::fibonacci, 7540113804746346430));
  EXPECT_TRUE(holds(P::triangular, 3037000498LL * 3037000499LL / 2));
}

TEST(PredicateValue, ModuloTakesTheMathematicalResidue) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::mod;
  for (std::int64_t m = 1; m <= 6; ++m)
    for (std::int64_t r = -13; r <= 13; ++r)
      for (std::int64_t x = 0; x <= 20; ++x) {
        predicate.modulus = m;
        predicate.residue = r;
        bool congruent = false;
        for (std::int64_t k = -40; k <= 40; ++k) congruent = congruent || x - r == k * m;
        EXPECT_EQ(predicate_holds(predicate, x, 20), congruent) << m << " " << r << " " << x;
      }
}

TEST(PredicateValue, Sets) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::set;
  predicate.members = {0, 1, 4, 9};
  for (std::int64_t x = 0; x < 12; ++x)
    EXPECT_EQ(predicate_holds(predicate, x, 5), x == 0 || x == 1 || x == 4 || x == 9);
}

Predicate expression(std::vector<IntInstruction> code) {
  return {Predicate::Kind::expression, "q", 0, 0, {}, std::move(code)};
}

bool relates(Op op, std::int64_t a, std::int64_t b, std::int64_t expected) {
  return predicate_holds(
      expression({{Op::constant, a}, {Op::constant, b}, {op, 0}, {Op::constant, expected}, {Op::equal, 0}}), 1, 1);
}

TEST(PredicateValue, DivisionRoundsDownAndTheRemainderHasTheSignOfTheDivisor) {
  for (std::int64_t a = -12; a <= 12; ++a)
    for (std::int64_t b = -5; b <= 5; ++b) {
      if (b == 0) continue;
      const auto quotient = static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      EXPECT_TRUE(relates(Op::divide, a, b, quotient)) << a << " / " << b;
      EXPECT_TRUE(relates(Op::modulo, a, b, a - b * quotient)) << a << " % " << b;
    }
}

TEST(PredicateValue, OtherOperations) {
  EXPECT_TRUE(relates(Op::add, 2, 3, 5));
  EXPECT_TRUE(relates(Op::subtract, 2, 3, -1));
  EXPECT_TRUE(relates(Op::multiply, -2, 3, -6));
  EXPECT_TRUE(relates(Op::less, 2, 3, 1) && relates(Op::less, 3, 3, 0));
  EXPECT_TRUE(relates(Op::less_equal, 3, 3, 1) && relates(Op::less_equal, 4, 3, 0));
  EXPECT_TRUE(relates(Op::greater, 4, 3, 1) && relates(Op::greater, 3, 3, 0));
  EXPECT_TRUE(relates(Op::greater_equal, 3, 3, 1) && relates(Op::greater_equal, 2, 3, 0));
  EXPECT_TRUE(relates(Op::not_equal, 2, 3, 1) && relates(Op::not_equal, 3, 3, 0));
  EXPECT_TRUE(relates(Op::logical_and, 2, 3, 1) && relates(Op::logical_and, 2, 0, 0));
  EXPECT_TRUE(relates(Op::logical_or, 0, 3, 1) && relates(Op::logical_or, 0, 0, 0));
  EXPECT_TRUE(predicate_holds(expression({{Op::x, 0}, {Op::logical_not, 0}}), 0, 1));
  EXPECT_TRUE(predicate_holds(expression({{Op::x, 0}, {Op::n, 0}, {Op::negate, 0}, {Op::add, 0}}), 3, 5));
}

std::string user_error(const Predicate& predicate, std::int64_t x, std::int64_t n) {
  try {
    predicate_holds(predicate, x, n);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PredicateValue, OverflowAndDivisionByZeroNameThePredicateAndThePlace) {
  const std::int64_t greatest = INT64_MAX;
  const IntInstruction big{Op::constant, greatest};
  const IntInstruction times{Op::multiply, 0}, plus{Op::add, 0}, minus{Op::subtract, 0};
  const Predicate fits = expression({big, big, times, big, plus});  // just below 2^126
  EXPECT_EQ(user_error(fits, 4, 9), "no error");
  const std::string message = user_error(expression({big, big, times, big, times}), 4, 9);
  EXPECT_THAT(message, testing::AllOf(HasSubstr("q"), HasSubstr("overflow"), HasSubstr("i = 4"), HasSubstr("n = 9")));
  EXPECT_THAT(user_error(expression({{Op::x, 0}, {Op::constant, 0}, {Op::divide, 0}}), 4, 9),
              HasSubstr("division by zero"));
  EXPECT_THAT(user_error(expression({{Op::x, 0}, {Op::constant, 0}, {Op::modulo, 0}}), 4, 9),
              HasSubstr("division by zero"));
  // −2^127: reached as −(2^63)·(2^63)·2, negated or divided by −1 it does not fit.
  const IntInstruction least{Op::constant, INT64_MIN}, two{Op::constant, 2};
  const std::vector<IntInstruction> minimum{least, least, times, two, {Op::negate, 0}, times};
  EXPECT_EQ(user_error(expression(minimum), 1, 1), "no error");
  auto negated = minimum, divided = minimum, remainder = minimum, lowered = minimum;
  negated.push_back({Op::negate, 0});
  divided.insert(divided.end(), {{Op::constant, -1}, {Op::divide, 0}});
  remainder.insert(remainder.end(), {{Op::constant, -1}, {Op::modulo, 0}});
  lowered.insert(lowered.end(), {{Op::constant, 1}, minus});
  EXPECT_THAT(user_error(expression(negated), 1, 1), HasSubstr("overflow"));
  EXPECT_THAT(user_error(expression(divided), 1, 1), HasSubstr("overflow"));
  EXPECT_EQ(user_error(expression(remainder), 1, 1), "no error");
  EXPECT_THAT(user_error(expression(lowered), 1, 1), HasSubstr("overflow"));
}

/// Random postfix code of one value, with what blocks evaluate in a way of their own: divisions by powers of two, by
/// other numbers, by what may be 0 or negative.
std::vector<IntInstruction> random_code(Random& random, int depth) {
  if (depth == 0 || random.below(6) == 0) {
    const std::int64_t constants[] = {-8, -3, -1, 0, 1, 2, 3, 7, 16, 1 << 20, INT64_MAX, INT64_MIN};
    if (random.below(2) == 0) return {{Op::x, 0}};
    return {random.below(4) == 0 ? IntInstruction{Op::n, 0}
                                 : IntInstruction{Op::constant, constants[random.below(12)]}};
  }
  std::vector<IntInstruction> code = random_code(random, depth - 1);
  const auto op = static_cast<Op>(static_cast<std::uint64_t>(Op::negate) + random.below(15));
  if (op != Op::negate && op != Op::logical_not) {
    const std::vector<IntInstruction> right = random_code(random, depth - 1);
    code.insert(code.end(), right.begin(), right.end());
  }
  code.push_back({op, 0});
  return code;
}

TEST(PositionValues, AreThoseOfEveryPosition) {
  const auto result = [](const auto& work) {
    try {
      return testing::PrintToString(work());
    } catch (const UserError& error) {
      return std::string(error.what());
    }
  };
  const auto expect_same = [&](const PositionFormula& formula, std::size_t n) {
    const auto one_by_one = [&] {
      std::vector<double> values;
      for (std::size_t i = 1; i <= n; ++i) values.push_back(position_value(formula, i, n));
      return values;
    };
    EXPECT_EQ(result([&] { return position_values(formula, n); }), result(one_by_one))
        << to_string(formula) << " " << n;
  };
  Random random(7);
  int errors = 0;
  for (int round = 0; round < 400; ++round) {
    const PositionFormula formula{Kind::predicate, expression(random_code(random, 1 + round % 5)), {}};
    for (const std::size_t n : {1, 255, 256, 257, 600}) expect_same(formula, n);
    errors += result([&] { return position_values(formula, 600); }).find("predicate q") == 0;
  }
  EXPECT_GT(errors, 20);
  EXPECT_LT(errors, 200);
  std::vector<IntInstruction> deep(100, {Op::x, 0});
  deep.insert(deep.end(), 99, {Op::logical_and, 0});
  expect_same({Kind::predicate, expression(deep), {}}, 300);
  expect_same({Kind::index_sq, {}, {}}, 300);
  expect_same({Kind::table, {}, std::vector<double>(299, 0.5)}, 299);
  expect_same({Kind::table, {}, std::vector<double>(299, 0.5)}, 300);
}

TEST(PositionValue, PredicatesAtThePositionAndAtZero) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::last;
  EXPECT_EQ(position_value({Kind::predicate, predicate}, 7, 7), 1);
  EXPECT_EQ(position_value({Kind::predicate, predicate}, 6, 7), 0);
  predicate.kind = Predicate::Kind::even;
  EXPECT_EQ(position_value({Kind::predicate_at_zero, predicate}, 7, 7), 1);
}

}  // namespace
}  // namespace quench::model
