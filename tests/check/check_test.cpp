// The independent checker accepts every untouched certificate and rejects every mutation that makes it false.
#include "check/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/number/random.h"
#include "certify/certificate.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "lower/fragment.h"
#include "model/file.h"

namespace quench::check {
namespace {

using Json = nlohmann::json;

struct Certified {
  model::Transformer model;
  Json certificate;
};

Certified certified(const std::string& text, std::string_view recipe, bool digits = false) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.digits = digits;
  Certified result{driver::compile(driver::parse(text), options).model, {}};
  result.certificate = Json::parse(certify::to_json(certify::make_certificate(result.model, all_number_formats())));
  return result;
}

const std::vector<Certified>& examples() {
  static const std::vector<Certified> all = [] {
    std::vector<Certified> list;
    for (const std::string text :
         {"prev Q_a", "(Q_a | Q_b) since Q_b", "Q_a U (Q_b & X Q_a)", "O Q_a & O Q_b & prev H Q_c",
          "#<[Q_a] >= 2*#<[Q_b] + 1", "#<[Q_a] = #>[Q_b]", "#<[prev Q_a & Q_b] >= 2*#>[!Q_b] + #[Q_a]", "odd(#<[Q_a])",
          "#[Q_a] >= 2", "Q_a & !Q_b"})
      for (const lower::Recipe& recipe : lower::recipes()) {
        if (!recipe.covers.covers(lower::fragment_of(driver::parse(text)).features)) continue;
        if (recipe.name == "tight-decoder" && text.starts_with("odd")) continue;  // no decoder is known
        list.push_back(certified(text, recipe.name));
        if (recipe.tight) list.push_back(certified(text, recipe.name, true));
      }
    return list;
  }();
  return all;
}

TEST(Checker, AcceptsEveryUntouchedCertificate) {
  for (const Certified& each : examples()) {
    const Verdict verdict = check(each.certificate.dump(), each.model);
    EXPECT_TRUE(verdict.accepted) << each.model.source << " by " << each.model.recipe << ": " << verdict.reason;
  }
}

/// Everything the certifier proves, the checker derives as well.
void check_random(int count) {
  Random random(31);
  for (int k = 0; k < count; ++k) {
    lang::RandomFormulaOptions options;
    options.operators = 1 + static_cast<int>(random.below(10));
    const bool temporal = random.chance(0.4);
    options.fragment.count_left = options.fragment.count_right = options.fragment.count_all = !temporal;
    options.fragment.count_predicate = !temporal;
    const lang::Formula formula = lang::random_formula(random, options);
    lower::RecipeOptions recipe;
    const char* names[] = {"tight", "tight", "tight-position", "22a"};
    recipe.recipe = names[random.below(4)];
    recipe.digits = recipe.recipe != "22a" && random.chance(0.3);
    const model::Transformer model = driver::compile(formula, recipe).model;
    const NumberFormat format = all_number_formats()[random.below(all_number_formats().size())];
    const Verdict verdict = check(certify::to_json(certify::make_certificate(model, {format})), model);
    EXPECT_TRUE(verdict.accepted) << lang::print(formula) << " by " << model.recipe << " in " << to_string(format)
                                  << ": " << verdict.reason;
  }
}
TEST(Checker, AcceptsCertificatesOfRandomFormulas) { check_random(60); }
TEST(Checker, SlowAcceptsCertificatesOfManyRandomFormulas) { check_random(2000); }

TEST(Checker, RejectsLengthsRaisedByOne) {
  int tried = 0;
  for (const Certified& each : examples()) {
    for (std::size_t k = 0; k < each.certificate["entries"].size(); ++k) {
      Json changed = each.certificate;
      Json& length = changed["entries"][k]["length"];
      if (length.is_null() || length.get<std::uint64_t>() > 1'000'000) continue;
      length = length.get<std::uint64_t>() + 1;
      EXPECT_FALSE(check(changed.dump(), each.model).accepted)
          << each.model.source << " " << each.model.recipe << changed["entries"][k]["dtype"];
      ++tried;
    }
  }
  EXPECT_GT(tried, 50);
}

/// One random change that makes the claim false: a figure, a name, a lemma, a format, a length, or a weight (with the
/// hash left as it was, or renewed as a forger would and the length raised).
bool mutate(Random& random, Json& certificate, model::Transformer& model) {
  Json& entry = certificate["entries"][random.below(certificate["entries"].size())];
  const auto head = [&]() -> Json* {
    return entry["heads"].empty() ? nullptr : &entry["heads"][random.below(entry["heads"].size())];
  };
  switch (random.below(8)) {
    case 0:
      if (entry["length"].is_null()) return false;
      entry["length"] = 2 * entry["length"].get<std::uint64_t>() + 1 + random.below(1000);
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

void check_mutations(int count) {
  Random random(99);
  int rejected = 0;
  while (rejected < count) {
    const Certified& original = examples()[random.below(examples().size())];
    Certified changed = original;
    if (!mutate(random, changed.certificate, changed.model)) continue;
    const Verdict verdict = check(changed.certificate.dump(), changed.model);
    ASSERT_FALSE(verdict.accepted) << Json::diff(original.certificate, changed.certificate).dump();
    ++rejected;
  }
}

TEST(Checker, RejectsFalseMutations) { check_mutations(400); }
TEST(Checker, SlowRejectsTenThousandFalseMutations) { check_mutations(10'000); }

/// What is said to be of `soften` is derived as such, and still has to be about the model.
TEST(Checker, DerivesWhatIsSaidToBeSoftenedAsSoftened) {
  auto [model, certificate] = certified("prev Q_a", "tight");
  certificate["soften"] = {{"length", model::kLongest - 1}};
  const Verdict verdict = check(certificate.dump(), model);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_NE(verdict.reason.find("average-hard"), std::string::npos) << verdict.reason;
  certificate["model"] = "0";
  EXPECT_EQ(check(certificate.dump(), model).reason.find("average-hard"), std::string::npos);
}

TEST(Checker, RejectsWhatIsNotACertificate) {
  const model::Transformer model = certified("prev Q_a", "tight").model;
  for (const char* text : {"", "null", "[]", "{}", "{\"version\":1}", "{\"version\":2}"})
    EXPECT_FALSE(check(text, model).accepted) << text;
}

}  // namespace
}  // namespace quench::check
