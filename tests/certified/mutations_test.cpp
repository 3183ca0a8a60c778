// Changed model files through all that reads them: load, certify, check, run. Whatever was changed, nothing ends in an
// internal error, and a model is accepted only if it computes the rule it names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "certified/allowance.h"
#include "certified/mutated_file.h"
#include "certified/promise.h"
#include "certify/certificate.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "support/all_words.h"
#include "support/certified_rules.h"
#include "support/shell.h"
#include "verify/answer_table.h"

namespace quench::certified {
namespace {

constexpr NumberFormat kFormats[] = {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16};

/// A model beside the rule it names.
class Comparison {
 public:
  Comparison(const model::Transformer& model, NumberFormat format)
      : model_(model),
        rule_(driver::parse_rule(model.source)),
        table_(model, rule_),
        executor_(model, {.format = format}, run::Engine::reference, false) {}

  bool agree(const Word& word) {
    const auto answers = run::answers(model_, executor_, word, workspace_);
    const auto expected = table_.as_model_answers(oracle::evaluate(rule_, word));
    return std::equal(answers.begin(), answers.end(), expected.begin(), expected.end(),
                      [&](std::int64_t got, std::int64_t wanted) { return table_.agree(wanted, got); });
  }

 private:
  const model::Transformer& model_;
  lang::Rule rule_;
  verify::AnswerTable table_;
  run::Executor executor_;
  run::Executor::Workspace workspace_;
};

class Campaign {
 public:
  Campaign() {
    for (const test::CertifiedRule& rule : test::certified_rules()) {
      model::Transformer model = test::compiled(rule);
      model.certificate = model::to_json(certify::make_certificate(model, certify::usual_formats()));
      const std::filesystem::path path = directory_.path() / "original.safetensors";
      model::save(model, path);
      originals_.emplace_back(path);
      sources_.push_back(model.source);
    }
    for (const char* source : {"true", "false", "not a rule (", "Q_a", "Q_b", ""}) sources_.emplace_back(source);
  }

  std::map<std::string, int> outcomes;

  void run(std::uint64_t seed) {
    Random random(seed);
    test::MutatedFile file = originals_[random.below(originals_.size())];
    const std::size_t changes = random.below(20) == 0 ? 0 : 1 + random.below(3);
    for (std::size_t k = 0; k < changes; ++k) file.mutate(random, sources_);
    const std::filesystem::path path = directory_.path() / "mutated.safetensors";
    std::ofstream(path, std::ios::binary) << file.bytes();
    try {
      model::Transformer model = model::load(path);
      ++outcomes["loaded"];
      follow(random, model);
    } catch (const IoError&) {
      ++outcomes["refused by load"];
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "seed " << seed;
  }

 private:
  void follow(Random& random, model::Transformer& model) {
    if (!model.certificate.empty() && random.chance(0.7)) forge(model);
    const NumberFormat format = kFormats[random.below(std::size(kFormats))];
    const auto summation = static_cast<model::Summation>(random.below(3));
    certify_again(random, model, format, summation);
    if (!model.certificate.empty()) judge(random, model, model.certificate, "its own certificate");
    const Allowance allowance = certified::allowance(model, format, summation);
    ++outcomes[allowance.longest ? "run believes the certificate" : "run does not believe the certificate"];
    execute(random, model, format);
  }

  /// Mostly one length only, which is quicker than the search for the greatest.
  void certify_again(Random& random, const model::Transformer& model, NumberFormat format, model::Summation summation) {
    const certify::Arithmetic arithmetic = certify::Arithmetic::of(format);
    if (random.chance(0.7)) {
      const std::uint64_t lengths[] = {1, 2, 3, 10, 256, 1'000'000, model::kLongest};
      const auto length = lengths[random.below(std::size(lengths))];
      ++outcomes[certify::holds(model, arithmetic, summation, length) ? "a length is certified"
                                                                      : "a length is not certified"];
      return;
    }
    model::Certificate certificate{model::fingerprint(model), model.recipe, model.source, {}};
    certificate.entries.push_back({format, summation, certify::certify(model, arithmetic, summation)});
    ++outcomes[certificate.entries[0].finding.length == 0 ? "certified to 0" : "certified to more"];
    judge(random, model, model::to_json(certificate), "its new certificate");
  }

  /// As a forger would: the hash, rule and recipe are those of the changed model.
  static void forge(model::Transformer& model) {
    auto certificate = nlohmann::json::parse(model.certificate);
    if (!certificate.is_object()) return;
    certificate["model"] = model::fingerprint(model);
    certificate["recipe"] = model.recipe;
    certificate["source"] = model.source;
    model.certificate = certificate.dump();
  }

  void judge(Random& random, const model::Transformer& model, const std::string& text, const std::string& what) {
    const Promise promise = examine(text, model);
    ++outcomes[what + (promise.computes_rule() ? ": computes its rule"
                       : promise.behaves()     ? ": behaves like its ideal network"
                                               : ": rejected")];
    if (!promise.computes_rule()) return;
    const model::Certificate certificate = model::certificate_from_json(text);
    const model::Entry& entry = certificate.entries[random.below(certificate.entries.size())];
    Comparison comparison(model, entry.format);
    const auto compare = [&](const Word& word) {
      if (word.size() > entry.finding.length || ::testing::Test::HasFailure()) return;
      EXPECT_TRUE(comparison.agree(word)) << model.source << " is accepted and wrong at " << model.alphabet.print(word);
    };
    test::for_all_words(model.alphabet.size(), true, 3, compare);
    for (int k = 0; k < 8; ++k) compare(random_word(random, model.alphabet.size(), true, 4 + random.below(30)));
  }

  void execute(Random& random, const model::Transformer& model, NumberFormat format) {
    for (const run::Engine engine : {run::Engine::reference, run::Engine::automatic}) try {
        const run::Executor executor(model, {.format = format}, engine, false);
        run::Executor::Workspace workspace;
        const Word word = random_word(random, model.alphabet.size(), true, 1 + random.below(20));
        static_cast<void>(run::answers(model, executor, run::Batch::of(word), workspace));
        ++outcomes["run"];
      } catch (const UserError&) {
        ++outcomes["run refuses"];
      }
  }

  test::TemporaryDirectory directory_;
  std::vector<test::MutatedFile> originals_;
  std::vector<std::string> sources_;
};

void send_through(std::uint64_t first, std::uint64_t count) {
  Campaign campaign;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    campaign.run(seed);
    if (::testing::Test::HasFailure()) return;
  }
  for (const auto& [outcome, times] : campaign.outcomes) fmt::print("{:<60}{}\n", outcome, times);
  EXPECT_GT(campaign.outcomes["its new certificate: computes its rule"], 0);
  EXPECT_GT(campaign.outcomes["its own certificate: behaves like its ideal network"], 0);
}

TEST(MutatedModels, AreAcceptedOnlyIfTheyComputeTheirRule) { send_through(0, 500); }

/// A hundred thousand in all.
class SlowMutatedModels : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(SlowMutatedModels, AreAcceptedOnlyIfTheyComputeTheirRule) { send_through(5'000 * GetParam(), 5'000); }
INSTANTIATE_TEST_SUITE_P(BySeed, SlowMutatedModels, ::testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace quench::certified
