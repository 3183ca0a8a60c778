// Which models are what our compiler makes of the rule they name: all that it makes, with whatever settings, and none
// in which anything that is computed with was changed.
#include "certified/origin.h"

#include <gtest/gtest.h>

#include "driver/compile.h"
#include "lower/fragment.h"

namespace quench::certified {
namespace {

model::Transformer compiled(const std::string& source, std::string_view recipe, std::optional<double> gamma = {},
                            bool digits = false) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.gamma = gamma;
  options.digits = digits;
  return driver::compile(driver::parse_rule(source), options).model;
}

TEST(Origin, IsTheCompilerWhateverTheSettings) {
  for (const std::string source :
       {"prev Q_a", "Q_a since Q_b", "#<[Q_a] >= 2*#<[Q_b] + 1", "#<[Q_a] = #>[Q_b]", "odd(#<[Q_a])", "true"})
    for (const lower::Recipe& recipe : lower::recipes()) {
      if (!recipe.covers.covers(lower::fragment_of(driver::parse(source)).features)) continue;
      if (recipe.name == "tight-decoder" && source.starts_with("odd")) continue;  // no decoder is known
      for (const std::optional<double> gamma : {std::optional<double>(), std::optional(4.7), std::optional(13.0)})
        for (const bool digits : {false, true}) {
          if ((digits && !recipe.tight) || (gamma && recipe.exact)) continue;
          const Origin origin = origin_of(compiled(source, recipe.name, gamma, digits));
          EXPECT_TRUE(origin.compiled()) << source << " by " << recipe.name << ", gamma " << gamma.value_or(0) << ": "
                                         << origin.why_not;
        }
    }
}

TEST(Origin, IsTheCompilerForEveryLength) {
  for (const std::string source :
       {"prev Q_a", "odd(#<[Q_a])", "prime(#[Q_a])", "#<[Q_a] = #>[Q_b]", "Q_a", "out(i) = pos(i) > 3",
        "n(i) = rightmost j [] pos(j) : 0\nout(i) = n(i)", "out(i) = rightmost j [j < i, Q_a(j)] Q_b(j) : false",
        "l(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j < i, l(j) = l(i)] Q_b(j) : l(i) > 4"})
    for (const std::size_t length : {1u, 5u, 64u, 1000000u}) {
      lower::RecipeOptions options;
      options.recipe = "exact";
      options.length = length;
      const Origin origin = origin_of(driver::compile(driver::parse_rule(source), options).model);
      EXPECT_TRUE(origin.compiled()) << source << " up to " << length << ": " << origin.why_not;
    }
}

TEST(Origin, IsTheCompilerForProgramsAsWell) {
  for (const std::string source :
       {"out(i) = rightmost j [j < i, Q_a(j)] Q_b(j) : false", "out(i) = psum j [j <= i] (Q_a(j) ? 1 : 0)"})
    for (const std::optional<double> gamma : {std::optional<double>(), std::optional(4.7), std::optional(29.3)}) {
      const model::Transformer model = compiled(source, "auto", gamma);
      for (const Alike alike : {Alike::network, Alike::construction})
        EXPECT_TRUE(origin_of(model, alike).compiled()) << source << ": " << origin_of(model, alike).why_not;
    }
}

TEST(Origin, IsNotTheCompilerWhereAnythingWasChanged) {
  const model::Transformer original = compiled("prev Q_a & odd", "auto");
  const auto why_not = [&](auto change) {
    model::Transformer model = original;
    change(model);
    return origin_of(model).why_not;
  };
  EXPECT_EQ(why_not([](auto&) {}), "");
  EXPECT_EQ(why_not([](auto& m) { m.layers[0].heads[0].name = "another"; }), "") << "names are notes";
  EXPECT_NE(why_not([](auto& m) { m.source = "true"; }), "");
  EXPECT_NE(why_not([](auto& m) { m.source = "prev Q_b & odd"; }), "");
  EXPECT_NE(why_not([](auto& m) { m.source = "("; }), "");
  EXPECT_NE(why_not([](auto& m) { m.source.clear(); }), "");
  EXPECT_NE(why_not([](auto& m) { m.recipe = "by hand"; }), "");
  EXPECT_NE(why_not([](auto& m) { m.layers[0].heads[0].mask = Mask::none; }), "");
  EXPECT_NE(why_not([](auto& m) { m.layers[0].heads[0].v = SparseMatrix(m.layers[0].heads[0].v.rows.size(), m.width); }),
            "");
  EXPECT_NE(why_not([](auto& m) { m.layers[0].ffn.b1[0] += 0.125; }), "");
  EXPECT_NE(why_not([](auto& m) { m.output.kind = model::OutputKind::integer; }), "");
  EXPECT_NE(why_not([](auto& m) {
              for (model::PositionEncoding& encoding : m.position_encodings)
                if (encoding.formula.predicate) encoding.formula.predicate->kind = Predicate::Kind::even;
            }),
            "");
}

/// Softening replaces weighting and temperature, and rests on the claims.
TEST(Origin, OfAConstructionIsAboutTheHardNetworkAndItsClaims) {
  model::Transformer model = compiled("prev Q_a", "auto");
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads) head.weighting = head.intended, head.temperature = Temperature::one;
  EXPECT_FALSE(origin_of(model).compiled());
  EXPECT_TRUE(origin_of(model, Alike::construction).compiled());
  model.layers[0].heads[0].claim.lemma = Lemma::q_any;
  EXPECT_FALSE(origin_of(model, Alike::construction).compiled());
}

}  // namespace
}  // namespace quench::certified
