// [Q-penalty]: the form that matches of integers take in long words, made for short ones, against the interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "certify/certify.h"
#include "check/check.h"
#include "lang/random_program.h"
#include "lower/program/exact/exact_program_check.h"
#include "lower/program/exact/penalised.h"
#include "run/executor.h"

namespace quench {
namespace {

using test::exactly_to;
using test::ExactProgramCheck;
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

/// Every reach, from both ends, with and without a choice of keys, to words as long as they may be: no fit, one fit,
/// many, at the sink, at the sink and elsewhere.
TEST(Penalties, FindWhatFits) {
  for (const Numbers& each : numbers())
    for (const char* reach : {"true", "j < i", "j <= i", "j > i", "j >= i"})
      for (const char* side : {"leftmost", "rightmost"})
        for (const char* score : {"", "Q_a(j), ", "Q_a(i) and Q_b(j) or Q_b(i), "})
          for (const std::size_t length : {std::size_t{8}, std::size_t{16}}) {
            const std::string text =
                std::string(each.text) + "out(i) = " + side + " j [" + reach + ", " + score + "b(j) = a(i)] pos(j) : 0";
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

void check_random_programs(std::uint64_t seed, int wanted) {
  Random random(seed);
  int checked = 0;
  for (int k = 0; k < 400 * wanted && checked < wanted; ++k) {
    const lang::Program program =
        driver::parse_program(lang::RandomProgram(random, lang::RandomProgram::Class::srasp).text());
    if (!test::refusal(program, exactly_to(16)).empty()) continue;
    const model::Transformer model = penalised(program, 16);
    if (model.layers == driver::compile(program, exactly_to(16)).model.layers) continue;  // nothing is matched
    ++checked;
    ExactProgramCheck check(program, model, {NumberFormat::f64});
    check.expect_right_on_short_words(400, 5);
    check.expect_right_at_random(random, {16, 15, 7});
    const run::Executor quick(model, {NumberFormat::f64, false}, run::Engine::structured);
    run::Executor::Workspace workspace;
    std::vector<double> outputs;
    for (const std::size_t n : {std::size_t{16}, std::size_t{9}}) {
      const Word word = random_word(random, model.alphabet.size(), true, n);
      quick.outputs(word, workspace, outputs);
      EXPECT_EQ(outputs, run::outputs(model, word, {NumberFormat::f64, false})) << lang::print(program);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(checked, wanted);
}

TEST(Penalties, AreRightInRandomPrograms) { check_random_programs(1, 30); }
TEST(PenaltiesSlow, AreRightInRandomPrograms) { check_random_programs(2, 300); }

certify::Finding certified(const model::Transformer& model, NumberFormat format) {
  return certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any);
}

TEST(Penalties, AreCertifiedInLongWords) {
  const auto all = example_programs();
  for (const char* name : {"dyck_1", "dyck_2", "dyck_3", "parity", "histogram", "sort", "copy"}) {
    SCOPED_TRACE(name);
    const std::size_t length = std::size_t{1} << 22;
    const model::Transformer model = driver::compile(all.at(name), exactly_to(length)).model;
    model::Entry entry{NumberFormat::f32, certify::Summation::any, certified(model, NumberFormat::f32)};
    EXPECT_EQ(entry.finding.length, length) << entry.finding.limiting_head << ": " << entry.finding.reason;
    EXPECT_EQ(check::objection(entry, model), std::nullopt);
    entry.finding.length += 1;
    EXPECT_NE(check::objection(entry, model), std::nullopt);
  }
  for (const bool decoder : {false, true})
    for (const auto& [length, reached] : {std::pair(std::size_t{1} << 21, std::uint64_t{1} << 21),
                                          {std::size_t{1} << 22, std::uint64_t{1} << 22},
                                          {std::size_t{1} << 23, (std::uint64_t{1} << 23) - 2}}) {
      const model::Transformer model = driver::compile(all.at("dyck_2"), exactly_to(length, decoder)).model;
      model::Entry entry{NumberFormat::f32, certify::Summation::any, certified(model, NumberFormat::f32)};
      EXPECT_EQ(entry.finding.length, reached) << entry.finding.limiting_head << ": " << entry.finding.reason;
      EXPECT_EQ(check::objection(entry, model), std::nullopt);
    }
}

/// In formats of few bits the scores of keys with penalties are rounded, even in short words.
TEST(Penalties, AreRightWhereScoresAreRounded) {
  Random random(3);
  int proved = 0, refused = 0;
  for (const char* text : {"a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j < i, a(j) = a(i)] in(j) : '?'",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [Q_b(j), a(j) = pos(i)] Q_a(j) : true",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j >= i, a(j) = pos(i)] in(j) : '?'",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [j <= i, a(j) = a(i)] in(j) : '?'"})
    for (const std::size_t length : {std::size_t{16}, std::size_t{64}, std::size_t{256}})
      for (const NumberFormat format : {NumberFormat::m8, NumberFormat::m9, NumberFormat::m10, NumberFormat::m11,
                                        NumberFormat::m12, NumberFormat::m13}) {
        SCOPED_TRACE(std::string(to_string(format)) + " to " + std::to_string(length) + ": " + text);
        const lang::Program program = driver::parse_program(text);
        const model::Transformer model = penalised(program, length);
        model::Entry entry{format, certify::Summation::any, certified(model, format)};
        EXPECT_EQ(check::objection(entry, model), std::nullopt);
        if (entry.finding.length < length) {
          ++refused;
          continue;
        }
        ++proved;
        ExactProgramCheck check(program, model, {format});
        check.expect_right_on_short_words(length == 16 ? 2000 : 200, 6);
        check.expect_right_at_random(random, {length, length, length - 1, length / 2});
      }
  EXPECT_GE(proved, 40);
  EXPECT_GE(refused, 20);
}

/// The one with most components.
model::Head& largest_head(model::Transformer& model) {
  model::Head* largest = nullptr;
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads)
      if (!largest || head.q.rows.size() > largest->q.rows.size()) largest = &head;
  return *largest;
}

/// One entry of the queries, keys or values of that head becomes another number.
void change(Random& random, model::Transformer& model) {
  model::Head& head = largest_head(model);
  for (;;) {
    SparseMatrix& matrix = *std::vector{&head.q, &head.k, &head.q, &head.k, &head.v}[random.below(5)];
    const std::size_t row = random.below(matrix.rows.size());
    if (matrix.rows[row].empty()) continue;
    SparseMatrix::Row& entries = matrix.rows.edit(row);
    auto& [column, weight] = entries[random.below(entries.size())];
    const double before = weight;
    weight = std::vector{2 * before, -before, before / 2, before / 16, 4 * before, before + 1}[random.below(6)];
    if (weight != 0) return;
    weight = before;
  }
}

/// What is proved is a property of the weights: of changed models, both provers say the same, and where they prove it,
/// rounded scores give what exact ones give to hard attention.
TEST(Penalties, OfChangedModelsAreProvedByBothOrByNeither) {
  Random random(4);
  int proved = 0, refused = 0;
  for (const char* text : {"a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j < i, a(j) = a(i)] Q_b(j) : false",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [Q_b(j), a(j) = pos(i)] Q_a(j) : true",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j >= i, a(j) = pos(i)] Q_b(j) : false",
                           "a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [j <= i, a(j) = a(i)] Q_b(j) : false"})
    for (const auto& [length, format] : {std::pair(std::size_t{16}, NumberFormat::m9), {64, NumberFormat::m12}}) {
      const model::Transformer original = penalised(driver::parse_program(text), length);
      for (int k = 0; k < 250; ++k) {
        model::Transformer model = original;
        change(random, model);
        const std::size_t n = k % 3 ? length : length / 2 + 1;
        model::Entry claimed{format, certify::Summation::any,
                             certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any, n)};
        const bool holds = certify::holds(model, certify::Arithmetic::of(format), certify::Summation::any, n);
        claimed.finding.length = n;
        if (!holds) claimed.finding.heads.clear();
        const std::optional<std::string> objection = check::objection(claimed, model);
        EXPECT_EQ(holds, !objection || *objection == "the certificate lists other heads than the model has")
            << text << ", change " << k << ": " << objection.value_or("accepted");
        ++(holds ? proved : refused);
        for (int run = 0; holds && run < 8; ++run) {
          const Word word = random_word(random, model.alphabet.size(), true, run == 0 ? n : 1 + random.below(n));
          EXPECT_EQ(run::outputs(model, word, {format, false}), run::outputs(model, word, {NumberFormat::f64, true}))
              << text << ", change " << k;
        }
      }
    }
  EXPECT_GT(proved, 200);
  EXPECT_GT(refused, 200);
}

/// All penalties of the head with most components, which have the greatest queries, times a factor.
void weaken(model::Transformer& model, double factor) {
  model::Head& head = largest_head(model);
  double greatest = 0;
  for (const SparseMatrix::Row& row : head.q.rows)
    for (const auto& [column, w] : row) greatest = std::max(greatest, std::fabs(w));
  for (std::size_t l = 0; l < head.q.rows.size(); ++l)
    if (std::ranges::any_of(head.q.rows[l], [&](const auto& entry) { return std::fabs(entry.value) == greatest; }))
      for (auto& [column, w] : head.q.rows.edit(l)) w *= factor;
}

/// Key 1 has the number 2, all others 4, which differs from 3 in one bit. With C = 60U key 61 ties with the sink, and
/// the mean of their numbers is what is looked for.
TEST(Penalties, NeedTheirStrength) {
  const lang::Program program = driver::parse_program(
      "b(i) = pos(i) = 1 ? 2 : Q_a(i) ? 4 : Q_b(i) ? 0 : 2 * pos(i)\na(i) = Q_a(i) ? 3 : 5\n"
      "out(i) = rightmost j [j <= i, not Q_c(j), b(j) = a(i)] true : false");
  const model::Transformer original = penalised(program, 64);
  const auto holds = [&](double penalty, bool accepted) {
    model::Transformer model = original;
    weaken(model, penalty / 256);
    model::Entry claimed{NumberFormat::m10, certify::Summation::any, certified(original, NumberFormat::m10)};
    EXPECT_EQ(claimed.finding.length, 64u);
    EXPECT_EQ(!check::objection(claimed, model), accepted) << penalty;
    EXPECT_EQ(certify::holds(model, certify::Arithmetic::of(NumberFormat::m10), certify::Summation::any, 64), accepted)
        << penalty;
    const Word word(64, 0);
    return run::outputs(model, word, {NumberFormat::m10, false}) ==
           run::outputs(model, word, {NumberFormat::f64, true});
  };
  EXPECT_TRUE(holds(256, true));
  EXPECT_TRUE(holds(128, true));  // 63 + 1 + 48 ≤ 128
  EXPECT_TRUE(holds(64, false));  // 63 + 1 + 32 > 64: this word does not show it
  EXPECT_FALSE(holds(60, false));
}

/// [Q-match] as it is for shorter words has too many bits beyond 2^20: keys next to each other tie, or worse.
TEST(Penalties, AreNeededInLongWords) {
  const lang::Program program = example_programs().at("dyck_2");
  for (const int bits : {21, 22}) {
    const std::size_t length = std::size_t{1} << bits;
    EXPECT_EQ(certified(penalised(program, length, false, true), NumberFormat::f32).length, length);
    EXPECT_EQ(certified(penalised(program, length, false, false), NumberFormat::f64).length, length);
    EXPECT_LT(certified(penalised(program, length, false, false), NumberFormat::f32).length, length);
    const auto score = [&](std::size_t position) {  // where all bits and `selected` fit, in multiples of U
      float sum = 0;
      for (int b = 0; b < bits; ++b) sum += static_cast<float>(length / 2);
      return sum + static_cast<float>(length) + static_cast<float>(position);
    };
    EXPECT_EQ(score(length - 4), score(length - 3)) << "a key ties with the one before";
  }
}

}  // namespace
}  // namespace quench
