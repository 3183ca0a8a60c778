// Models through the public headers: compiling, files, verification.
#include <gtest/gtest.h>
#include <quench/quench.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/shell.h"

namespace quench {
namespace {

const char* const kSince = "Q_a S Q_b";

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

TEST(Compile, SumsUpWhatCameOut) {
  const Model model = compile(parse_formula(kSince));
  const ModelSummary summary = model.summary();
  EXPECT_EQ(summary.recipe, "tight");
  EXPECT_EQ(summary.temperatures.size(), summary.heads);
  EXPECT_EQ(summary.masks.size(), summary.heads);
  EXPECT_GE(summary.layers, 1u);
  EXPECT_LT(summary.nonzero_parameters, summary.parameters);
  EXPECT_EQ(model.symbols(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse_rule(model.source()).text(), parse_rule(kSince).text());
  EXPECT_EQ(model.answers(), AnswerKind::truth);
}

TEST(Compile, FollowsTheOptions) {
  CompileOptions options;
  options.recipe = "paper";
  options.sharpen = Sharpen::position;
  EXPECT_EQ(compile(parse_formula(kSince), options).summary().kind, "SMAT");
  options = {};
  options.certify = false;
  EXPECT_FALSE(compile(parse_formula(kSince), options).has_certificate());
  EXPECT_TRUE(compile(parse_formula(kSince)).has_certificate());
}

TEST(Compile, PointsAtWhatARecipeDoesNotCover) {
  try {
    compile(parse_formula("Q_a & next Q_b"), {.recipe = "16a"});
    FAIL();
  } catch (const RuleError& error) {
    ASSERT_EQ(error.diagnostics.size(), 1u);
    EXPECT_EQ(error.diagnostics[0].code, "E101");
    EXPECT_EQ(error.diagnostics[0].column, 7u);
    EXPECT_EQ(error.diagnostics[0].length, 8u);
    EXPECT_FALSE(error.diagnostics[0].help.empty());
  }
  EXPECT_THROW(compile(parse_formula("Q_a"), {.recipe = "no such recipe"}), RuleError);
  EXPECT_THROW(compile(parse_formula(kSince), {.gamma = 0.5}), RuleError);
}

TEST(Compile, KnowsEveryRecipeItNames) {
  const std::vector<RecipeName> all = recipes();
  EXPECT_GT(all.size(), 15u);
  for (const RecipeName& recipe : all) {
    try {
      compile(parse_formula("Q_a"), {.recipe = recipe.name, .certify = false});
    } catch (const RuleError& error) {
      EXPECT_NE(error.diagnostics.front().code, "E102") << recipe.name << ": " << error.what();
    }
  }
}

TEST(CompileForLength, GivesAModelThatIsCertifiedSoFar) {
  const Rule rule = parse_formula("prev Q_a");
  const std::uint64_t usual = *certificate_of(compile(rule))->length(Format::bf16);
  const std::optional<Model> longer = compile_for_length(rule, usual + 1, Format::bf16);
  ASSERT_TRUE(longer);
  EXPECT_GT(*certificate_of(*longer)->length(Format::bf16, Summation::exact_count), usual);
  const std::optional<Model> exact = compile_for_length(parse_formula("odd(#<[Q_1])"), 1'000'000, Format::bf16);
  ASSERT_TRUE(exact);
  EXPECT_GE(*certificate_of(*exact)->length(Format::bf16), 1'000'000u);
  const Model shorter = compile(parse_formula("odd(#<[Q_1])"), {.recipe = "exact", .length = 1000});
  EXPECT_EQ(certificate_of(shorter)->length(Format::f32), 1024u);
  EXPECT_FALSE(compile_for_length(parse_formula("odd(#<[Q_1])"), kNoLimit, Format::f16).has_value());
  EXPECT_THROW(compile_for_length(parse_formula("next Q_a"), 10, Format::f32, {.recipe = "16a"}), RuleError);
}

TEST(ModelFile, ComesBackAsItWasSaved) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "m.safetensors";
  const Model model = compile(parse_formula(kSince));
  save(model, path);
  const Model again = load(path);
  EXPECT_EQ(again.fingerprint(), model.fingerprint());
  EXPECT_TRUE(again.has_certificate());
  EXPECT_EQ(load_bytes(bytes_of(path)).fingerprint(), model.fingerprint());
}

TEST(ModelFile, IsRefusedWhenItIsDamaged) {
  const test::TemporaryDirectory directory;
  EXPECT_THROW(load(directory.path() / "missing.safetensors"), IoError);
  EXPECT_THROW(load(directory.path()), IoError);
  EXPECT_THROW(load_bytes(""), IoError);
  EXPECT_THROW(load_bytes("not a model"), IoError);
  const auto path = directory.path() / "m.safetensors";
  save(compile(parse_formula(kSince)), path);
  const std::string bytes = bytes_of(path);
  for (const std::size_t length : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THROW(load_bytes(std::string_view(bytes).substr(0, length)), IoError) << length;
  EXPECT_THROW(save(compile(parse_formula(kSince)), directory.path() / "no" / "such" / "folder"), IoError);
}

TEST(Model, StaysWholeWhenItIsMovedFrom) {
  Model first = compile(parse_formula(kSince), {.certify = false});
  const Model second = std::move(first);
  EXPECT_EQ(first.fingerprint(), second.fingerprint());
}

TEST(Verify, FindsNoDifferenceWhereThereIsNone) {
  const Rule rule = parse_formula(kSince);
  const Report report = verify(rule, compile(rule, {.certify = false}), {.exhaustive = 4, .random_count = 5});
  EXPECT_EQ(report.exhaustive, 4);
  EXPECT_EQ(report.words, 3u + 9u + 27u + 81u + 5u);
  EXPECT_EQ(report.differences, 0u);
  EXPECT_FALSE(report.counterexample);
}

TEST(Verify, ShowsTheSmallestDifference) {
  const Report report =
      verify(parse_formula("Q_a"), compile(parse_formula("Q_a | prev Q_b"), {.certify = false}), {.exhaustive = 4});
  ASSERT_TRUE(report.counterexample);
  EXPECT_EQ(report.counterexample->word.size(), 2u);
  EXPECT_EQ(report.counterexample->word.front(), 'b');
  EXPECT_EQ(report.counterexample->position, 2u);
  EXPECT_EQ(report.counterexample->expected, "0");
  EXPECT_EQ(report.counterexample->got, "1");
}

TEST(Verify, RunsNetworksOnly) {
  const Rule rule = parse_formula(kSince);
  EXPECT_THROW(verify(rule, compile(rule), {.exhaustive = 2, .engine = Engine::bits}), UserError);
  EXPECT_THROW(verify(rule, compile(rule), {.random_count = 2, .random_length = 0}), UserError);
}

TEST(Format, NamesAreThoseOfTheCommandLine) {
  const std::vector<std::string_view> names{"f64",    "f32", "bf16", "f16", "bf16-pure", "f16-pure", "f8e4m3",
                                            "f8e5m2", "m8",  "m9",   "m10", "m11",       "m12",      "m13",
                                            "m14",    "m15", "m16",  "m17", "m18",       "m19",      "m20"};
  const std::vector<Format> formats = all_formats();
  ASSERT_EQ(formats.size(), names.size());
  EXPECT_EQ(formats[0], Format::f64);
  EXPECT_EQ(formats[2], Format::bf16);
  EXPECT_EQ(formats[5], Format::f16_pure);
  EXPECT_EQ(formats[20], Format::m20);
  for (std::size_t k = 0; k < names.size(); ++k) {
    EXPECT_EQ(name_of(formats[k]), names[k]);
    EXPECT_EQ(format_from(names[k]), formats[k]);
  }
  EXPECT_EQ(format_from("f33"), std::nullopt);
  EXPECT_EQ(name_of(Summation::normalise_last), "normalise-last");
}

}  // namespace
}  // namespace quench
