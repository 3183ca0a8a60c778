// Languages of the field, from the automaton to the network: how many layers and heads it takes, and up to which length
// the network is certified. The table in docs/automata.md is this one; if it is not, the test prints the new one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "automata/classify/decision.h"
#include "automata/samples/field_languages.h"
#include "automata/translate/translate.h"
#include "certify/certify.h"
#include "driver/compile.h"
#include "model/summary.h"
#include "support/paths.h"

namespace quench::automata {
namespace {

struct Result {
  std::string strategy;
  model::Summary size;
  std::uint64_t certified = 0;
};

/// Of all candidates, the network with the fewest layers, then heads, then the longest certified words.
Result best_network(const Translation& translation) {
  Result best;
  for (const Candidate& candidate : translation.candidates) {
    const model::Transformer network = driver::compile(candidate.formula).model;
    Result result{candidate.strategy, model::summary(network), 0};
    result.certified =
        certify::certify(network, certify::Arithmetic::of(NumberFormat::f32), certify::Summation::normalise_last)
            .length;
    const auto rank = [](const Result& r) { return std::tuple(r.size.layers, r.size.heads, UINT64_MAX - r.certified); };
    if (best.strategy.empty() || rank(result) < rank(best)) best = result;
  }
  return best;
}

TEST(Results, LanguagesOfTheFieldTakeFewLayersAndHeads) {
  std::string table =
      "| language | class | states | monoid | layers | heads | certified in float32 | by "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const FieldLanguage& language : field_languages()) {
    const Decision decision = decide(language.dfa);
    const Translation translation = translate(language.dfa, decision.modulus, {}, {true, true});
    ASSERT_FALSE(translation.candidates.empty()) << language.name;
    const Result result = best_network(translation);
    EXPECT_LE(result.size.layers, language.layers) << language.name;
    EXPECT_LE(result.size.heads, language.heads) << language.name;
    EXPECT_GT(result.certified, 1000u) << language.name;
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", language.name, name(decision.language_class),
                         decision.states, decision.monoid, result.size.layers, result.size.heads, result.certified,
                         result.strategy);
  }
  std::ifstream file(test::source_path("docs/automata.md"));
  std::ostringstream document;
  document << file.rdbuf();
  EXPECT_NE(document.str().find(table), std::string::npos) << "docs/automata.md should have this table:\n" << table;
}

}  // namespace
}  // namespace quench::automata
