// Programs of the recipes `exact` as users have them: compiled, certified, checked against their source, run within
// what the certificate allows, and refused beyond.
#include <gtest/gtest.h>

#include "base/number/random.h"
#include "certified/promise.h"
#include "certified/runner.h"
#include "driver/compile.h"
#include "oracle/rule.h"
#include "support/examples.h"
#include "support/paths.h"
#include "verify/answer_table.h"

namespace quench::certified {
namespace {

TEST(CertifiedPrograms, KeepTheirPromiseAndRefuseMore) {
  Random random(1);
  for (const char* name : {"dyck_2.srasp", "reverse.srasp", "histogram.srasp", "copy.srasp", "length.srasp",
                           "associative_recall.brasp", "parity.srasp"}) {
    SCOPED_TRACE(name);
    const lang::Rule rule =
        driver::parse_program(test::read_text(test::source_path(std::string("examples/programs/") + name)));
    lower::RecipeOptions options;
    options.recipe = "exact";
    options.length = 64;
    model::Transformer model = driver::compile(rule, options).model;
    EXPECT_EQ(certify_in(model, NumberFormat::f32), std::nullopt);
    const Promise promise = examine(model.certificate, model);
    EXPECT_TRUE(promise.verdict.accepted) << promise.verdict.reason;
    EXPECT_EQ(promise.not_the_rule, "");

    constexpr std::size_t longest = 64;
    const Runner runner(model, {{NumberFormat::f32, false}});
    Runner::Workspace workspace;
    const verify::AnswerTable table(model, rule);
    const Word word = random_word(random, model.alphabet.size(), false, longest);
    const auto got = runner.answers(std::vector<Word>{word}, workspace)[0];
    const auto expected = table.as_model_answers(oracle::evaluate(rule, word));
    for (std::size_t i = 0; i < longest; ++i) EXPECT_TRUE(table.agree(expected[i], got[i])) << i + 1;
    const Word longer = random_word(random, model.alphabet.size(), false, longest + 1);
    EXPECT_THROW(runner.answers(std::vector<Word>{longer}, workspace), LengthRefused);
  }
}

}  // namespace
}  // namespace quench::certified
