// Exports, translations and training through the public headers. That what they give is right is tested where they are
// made, and against the tools themselves (make test-python).
#include <gtest/gtest.h>
#include <quench/quench.h>

#include <cstdint>
#include <filesystem>

#include "support/paths.h"

namespace quench {
namespace {

Model once() { return compile(parse_formula("O Q_a"), {.decoder = true}); }

TEST(Tensors, AreAllParameters) {
  const Model model = once();
  std::size_t items = 0, nonzero = 0;
  for (const Tensor& tensor : tensors(model)) {
    std::uint64_t expected = 1;
    for (const std::uint64_t extent : tensor.shape) expected *= extent;
    EXPECT_EQ(tensor.data.size(), expected) << tensor.name;
    items += tensor.data.size();
    for (const double value : tensor.data) nonzero += value != 0;
  }
  EXPECT_EQ(items, model.summary().parameters);
  EXPECT_EQ(nonzero, model.summary().nonzero_parameters);
  EXPECT_NE(document(model).find("\"symbols\":[\"a\"]"), std::string::npos);
}

TEST(Exports, OfEveryTargetHaveFiles) {
  for (const std::string& target : export_targets()) {
    const std::vector<File> files = export_files(once(), target, {.context = 16});
    ASSERT_FALSE(files.empty()) << target;
    for (const File& file : files) EXPECT_FALSE(file.content.empty()) << target << " " << file.name;
  }
}

TEST(Exports, SayWhatDoesNotFit) {
  EXPECT_THROW(export_files(once(), "pdf"), UserError);
  EXPECT_THROW(export_files(once(), "hf", {.context = 0}), UserError);
  EXPECT_THROW(export_files(once(), "hf", {.context = std::size_t{1} << 40}), UserError);
  EXPECT_THROW(export_files(once(), "hf", {.weights = Format::bf16}), UserError);
  EXPECT_THROW(export_files(compile(parse_formula("F Q_a")), "hf"), UserError);
  EXPECT_THROW(write_files("/dev/null/folder", {{"name", "content"}}), IoError);
}

TEST(Unshared, IsTheSameNetworkWiderAndKnownToTheChecker) {
  for (const char* text : {"Q_a S (Q_b & prev Q_c)", "odd(#<[Q_a])", "Q_a S Q_b"}) {
    const Rule rule = parse_formula(text);
    const Model shared = compile(rule), own = compile(rule, {.unshared = true});
    EXPECT_GE(own.summary().width, shared.summary().width);
    EXPECT_LE(own.summary().hidden_units, shared.summary().hidden_units) << "nothing is cleared";
    EXPECT_EQ(verify(rule, own, {.exhaustive = 5}).differences, 0u);
    EXPECT_TRUE(check(own).computes_rule) << check(own).reason;
    EXPECT_TRUE(check(shared).computes_rule) << check(shared).reason;
  }
}

TEST(Translate, KnowsEveryLanguage) {
  const Rule rule = parse_formula("O Q_a");
  for (const char* to : {"formula", "brasp", "dfa", "hoa", "dot"}) EXPECT_FALSE(translate(rule, to).empty()) << to;
  EXPECT_EQ(diff(parse_rule(translate(rule, "brasp")), rule).difference.has_value(), false);
  EXPECT_THROW(translate(rule, "french"), UserError);
  EXPECT_THROW(translate(parse_formula("#<[Q_a] >= 2"), "brasp"), RuleError);
}

TEST(Diff, FindsTheSmallestWordOrProves) {
  const Comparison different = diff(parse_formula("O Q_a"), parse_formula("H Q_a"));
  ASSERT_TRUE(different.difference);
  EXPECT_EQ(different.difference->word.size(), 2u);
  EXPECT_TRUE(diff(parse_formula("O Q_a"), parse_formula("!H !Q_a")).proved);
  const Comparison tried = diff(parse_formula("odd(#<[Q_a])"), parse_formula("odd(#<[Q_a])"), {.length = 5});
  EXPECT_FALSE(tried.proved);
  EXPECT_EQ(tried.length, 5u);
  EXPECT_THROW(diff(parse_formula("Q_a"), parse_formula("Q_a"), {.length = 0}), UserError);
}

TEST(Train, RepeatsItselfAndStopsWhenTold) {
  const Rule rule = parse_formula("O Q_a");
  const TrainOptions few{.length = 8, .batch = 4, .steps = 10};
  EXPECT_EQ(train(rule, few).model.fingerprint(), train(rule, few).model.fingerprint());
  TrainOptions stopped = few;
  stopped.progress = [](const TrainProgress& progress) {
    if (progress.step == 3) throw UserError("enough");
  };
  EXPECT_THROW(train(rule, stopped), UserError);
  EXPECT_THROW(train(rule, {.layers = 0}), UserError);
  EXPECT_EQ(accuracy(rule, compile(rule), 30, 10).of_positions, 1);
  EXPECT_THROW(accuracy(rule, compile(parse_formula("Q_b")), 30), UserError);
}

TEST(Soften, ReachesALengthOrSaysWhyNot) {
  const Model model = compile(parse_formula("prev Q_a"));
  EXPECT_EQ(soften(model, {.length = 16}).length, 16u);
  EXPECT_THROW(soften(model, {.gap = "magic"}), UserError);
  EXPECT_THROW(soften(model, {.length = 0}), UserError);
}

TEST(RunNumbers, AreTheSymbolsOfTheModel) {
  const Runner runner(once());
  const std::vector<std::int32_t> word{1, 0, -1};
  EXPECT_EQ(runner.run_numbers(word), runner.run("bab"));
  EXPECT_THROW(runner.run_numbers(std::vector<std::int32_t>{2}), UserError);
  EXPECT_THROW(runner.run_numbers(std::vector<std::int32_t>{-2}), UserError);
  EXPECT_THROW(runner.run_numbers({}), UserError);
}

}  // namespace
}  // namespace quench
