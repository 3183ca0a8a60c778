// Compiled, shipped and random models with a few weights changed, through every executor: what the reference computes,
// to the bit where attention is hard, within the bound of run/structured/structured_executor.h where it is soft.
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "driver/compile.h"
#include "model/file.h"
#include "support/agreement.h"
#include "support/all_words.h"
#include "support/example_model.h"
#include "support/examples.h"
#include "support/mutated_model.h"
#include "support/paths.h"
#include "support/random_model.h"

namespace quench {
namespace {

/// The rules of examples/ as they compile, and the models there.
const std::vector<model::Transformer>& given_models() {
  static const std::vector<model::Transformer> models = [] {
    std::vector<model::Transformer> found{test::once_model(), test::previous_model(3)};
    std::vector<std::filesystem::path> paths;
    const std::filesystem::path examples = test::source_path("examples");
    for (const char* folder : {"formulas", "programs", "models"})
      for (const auto& entry : std::filesystem::directory_iterator(examples / folder)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const std::filesystem::path& path : paths) {
      if (path.extension() == ".safetensors")
        found.push_back(model::load(path));
      else if (path.extension() == ".tl" || path.extension() == ".brasp" || path.extension() == ".srasp")
        found.push_back(driver::compile(driver::parse_rule(test::read_text(path), path.string())).model);
    }
    return found;
  }();
  return models;
}

/// Words beyond a table of positions are an error.
std::size_t longest_word(const model::Transformer& model, std::size_t wanted) {
  for (const model::PositionEncoding& encoding : model.position_encodings)
    if (encoding.formula.kind == PositionFormula::Kind::table)
      wanted = std::min(wanted, encoding.formula.table.size());
  return wanted;
}

struct Found {
  int hard = 0, near_the_end = 0, linear = 0;  ///< heads
  double worst = 0;                            ///< difference of one word, as a fraction of what is allowed
};

void count(const run::StructuredExecutor::Workspace& space, Found& found) {
  for (const auto& layer : space.methods)
    for (const run::HeadMethod& head : layer) {
      found.hard += head.reason.starts_with("hard attention");
      found.near_the_end += head.reason.starts_with("numbers near the end");
      found.linear += head.method != run::Method::dense;
    }
}

void expect_like_the_reference(Random& random, const model::Transformer& model, NumberFormat format, Found& found) {
  static run::StructuredExecutor::Workspace space;
  const std::size_t n = 1 + random.below(longest_word(model, random.chance(0.1) ? 70 : 24));
  std::vector<Word> words;
  for (std::size_t w = 0; w < 1 + random.below(6); ++w) words.push_back(test::word_over(random, model, n));
  const run::Options options{format, random.chance(0.4)};
  for (const bool dense : {false, true}) {
    SCOPED_TRACE(std::string(dense ? "dense" : "structured") + (options.hard ? ", hard" : "") + ", n = " +
                 std::to_string(n) + (format == NumberFormat::f32 ? ", f32" : ", f64"));
    found.worst = std::max(found.worst, test::agreement(model, words[0], {options, dense, false}, space).worst);
    count(space, found);
    if (::testing::Test::HasFailure()) return;
    if (words.size() > 1) test::expect_agreement_at_once(model, words, {options, dense, false}, space);
    if (::testing::Test::HasFailure()) return;
  }
}

Found expect_like_the_reference(std::uint64_t seed, int models) {
  Random random(seed);
  Found found;
  for (int k = 0; k < models; ++k) {
    SCOPED_TRACE("model " + std::to_string(k));
    const NumberFormat format = random.chance(0.5) ? NumberFormat::f32 : NumberFormat::f64;
    test::RandomModelOptions options;
    options.small_weights = random.chance(0.3);
    const std::vector<model::Transformer>& given = given_models();
    const model::Transformer model = random.chance(0.3) ? test::random_model(random, options)
                                                        : given[random.below(given.size())];
    expect_like_the_reference(random, test::mutated_model(random, model, format), format, found);
    if (::testing::Test::HasFailure()) break;
  }
  std::printf("%d models: %d heads hard, %d near the end, %d linear; greatest difference %.2f of the bound\n", models,
              found.hard, found.near_the_end, found.linear, found.worst);
  return found;
}

TEST(MutatedModels, RunAlikeOnAllEngines) {
  const Found found = expect_like_the_reference(1, 300);
  EXPECT_GT(found.hard, 200);
  EXPECT_GT(found.near_the_end, 50);
  EXPECT_GT(found.linear, 200);
}

TEST(MutatedModels, SlowRunAlikeOnAllEngines) { expect_like_the_reference(2, 20'000); }

/// Hard attention as the file has it, in the shipped models: scores that tie in one format and not in another.
TEST(HardModels, AreTheReferencesOnEveryShortWord) {
  for (const std::string name : {"flip_flop", "flip_flop_rightmost", "k_hop_2", "ngram_3", "ngram_3_one_head",
                                 "ngram_3_sparsemax"}) {
    SCOPED_TRACE(name);
    const model::Transformer model = model::load(test::source_path("examples/models/") + name + ".safetensors");
    run::StructuredExecutor::Workspace space;
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64})
      for (const bool dense : {false, true}) {
        const run::Options options{format, true};
        const run::StructuredExecutor fast(model, {options, dense, false});
        run::Batch together;
        std::vector<double> outputs, expected_together;
        const auto check_together = [&] {
          if (together.words == 0 || together.n == 0) return;
          run::Batch batch{together.n, together.words, {}};
          std::vector<double> expected;
          for (std::size_t i = 0; i < batch.n; ++i)
            for (std::size_t w = 0; w < batch.words; ++w) {
              batch.symbols.push_back(together.symbols[w * batch.n + i]);
              expected.push_back(expected_together[w * batch.n + i]);
            }
          fast.outputs(batch, space, outputs);
          EXPECT_EQ(outputs, expected) << "all words of length " << batch.n << " at once";
        };
        test::for_all_words(std::min<std::size_t>(model.alphabet.size(), 3), true, 5, [&](const Word& word) {
          if (word.size() != together.n) {
            check_together();
            together = {word.size(), 0, {}};
            expected_together.clear();
          }
          const std::vector<double> expected = run::outputs(model, word, options);
          fast.outputs(run::Batch::of(word), space, outputs);
          EXPECT_EQ(outputs, expected);
          ++together.words;
          together.symbols.insert(together.symbols.end(), word.begin(), word.end());
          expected_together.insert(expected_together.end(), expected.begin(), expected.end());
        });
        check_together();
        if (HasFailure()) return;
      }
  }
}

}  // namespace
}  // namespace quench
