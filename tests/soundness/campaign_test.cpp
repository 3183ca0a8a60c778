// The campaign over the example rules and over random formulas: every recipe, every format, mantissas of 8 to 20 bits.
// `tight` and its flavours take part as soon as they certify anything.
#include <gtest/gtest.h>

#include <map>

#include "base/text/diagnostic.h"
#include "soundness/campaign.h"
#include "support/examples.h"

namespace quench::test {
namespace {

std::vector<NumberFormat> every_format() {
  std::vector<NumberFormat> formats = all_number_formats();
  formats.insert(formats.end(), emulated_number_formats().begin(), emulated_number_formats().end());
  return formats;
}

constexpr std::uint64_t kEnough = 8;  // broken promises are listed before giving up

/// The model, or nothing where the recipe does not do the formula.
std::optional<model::Transformer> compiled(const lang::Formula& formula, const lower::Recipe& recipe,
                                           std::optional<double> gamma = {}, bool digits = false) {
  if (!recipe.covers.covers(lower::fragment_of(formula).features)) return std::nullopt;
  lower::RecipeOptions options;
  options.recipe = recipe.name;
  options.gamma = gamma;
  options.digits = digits && recipe.tight;
  try {
    return driver::compile(formula, options).model;
  } catch (const DiagnosticError&) {
    return std::nullopt;  // a decoder that would need a lookup
  }
}

void check_text(Campaign& campaign, const std::string& text, std::string_view recipe, NumberFormat format,
                const CampaignEffort& effort, std::optional<double> gamma = {}, bool digits = false) {
  const lang::Formula formula = driver::parse(text);
  const std::optional<model::Transformer> model = compiled(formula, *lower::find_recipe(recipe), gamma, digits);
  ASSERT_TRUE(model) << text << " by " << recipe;
  campaign.check(formula, *model, format, effort, 5);
}

/// `share`: which of the models and formats are tried, one in so many.
void check_examples(std::uint64_t share, const CampaignEffort& effort) {
  Campaign campaign;
  Random random(share);
  for (const ExampleFile& example : formula_examples()) {
    const lang::Formula formula = driver::parse(example.text);
    for (const lower::Recipe& recipe : lower::recipes())
      for (const bool digits : {false, true}) {
        if (digits && !recipe.tight) continue;
        if (random.below(share) != 0) continue;
        const std::optional<model::Transformer> model = compiled(formula, recipe, {}, digits);
        if (!model) continue;
        for (const NumberFormat format : every_format())
          if (random.below(share) == 0) campaign.check(formula, *model, format, effort, random.bits());
        if (campaign.counts.broken > kEnough) return;
      }
  }
  EXPECT_GT(campaign.counts.promises, campaign.counts.empty / 4);
  campaign.counts.record();
}

TEST(Soundness, HoldsOnASampleOfTheExamples) { check_examples(5, {120, 3, 3}); }
TEST(Soundness, SlowHoldsOnAllExamples) { check_examples(1, {300, 4, 3}); }

void check_random(int count, const CampaignEffort& effort) {
  Campaign campaign;
  Random random(77);
  const std::vector<NumberFormat> formats = every_format();
  for (int k = 0; k < count; ++k) {
    const lower::Recipe& recipe = lower::recipes()[random.below(lower::recipes().size())];
    const lang::Formula formula =
        lang::random_formula(random, options_for(recipe, 1 + static_cast<int>(random.below(8))));
    std::optional<double> gamma;
    if (random.chance(0.5))
      gamma = recipe.tight ? std::ldexp(1.0, 2 + static_cast<int>(random.below(4))) : 3 + random.unit() * 4;
    const std::optional<model::Transformer> model = compiled(formula, recipe, gamma, random.chance(0.3));
    if (!model) continue;
    campaign.check(formula, *model, formats[random.below(formats.size())], effort, random.bits());
    if (campaign.counts.broken > kEnough) return;
  }
  EXPECT_GT(campaign.counts.promises, static_cast<std::uint64_t>(count) / 3);
  campaign.counts.record();
}

TEST(Soundness, HoldsForRandomFormulas) { check_random(60, {150, 4, 3}); }
TEST(Soundness, SlowHoldsForThousandsOfRandomFormulas) { check_random(4000, {250, 5, 4}); }

struct LongCase {
  const char *text, *recipe;
  NumberFormat format;
};
const LongCase kLong[] = {
    {"prev Q_a", "12a", NumberFormat::f32},          {"Q_a S Q_b", "15b", NumberFormat::f32},
    {"Q_a S Q_b", "16a", NumberFormat::f64},         {"#<[Q_a] >= #<[Q_b]", "21", NumberFormat::f64},
    {"odd(#<[Q_a])", "20a", NumberFormat::f64},      {"H(Q_a -> O Q_b)", "17a", NumberFormat::m20},
    {"#<[Q_a] = #>[Q_b]", "22a", NumberFormat::m20}, {"next !Q_a", "12b", NumberFormat::m18},
};
const LongCase kLongTight[] = {
    {"prev Q_a", "tight", NumberFormat::f32},
    {"Q_a S Q_b", "tight-decoder", NumberFormat::f32},
    {"Q_a U Q_b", "tight-position", NumberFormat::f32},
    {"#<[Q_a] >= #<[Q_b]", "tight", NumberFormat::f32},
    {"2*#<[Q_a] >= 3*#<[Q_b] + 1", "tight-decoder", NumberFormat::f32},
    {"#<[Q_a] >= #>[Q_b]", "tight", NumberFormat::f32},
    {"#<[Q_a] > 0", "tight", NumberFormat::f32},
    {"Q_a S Q_b", "tight", NumberFormat::m20},
    {"#<[Q_a] >= #<[Q_b]", "tight-position", NumberFormat::m20},
};

TEST(Soundness, HoldsRowByRowOnLongWords) {
  Campaign campaign;
  for (const LongCase& each : kLong) check_text(campaign, each.text, each.recipe, each.format, {20'000, 2, 1});
  for (const LongCase& each : kLongTight) check_text(campaign, each.text, each.recipe, each.format, {20'000, 2, 1});
  EXPECT_EQ(campaign.counts.longest, 20'000u);
  campaign.counts.record();
}

TEST(Soundness, SlowHoldsRowByRowUpToMillions) {
  Campaign campaign;
  for (const LongCase& each : kLong) check_text(campaign, each.text, each.recipe, each.format, {10'000'000, 2, 1});
  for (const LongCase& each : kLongTight) check_text(campaign, each.text, each.recipe, each.format, {10'000'000, 2, 1});
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::f16})
    check_text(campaign, "Q_a S Q_b", "tight", format, {10'000'000, 2, 1}, {}, /*digits=*/true);
  EXPECT_GT(campaign.counts.longest, 1'000'000u);
  campaign.counts.record();
}

/// Every recipe, every kind of head it has, the formats engines have and emulated mantissas: wherever the certified
/// length is beyond what the campaigns above reach, and at most `longest`, rows of words of just that length, one less
/// and the power of two below.
void check_row_by_row(std::uint64_t longest, const std::vector<const char*>& texts,
                      const std::vector<NumberFormat>& formats, const CampaignEffort& effort) {
  constexpr std::uint64_t kBeyond = 300, kImmense = 200'000;
  Campaign campaign;
  std::map<std::string_view, int> tried;
  for (const char* text : texts) {
    const lang::Formula formula = driver::parse(text);
    for (const lower::Recipe& recipe : lower::recipes()) {
      const std::optional<model::Transformer> model = compiled(formula, recipe);
      if (!model) continue;
      for (const NumberFormat format : formats) {
        const std::uint64_t length =
            certify::certify(*model, certify::Arithmetic::of(format), certify::Summation::normalise_last).length;
        if (length <= kBeyond || length > longest) continue;
        // A word of millions takes seconds: there two of them, of length N and N−1, of the first of the rules.
        const bool immense = length > kImmense;
        if (immense && tried[recipe.name] > 0 && text != texts[0] && text != texts[1]) continue;
        campaign.check(formula, *model, format, immense ? CampaignEffort{longest, 1, 0, 1e4} : effort, length);
        ++tried[recipe.name];
        if (campaign.counts.broken > kEnough) return;
      }
    }
  }
  EXPECT_EQ(tried.size(), lower::recipes().size());
  campaign.counts.record();
}

const std::vector<const char*> kOneOfEachHead{"prev Q_a",           "Q_a S Q_b",          "next !Q_a",
                                              "Q_a U Q_b",          "#<[Q_a] > 0",        "#<[Q_a] >= #<[Q_b]",
                                              "#<[Q_a] >= #>[Q_b]", "odd(#<[Q_a])",       "H(Q_a -> O Q_b)",
                                              "2*#[Q_a] = #[Q_b]",  "even(#>[Q_a | Q_b])"};

TEST(Soundness, HoldsRowByRowAtTheEndOfEveryRecipesCertificates) {
  check_row_by_row(3'000, {"prev Q_a", "Q_a S Q_b", "#<[Q_a] >= #<[Q_b]"},
                   {NumberFormat::f32, NumberFormat::f16, NumberFormat::m14, NumberFormat::m20}, {3'000, 1, 0, 2e4});
}
TEST(Soundness, SlowHoldsRowByRowAtTheEndOfEveryRecipesCertificates) {
  check_row_by_row(10'000'000, kOneOfEachHead,
                   {NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16, NumberFormat::m12, NumberFormat::m16},
                   {10'000'000, 1, 1, 2e4});
}

}  // namespace
}  // namespace quench::test
