// Models of the recipes `exact` in the fast engine: to the bit what the reference gives, and no head in quadratic time.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/number/random.h"
#include "driver/compile.h"
#include "model/position.h"
#include "oracle/evaluate.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "run/executor.h"
#include "run/structured/structured_executor.h"
#include "support/examples.h"
#include "support/paths.h"
#include "verify/answer_table.h"

namespace quench {
namespace {

model::Transformer compiled(const std::string& text, std::size_t length) {
  lower::RecipeOptions options;
  options.recipe = "exact";
  options.length = length;
  return driver::compile(driver::parse(text), options).model;
}

const std::vector<const char*>& formulas() {
  static const std::vector<const char*> all{"prev Q_a",       "next Q_a",           "Q_a S Q_b",
                                            "Q_a U prev Q_b", "odd(#<[Q_a])",       "mod(3,1)(#>[Q_a])",
                                            "odd(#[Q_a])",    "#<[Q_a] >= #>[Q_b]", "2*#[Q_a] = #<[Q_b] + 1",
                                            "prime(#<[Q_a])", "square(#>[Q_a])",    "fibonacci(#[Q_a])"};
  return all;
}

/// Every head by the attention library's tiled kernel.
std::vector<std::int64_t> by_the_library(const model::Transformer& model, NumberFormat format, const Word& word) {
  run::Executor::Workspace space;
  const run::Executor executor(model, {format, false}, run::Engine::dense, /*parallel=*/false);
  return run::answers(model, executor, run::Batch::of(word), space)[0];
}

TEST(ExactModels, RunInLinearTimeAndGiveTheReferencesNumbers) {
  Random random(5);
  for (const char* text : formulas()) {
    const lang::Formula formula = driver::parse(text);
    const model::Transformer model = compiled(text, 4096);
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64})
      for (const std::size_t n :
           {std::size_t{1}, std::size_t{2}, std::size_t{65}, std::size_t{128}, std::size_t{300}}) {
        const Word word = random_word(random, formula.alphabet.size(), true, n);
        run::StructuredExecutor::Workspace space;
        std::vector<double> out;
        run::StructuredExecutor(model, {{format, false}, false, false}).outputs(run::Batch::of(word), space, out);
        EXPECT_EQ(out, run::outputs(model, word, {format, false})) << text << ", n = " << n;
        EXPECT_EQ(run::booleans(out), oracle::evaluate(formula, word)) << text << ", n = " << n;
        const std::vector<std::int64_t> dense = by_the_library(model, format, word);
        EXPECT_EQ(std::vector<std::uint8_t>(dense.begin(), dense.end()), oracle::evaluate(formula, word))
            << text << ", n = " << n;
        if (n < 65) continue;
        for (const auto& layer : space.methods)
          for (const run::HeadMethod& head : layer)
            EXPECT_NE(head.method, run::Method::dense)
                << text << ", " << head.name << ", n = " << n << ": " << head.reason;
      }
  }
}

/// Positions' bits that only rows of sums read are left out, unless all coordinates are asked for.
TEST(ExactModels, OfSeveralWindowsGiveTheReferencesNumbersAtEveryCoordinate) {
  Random random(9);
  constexpr std::size_t n = 2'100;
  for (const char* text : {"prev Q_a", "Q_a S Q_b & next Q_a", "Q_a U Q_b", "odd & O Q_a"}) {
    const model::Transformer model = compiled(text, 4096);
    const Word word = random_word(random, model.alphabet.size(), true, n);
    const Matrix expected = run::run(model, word, {NumberFormat::f32, false});
    const run::StructuredExecutor executor(model, {{NumberFormat::f32, false}, false, false});
    run::StructuredExecutor::Workspace space;
    std::vector<double> out;
    executor.outputs(run::Batch::of(word), space, out);  // first without the bits
    executor.run(run::Batch::of(word), space);
    ASSERT_EQ(expected.rows, n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(out[i], expected(i, static_cast<std::size_t>(model.output.coordinate))) << text << ", i = " << i + 1;
      for (std::size_t c = 0; c < expected.cols; ++c)
        ASSERT_EQ(executor.value(space, c, i), expected(i, c)) << text << ", coordinate " << c << ", i = " << i + 1;
    }
  }
}

/// A bit of positions that is the answer is not left out.
TEST(ExactModels, WhoseOutputIsABitOfThePosition) {
  model::Transformer model = compiled("prev Q_a | next Q_a", 4096);
  run::StructuredExecutor::Workspace space;
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    model.output.coordinate = encoding.coordinate;
    for (const std::size_t n : {std::size_t{1}, std::size_t{40}, std::size_t{2'100}}) {
      std::vector<double> out;
      const Word word(n, kUnmentioned);
      run::StructuredExecutor(model, {{NumberFormat::f32, false}, false, false})
          .outputs(run::Batch::of(word), space, out);
      EXPECT_EQ(out, model::position_values(encoding.formula, n)) << to_string(encoding.formula) << ", n = " << n;
    }
  }
}

TEST(ExactModels, RunInBatches) {
  Random random(6);
  for (const char* text : formulas()) {
    const model::Transformer model = compiled(text, 4096);
    std::vector<Word> words;
    for (int k = 0; k < 9; ++k) words.push_back(random_word(random, model.alphabet.size(), true, 100));
    run::StructuredExecutor::Workspace space;
    std::vector<double> out, alone;
    const run::StructuredExecutor executor(model, {{NumberFormat::f32, false}, false, false});
    run::Batch batch{100, words.size(), {}};
    for (std::size_t i = 0; i < batch.n; ++i)
      for (const Word& word : words) batch.symbols.push_back(word[i]);
    executor.outputs(batch, space, out);
    for (std::size_t w = 0; w < words.size(); ++w) {
      alone = run::outputs(model, words[w], {NumberFormat::f32, false});
      for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(out[i * words.size() + w], alone[i]) << text;
    }
  }
}

TEST(ExactModels, OfProgramsRunInBatches) {
  Random random(8);
  for (const char* name :
       {"dyck_2.srasp", "sort.srasp", "histogram.srasp", "reverse.srasp", "associative_recall.brasp"}) {
    lower::RecipeOptions options;
    options.recipe = "exact";
    options.length = 4096;
    const lang::Program program =
        driver::parse_program(test::read_text(test::source_path("examples/programs/") + name));
    const model::Transformer model = driver::compile(program, options).model;
    constexpr std::size_t n = 100, kWords = 9;
    std::vector<Word> words;
    for (std::size_t k = 0; k < kWords; ++k) words.push_back(random_word(random, model.alphabet.size(), k % 2 == 0, n));
    run::Batch batch{n, words.size(), {}};
    for (std::size_t i = 0; i < n; ++i)
      for (const Word& word : words) batch.symbols.push_back(word[i]);
    const run::Executor together(model, {NumberFormat::f32, false}, run::Engine::structured, /*parallel=*/false);
    const run::ReferenceExecutor alone(model, {NumberFormat::f32, false});
    run::Executor::Workspace space;
    run::ReferenceExecutor::Workspace reference;
    const auto answers = run::answers(model, together, batch, space);
    ASSERT_EQ(answers.size(), kWords);
    for (std::size_t w = 0; w < kWords; ++w)
      EXPECT_EQ(answers[w], run::answers(model, alone.run(words[w], reference))) << name << ", word " << w;
  }
}

/// Every example program that the recipe has, on words that its matches are found in, are nearly found in, or are not.
TEST(ExactModels, ProgramsRunInLinearTime) {
  Random random(7);
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const lang::Rule rule = driver::parse_program(test::read_text(entry.path()));
    lower::RecipeOptions options;
    options.recipe = "exact";
    options.length = 4096;
    if (lang::output_sort(rule) == lang::Sort::score) continue;
    const model::Transformer model = driver::compile(rule, options).model;
    const verify::AnswerTable table(model, rule);
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
      const run::Executor executor(model, {format, false}, run::Engine::structured, /*parallel=*/false);
      for (const std::size_t n : {std::size_t{1}, std::size_t{65}, std::size_t{256}, std::size_t{400}}) {
        const Word word = random_word(random, lang::alphabet(rule).size(), random.chance(0.3), n);
        run::Executor::Workspace space;
        const auto got = run::answers(model, executor, run::Batch::of(word), space)[0];
        const auto expected = table.as_model_answers(oracle::evaluate(rule, word));
        ASSERT_EQ(got.size(), expected.size());
        const auto dense = by_the_library(model, format, word);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_TRUE(table.agree(expected[i], got[i])) << n << ", i = " << i + 1;
          ASSERT_TRUE(table.agree(expected[i], dense[i])) << "dense, " << n << ", i = " << i + 1;
        }
        if (n < 65) continue;
        for (const auto& layer : space.planes.methods)
          for (const run::HeadMethod& head : layer)
            EXPECT_NE(head.method, run::Method::dense) << head.name << ", n = " << n << ": " << head.reason;
      }
    }
  }
}

void expect_linear(const model::Transformer& model, const std::string& name) {
  Random random(7);
  const Word word = random_word(random, model.alphabet.size(), true, 3000);
  run::StructuredExecutor::Workspace space;
  std::vector<double> out;
  run::StructuredExecutor(model, {{NumberFormat::f32, false}, false, false}).outputs(run::Batch::of(word), space, out);
  for (const auto& layer : space.methods)
    for (const run::HeadMethod& head : layer)
      EXPECT_NE(head.method, run::Method::dense) << name << ": " << head.name << ": " << head.reason;
}

/// By the recipes of every length: keys of exclusive classes are few, in however many components, and numbers of many
/// values, in few components, are no codes.
TEST(Examples, RunInLinearTimeByTheRecipesOfEveryLength) {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs")))
    if (entry.path().extension() == ".brasp")
      expect_linear(driver::compile(driver::parse_program(test::read_text(entry.path())), {}).model,
                    entry.path().filename().string());
  for (const test::ExampleFile& example : test::formula_examples())
    for (const char* recipe : {"tight", "tight-position", "tight-decoder"}) {
      lower::RecipeOptions options;
      options.recipe = recipe;
      std::optional<model::Transformer> model;
      try {
        model = driver::compile(driver::parse(example.text), options).model;
      } catch (const DiagnosticError&) {
        continue;  // not covered
      }
      expect_linear(*model, example.name + " by " + recipe);
    }
}

}  // namespace
}  // namespace quench
