// Softened models give the hard models' answers on every word up to the certified length; what cannot be done is
// refused with the reason.
#include "soften/soften.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "driver/compile.h"
#include "run/reference/reference.h"
#include "soften/exact_network.h"
#include "soften/exhaustive.h"
#include "soften/gap.h"
#include "soften/soften_models.h"
#include "support/all_words.h"
#include "support/examples.h"
#include "support/paths.h"

namespace quench::soften {
namespace {

using testing::HasSubstr;

std::string refusal_of(const model::Transformer& model, const Options& options = {}) {
  try {
    soften(model, options);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "no refusal";
}

std::vector<std::uint32_t> outputs_of(const model::Transformer& model) { return Network(model).outputs; }

/// The hard network's exact outputs, at least ½ reading as 1, against the soft model in a format, on all words.
void expect_same_answers(const model::Transformer& hard, const model::Transformer& soft, std::size_t length,
                         NumberFormat format) {
  const auto hard_outputs = outputs_of(hard), soft_outputs = outputs_of(soft);
  test::for_all_words(hard.alphabet.size(), true, length, [&](const Word& word) {
    const std::vector<State> exact = ExactNetwork(hard).run(word);
    const Matrix got = run::run(soft, word, {format, false});
    for (std::size_t i = 0; i < word.size(); ++i)
      for (std::size_t k = 0; k < hard_outputs.size(); ++k)
        ASSERT_EQ(exact[i][hard_outputs[k]] >= mpq_class(1, 2), got(i, soft_outputs[k]) >= 0.5)
            << hard.alphabet.print(word) << " at " << i + 1 << ", " << to_string(format);
  });
}

void expect_right_as_certified(const model::Transformer& hard, const Softened& softened, std::size_t longest) {
  for (const certify::Entry& entry : softened.certificate.entries)
    expect_same_answers(hard, softened.model, std::min<std::size_t>(entry.finding.length, longest), entry.format);
}

TEST(Soften, RandomModelsWithAndWithoutTiesAnswerAsTheHardOnes) {
  Random random(26);
  int softened = 0, refused = 0;
  for (int count = 0; count < 120; ++count) {
    const bool ties = count % 2 == 0;
    const model::Transformer hard = hard_model(test::random_hard_model(random, {.ties = ties}));
    Options options;
    options.route = Route::exhaustive;
    options.length = 3;
    try {
      const Softened result = soften(hard, options);
      ++softened;
      EXPECT_EQ(result.certificate.entries[0].finding.length, 3u);
      expect_right_as_certified(hard, result, 3);
    } catch (const Refusal&) {
      ++refused;  // outputs that meet ½
    }
  }
  EXPECT_GT(softened, 30);
}

TEST(Soften, LeftmostAndRightmostHeadsKeepTheirTieBreak) {
  Random random(27);
  int softened = 0, broken = 0;
  for (int count = 0; count < 80; ++count) {
    const model::Transformer hard = hard_model(test::random_hard_model(
        random, {.weightings = {Weighting::lhardmax, Weighting::rhardmax, Weighting::ahardmax}}));
    Options options;
    options.route = Route::exhaustive;
    options.length = 3;
    try {
      const Softened result = soften(hard, options);
      ++softened;
      broken += result.derivation.tie_breaks;
      expect_right_as_certified(hard, result, 3);
    } catch (const Refusal&) {
    }
  }
  EXPECT_GT(softened, 20);
  EXPECT_GT(broken, 10);
}

TEST(Soften, KeepsTheParametersUpToAPowerOfTwoInTheQueries) {
  const model::Transformer hard = test::example_model_file("flip_flop");
  const Softened softened = soften(hard);
  const double scale = softened.derivation.sharpening.scale;
  ASSERT_EQ(softened.model.layers.size(), hard.layers.size() + 1);  // and a rounding sublayer
  for (std::size_t l = 0; l < hard.layers.size(); ++l)
    for (std::size_t h = 0; h < hard.layers[l].heads.size(); ++h) {
      const model::Head &before = hard.layers[l].heads[h], &after = softened.model.layers[l].heads[h];
      EXPECT_EQ(after.weighting, Weighting::soft);
      EXPECT_EQ(after.temperature, Temperature::inverse_n_log);
      for (std::size_t row = 0; row < before.q.rows.size(); ++row) {
        EXPECT_EQ(after.k.rows[row], before.k.rows[row]);
        for (const auto& [column, value] : before.q.rows[row]) EXPECT_EQ(after.q.at(row, column), scale * value);
      }
    }
}

TEST(Soften, CertificateIsBoundToTheModelAndNamesTheRoute) {
  const Softened softened = soften(test::example_model_file("flip_flop"));
  const certify::Certificate read = certify::certificate_from_json(softened.model.certificate);
  EXPECT_EQ(read.model, model::fingerprint(softened.model));
  EXPECT_EQ(certify::certified_length(read, NumberFormat::f64, certify::Summation::any), softened.derivation.length);
  EXPECT_EQ(read.entries[0].finding.heads[0].lemma, "soften");
  const auto json = nlohmann::json::parse(softened.model.certificate);
  EXPECT_EQ(json["soften"]["route"], "interval");
  EXPECT_EQ(json["soften"]["lengths"].size(), softened.derivation.length);
}

TEST(Soften, UsesThePapersConstantsOnRequest) {
  Options options;
  options.length = 8;
  const Softened ours = soften(test::example_model_file("flip_flop"), options);
  options.constants = Constants::paper;
  const Softened paper = soften(test::example_model_file("flip_flop"), options);
  ASSERT_TRUE(paper.derivation.lengths.back().paper.has_value());
  EXPECT_GE(paper.derivation.sharpening.inverse_tau(8), *paper.derivation.lengths.back().paper);
  EXPECT_GT(paper.derivation.sharpening.inverse_tau(8), ours.derivation.sharpening.inverse_tau(8));
  expect_right_as_certified(hard_model(test::example_model_file("flip_flop")), paper, 3);
}

TEST(Soften, RefusesThePapersConstantsForModelsThatAreNotTieless) {
  Options options;
  options.constants = Constants::paper;
  options.route = Route::exhaustive;
  options.length = 3;
  EXPECT_THAT(refusal_of(test::example_model_file("ngram_3_one_head"), options),
              HasSubstr("head 1.0 last two is not tieless"));
  EXPECT_THAT(refusal_of(test::example_model_file("ngram_3"), options), HasSubstr("2 heads"));
}

/// Position i has score 2^20 − 2^−6i: gaps shrink until doubles of that size no longer tell them apart.
model::Transformer vanishing_model() {
  model::Transformer model = test::example_model_file("flip_flop_rightmost");
  model.layers.erase(model.layers.begin());
  PositionFormula table{PositionFormula::Kind::table, {}, {}};
  for (int i = 1; i <= 8; ++i) table.table.push_back(-std::ldexp(1.0, -6 * i));
  model.position_encodings = {{3, table}};  // the key that "last write" reads
  model.layers[0].heads[0].k.add(0, 0, 0x1p20);
  model.layers[0].heads[0].weighting = model.layers[0].heads[0].intended = Weighting::ahardmax;
  model.layers[0].heads[0].v = SparseMatrix(1, model.width);
  model.layers[0].heads[0].v.add(0, 2, 1);
  return model;
}

TEST(Soften, RefusesAGapThatVanishes) {
  Options options;
  options.route = Route::interval;
  options.length = 3;
  EXPECT_EQ(refusal_of(vanishing_model(), options), "no refusal");
  options.length = 8;
  const std::string refusal = refusal_of(vanishing_model(), options);
  EXPECT_THAT(refusal, HasSubstr("head 0.0 last write"));
  EXPECT_THAT(refusal, HasSubstr("gap"));
  options.length = 9;
  EXPECT_THAT(refusal_of(vanishing_model(), options), HasSubstr("table that ends at position 8"));
}

TEST(Soften, RefusesWhatItCannotEstablish) {
  model::Transformer soft = test::example_model_file("flip_flop");
  soft.layers[2].heads[0].weighting = soft.layers[2].heads[0].intended = Weighting::soft;
  EXPECT_THAT(refusal_of(soft), HasSubstr("head 2.0 last write is soft"));

  Options options;
  options.route = Route::proof;
  EXPECT_THAT(refusal_of(test::example_model_file("flip_flop"), options), HasSubstr("no proof"));
  options.route = Route::interval;  // ties are averaged, so what is retrieved is no longer known exactly
  options.length = 4;
  EXPECT_THAT(refusal_of(test::example_model_file("ngram_3_one_head"), options), HasSubstr("length 2"));
  options.route = Route::exhaustive;
  options.length = 16;
  EXPECT_THAT(refusal_of(test::example_model_file("ngram_3_one_head"), options), HasSubstr("words of length"));

  model::Transformer logarithm = test::example_model_file("flip_flop");
  logarithm.position_encodings[0].formula.kind = PositionFormula::Kind::log_index;
  options.length = 2;
  EXPECT_THAT(refusal_of(logarithm, options), HasSubstr("log(i) is not a rational number"));
}

// ---- S-RASP by proof

model::Transformer compiled(const std::string& name) {
  return driver::compile(driver::parse_program(test::read_text(test::source_path("examples/programs/") + name))).model;
}

TEST(SoftenByProof, GapsAreNoLargerThanTheTrueOnes) {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    if (entry.path().extension() != ".srasp") continue;
    const std::string name = entry.path().filename().string();
    const model::Transformer hard = hard_model(compiled(name));
    const Network network(hard);
    for (std::size_t n = 2; n <= 4 && words_of_length(hard, n) <= 64; ++n) {
      const LengthFacts facts = enumerate(network, n);
      for (std::size_t l = 0; l < facts.layers.size(); ++l)
        for (std::size_t h = 0; h < facts.layers[l].heads.size(); ++h) {
          const HeadFacts& head = facts.layers[l].heads[h];
          if (head.uniform) continue;
          EXPECT_FALSE(head.ties) << name << ": " << head_name(hard, l, h);
          EXPECT_LE(proved_gap(hard.layers[l].heads[h], n), head.gap) << name << ": " << head_name(hard, l, h);
        }
    }
  }
}

TEST(SoftenByProof, RangesContainWhatEnumerationFinds) {
  for (const std::string name : {"parity.srasp", "map_reverse.srasp", "dyck_1.srasp", "most_freq.srasp"}) {
    const model::Transformer hard = hard_model(compiled(name));
    const Network network(hard);
    Options options;
    options.construction_confirmed = true;
    options.length = 6;
    const std::vector<LengthFacts> proved = find_facts(network, Route::proof, options).facts;
    for (std::size_t n = 1; n <= 3; ++n) {
      const LengthFacts exact = enumerate(network, n);
      for (std::size_t l = 0; l < exact.layers.size(); ++l) {
        for (std::size_t c = 0; c < hard.width; ++c) {
          EXPECT_GE(proved[n - 1].layers[l].in[c] * (1 + 1e-15), exact.layers[l].in[c]) << name;
          EXPECT_GE(proved[n - 1].layers[l].middle[c] * (1 + 1e-15), exact.layers[l].middle[c]) << name;
        }
        for (std::size_t g = 0; g < exact.layers[l].groups.size(); ++g)
          for (std::size_t cell = 0; cell < exact.layers[l].groups[g].size(); ++cell) {
            const Interval &wide = proved[n - 1].layers[l].groups[g][cell], &seen = exact.layers[l].groups[g][cell];
            if (seen.low > seen.high) continue;
            EXPECT_LE(wide.low, seen.low + 1e-15) << name << " layer " << l;
            EXPECT_GE(wide.high, seen.high - 1e-15) << name << " layer " << l;
          }
      }
    }
  }
}

TEST(SoftenByProof, ProgramsAnswerAsTheirHardNetworks) {
  for (const std::string name : {"parity.srasp", "reverse.srasp", "majority_rules.srasp", "dyck_1.srasp"}) {
    const model::Transformer model = compiled(name);
    Options options;
    options.construction_confirmed = true;
    const Softened softened = soften(model, options);
    EXPECT_EQ(softened.derivation.route, Route::proof) << name;
    EXPECT_EQ(softened.derivation.length, 256u) << name;
    expect_same_answers(hard_model(model), softened.model, 3, NumberFormat::f64);
  }
}

TEST(SoftenByProof, ClaimsOfAnUnconfirmedModelAreNotBelieved) {
  Options options;
  options.route = Route::proof;
  EXPECT_THAT(refusal_of(compiled("parity.srasp"), options), HasSubstr("no proof"));
}

}  // namespace
}  // namespace quench::soften
