// Wrong answers: a byte for the recipe, one for the format, then the text of a rule. What it compiles to gives the
// oracle's answers on all words up to length 4 and on some longer ones, none longer than is certified.
#include <algorithm>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "certified/compare_recipes.h"
#include "certify/certify.h"
#include "driver/compile.h"
#include "fuzz/expect.h"
#include "lang/print/print_rule.h"
#include "verify/verify.h"

namespace {

constexpr std::size_t kLongestText = 200, kMostNodes = 60;

/// Larger ones take too long to compile thousands of times.
bool small(const quench::lang::Rule& rule) {
  const auto* formula = std::get_if<quench::lang::Formula>(&rule);
  return quench::lang::alphabet(rule).size() <= 4 && (!formula || formula->size() <= kMostNodes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  if (size < 3 || size > kLongestText) return 0;
  try {
    automata::Limits limits;
    limits.states = 12;
    const lang::Rule rule =
        driver::parse_rule(fuzz::text_of(data + 2, size - 2), data[0] >= 224 ? "x.regex" : "", limits);
    if (!small(rule)) return 0;
    const std::vector<std::string> recipes = certified::recipes_for(rule);
    lower::RecipeOptions options;
    options.recipe = recipes[data[0] % recipes.size()];
    options.digits = data[1] >= 128 && options.recipe.starts_with("tight");
    if (options.recipe.starts_with("exact") || options.recipe == "scan") options.length = 64;
    const model::Transformer model = driver::compile(rule, options, {limits}).model;
    constexpr NumberFormat kFormats[] = {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16};
    verify::Options words;
    words.run.format = kFormats[data[1] % 4];
    const auto length =
        certify::certify(model, certify::Arithmetic::of(words.run.format), certify::Summation::normalise_last, 40)
            .length;
    words.exhaustive = static_cast<int>(std::min<std::uint64_t>(length, 3));
    words.random_length = static_cast<std::size_t>(length);
    words.random_count = 3;
    words.adversarial_count = 6;
    words.threads = 1;
    if (length == 0) return 0;
    const verify::Report report = verify::verify(model, rule, words);
    if (!report.counterexample) return 0;
    fuzz::expect(false, options.recipe + " in " + std::string(to_string(words.run.format)) + " on '" +
                            report.counterexample->word + "': " + lang::print(rule));
  } catch (const DiagnosticError&) {
  } catch (const UserError&) {
  }
  return 0;
}
