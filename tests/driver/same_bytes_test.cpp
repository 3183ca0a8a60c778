// A model names the rule it was compiled from. Printing that rule and compiling it again gives the same file, to the
// byte, however the rule was first put together.
#include <gtest/gtest.h>

#include <optional>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/canonical.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "lang/random_program.h"
#include "lower/recipe_fragment.h"
#include "model/file.h"
#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

using lower::RecipeOptions;

RecipeOptions options_for(std::string_view recipe, std::optional<lower::Sharpen> sharpen = {}) {
  RecipeOptions options;
  options.recipe = recipe;
  options.sharpen = sharpen;
  return options;
}

/// Every recipe by its name, with and without digits, and every family with every flag.
std::vector<RecipeOptions> all_options() {
  std::vector<RecipeOptions> all;
  for (const lower::Recipe& recipe : lower::recipes())
    for (const bool digits : {false, true})
      if (recipe.tight || !digits) {
        all.push_back(options_for(recipe.name));
        all.back().digits = digits;
      }
  for (const char* family : {"auto", "paper"})
    for (const auto sharpen : {std::optional<lower::Sharpen>(), std::optional(lower::Sharpen::temperature),
                               std::optional(lower::Sharpen::position)})
      for (const bool decoder : {false, true})
        for (const std::optional<double> gamma : {std::optional<double>(), std::optional(5.5)}) {
          all.push_back(options_for(family, sharpen));
          all.back().decoder = decoder;
          all.back().gamma = gamma;
        }
  return all;
}

/// Nothing where the recipe does not go with the rule.
std::optional<model::Transformer> compiled(const lang::Rule& rule, const RecipeOptions& options) {
  try {
    return driver::compile(rule, options).model;
  } catch (const DiagnosticError&) {
    return std::nullopt;
  }
}

/// How many models there were to compare.
int expect_same_bytes(const lang::Rule& rule, const RecipeOptions& options) {
  const auto model = compiled(rule, options);
  if (!model) return 0;
  const bool program = std::holds_alternative<lang::Program>(rule);
  const auto again = compiled(driver::parse_rule(model->source, program ? "x.srasp" : "x.tl"), options);
  EXPECT_TRUE(again) << options.recipe << " does not compile its own source\n" << model->source;
  if (!again) return 0;
  EXPECT_EQ(model::fingerprint(*again), model::fingerprint(*model)) << options.recipe << " makes other bytes of\n"
                                                                    << model->source << "and of\n"
                                                                    << again->source;
  return 1;
}

int expect_same_bytes(const lang::Rule& rule) {
  int compared = 0;
  for (const RecipeOptions& options : all_options()) compared += expect_same_bytes(rule, options);
  return compared;
}

lang::RandomFormulaOptions random_options(Random& random) {
  static const std::vector<lower::Recipe>& recipes = lower::recipes();
  lang::RandomFormulaOptions options;
  options.fragment = lower::fragment_for(recipes[random.below(recipes.size())]);
  options.fragment.length_predicate = options.fragment.position_predicate && random.chance(0.5);
  options.operators = static_cast<int>(random.below(14));
  options.symbols = static_cast<int>(random.below(6));
  options.max_coefficient = static_cast<int>(1 + random.below(5));
  return options;
}

/// The same rule with its nodes and symbols added in some other order, beside others that nothing needs.
lang::Formula shuffled(const lang::Formula& formula, Random& random) {
  lang::Formula result;
  std::vector<std::string> symbols = formula.alphabet.symbols();
  symbols.push_back("unused");
  for (std::size_t k = symbols.size(); k > 1; --k) std::swap(symbols[k - 1], symbols[random.below(k)]);
  result.alphabet = Alphabet(symbols);
  std::vector<lang::FormulaId> moved(formula.size());
  const auto at = [&](lang::FormulaId id) { return moved[id.index]; };
  const auto term = [&](lang::TermId id) {
    lang::Term copy = formula[id];
    for (lang::Term::Part& part : copy.parts) part.count.of = at(part.count.of);
    return result.add(copy);
  };
  std::vector<lang::FormulaId> waiting;
  for (std::size_t k = 0; k < formula.size(); ++k) waiting.push_back(lang::FormulaId(k));
  while (!waiting.empty()) {
    const std::size_t pick = random.below(waiting.size());
    const lang::FormulaId id = waiting[pick];
    bool ready = true;
    formula.for_each_child(id, [&](lang::FormulaId child) { ready = ready && at(child).valid(); });
    if (!ready) continue;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(pick));
    lang::Node node = formula[id];
    if (auto* atom = std::get_if<lang::SymbolAtom>(&node)) {
      atom->symbol = result.alphabet.find(formula.alphabet.symbols()[static_cast<std::size_t>(atom->symbol)]);
    } else if (auto* unary = std::get_if<lang::Unary>(&node)) {
      unary->arg = at(unary->arg);
    } else if (auto* binary = std::get_if<lang::Binary>(&node)) {
      *binary = {binary->op, at(binary->left), at(binary->right)};
    } else if (auto* comparison = std::get_if<lang::Comparison>(&node)) {
      const lang::TermId right = term(comparison->right), left = term(comparison->left);
      *comparison = {comparison->relation, left, right};
    } else if (auto* theta = std::get_if<lang::PositionPredicate>(&node)) {
      theta->predicate = result.add(formula[theta->predicate]);
    } else if (auto* applied = std::get_if<lang::CountPredicate>(&node)) {
      *applied = {result.add(formula[applied->predicate]), {applied->count.scope, at(applied->count.of)}};
    } else if (auto* congruence = std::get_if<lang::Congruence>(&node)) {
      *congruence = {result.add(formula[congruence->predicate]), term(congruence->term)};
    }
    moved[id.index] = result.add(node);
    if (random.chance(0.3)) result.add(lang::Unary{lang::Operator::next, moved[id.index]});
  }
  result.root = at(formula.root);
  return result;
}

/// Symbols that need quotes and escapes.
void give_odd_symbols(lang::Formula& formula, Random& random) {
  std::vector<std::string> odd{"'", "\\", "\n", "\t", " ", "(", "#", "_", "é", "😀", "\a", "0", "Q"};
  for (std::size_t k = odd.size(); k > 1; --k) std::swap(odd[k - 1], odd[random.below(k)]);
  odd.resize(formula.alphabet.size());
  formula.alphabet = Alphabet(odd);
}

TEST(SameBytes, TermsKeepTheirOrder) {
  for (const char* text :
       {"#>[Q_b] + #<[Q_a] < 2", "#[Q_b] - #<[Q_a] >= 0", "-#>[Q_b] + 2 < #<[Q_a] + #<[Q_b] - #[Q_c]",
        "#<[#>[Q_b] + #<[Q_a] < 2] + #<[Q_b] >= #>[#<[Q_a] + #>[Q_b] < 2]"}) {
    EXPECT_GT(expect_same_bytes(driver::parse(text)), 4) << text;
    EXPECT_EQ(lang::print(driver::parse(text)), std::string(text) + "\n");
  }
}

TEST(SameBytes, WhateverTheTextDefinesAndDoesNotUse) {
  for (const char* text : {
           "let x = Q_b; Q_a & x",
           "let unused = Q_c since Q_a; Q_b; Q_a | Q_b",
           "let t = #>[Q_b] + #<[Q_a]; let s = #<[Q_c] - t; s + t >= t - s + 1",
           "pred p = {1, 3}; pred q(x, n) = x*x <= n; pred r = {2}; q & p(#<[Q_b]) | q(#[Q_a])",
           "let x = prev Q_b; let y = x & Q_a; (x | y) since (y xor x)",
           "#<[Q_a] + #<[Q_a] - 2*#<[Q_a] + #<[Q_b] >= 1",
           "Q_foo | prev Q['-'] & #<[Q['a-b'] | true] > #<[false]",
       })
    EXPECT_GT(expect_same_bytes(driver::parse(text)), 0) << text;
}

TEST(SameBytes, NamesForSharedParts) {
  std::string text = "let x0 = #>[Q_b] + #<[Q_a] < 2\n";
  for (int k = 1; k <= 12; ++k) {
    const std::string before = "x" + std::to_string(k - 1);
    text += "let x" + std::to_string(k) + " = (Q_c | " + before + ") since (prev " + before + " & #<[" + before +
            "] > 1)\n";
  }
  lang::Formula formula = driver::parse(text + "x12");
  EXPECT_GT(expect_same_bytes(formula), 3);
  formula.names = {};
  EXPECT_NE(lang::print(formula).find("let f1 = "), std::string::npos);
  EXPECT_GT(expect_same_bytes(formula), 3);
}

void check_random_formulas(std::uint64_t seed, int count) {
  Random random(seed);
  const std::vector<RecipeOptions> all = all_options();
  int compared = 0;
  for (int k = 0; k < count; ++k) {
    lang::Formula formula = lang::random_formula(random, random_options(random));
    if (random.chance(0.3)) give_odd_symbols(formula, random);
    for (int pick = 0; pick < 3; ++pick) compared += expect_same_bytes(formula, all[random.below(all.size())]);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, count / 2);
}

TEST(SameBytes, RandomFormulas) { check_random_formulas(20, 1000); }
TEST(SlowSameBytes, RandomFormulas) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) check_random_formulas(seed, 3000);
}

TEST(SameBytes, OrderOfConstructionDoesNotMatter) {
  Random random(21);
  for (int k = 0; k < 500; ++k) {
    const lang::Formula formula = lang::random_formula(random, random_options(random));
    const lang::Formula other = lang::canonical(shuffled(formula, random));
    EXPECT_EQ(other.alphabet.symbols(), formula.alphabet.symbols());
    ASSERT_EQ(lang::print_json(other), lang::print_json(formula)) << lang::print(formula);
    ASSERT_EQ(model::fingerprint(driver::compile(shuffled(formula, random)).model),
              model::fingerprint(driver::compile(formula).model))
        << lang::print(formula);
  }
}

TEST(SameBytes, Examples) {
  for (const test::ExampleFile& example : test::formula_examples()) {
    EXPECT_GT(expect_same_bytes(driver::parse(example.text)), 0) << example.name;
  }
}

TEST(SameBytes, ExamplePrograms) {
  const std::filesystem::path folder = test::source_path("examples/programs");
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".brasp" || entry.path().extension() == ".srasp") {
      const lang::Rule rule = driver::parse_rule(test::read_text(entry.path()), entry.path().filename().string());
      for (const auto sharpen : {std::optional<lower::Sharpen>(), std::optional(lower::Sharpen::position)})
        compared += expect_same_bytes(rule, options_for("auto", sharpen));
    }
  EXPECT_GT(compared, 10);
}

TEST(SameBytes, RandomPrograms) {
  Random random(22);
  int compared = 0;
  for (int k = 0; k < 200; ++k)
    for (const auto sharpen : {std::optional<lower::Sharpen>(), std::optional(lower::Sharpen::position)})
      compared +=
          expect_same_bytes(driver::parse_program(lang::RandomProgram(random).text()), options_for("auto", sharpen));
  EXPECT_GT(compared, 200);
}

/// Parts whose text is too long for a label are named, and the source has these names.
TEST(SameBytes, OfRulesWithLongParts) {
  Random random(15);
  std::string deep = "Q_a", wide = "Q_a";
  for (int k = 0; k < 1500; ++k) {
    deep = (random.below(2) == 0 ? "prev !" : "O ") + deep;
    wide += (random.below(2) == 0 ? " & prev Q_b" : " | O Q_c") + std::to_string(k % 300);
  }
  const std::string sum = "let sum = #<[" + wide + "] - #<[" + deep + "]\nsum >= 0 | sum = -3";
  for (const std::string& text : {deep, wide, sum}) {
    const lang::Formula formula = driver::parse(text);
    EXPECT_EQ(expect_same_bytes(formula, options_for("auto")), 1);
    EXPECT_NE(driver::compile(formula, options_for("auto")).model.source.find("let f1 = "), std::string::npos);
  }
}

}  // namespace
}  // namespace quench
