#include "lower/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "base/text/suggest.h"
#include "bounds/exact.h"
#include "lang/print/print.h"
#include "lower/exact/options.h"
#include "lower/gamma.h"

namespace quench::lower {
namespace {

using Kind = PositionFormula::Kind;
using enum Feature;

constexpr Features kPast{previous, since};
constexpr Features kLtl{previous, next, since, until};
constexpr Features kPastCounting{count_left, predicates};
constexpr Features kCounting{count_left, count_right, count_all, predicates};

/// What our flavours may use besides numerical predicates. `i` and `i^2` (`i*n`, `i^2*n`) serve lookups only, the digits
/// only where they are asked for.
std::vector<Kind> tight_encodings(std::initializer_list<Kind> own) {
  std::vector<Kind> all{Kind::alternating, Kind::inverse_index, Kind::inverse_remaining, Kind::inverse_length,
                        Kind::log_index,   Kind::log_remaining};
  all.insert(all.end(), own);
  return all;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  constexpr auto n = Temperature::inverse_n;
  constexpr auto i = Temperature::inverse_i;
  constexpr auto i_sq = Temperature::inverse_i_sq;
  constexpr auto one = Temperature::one;
  constexpr auto alternating = Kind::alternating;
  constexpr auto ratio = Kind::index_over_length;
  // In the order in which `paper` tries them: narrowest first, future-masked before two-sided.
  static const std::vector<Recipe> table = {
      {"13a", "Theorem 13(a)", {previous}, i_sq, {alternating}, TieBreak::over_i_sq, false, true},
      {"13b", "Theorem 13(b)", {previous}, one, {alternating, Kind::index_sq}, TieBreak::over_i_sq, true, true},
      {"16a", "Theorem 16(a)", {since}, i_sq, {Kind::inverse_index}, TieBreak::over_i_sq, false, true},
      {"16b", "Theorem 16(b)", {since}, one, {Kind::inverse_index, Kind::index_sq}, TieBreak::over_i_sq, true, true},
      {"18a", "Corollary 18(a)", kPast, i_sq, {alternating}, TieBreak::over_i_sq, false, true},
      {"18b", "Corollary 18(b)", kPast, one, {alternating, Kind::index_sq}, TieBreak::over_i_sq, true, true},
      {"12a", "Theorem 12(a)", {previous, next}, n, {ratio, alternating}, TieBreak::over_n, false, false},
      {"12b", "Theorem 12(b)", {previous, next}, one, {ratio, alternating, Kind::length}, TieBreak::over_n, true, false},
      {"15a", "Theorem 15(a)", {since, until}, n, {ratio}, TieBreak::over_n, false, false},
      {"15b", "Theorem 15(b)", {since, until}, one, {ratio, Kind::length}, TieBreak::over_n, true, false},
      {"17a", "Corollary 17(a)", kLtl, n, {ratio, alternating}, TieBreak::over_n, false, false},
      {"17b", "Corollary 17(b)", kLtl, one, {ratio, alternating, Kind::length}, TieBreak::over_n, true, false},
      {"21", "Theorem 21", kPastCounting, i, {Kind::inverse_index, Kind::index, Kind::index_sq}, TieBreak::none, false,
       true},
      {"23", "Corollary 23", kPast | kPastCounting, i_sq, {alternating, Kind::index, Kind::index_sq},
       TieBreak::over_i_sq, false, true},
      {"20a", "Theorem 20(a)", kCounting, n,
       {Kind::inverse_index, Kind::inverse_remaining, Kind::index, Kind::index_sq}, TieBreak::none, false, false},
      {"20b", "Theorem 20(b)", kCounting, one,
       {Kind::inverse_index, Kind::inverse_remaining, Kind::index, Kind::index_length, Kind::index_sq_length},
       TieBreak::none, true, false},
      {"22a", "Corollary 22(a)", kLtl | kCounting, n, {alternating, ratio, Kind::index, Kind::index_sq},
       TieBreak::over_n, false, false},
      {"22b", "Corollary 22(b)", kLtl | kCounting, one,
       {alternating, ratio, Kind::index, Kind::length, Kind::index_length, Kind::index_sq_length}, TieBreak::over_n,
       true, false},
      {"tight", "ours, sharpened by temperature", kLtl | kCounting, Temperature::inverse_power,
       tight_encodings({Kind::index_over_power, Kind::index, Kind::index_sq, Kind::digit_0_over_power,
                        Kind::digit_1_over_power, Kind::digit_2_over_power}),
       TieBreak::linear, false, false, true},
      {"tight-position", "ours, sharpened by position", kLtl | kCounting, one,
       tight_encodings({Kind::index, Kind::length, Kind::index_alternating, Kind::index_length, Kind::index_sq_length,
                        Kind::digit_0, Kind::digit_1, Kind::digit_2}),
       TieBreak::linear, true, false, true},
      {"tight-decoder", "ours, a stock causal decoder", kPast | kPastCounting, one,
       {alternating, Kind::inverse_index, Kind::index, Kind::index_alternating, Kind::digit_0, Kind::digit_1,
        Kind::digit_2},
       TieBreak::linear, true, true, true},
      {"exact", "ours, exact up to a length", kLtl | kCounting, one, {}, TieBreak::linear, true, false, false, true},
      {"exact-decoder", "ours, a causal decoder that is exact up to a length", kPast | kPastCounting, one, {},
       TieBreak::linear, true, true, false, true},
  };
  return table;
}

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe& recipe : recipes())
    if (recipe.name == name) return &recipe;
  return nullptr;
}

namespace {

std::string names_where(auto condition) {
  std::vector<std::string_view> names;
  for (const Recipe& recipe : recipes())
    if (condition(recipe)) names.push_back(recipe.name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

[[noreturn]] void fail(std::string code, std::string message, Span span, std::vector<std::string> notes) {
  throw DiagnosticError({Diagnostic{std::move(code), std::move(message), span, std::move(notes)}});
}

/// The subformula in `fragment` that `covers` leaves out.
lang::FormulaId offender(const Fragment& fragment, Features covers) {
  for (int f = 0; f < kFeatureCount; ++f)
    if (fragment.where[f] && !covers.has(static_cast<Feature>(f))) return *fragment.where[f];
  return {};
}

/// Whether a predicate of this subformula looks at the length of the word.
bool depends_on_length(const lang::Formula& formula, lang::FormulaId id) {
  const auto* at_position = std::get_if<lang::PositionPredicate>(&formula[id]);
  const auto* at_count = std::get_if<lang::CountPredicate>(&formula[id]);
  return (at_position && formula[at_position->predicate].depends_on_length()) ||
         (at_count && formula[at_count->predicate].depends_on_length());
}

/// The first part of a formula that no decoder at temperature 1 computes, and why.
struct Obstacle {
  lang::FormulaId where;
  std::string message;
  std::vector<std::string> notes;
};

std::optional<Obstacle> decoder_obstacle(const lang::Formula& formula, const Fragment& fragment, bool exact) {
  const lang::FormulaId right = offender(fragment, kPast | kPastCounting);
  if (right.valid())
    return Obstacle{right, "a decoder sees no position to its right, so it cannot compute",
                    {"a decoder has prev, since, #<[…] and what is derived from them; leave out --decoder"}};
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const lang::FormulaId id(k);
    if (!reachable[k]) continue;
    if (!exact && (std::holds_alternative<lang::CountPredicate>(formula[id]) ||
                   std::holds_alternative<lang::Congruence>(formula[id])))
      return Obstacle{id, "no decoder at temperature 1 is known that computes",
                      {"predicates of counts take a lookup, which needs a temperature or a length: recipes 21 and 23 "
                       "are decoders that have the one, --recipe exact the other; or leave out --decoder"}};
    if (depends_on_length(formula, id))
      return Obstacle{id, "a stock decoder does not know the length of the word, so it cannot compute",
                      {"recipes 21 and 23 take position encodings that depend on n; or leave out --decoder"}};
  }
  return std::nullopt;
}

void require_decoder(const lang::Formula& formula, const Fragment& fragment, bool exact) {
  if (const std::optional<Obstacle> obstacle = decoder_obstacle(formula, fragment, exact))
    fail("E103", fmt::format("{} '{}'", obstacle->message, lang::print_node(formula, obstacle->where)),
         formula.span(obstacle->where), obstacle->notes);
}

/// `tight` is a family: the options choose the flavour. A flavour given by its full name must agree with them.
const Recipe& tight_recipe(const lang::Formula& formula, const Fragment& fragment, const RecipeOptions& options,
                           const Recipe& named) {
  const bool family = named.name == "tight";
  const bool decoder = options.decoder || named.decoder;
  const bool by_position = decoder || (family ? options.sharpen == Sharpen::position : named.by_position);
  if (options.sharpen && (*options.sharpen == Sharpen::position) != by_position)
    fail("E102", decoder ? "a tight decoder has temperature 1: it is sharpened by positions"
                         : fmt::format("recipe {} sharpens by {}", named.name, by_position ? "position" : "temperature"),
         {}, {"leave out --sharpen"});
  if (options.decoder && !family && !named.decoder)
    fail("E102", fmt::format("recipe {} is not future-masked, so it does not make a decoder", named.name), {},
         {"choose --recipe tight --decoder"});
  if (decoder) require_decoder(formula, fragment, false);
  return *find_recipe(decoder ? "tight-decoder" : by_position ? "tight-position" : "tight");
}

/// `exact` is one as well: with --decoder it is exact-decoder.
const Recipe& exact_recipe(const lang::Formula& formula, const Fragment& fragment, const RecipeOptions& options,
                           const Recipe& named) {
  check_exact_options(named, options);
  const bool decoder = options.decoder || named.decoder;
  if (decoder) require_decoder(formula, fragment, true);
  return *find_recipe(decoder ? "exact-decoder" : "exact");
}

[[noreturn]] void unknown_recipe(const std::string& name, std::vector<std::string_view> names) {
  if (name == "scan")
    fail("E123", "recipe scan is for regular expressions and automata", {}, {"--recipe exact makes models for words up to a length, too"});
  names.insert(names.begin(), {"auto", "paper"});
  const std::string meant = nearest(name, names);
  fail("E105", fmt::format("there is no recipe '{}'", name), {},
       {(meant.empty() ? "" : fmt::format("did you mean {}? ", meant)) +
        fmt::format("recipes: {}", fmt::join(names, " "))});
}

[[noreturn]] void unknown_recipe(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Recipe& recipe : recipes()) names.push_back(recipe.name);
  unknown_recipe(name, std::move(names));
}

const Recipe& named_recipe(const lang::Formula& formula, const Fragment& fragment, const RecipeOptions& options) {
  const Recipe* recipe = find_recipe(options.recipe);
  if (!recipe) unknown_recipe(options.recipe);
  if (recipe->exact) return exact_recipe(formula, fragment, options, *recipe);
  if (options.length)
    fail("E102", fmt::format("recipe {} serves every length", recipe->name), {}, {"leave out --length, or choose --recipe exact"});
  if (recipe->tight) return tight_recipe(formula, fragment, options, *recipe);
  if (options.digits)
    fail("E102", fmt::format("recipe {} has no digits", recipe->name), {},
         {"positions as digits are for the recipes tight, tight-position and tight-decoder"});
  if (options.sharpen && (*options.sharpen == Sharpen::position) != recipe->by_position)
    fail("E102", fmt::format("recipe {} sharpens by {}", recipe->name, recipe->by_position ? "position" : "temperature"),
         {}, {"leave out --sharpen, or choose a recipe of the other form (a: temperature, b: position)"});
  if (options.decoder && !recipe->decoder)
    fail("E102", fmt::format("recipe {} is not future-masked, so it does not make a decoder", recipe->name), {},
         {"future-masked recipes: " + names_where([](const Recipe& r) { return r.decoder; })});
  if (!recipe->covers.covers(fragment.features)) {
    const lang::FormulaId culprit = offender(fragment, recipe->covers);
    fail("E101",
         fmt::format("recipe {} does not cover '{}'", recipe->name, lang::print_node(formula, culprit)),
         formula.span(culprit),
         {fmt::format("{} is for {}; this formula is in {}", recipe->theorem,
                      Fragment{recipe->covers, {}}.logic(), fragment.logic()),
          "recipes that cover it: " +
              names_where([&](const Recipe& r) { return r.covers.covers(fragment.features); })});
  }
  return *recipe;
}

[[noreturn]] void no_decoder(const lang::Formula& formula, const Fragment& fragment) {
  const lang::FormulaId culprit = offender(fragment, kPast | kPastCounting);
  fail("E103", fmt::format("a decoder sees no position to its right, so it cannot compute '{}'",
                           lang::print_node(formula, culprit)),
       formula.span(culprit), {"a decoder has prev, since, #<[…] and what is derived from them; leave out --decoder"});
}

}  // namespace

const Recipe& choose_recipe(const lang::Formula& formula, const RecipeOptions& options) {
  check_gamma(options);
  const Fragment fragment = fragment_of(formula);
  if (options.length && (options.recipe == "auto" || options.recipe == "paper"))
    fail("E102", "recipes other than exact serve every length", {}, {"leave out --length, or add --recipe exact"});
  if (options.recipe == "auto") return tight_recipe(formula, fragment, options, *find_recipe("tight"));
  if (options.recipe != "paper") return named_recipe(formula, fragment, options);
  if (options.digits)
    fail("E102", "the paper's recipes have no digits", {}, {"leave out --digits, or --recipe paper"});
  const auto suits = [&](const Recipe& recipe) {
    return recipe.of_the_paper() && recipe.covers.covers(fragment.features) && (recipe.decoder || !options.decoder);
  };
  const auto first = std::find_if(recipes().begin(), recipes().end(), suits);
  if (first == recipes().end()) no_decoder(formula, fragment);
  const bool by_position = options.sharpen == Sharpen::position;
  for (const Recipe& recipe : recipes())
    if (recipe.number() == first->number() && recipe.by_position == by_position) return recipe;
  const std::string others = names_where([&](const Recipe& recipe) { return recipe.by_position && suits(recipe); });
  fail("E102", fmt::format("{} has no form that sharpens by position", first->theorem), {},
       {"leave out --sharpen position" + (others.empty() ? "" : ", or choose --recipe " + others)});
}

void refuse_recipe(const std::string& name, const std::string& kind, const std::vector<std::string_view>& own) {
  if (!find_recipe(name)) unknown_recipe(name, own);
  fail("E123", fmt::format("recipe {} is for formulas, not for programs of {}", name, kind), {},
       {fmt::format("programs of {} have the recipes {}; leave out --recipe", kind, fmt::join(own, " "))});
}

Tuning tuning(const Recipe& recipe, const RecipeOptions& options) {
  const std::size_t length = options.length.value_or(kExactLength);
  const double usual = recipe.name == "scan" ? bounds::kExactGap : recipe.tight ? kTightGamma : kPaperGamma;
  return {options.gamma.value_or(usual), options.digits,
          std::max(kFewestExactBits, static_cast<int>(std::bit_width(length - 1)))};
}

}  // namespace quench::lower
