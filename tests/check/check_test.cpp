// The independent checker accepts every untouched certificate, and no length that is one too great. Changed ones are in
// mutations_test.cpp.
#include "check/check.h"

#include <gtest/gtest.h>

#include "base/number/random.h"
#include "check/certified_examples.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"

namespace quench::check {
namespace {

using Json = nlohmann::ordered_json;

TEST(Checker, AcceptsEveryUntouchedCertificate) {
  for (const Certified& each : certified_examples()) {
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
  for (const Certified& each : certified_examples()) {
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
