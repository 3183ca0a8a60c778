// Comparisons are made by the construction that is certified further: bounds::longer_comparison says which, from the
// coefficients alone, and is right about it. The other construction is that of recipes 20a and 20b, at our γ.
#include <gtest/gtest.h>

#include <cmath>

#include "bounds/comparison.h"
#include "certify/certify.h"
#include "driver/compile.h"

namespace quench::certify {
namespace {

struct Case {
  std::string text;
  bounds::ComparisonWeights weights;
};

/// Both directions and each alone, C = 1 … 12, with and without constants, inequalities and equations.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int c = 1; c <= 12; ++c) {
    const double x = c, rest = 12 - c;
    const std::string a = std::to_string(c), b = std::to_string(12 - c);
    all.push_back({a + "*#<[Q_a] >= 3*#<[Q_b] + " + a, {x + 3, 0, 0}});
    all.push_back({a + "*#>[Q_a] = #>[Q_b]", {0, x + 1, 0}});
    all.push_back({a + "*#[Q_a] > 2*#[Q_b] - 7", {0, 0, x + 2}});
    all.push_back({a + "*#<[Q_a] >= #>[Q_b]", {x, 1, 0}});
    all.push_back({a + "*#<[Q_a] = 13*#>[Q_b] + 11", {x, 13, 0}});
    all.push_back({"#<[Q_a] + " + a + "*#[Q_b] <= 2*#>[Q_b] + 100", {1, 2, x}});
    if (rest > 0) all.push_back({a + "*#<[Q_a] + " + b + "*#>[Q_b] >= 13", {x, rest, 0}});
  }
  return all;
}

std::uint64_t length(const std::string& text, const char* recipe, NumberFormat format) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.gamma = 16;
  return certify(driver::compile(driver::parse(text), options).model, Arithmetic::of(format), Summation::exact_count)
      .length;
}

TEST(ComparisonChoice, IsTheConstructionThatIsCertifiedFurther) {
  for (const Case& each : cases())
    for (const auto& [sign, lookup] : {std::pair{"tight", "20a"}, std::pair{"tight-position", "20b"}})
      for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
        const double u = std::ldexp(1.0, -compute_format(format).precision);
        const auto by_sign = static_cast<double>(length(each.text, sign, format));
        const auto by_lookup = static_cast<double>(length(each.text, lookup, format));
        ASSERT_GT(by_lookup, 0) << each.text;
        EXPECT_EQ(bounds::longer_comparison(each.weights, u) == bounds::ComparisonBy::sign, by_sign >= by_lookup)
            << each.text << " " << sign << " in " << to_string(format);
        EXPECT_GE(by_sign, std::floor(std::min(bounds::sign_length(each.weights, u), 0x1p53 - 1)))
            << each.text << " " << sign << " in " << to_string(format);
        EXPECT_LE(by_lookup, bounds::lookup_length(each.weights, u)) << each.text << " " << lookup;
      }
}

/// Also where coefficients are so large that both constructions fail early.
TEST(ComparisonChoice, HoldsForLargeCoefficients) {
  const double u = 0x1p-24;
  for (const double c : {100, 400, 600, 1000, 4000}) {
    const std::string a = std::to_string(static_cast<int>(c));
    for (const Case& each : {Case{a + "*#<[Q_a] >= #>[Q_b]", {c, 1, 0}},
                             Case{a + "*#<[Q_a] >= " + a + "*#>[Q_b] + #>[Q_c]", {c, c + 1, 0}}}) {
      const auto by_sign = static_cast<double>(length(each.text, "tight", NumberFormat::f32));
      const auto by_lookup = static_cast<double>(length(each.text, "20a", NumberFormat::f32));
      EXPECT_GE(by_sign, by_lookup) << each.text;
      EXPECT_GE(by_sign, std::floor(bounds::sign_length(each.weights, u))) << each.text;
      EXPECT_LE(by_lookup, bounds::lookup_length(each.weights, u)) << each.text;
    }
  }
}

}  // namespace
}  // namespace quench::certify
