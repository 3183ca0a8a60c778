// Certificates of `quench soften`, derived again by the checker: what soften promises is accepted, and what is accepted
// is true, of changed models too, by running every word.
#include "check/soften/softened.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/file.h"
#include "run/reference/reference.h"
#include "soften/exact_network.h"
#include "soften/soften.h"
#include "soften/soften_models.h"
#include "support/all_words.h"
#include "support/mutated_model.h"

namespace quench::check {
namespace {

using testing::HasSubstr;

Verdict check_again(const model::Transformer& model, model::Certificate certificate) {
  certificate.model = model::fingerprint(model);
  return check(certificate, model);
}

/// The soft model's answers in a format against those of its own hard network, exactly, on all words up to a length.
void expect_true(const model::Transformer& model, NumberFormat format, std::size_t length) {
  model::Transformer hard = model;
  for (model::Layer& layer : hard.layers)
    for (model::Head& head : layer.heads) head.weighting = head.intended;
  const soften::ExactNetwork network(hard);
  const std::uint32_t output = model.output.coordinate;
  test::for_all_words(model.alphabet.size(), true, length, [&](const Word& word) {
    const auto exact = network.run(word);
    const Matrix got = run::run(model, word, {format, false});
    for (std::size_t i = 0; i < word.size(); ++i)
      ASSERT_EQ(exact[i][output] >= mpq_class(1, 2), got(i, output) >= 0.5)
          << model.alphabet.print(word) << " at " << i + 1;
  });
}

/// Sharper or blunter: every W_Q times a power of two.
model::Transformer with_sharpness(model::Transformer model, int exponent) {
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads)
      for (double* weight : test::weights_of(head.q)) *weight = std::ldexp(*weight, exponent);
  return model;
}

TEST(CheckSoftened, AcceptsTheModelsOfTheLiterature) {
  for (const char* name : {"flip_flop", "flip_flop_rightmost", "ngram_3", "ngram_3_sparsemax"}) {
    const soften::Softened softened = soften::soften(test::example_model_file(name));
    const Verdict verdict = check(softened.certificate, softened.model);
    EXPECT_TRUE(verdict.accepted && verdict.covered) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.entries, 4u);
  }
}

TEST(CheckSoftened, AcceptsWhatSoftenPromisesOfRandomModels) {
  Random random(31);
  int accepted = 0;
  for (int count = 0; count < 60; ++count) {
    const bool ties = count % 2 == 0;
    soften::Options options;
    options.route = soften::Route::exhaustive;
    options.length = 3;
    try {
      const soften::Softened softened = soften::soften(test::random_hard_model(random, {.ties = ties}), options);
      const Verdict verdict = check(softened.certificate, softened.model);
      EXPECT_TRUE(verdict.accepted) << count << ": " << verdict.reason;
      ++accepted;
    } catch (const soften::Refusal&) {
    }
  }
  EXPECT_GT(accepted, 15);
}

/// Whatever the checker accepts of models that are too blunt, or of lengths that were not promised, is true.
TEST(CheckSoftened, WhatIsAcceptedIsTrue) {
  Random random(32);
  int accepted = 0, rejected = 0;
  for (int count = 0; count < 40; ++count) {
    soften::Options options;
    options.route = soften::Route::exhaustive;
    options.length = 2;
    try {
      const soften::Softened softened =
          soften::soften(test::random_hard_model(random, {.ties = count % 2 == 0}), options);
      for (const int exponent : {0, -2, -4, -6}) {
        const model::Transformer model = with_sharpness(softened.model, exponent);
        for (const NumberFormat format : {NumberFormat::f64, NumberFormat::bf16}) {
          model::Certificate certificate = softened.certificate;
          certificate.entries = {{format, model::Summation::any, {3, {}, {}, {}}}};
          if (check_again(model, certificate).accepted) {
            ++accepted;
            expect_true(model, format, 3);
          } else {
            ++rejected;
          }
        }
      }
    } catch (const soften::Refusal&) {
    }
  }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(rejected, 30);
}

TEST(CheckSoftened, SlowGoesNoFurtherThanItCan) {
  soften::Softened softened = soften::soften(test::example_model_file("flip_flop"));
  softened.certificate.entries.resize(1);
  softened.certificate.entries[0].finding.length = std::uint64_t{1} << 50;
  const Verdict verdict = check(softened.certificate, softened.model);
  EXPECT_FALSE(verdict.accepted || verdict.covered);
  EXPECT_THAT(verdict.reason, HasSubstr("too long"));
}

TEST(CheckSoftened, SlowBeyondTheEndOfATableThereAreNoWords) {
  soften::Options three;
  three.length = 3;
  soften::Softened tabled = soften::soften(test::example_model_file("k_hop_2"), three);
  tabled.certificate.entries.resize(1);
  tabled.certificate.entries[0].finding.length = 17;
  EXPECT_FALSE(check(tabled.certificate, tabled.model).accepted);
}

}  // namespace
}  // namespace quench::check
