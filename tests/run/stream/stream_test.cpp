// Token by token is the whole word: every example by every decoder recipe.
#include "run/stream/stream.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/number/random.h"
#include "driver/compile.h"
#include "lower/recipe.h"
#include "run/executor.h"
#include "support/examples.h"

namespace quench {
namespace {

model::Transformer compiled(const lang::Formula& formula, std::string_view recipe) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  return driver::compile(formula, options).model;
}

void expect_same(const model::Transformer& model, const Word& word, NumberFormat format) {
  run::StreamExecutor stream(model, {format, false});
  run::Executor::Workspace workspace;
  std::vector<double> whole, parts;
  run::Executor(model, {format, false}, run::Engine::structured).outputs(word, workspace, whole);
  for (int round = 0; round < 2; ++round) {
    parts.clear();
    for (const Symbol symbol : word) parts.push_back(stream.push(symbol));
    EXPECT_EQ(run::booleans(parts), run::booleans(whole));
    stream.reset();
  }
}

TEST(Stream, IsTheWholeWord) {
  int checked = 0;
  for (const test::ExampleFile& example : test::formula_examples()) {
    SCOPED_TRACE(example.name);
    const lang::Formula formula = driver::parse(example.text);
    for (const lower::Recipe& recipe : lower::recipes()) {
      if (!recipe.decoder) continue;
      model::Transformer model;
      try {
        model = compiled(formula, recipe.name);
      } catch (const DiagnosticError&) {
        continue;  // not covered
      }
      Random random(1);
      bool length_dependent = false;
      for (const model::PositionEncoding& pe : model.position_encodings)
        length_dependent |= pe.formula.predicate && pe.formula.predicate->depends_on_length();
      if (length_dependent) continue;
      for (const std::size_t length : {1, 2, 3, 17, 300})
        for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32})
          expect_same(model, random_word(random, model.alphabet.size(), true, length), format);
      ++checked;
    }
  }
  EXPECT_GT(checked, 30);
}

TEST(Stream, PastOperatorsNeedConstantState) {
  const lang::Formula formula = driver::parse("(Q_a S prev Q_b) & prev Q_a");
  for (const char* recipe : {"18a", "18b", "23", "tight-decoder"}) {
    run::StreamExecutor stream(compiled(formula, recipe), {});
    for (int k = 0; k < 500; ++k) stream.push(k % 7 % 2);
    EXPECT_EQ(stream.describe().find("keeps every key"), std::string::npos) << stream.describe();
  }
}

TEST(Stream, RefusesModelsThatLookAhead) {
  const lang::Formula formula = driver::parse("prev Q_a");
  for (const char* recipe : {"12a", "12b", "17a", "22a"})
    EXPECT_THROW(run::StreamExecutor(compiled(formula, recipe), {}), UserError) << recipe;
  EXPECT_THROW(run::StreamExecutor(compiled(formula, "13a"), {NumberFormat::bf16, false}), UserError);
  EXPECT_THROW(run::StreamExecutor(compiled(formula, "13a"), {NumberFormat::f64, true}), UserError);
}

}  // namespace
}  // namespace quench
