// Certificates of the recipes `exact`: the length asked for, in every format that holds the numbers, for any order of
// summation; and nothing where a weight was changed that matters.
#include <gtest/gtest.h>

#include "base/number/random.h"
#include "certify/certify.h"
#include "driver/compile.h"
#include "run/reference/reference.h"

namespace quench {
namespace {

using certify::Arithmetic;
using certify::Summation;

constexpr std::size_t kMillion = std::size_t{1} << 20;

model::Transformer compiled(const std::string& text, std::size_t length, bool decoder = false) {
  lower::RecipeOptions options;
  options.recipe = "exact";
  options.length = length;
  options.decoder = decoder;
  return driver::compile(driver::parse(text), options).model;
}

std::uint64_t certified(const model::Transformer& model, NumberFormat format) {
  return certify::certify(model, Arithmetic::of(format), Summation::any).length;
}

struct Case {
  const char* text;
  std::uint64_t f64, f32, bf16, f16;
};

TEST(ExactLength, IsWhatWasAskedForOrWhatTheFormatHolds) {
  constexpr std::uint64_t all = kMillion, unlimited = certify::kLongest;
  for (const Case& one : std::vector<Case>{{"prev Q_a", all, all, all, all},
                                           {"next (Q_a U Q_b)", all, all, all, all},
                                           {"Q_a S (once Q_b)", all, all, all, all},
                                           {"#[Q_a] > 0", all, all, all, all},
                                           {"odd(#<[Q_a])", all, all, all, all},
                                           {"odd(#[Q_a])", all, all, all, all},
                                           {"mod(3,1)(#>[Q_a])", all, all, all, all},
                                           {"#<[Q_a] >= #<[Q_b]", all, all, 255, 2047},
                                           {"#<[Q_a] >= #>[Q_b]", all, all, 255, 2047},
                                           {"3*#<[Q_a] = 2*#>[Q_b] + 1", all, all, 85, 682},
                                           {"2*#<[Q_a] + #[Q_b] <= 3*#>[Q_b]", all, all, 85, 683},
                                           {"prime(#<[Q_a])", all, all, 0, 0},
                                           {"square(#[Q_a])", all, all, 0, 0},
                                           {"fibonacci(#>[Q_a])", all, all, 0, 0},
                                           {"prime(#[true])", unlimited, unlimited, unlimited, unlimited},
                                           {"prime(#>[Q_a | !Q_a]) & square(#>[false])", all, all, all, all}}) {
    const model::Transformer model = compiled(one.text, kMillion);
    for (const auto& [format, length] : {std::pair(NumberFormat::f64, one.f64),
                                         {NumberFormat::f32, one.f32},
                                         {NumberFormat::bf16, one.bf16},
                                         {NumberFormat::f16, one.f16}}) {
      const certify::Finding found = certify::certify(model, Arithmetic::of(format), Summation::any);
      EXPECT_EQ(found.length, length) << one.text << " in " << to_string(format) << ": " << found.limiting_head << ": "
                                      << found.reason;
    }
  }
}

TEST(ExactLength, OfADecoder) {
  for (const char* text : {"prime(#<[Q_a])", "odd(#<[Q_a S Q_b])", "prev (#<[Q_a] = 2*#<[Q_b])"})
    EXPECT_EQ(certified(compiled(text, 1000, true), NumberFormat::f32), 1024) << text;
}

TEST(ExactLength, FormulasOfSeveralParts) {
  for (const char* text : {"(Q_a S Q_b) & odd(#<[Q_a]) | #<[Q_a] > 2*#>[Q_b] + 3", "once (#<[prev Q_a] = #<[Q_b])",
                           "odd(#<[prime(#<[Q_a])])", "#<[#<[Q_a] >= #<[Q_b]] = 7 -> !prime(#[Q_b])"})
    EXPECT_EQ(certified(compiled(text, kMillion), NumberFormat::f32), kMillion) << text;
}

/// One entry of one matrix becomes another whole number.
void change(Random& random, model::Transformer& model) {
  for (;;) {
    model::Layer& layer = model.layers[random.below(model.layers.size())];
    std::vector<SparseMatrix*> matrices{&layer.ffn.w1, &layer.ffn.w2};
    if (!layer.heads.empty()) {
      model::Head& head = layer.heads[random.below(layer.heads.size())];
      for (SparseMatrix* matrix : {&head.q, &head.k, &head.v, &head.o}) matrices.push_back(matrix);
    }
    SparseMatrix& matrix = *matrices[random.below(matrices.size())];
    if (matrix.rows.empty()) continue;
    const std::size_t row = random.below(matrix.rows.size());
    if (matrix.rows[row].empty()) continue;
    SparseMatrix::Row& entries = matrix.rows.edit(row);
    double& weight = entries[random.below(entries.size())].value;
    weight = random.chance(0.5) ? 2 * weight : -weight;
    return;
  }
}

/// What is proved is a property of the weights, whatever they were made for: wherever the proof of a changed model goes
/// through, soft attention in the format gives the numbers that hard attention gives in double precision.
TEST(ExactLength, HoldsOfChangedModelsAsWell) {
  Random random(9);
  int proved = 0;
  std::vector<std::pair<std::string, model::Transformer>> models;
  for (const char* text : {"Q_a S prev Q_b", "odd(#<[Q_a])", "mod(3,1)(#[Q_a])", "#<[Q_a] >= #>[Q_b]", "prime(#<[Q_a])",
                           "2*#[Q_a] = #<[Q_b] + 1 & once Q_b"})
    models.emplace_back(text, compiled(text, 32));
  lower::RecipeOptions options;
  options.recipe = "exact";
  options.length = 32;
  for (const char* text : {"n(i) = #[j] Q_a(j)\nout(i) = rightmost j [true, pos(j) = n(i) + 2] Q_a(j) : false",
                           "l(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j < i, l(j) = l(i)] Q_b(j) : l(i) > 4",
                           "n(i) = rightmost j [] pos(j) : 0\nm(i) = n(i) + 1 - pos(i)\n"
                           "out(i) = rightmost j [pos(j) = m(i)] Q_a(j) : false"})
    models.emplace_back(text, driver::compile(driver::parse_program(text), options).model);
  lang::Dfa dfa(Alphabet({"a"}));
  for (const bool accepting : {true, false, false}) dfa.add_state(accepting);
  for (const lang::State s : {0, 1, 2}) dfa.connect(s, 0, (s + 1) % 3), dfa.connect(s, 1, s == 2 ? 0 : s);
  models.emplace_back("three states", driver::compile(dfa, options).model);
  for (const auto& [text, original] : models) {
    for (int k = 0; k < 120; ++k) {
      model::Transformer model = original;
      change(random, model);
      const NumberFormat format = k % 3 == 0 ? NumberFormat::bf16 : k % 3 == 1 ? NumberFormat::f16 : NumberFormat::f32;
      if (!certify::holds(model, Arithmetic::of(format), Summation::any, 32)) continue;
      ++proved;
      for (const std::size_t n :
           {std::size_t{1}, std::size_t{2}, 3 + random.below(28), std::size_t{31}, std::size_t{32}}) {
        const Word word = random_word(random, model.alphabet.size(), true, n);
        EXPECT_EQ(run::outputs(model, word, {format, false}), run::outputs(model, word, {NumberFormat::f64, true}))
            << text << ", change " << k << " in " << to_string(format);
      }
    }
  }
  EXPECT_GT(proved, 80);
}

}  // namespace
}  // namespace quench
