// Changed certificates and models before the independent checker. Changes that make a certificate false are all
// rejected; whatever else is changed, what is accepted is borne out by the certifier, which shares no code with the
// checker, or, where it is silent about a changed model, by running more words.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/error.h"
#include "base/number/random.h"
#include "certify/certify.h"
#include "check/certified_examples.h"
#include "check/check.h"
#include "model/file.h"
#include "run/answers.h"
#include "support/all_words.h"
#include "support/mutated_json.h"
#include "support/mutated_model.h"

namespace quench::check {
namespace {

using test::Json;

/// One random change that makes the claim false: a figure, a name, a lemma, a format, a length, or a weight (with the
/// hash left as it was, or renewed as a forger would and the length raised).
bool make_false(Random& random, Json& certificate, model::Transformer& model) {
  Json& entry = certificate["entries"][random.below(certificate["entries"].size())];
  const auto head = [&]() -> Json* {
    return entry["heads"].empty() ? nullptr : &entry["heads"][random.below(entry["heads"].size())];
  };
  switch (random.below(8)) {
    case 0:
      if (entry["length"].is_null()) return false;
      // A little more, or twice as much: beyond a million the checker may go a little further than the certifier.
      if (const std::uint64_t length = entry["length"].get<std::uint64_t>(); length < 1'000'000 && random.chance(0.5))
        entry["length"] = length + 1 + random.below(3);
      else
        entry["length"] = 2 * length + 1 + random.below(1000);
      return true;
    case 1:
      if (entry["length"].is_null()) return false;
      entry["length"] = nullptr;
      return true;
    case 2: {
      Json* line = head();
      if (!line) return false;
      (*line)["lemma"] = (*line)["lemma"] == "P-L8a" ? "P-L8b" : "P-L8a";
      return true;
    }
    case 3: {
      Json* line = head();
      if (!line) return false;
      // A written error bound is an upper bound, and the checker derives its own, now and then a sharper one: cutting
      // it need not make it false. The gap is what it is, and errors are not negative.
      const char* key = random.chance(0.5) ? "gap" : random.chance(0.5) ? "bound" : "score_error";
      const double value = (*line)[key].get<double>();
      if (value == 0) return false;
      (*line)[key] = std::string(key) == "gap" ? value * (random.chance(0.5) ? 1.01 : 0.99) : -value;
      return true;
    }
    case 4: {
      Json* line = head();
      if (!line) return false;
      (*line)["name"] = (*line)["name"].get<std::string>() + "x";
      return true;
    }
    case 5: {
      std::string hash = certificate["model"];
      char& digit = hash[random.below(hash.size())];
      digit = digit == '0' ? '1' : '0';
      certificate["model"] = hash;
      return true;
    }
    case 6: {  // a weight
      if (model.layers.empty()) return false;
      model::Layer& layer = model.layers[random.below(model.layers.size())];
      if (layer.heads.empty()) return false;
      model::Head& chosen = layer.heads[random.below(layer.heads.size())];
      SparseMatrix* parts[] = {&chosen.q, &chosen.k, &chosen.v, &layer.ffn.w1};
      SparseMatrix& part = *parts[random.below(4)];
      if (part.rows.empty()) return false;
      part.add(random.below(part.rows.size()), random.below(part.cols), 0.25 + random.unit());
      return true;
    }
    default: {  // a head's tag, with the hash renewed
      if (model.layers.empty()) return false;
      model::Layer& layer = model.layers[random.below(model.layers.size())];
      if (layer.heads.empty() || certificate["entries"][0]["length"] == 0) return false;
      model::HeadClaim& claim = layer.heads[random.below(layer.heads.size())].claim;
      claim.structure = claim.structure == HeadStructure::uniform ? HeadStructure::tie_break : HeadStructure::uniform;
      certificate["model"] = model::fingerprint(model);
      return true;
    }
  }
}

void expect_rejected(std::uint64_t seed, int count) {
  Random random(seed);
  const std::vector<Certified>& all = certified_examples();
  for (int rejected = 0; rejected < count;) {
    const Certified& original = all[random.below(all.size())];
    Certified changed = original;
    if (!make_false(random, changed.certificate, changed.model)) continue;
    const Verdict verdict = check(changed.certificate.dump(), changed.model);
    ASSERT_FALSE(verdict.accepted) << original.model.recipe << " " << original.model.source << ": "
                                   << Json::diff(original.certificate, changed.certificate).dump();
    ++rejected;
  }
}

TEST(MutatedCertificates, AreRejectedWhereFalse) { expect_rejected(99, 400); }

/// A hundred thousand in all.
class SlowMutatedCertificates : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(SlowMutatedCertificates, AreRejectedWhereFalse) { expect_rejected(1000 + GetParam(), 5'000); }

/// Certificates and models with anything changed, the hash renewed as a forger would.
class Forgeries {
 public:
  explicit Forgeries(std::uint64_t seed) : random_(seed) {}

  void make(int count) {
    for (int k = 0; k < count && !::testing::Test::HasFailure(); ++k)
      random_.chance(0.5) ? of_the_text() : of_the_model();
  }
  void print() const {
    std::printf(
        "changed certificates: %d rejected, %d accepted and true; changed models: %d rejected, %d accepted and "
        "true, %d of them with new certificates; %d words run, %d lengths accepted by the checker alone\n",
        texts_.rejected, texts_.accepted, models_.rejected, models_.accepted, proved_again_, words_, alone_);
  }

  struct Tally {
    int rejected = 0, accepted = 0;
  };
  const Tally& texts() const { return texts_; }
  const Tally& models() const { return models_; }
  int alone() const { return alone_; }

 private:
  const Certified& any() {
    const std::vector<Certified>& all = certified_examples();
    return all[random_.below(all.size())];
  }

  void of_the_text() {
    const Certified& original = any();
    Json certificate = original.certificate;
    test::change_anywhere(random_, certificate);
    if (random_.chance(0.5)) test::change_anywhere(random_, certificate);
    if (certificate.is_object() && random_.chance(0.9)) name(original.model, certificate);
    judge(certificate.dump(-1, ' ', false, Json::error_handler_t::replace), original.model, original.model, texts_);
  }

  void of_the_model() {
    const Certified& original = any();
    const NumberFormat format = all_number_formats()[random_.below(all_number_formats().size())];
    const model::Transformer model =
        random_.chance(0.5)
            ? little_changed(original.model)
            : test::mutated_model(random_, original.model, random_.chance(0.5) ? NumberFormat::f32 : NumberFormat::f64);
    try {
      model::validate(model);
    } catch (const IoError&) {
      return;
    }
    if (random_.chance(0.5)) {
      // One entry of the original, mostly of a shorter length: often all its lines are still right.
      Json certificate = original.certificate;
      Json entry = certificate["entries"][random_.below(certificate["entries"].size())];
      const std::uint64_t shorter = 1 + random_.below(64);
      if (random_.chance(0.7) && (entry["length"].is_null() || entry["length"].get<std::uint64_t>() > shorter))
        entry["length"] = shorter;
      certificate["entries"] = Json::array({entry});
      name(model, certificate);
      judge(certificate.dump(), model, original.model, models_);
      return;
    }
    // What the certifier proves of the changed model, and now and then more than that.
    const auto summation = static_cast<model::Summation>(random_.below(3));
    const std::uint64_t longest = std::uint64_t{1} << random_.below(12);
    model::Certificate certificate{model::fingerprint(model), model.recipe, model.source, {}};
    certificate.entries.push_back(
        {format, summation, certify::certify(model, certify::Arithmetic::of(format), summation, longest)});
    if (random_.chance(0.3)) certificate.entries[0].finding.length += 1 + random_.below(longest);
    const int before = models_.accepted;
    judge(model::to_json(certificate), model, original.model, models_);
    proved_again_ += models_.accepted > before;
  }

  /// One weight is doubled, halved, negated or one more: whole numbers mostly stay whole.
  model::Transformer little_changed(model::Transformer model) {
    const std::vector<SparseMatrix*> matrices = test::matrices_of(model);
    const std::vector<double*> weights = test::weights_of(*matrices[random_.below(matrices.size())]);
    if (weights.empty()) return model;
    double& weight = *weights[random_.below(weights.size())];
    const double instead[] = {2 * weight, weight / 2, -weight, weight + 1};
    weight = test::as_weight(instead[random_.below(std::size(instead))]);
    return model;
  }

  static void name(const model::Transformer& model, Json& certificate) {
    certificate["model"] = model::fingerprint(model);
    certificate["recipe"] = model.recipe;
    certificate["source"] = model.source;
  }

  void judge(const std::string& text, const model::Transformer& model, const model::Transformer& original,
             Tally& tally) {
    if (!check(text, model).accepted) {
      ++tally.rejected;
      return;
    }
    ++tally.accepted;
    const model::Transformer ideal = as_claimed(model, original);
    for (const model::Entry& entry : model::certificate_from_json(text).entries)
      if (entry.finding.length > 0) bear_out(entry, model, ideal, &model != &original, text);
  }

  /// Certificates are about what heads claim to be. Which weighting a head is meant to have is a note that goes with the
  /// claim and was changed alone: the original has it.
  static model::Transformer as_claimed(model::Transformer model, const model::Transformer& original) {
    for (std::size_t l = 0; l < model.layers.size(); ++l)
      for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h)
        model.layers[l].heads[h].intended = original.layers[l].heads[h].intended;
    return model;
  }

  /// Beyond a million both stop where a bound reaches a threshold, each with roundings of its own, and may stop a few
  /// steps apart (a change adds one, and there are two at most).
  static bool is_certified(const model::Entry& entry, const model::Transformer& model) {
    std::uint64_t length = entry.finding.length;
    if (length > 1'000'000 && length < model::kLongest) length -= 2;
    return certify::holds(model, certify::Arithmetic::of(entry.format), entry.summation, length);
  }

  void bear_out(const model::Entry& entry, const model::Transformer& model, const model::Transformer& claimed,
                bool changed, const std::string& text) {
    const model::Finding& finding = entry.finding;
    // Of a changed model the certifier may say nothing, though the change does no harm: a number that is not whole where
    // nothing reads it, one that its doubles lose beside another. Then the checker has more words to be wrong on.
    const bool certified = is_certified(entry, model);
    EXPECT_TRUE(certified || changed) << model.recipe << " " << model.source << ": " << text;
    alone_ += !certified;
    const run::Executor rounded(model, {entry.format, false}, run::Engine::reference, false);
    const run::Executor ideal(claimed, {NumberFormat::f64, true}, run::Engine::reference, false);
    const auto compare = [&](const Word& word) {
      if (word.size() > finding.length) return;
      ++words_;
      EXPECT_EQ(run::answers(model, rounded, word, space_), run::answers(claimed, ideal, word, space_))
          << model.alphabet.print(word) << " in " << to_string(entry.format) << ": " << model.recipe << " "
          << model.source << ": " << text;
    };
    test::for_all_words(std::min<std::size_t>(model.alphabet.size(), 2), true, certified ? 2 : 5, compare);
    for (int k = certified ? 1 : 100; k > 0; --k)
      compare(random_word(random_, model.alphabet.size(), true, 3 + random_.below(20)));
  }

  Random random_;
  Tally texts_, models_;
  int proved_again_ = 0, words_ = 0, alone_ = 0;
  run::Executor::Workspace space_;
};

void expect_borne_out(std::uint64_t seed, int count) {
  Forgeries forgeries(seed);
  forgeries.make(count);
  forgeries.print();
  EXPECT_GT(forgeries.texts().rejected, count / 4);
  EXPECT_GT(forgeries.models().rejected, count / 8);
  EXPECT_GT(forgeries.texts().accepted, 0);
  EXPECT_GT(forgeries.models().accepted, 0);
  EXPECT_LE(forgeries.alone(), 1 + count / 200);
}

TEST(MutatedCertificates, AreAcceptedOnlyIfTrue) { expect_borne_out(5, 600); }
TEST_P(SlowMutatedCertificates, AreAcceptedOnlyIfTrue) { expect_borne_out(2000 + GetParam(), 5'000); }

INSTANTIATE_TEST_SUITE_P(BySeed, SlowMutatedCertificates, ::testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace quench::check
