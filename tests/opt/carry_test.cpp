// Values that go on as others: what a sublayer reads is what stands there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lower/recipe.h"
#include "opt/reads.h"
#include "run/answers.h"
#include "run/executor.h"
#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

driver::Compilation compiled(const lang::Rule& rule, bool unshared = false, bool digits = false) {
  lower::RecipeOptions options;
  options.recipe = "exact";
  options.length = 1024;
  options.unshared = unshared;
  options.digits = digits;
  return driver::compile(rule, options);
}

/// Every form that a sublayer reads is made of whole contents of coordinates.
void expect_reads_what_is_there(const driver::Compilation& c) {
  const opt::Layout& layout = c.layout;
  for (const opt::Read& read : opt::reads(c.graph, c.schedule)) {
    std::map<int, ir::Affine> parts;  // by coordinate
    for (const ir::Affine::Term& term : read.of.terms)
      parts[layout.coordinate[term.node.index]] += term.coefficient * ir::Affine(term.node);
    for (const auto& [coordinate, part] : parts) {
      const opt::Placement* there = nullptr;
      for (const opt::Placement& placement : layout.placements)
        if (placement.coordinate == coordinate && placement.born < read.sublayer) there = &placement;
      ASSERT_TRUE(there);
      EXPECT_EQ(part, part.terms[0].coefficient * layout.content(there->node)) << "x" << coordinate;
    }
  }
}

int carried(const driver::Compilation& c) {
  return static_cast<int>(std::ranges::count_if(c.layout.carries, [](const auto& carry) { return carry.has_value(); }));
}

TEST(Carries, CountsGrowWhereTheyStand) {
  const driver::Compilation c = compiled(driver::parse("odd(#<[Q_a])"));
  EXPECT_EQ(carried(c), 4) << "two levels: what heads add, and the remainder";
  EXPECT_EQ(carried(compiled(driver::parse("odd(#<[Q_a])"), /*unshared=*/true)), 0);
  EXPECT_EQ(carried(compiled(driver::parse("Q_a S prev Q_b"))), 0);
}

/// The remainder of one is asked for in two ways.
TEST(Carries, NothingThatIsReadAfterwards) {
  const driver::Compilation c = compiled(driver::parse("mod(3,0)(#<[Q_a]) & prev mod(3,1)(#<[Q_a])"));
  expect_reads_what_is_there(c);
}

TEST(Carries, OfAllExamplesAreReadAsTheyStand) {
  int all = 0;
  for (const test::ExampleFile& example : test::formula_examples())
    for (const bool digits : {false, true}) {
      SCOPED_TRACE(example.name);
      const driver::Compilation c = compiled(driver::parse(example.text), false, digits);
      expect_reads_what_is_there(c);
      all += carried(c);
    }
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    SCOPED_TRACE(entry.path().string());
    const driver::Compilation c = compiled(driver::parse_program(test::read_text(entry.path())));
    expect_reads_what_is_there(c);
    all += carried(c);
  }
  EXPECT_GT(all, 50);
}

/// With a coordinate for every value, nothing goes on as another; the answers are the same.
TEST(Carries, ChangeNoAnswer) {
  Random random(3);
  for (const char* text : {"odd(#<[Q_a])", "mod(5,2)(#>[Q_a | prev Q_b])", "square(#[Q_a]) & #<[Q_a] >= 2*#>[Q_b] - 3",
                           "prime(#<[mod(3,1)(#<[Q_a])])"}) {
    const lang::Rule rule = driver::parse(text);
    const driver::Compilation shared = compiled(rule), unshared = compiled(rule, /*unshared=*/true);
    EXPECT_LT(shared.model.width, unshared.model.width);
    for (const std::size_t n : {1, 2, 3, 64, 65, 300}) {
      const Word word = random_word(random, shared.model.alphabet.size(), true, n);
      std::vector<std::vector<std::int64_t>> answers;
      for (const driver::Compilation* c : {&shared, &unshared}) {
        run::Executor::Workspace space;
        answers.push_back(run::answers(c->model, run::Executor(c->model, {NumberFormat::f32, false}, run::Engine::reference, false),
                                       run::Batch::of(word), space)[0]);
      }
      EXPECT_EQ(answers[0], answers[1]) << text << ", n = " << n;
    }
  }
}

}  // namespace
}  // namespace quench
