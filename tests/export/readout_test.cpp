// Which logits other tools get: of quotients, where all have one denominator.
#include "export/readout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "driver/compile.h"
#include "support/examples.h"
#include "support/paths.h"

namespace quench::exports {
namespace {

model::Transformer program_decoder(const std::string& program) {
  lower::RecipeOptions options;
  options.decoder = true;
  options.recipe = "exact";
  options.length = 16;
  const std::string text = test::read_text(test::source_path("examples/programs/" + program));
  return driver::compile(driver::parse_program(text), options).model;
}

TEST(Readout, OfScoresIsInTheirUnit) {
  const model::Transformer model = program_decoder("ngram_toy.brasp");
  ASSERT_EQ(model.output.kind, model::OutputKind::ratios);
  EXPECT_TRUE(has_scores(model.output));
  const Readout readout = readout_of(model);
  EXPECT_EQ(readout.labels, (std::vector<std::string>{"</s>", "a", "b"}));
  for (std::size_t c = 0; c < 3; ++c) EXPECT_DOUBLE_EQ(readout.weight(c, model.output.cases[c].coordinate), 1e-6);
}

TEST(Readout, RefusesDenominatorsThatDiffer) {
  try {
    readout_of(program_decoder("frac_prevs.srasp"));
    FAIL() << "means have a label";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("denominators differ from position to position"));
  }
}

}  // namespace
}  // namespace quench::exports
