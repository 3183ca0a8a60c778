// Certificates in whole numbers: the checker accepts what the certifier proves, rejects one step more, and both say the
// same of models with one weight changed.
#include <gtest/gtest.h>

#include "base/number/random.h"
#include "certify/certify.h"
#include "check/check.h"
#include "driver/compile.h"

namespace quench {
namespace {

using certify::Arithmetic;
using certify::Summation;

model::Transformer compiled(const std::string& text, std::size_t length) {
  lower::RecipeOptions options;
  options.recipe = "exact";
  options.length = length;
  return driver::compile(driver::parse(text), options).model;
}

/// Automata, by [Q-scan].
model::Transformer compiled(const lang::Dfa& dfa, std::size_t length) {
  lower::RecipeOptions options;
  options.length = length;
  return driver::compile(dfa, options).model;
}

/// Programs: positions held within the word, reflections, integers that are matched.
const std::vector<const char*>& programs() {
  static const std::vector<const char*> all{
      "alphabet {'a', 'b'}\nhalf(i) = #[j] Q_a(j)\nout(i) = rightmost j [true, pos(j) = half(i) + 2] in(j) : '?'",
      "alphabet {'a', 'b'}\nlast(i) = rightmost j [] pos(j) : 0\nsource(i) = last(i) + 1 - pos(i)\n"
      "out(i) = rightmost j [pos(j) = source(i)] in(j) : '?'",
      "l(i) = #[j <= i] Q_a(j)\nr(i) = #[j <= i] Q_b(j)\nd(i) = l(i) - r(i)\n"
      "out(i) = rightmost j [j < i, d(j) = d(i)] Q_a(j) : false",
      "last(i) = rightmost j [] pos(j) : 0\nd(i) = Q_a(i) ? 2 * pos(i) : pos(i) - 3\n"
      "out(i) = leftmost j [j > i, Q_b(j), d(j) = last(i)] true : d(i) > 5"};
  return all;
}

const std::vector<const char*>& formulas() {
  static const std::vector<const char*> all{"prev Q_a",
                                            "Q_a U next Q_b",
                                            "#[Q_a] > 0 & once Q_b",
                                            "odd(#<[Q_a])",
                                            "mod(5,2)(#[Q_a])",
                                            "mod(3,1)(#>[Q_a S Q_b])",
                                            "#<[Q_a] >= #>[Q_b]",
                                            "2*#<[Q_a] + #[Q_b] = 3*#>[Q_b] + 1",
                                            "prime(#<[Q_a])",
                                            "square(#[Q_a])",
                                            "(Q_a S Q_b) & odd(#<[Q_a]) | #<[Q_a] > 2*#>[Q_b] + 3",
                                            "odd(#<[fibonacci(#>[Q_a])])"};
  return all;
}

/// Everything that is certified in whole numbers, by name.
std::vector<std::pair<std::string, model::Transformer>> models(std::size_t length) {
  std::vector<std::pair<std::string, model::Transformer>> all;
  for (const char* text : formulas()) all.emplace_back(text, compiled(text, length));
  lower::RecipeOptions options;
  options.recipe = "exact";
  options.length = length;
  for (const char* text : programs())
    all.emplace_back(text, driver::compile(driver::parse_program(text), options).model);
  Random random(3);
  for (const std::size_t states : {2u, 5u}) {
    lang::Dfa dfa(Alphabet({"a", "b"}));
    for (std::size_t s = 0; s < states; ++s) dfa.add_state(s % 2 == 1);
    for (lang::State s = 0; s < states; ++s)
      for (lang::Letter letter = 0; letter < dfa.letters(); ++letter)
        dfa.connect(s, letter, static_cast<lang::State>((s * (letter + 1) + random.below(2)) % states));
    all.emplace_back(std::to_string(states) + " states", compiled(dfa, length));
  }
  return all;
}

model::Entry entry(const model::Transformer& model, NumberFormat format) {
  return {format, Summation::any, certify::certify(model, Arithmetic::of(format), Summation::any)};
}

TEST(WholeNumbers, AreCheckedAsTheyAreCertified) {
  for (const std::size_t length : {std::size_t{16}, std::size_t{1} << 20})
    for (const auto& [text, model] : models(length)) {
      for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16}) {
        model::Entry claimed = entry(model, format);
        EXPECT_EQ(check::objection(claimed, model), std::nullopt) << text << " in " << to_string(format);
        if (claimed.finding.heads.empty()) continue;
        claimed.finding.length += 1;
        EXPECT_NE(check::objection(claimed, model), std::nullopt) << text << " in " << to_string(format);
      }
    }
}

/// One entry of one matrix becomes another number.
bool change(Random& random, model::Transformer& model) {
  model::Layer& layer = model.layers[random.below(model.layers.size())];
  std::vector<SparseMatrix*> matrices{&layer.ffn.w1, &layer.ffn.w2};
  if (!layer.heads.empty()) {
    model::Head& head = layer.heads[random.below(layer.heads.size())];
    for (SparseMatrix* matrix : {&head.q, &head.k, &head.v, &head.o}) matrices.push_back(matrix);
  }
  SparseMatrix& matrix = *matrices[random.below(matrices.size())];
  if (matrix.rows.empty()) return false;
  const std::size_t row = random.below(matrix.rows.size());
  if (matrix.rows[row].empty()) return false;
  SparseMatrix::Row& entries = matrix.rows.edit(row);
  double& weight = entries[random.below(entries.size())].value;
  switch (random.below(4)) {
    case 0:
      weight *= 2;
      break;
    case 1:
      weight = -weight;
      break;
    case 2:
      weight += weight == -1 ? 2 : 1;
      break;
    default:
      weight *= 0.5;
      break;
  }
  return true;
}

/// What two heads add up to is 0, but only after they have been added.
TEST(WholeNumbers, ThatCancelAreToFitBefore) {
  for (const double large : {0x1p20, 0x1p25}) {
    model::Transformer model = compiled("odd(#<[Q_a])", 1 << 20);
    std::vector<model::Head>& heads = model.layers.back().heads;
    const model::Head first = heads.back();  // which retrieves φ(1)
    ASSERT_EQ(first.name, "first position");
    for (const double weight : {large, -large}) {
      heads.push_back(first);
      heads.back().v = SparseMatrix(1, model.width);
      heads.back().v.add(0, 0, 1);  // the constant
      for (std::size_t row = 0; row < model.width; ++row)
        if (!first.o.rows[row].empty()) heads.back().o.rows.edit(row)[0].value = weight;
    }
    model::Entry claimed = entry(model, NumberFormat::f32);
    EXPECT_EQ(claimed.finding.length == 1 << 20, large < 0x1p24) << claimed.finding.reason;
    claimed = entry(model, NumberFormat::f64);
    EXPECT_EQ(claimed.finding.length, 1 << 20);
    claimed.format = NumberFormat::f32;
    EXPECT_EQ(check::objection(claimed, model) == std::nullopt, large < 0x1p24);
  }
}

TEST(WholeNumbers, OfChangedModelsAreProvedByBothOrByNeither) {
  Random random(20);
  int proved = 0, refused = 0;
  for (const auto& [text, original] : models(64)) {
    for (int k = 0; k < 150; ++k) {
      model::Transformer model = original;
      if (!change(random, model)) continue;
      const NumberFormat format = k % 2 ? NumberFormat::f32 : NumberFormat::f16;
      const std::uint64_t length = k % 3 ? 64 : 9;
      const bool holds = certify::holds(model, Arithmetic::of(format), Summation::any, length);
      model::Entry claimed = entry(original, format);
      claimed.finding = certify::certify(model, Arithmetic::of(format), Summation::any, length);
      claimed.finding.length = length;
      if (!holds) claimed.finding.heads.clear();
      const std::optional<std::string> objection = check::objection(claimed, model);
      // Where nothing is certified there are no lines to compare; then only a derivation that goes through is wrong.
      const bool derived = !objection || *objection == "the certificate lists other heads than the model has";
      EXPECT_EQ(holds, derived) << text << ", change " << k << ": " << objection.value_or("accepted") << "; "
                                << certify::obstacle(model, Arithmetic::of(format), Summation::any, length).reason;
      ++(holds ? proved : refused);
    }
  }
  EXPECT_GT(proved, 50);
  EXPECT_GT(refused, 300);
}

/// Under them the first position, or the last, sees nothing, and an end of the word may be hidden from all others.
TEST(WholeNumbers, NeedMasksThatShowEveryPositionItself) {
  for (const auto& [text, original] : models(64)) {
    model::Transformer model = original;
    for (model::Layer& layer : model.layers)
      for (model::Head& head : layer.heads)
        if (head.mask != Mask::none) head.mask = head.mask == Mask::future ? Mask::strict_past : Mask::strict_future;
    if (model == original) continue;
    EXPECT_FALSE(certify::holds(model, Arithmetic::of(NumberFormat::f32), Summation::any, 64)) << text;
    EXPECT_NE(check::objection(entry(original, NumberFormat::f32), model), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace quench
