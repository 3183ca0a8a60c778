// The gap of the hard-attention networks of S-RASP, measured and held against what [Q-srasp] derives: 1/(2n³) after
// division by the heads' common factor; and that they are uniform-tieless.
#include <gtest/gtest.h>

#include <filesystem>

#include "lower/program/program_check.h"
#include "support/examples.h"
#include "support/paths.h"
#include "verify/gap.h"

namespace quench {
namespace {

std::vector<verify::HeadGap> measured(const std::string& text, std::size_t exhaustive, std::size_t longest) {
  const lang::Program program = driver::parse_program(text);
  const model::Transformer model = driver::compile(program).model;
  verify::GapMeasurement gap(model);
  const std::size_t symbols = program.alphabet.size();
  test::for_all_words(symbols, true, exhaustive, [&](const Word& word) { gap.take(word); });
  Random random(1);
  for (std::size_t n = exhaustive + 1; n <= longest; n += 3) gap.take(random_word(random, symbols, true, n));
  return gap.heads();
}

void expect_derived_gap(const std::vector<verify::HeadGap>& heads) {
  for (const verify::HeadGap& head : heads) {
    EXPECT_TRUE(head.measured) << head.name;
    EXPECT_GE(head.times_n3 + head.rounding, 0.5)
        << head.layer << "." << head.head << " " << head.name << " at n = " << head.length;
    EXPECT_LT(head.rounding, 0.01) << head.name;
  }
}

TEST(Gap, OfEverySraspExampleIsAtLeastTheDerivedOne) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    if (entry.path().extension() != ".srasp") continue;
    SCOPED_TRACE(entry.path().filename().string());
    expect_derived_gap(measured(test::read_text(entry.path()), 3, 40));
    ++models;
  }
  EXPECT_GE(models, 20);
}

TEST(Gap, OfEachOperationIsAsDerived) {
  const auto smallest = [](const std::string& text, const std::string& head) {
    double found = INFINITY;
    for (const verify::HeadGap& one : measured(text, 6, 40))
      if (one.name == head) found = std::min(found, one.times_n3);
    return found;
  };
  const std::string lookup =
      "alphabet {'b'}\nt(i) = pos(i) + 1\nout(i) = rightmost j [true, pos(j) = t(i)] Q_a(j) : false";
  EXPECT_GE(smallest(lookup, "out"), 2);  // 1/n² for n ≥ 2
  const std::string comparison = "alphabet {'b'}\nl(i) = rightmost j [true, Q_a(j)] pos(j) : 0\nout(i) = l(i) > pos(i)";
  EXPECT_GE(smallest(comparison, "sign"), 1);                                                        // 1/(2n²)
  EXPECT_GE(smallest("c(i) = #[j <= i] Q_a(j)\nout(i) = c(i)\nalphabet {'b'}", "count"), 1 - 1e-9);  // 1/n³
  for (const char* mask : {"true", "j < i", "j <= i", "j > i", "j >= i"}) {  // 1/(2n³) of its signs, 1/n³ of the lookup
    SCOPED_TRACE(mask);
    expect_derived_gap(
        measured("out(i) = psum j [" + std::string(mask) + "] (Q_a(j) ? pos(j) : -2)\nalphabet {'b'}", 6, 40));
  }
  const std::string equality =
      "c(i) = #[j <= i] Q_a(j)\nd(i) = #[j >= i] Q_b(j)\nout(i) = rightmost j [true, c(j) = d(i)] pos(j) : 0";
  EXPECT_GE(smallest(equality, "out"), 0.5 - 1e-9);  // 1/(2n³), and it is attained
  EXPECT_LE(smallest(equality, "out"), 0.5 + 1e-9);
}

/// [Q-srasp] With its c, an integer leaves the soft network within 1/(8n³) of what the hard one puts out.
TEST(Sharpness, SoftIntegersAreAsNearAsDerived) {
  constexpr double kRounding = 0x1p-45;  // of values below 2 that a few dozen operations have made
  for (const char* text :
       {"out(i) = #[j <= i] Q_a(j) - #[j <= i] Q_b(j)",
        "out(i) = psum j [j <= i] (Q_a(j) ? pos(j) : 0 - 2)\nalphabet {'b'}",
        "out(i) = psum j [j < i] (Q_a(j) ? pos(j) : 0 - 2)\nalphabet {'b'}",
        "out(i) = psum j [j > i] (Q_a(j) ? pos(j) : 0 - 2)\nalphabet {'b'}",
        "out(i) = psum j [] (Q_a(j) ? pos(j) : 0 - 2)\nalphabet {'b'}",
        "c(i) = #[j <= i] Q_a(j)\nd(i) = #[j >= i] Q_b(j)\nout(i) = rightmost j [j < i, c(j) = d(i)] pos(j) : 0",
        "t(i) = 2 * pos(i)\nout(i) = leftmost j [true, t(j) = t(i)] pos(j) : 0\nalphabet {'a'}"}) {
    SCOPED_TRACE(text);
    const lang::Program program = driver::parse_program(text);
    const model::Transformer model = driver::compile(program).model;
    ASSERT_EQ(model.output.kind, model::OutputKind::integer);
    const auto check = [&](const Word& word) {
      const double n = static_cast<double>(word.size());
      const Matrix soft = run::run(model, word), hard = run::run(model, word, {NumberFormat::f64, true});
      for (std::size_t i = 0; i < word.size(); ++i)
        EXPECT_LE(std::fabs(soft(i, model.output.coordinate) - hard(i, model.output.coordinate)),
                  1 / (8 * n * n * n) + kRounding)
            << program.alphabet.print(word);
    };
    test::for_all_words(program.alphabet.size(), true, 6, check);
    Random random(2);
    for (int k = 0; k < 50; ++k) check(random_word(random, program.alphabet.size(), true, 7 + random.below(20)));
  }
}

/// c = 16 + 4·log₃(8S) with S ≥ 1.
TEST(Sharpness, TheProvenFactorExceedsTheSmallestPossible) {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    if (entry.path().extension() != ".srasp") continue;
    const model::Transformer model = driver::compile(driver::parse_program(test::read_text(entry.path()))).model;
    for (const model::Layer& layer : model.layers)
      for (const model::Head& head : layer.heads)
        if (head.claim.lemma == Lemma::q_srasp) {
          EXPECT_GE(head.claim.gamma, 16 + 4 * std::log(8.0) / std::log(3.0)) << entry.path();
        }
  }
}

TEST(Gap, ATieIsMeasuredAsZero) {
  model::Transformer model =
      driver::compile(driver::parse_program("out(i) = rightmost j [true, Q_a(j)] Q_b(j) : false")).model;
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads) head.k = SparseMatrix(head.k.rows.size(), model.width);
  verify::GapMeasurement gap(model);
  gap.take({0, 1});
  ASSERT_EQ(gap.heads().size(), 1u);
  EXPECT_EQ(gap.heads()[0].gap, 0);
}

}  // namespace
}  // namespace quench
