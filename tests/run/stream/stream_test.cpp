// Token by token is the whole word: every example by every decoder recipe.
#include "run/stream/stream.h"

#include <gtest/gtest.h>

#include "automata/rule/read_rule.h"
#include "base/error.h"
#include "base/number/random.h"
#include "driver/compile.h"
#include "driver/compile_automaton.h"
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

/// Rules that `exact` and `scan` make decoders of with heads that ask for blocks of positions.
std::vector<std::pair<std::string, model::Transformer>> block_decoders(std::size_t length) {
  std::vector<std::pair<std::string, model::Transformer>> found;
  lower::RecipeOptions options;
  options.recipe = "exact-decoder";
  options.length = length;
  for (const char* text :
       {"odd(#<[Q_a])", "mod(3,1)(#<[Q_a] + 2*#<[Q_b])", "#<[Q_a] > #<[Q_b]", "O (Q_a & (#<[Q_b] = 3))"})
    found.emplace_back(text, driver::compile(driver::parse(text), options).model);
  options.recipe = "scan";
  const lang::Automaton automaton = automata::read_rule("(a|b)*a(a|b)(a|b)|(bb*a)*", lang::AutomatonText::regex);
  found.emplace_back("scan", driver::compile_by_scan(automaton, options, {}, "").model);
  return found;
}

TEST(Stream, BlocksThatAreNotAskedForAgainAreForgotten) {
  constexpr std::size_t kLength = 2048;
  for (const auto& [name, model] : block_decoders(kLength)) {
    SCOPED_TRACE(name);
    Random random(3);
    for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{255}, std::size_t{1024}, kLength})
      for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32})
        expect_same(model, random_word(random, model.alphabet.size(), true, length), format);
    run::StreamExecutor stream(model, {});
    for (std::size_t k = 0; k < kLength; ++k) stream.push(k % 3 == 0 ? 0 : kUnmentioned);
    EXPECT_EQ(stream.describe().find("keeps every key"), std::string::npos) << stream.describe();
  }
}

/// Answers before the stream refuses, if it does, are those of the whole word.
std::size_t answered(const model::Transformer& model, const Word& word) {
  run::StreamExecutor stream(model, {});
  run::Executor::Workspace workspace;
  std::vector<double> whole;
  run::Executor(model, {}, run::Engine::structured).outputs(word, workspace, whole);
  for (std::size_t i = 0; i < word.size(); ++i) {
    try {
      EXPECT_NEAR(stream.push(word[i]), whole[i], 1e-9) << "position " << i + 1;
    } catch (const UserError&) {
      return i;
    }
  }
  return word.size();
}

TEST(Stream, RefusesWhereWhatWasForgottenCounts) {
  for (const auto& [name, model] : block_decoders(64)) {
    SCOPED_TRACE(name);
    Random random(4);
    const Word word = random_word(random, model.alphabet.size(), true, 80);
    EXPECT_EQ(answered(model, word), 64u) << "beyond the bits of positions, blocks have the numbers of earlier ones";
    for (std::size_t l = 0; l < model.layers.size(); ++l)
      for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) {
        model::Transformer changed = model;  // a head that looks here and there, its sink among other keys
        SparseMatrix& keys = changed.layers[l].heads[h].k;
        for (std::size_t row = 0; row < keys.rows.size(); ++row)
          for (auto& [column, value] : keys.rows.edit(row)) value *= 0.001;
        answered(changed, word);
      }
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
