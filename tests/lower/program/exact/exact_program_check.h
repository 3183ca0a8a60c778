// A program compiled by a recipe `exact`, run in several number formats and compared with the interpreter at every
// position.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/print/print_program.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "run/reference/reference.h"
#include "support/all_words.h"
#include "support/examples.h"
#include "support/paths.h"
#include "verify/answer_table.h"

namespace quench::test {

inline constexpr std::size_t kMillion = std::size_t{1} << 20;

inline lower::RecipeOptions exactly_to(std::size_t length, bool decoder = false) {
  lower::RecipeOptions options;
  options.recipe = decoder ? "exact-decoder" : "exact";
  options.length = length;
  return options;
}

/// The code of what is wrong with compiling a program; empty if nothing is.
inline std::string refusal(const lang::Program& program, const lower::RecipeOptions& options) {
  try {
    driver::compile(program, options);
  } catch (const DiagnosticError& error) {
    return error.diagnostics.front().code;
  }
  return "";
}

class ExactProgramCheck {
 public:
  ExactProgramCheck(const lang::Program& program, std::size_t length, const std::vector<NumberFormat>& formats,
                    bool decoder = false)
      : ExactProgramCheck(program, driver::compile(program, exactly_to(length, decoder)).model, formats) {}
  ExactProgramCheck(const lang::Program& program, model::Transformer model, const std::vector<NumberFormat>& formats)
      : rule_(program), model_(std::move(model)), table_(model_, rule_), formats_(formats) {
    for (const NumberFormat format : formats) executors_.emplace_back(model_, run::Options{format, false});
  }
  ExactProgramCheck(const ExactProgramCheck&) = delete;

  const model::Transformer& model() const { return model_; }
  std::size_t symbols() const { return lang::alphabet(rule_).size(); }

  void expect_right_on(const Word& word) {
    const auto expected = table_.as_model_answers(oracle::evaluate(rule_, word));
    for (std::size_t k = 0; k < executors_.size(); ++k) {
      const auto got = run::answers(model_, executors_[k].run(word, workspace_));
      bool same = got.size() == expected.size();
      for (std::size_t i = 0; same && i < got.size(); ++i) same = table_.agree(expected[i], got[i]);
      if (!same && failures_++ < 2)
        ADD_FAILURE() << lang::print(std::get<lang::Program>(rule_)) << to_string(formats_[k]) << ", on "
                      << lang::alphabet(rule_).print(word) << ": expected " << ::testing::PrintToString(expected)
                      << ", got " << ::testing::PrintToString(got);
    }
  }
  void expect_right_on_short_words(std::size_t words, std::size_t longest = 7) {
    std::size_t length = 1, count = symbols() + 1;
    while (length < longest && count * (symbols() + 1) <= words) count *= symbols() + 1, ++length;
    for_all_words(symbols(), true, length, [&](const Word& word) { expect_right_on(word); });
  }
  void expect_right_at_random(Random& random, const std::vector<std::size_t>& lengths) {
    for (const std::size_t n : lengths) expect_right_on(random_word(random, symbols(), random.chance(0.3), n));
  }

 private:
  lang::Rule rule_;
  model::Transformer model_;
  verify::AnswerTable table_;
  std::vector<NumberFormat> formats_;
  std::vector<run::ReferenceExecutor> executors_;
  run::ReferenceExecutor::Workspace workspace_;
  int failures_ = 0;
};

inline std::map<std::string, lang::Program> example_programs() {
  std::map<std::string, lang::Program> found;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("examples/programs")))
    found.emplace(entry.path().stem().string(), driver::parse_program(read_text(entry.path())));
  return found;
}

}  // namespace quench::test
