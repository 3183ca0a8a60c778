// A program's network against its interpreter, at every position: soft and hard attention, by the reference and, where
// asked, by the structured engine.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/print/print_program.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "run/executor.h"
#include "run/reference/reference.h"
#include "support/all_words.h"
#include "verify/answer_table.h"

namespace quench::test {

class ProgramCheck {
 public:
  explicit ProgramCheck(const lang::Program& program, const lower::RecipeOptions& options = {})
      : rule_(program),
        compilation_(driver::compile(program, options)),
        soft_(compilation_.model),
        hard_(compilation_.model, {NumberFormat::f64, true}),
        fast_soft_(compilation_.model, {}, run::Engine::structured, /*parallel=*/false),
        fast_hard_(compilation_.model, {NumberFormat::f64, true}, run::Engine::structured, /*parallel=*/false),
        table_(compilation_.model, rule_) {}
  ProgramCheck(const ProgramCheck&) = delete;

  const model::Transformer& model() const { return compilation_.model; }

  void expect_right_on(const Word& word) {
    const auto expected = table_.as_model_answers(oracle::evaluate(rule_, word));
    expect(word, expected, run::answers(model(), soft_.run(word, workspace_)), "soft");
    expect(word, expected, run::answers(model(), hard_.run(word, workspace_)), "hard");
  }

  void expect_right_by_every_engine_on(const Word& word) {
    expect_right_on(word);
    const auto expected = table_.as_model_answers(oracle::evaluate(rule_, word));
    const run::Batch batch = run::Batch::of(word);
    expect(word, expected, run::answers(model(), fast_soft_, batch, fast_workspace_)[0], "structured soft");
    expect(word, expected, run::answers(model(), fast_hard_, batch, fast_workspace_)[0], "structured hard");
  }

  void expect_right_to(std::size_t length) {
    for_all_words(lang::alphabet(rule_).size(), true, length, [&](const Word& word) { expect_right_on(word); });
  }
  void expect_right_at_random(Random& random, std::size_t count, std::size_t length) {
    for (std::size_t k = 0; k < count; ++k)
      expect_right_on(random_word(random, lang::alphabet(rule_).size(), random.chance(0.5), 1 + random.below(length)));
  }

 private:
  void expect(const Word& word, const std::vector<std::int64_t>& expected, const std::vector<std::int64_t>& got,
              const char* how) {
    bool same = got.size() == expected.size();
    for (std::size_t k = 0; same && k < got.size(); ++k) same = table_.agree(expected[k], got[k]);
    if (!same && failures_++ < 3)
      ADD_FAILURE() << lang::print(std::get<lang::Program>(rule_)) << how << " attention, on "
                    << lang::alphabet(rule_).print(word) << ": expected " << ::testing::PrintToString(expected)
                    << ", got " << ::testing::PrintToString(got);
  }

  lang::Rule rule_;
  driver::Compilation compilation_;
  run::ReferenceExecutor soft_, hard_;
  run::Executor fast_soft_, fast_hard_;
  verify::AnswerTable table_;
  run::ReferenceExecutor::Workspace workspace_;
  run::Executor::Workspace fast_workspace_;
  int failures_ = 0;
};

}  // namespace quench::test
