// A formula compiled by a recipe `exact`, run in several number formats and compared with the oracle: right at every
// position, and outputs that are exactly 0 or 1.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/compile.h"
#include "oracle/evaluate.h"
#include "run/reference/reference.h"

namespace quench::test {

inline const std::vector<NumberFormat> kWide{NumberFormat::f64, NumberFormat::f32};
inline const std::vector<NumberFormat> kAllFormats{NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16,
                                                   NumberFormat::f16};

class ExactCheck {
 public:
  ExactCheck(const lang::Formula& formula, std::size_t length, const std::vector<NumberFormat>& formats,
             bool decoder = false)
      : ExactCheck(formula, options(length, decoder), formats) {}
  ExactCheck(const lang::Formula& formula, const lower::RecipeOptions& options,
             const std::vector<NumberFormat>& formats)
      : formula_(formula), compilation_(driver::compile(formula, options)) {
    for (const NumberFormat format : formats) {
      formats_.push_back(format);
      executors_.emplace_back(compilation_.model, run::Options{format, false});
    }
  }
  ExactCheck(const std::string& text, std::size_t length, const std::vector<NumberFormat>& formats,
             bool decoder = false)
      : ExactCheck(driver::parse(text), length, formats, decoder) {}

  static lower::RecipeOptions options(std::size_t length, bool decoder) {
    lower::RecipeOptions result;
    result.recipe = "exact";
    result.length = length;
    result.decoder = decoder;
    return result;
  }

  const lang::Formula& formula() const { return formula_; }
  const driver::Compilation& compilation() const { return compilation_; }

  bool right_on(const Word& word) {
    const std::vector<std::uint8_t> expected = oracle::evaluate(formula_, word);
    for (std::size_t k = 0; k < executors_.size(); ++k) {
      executors_[k].outputs(word, workspace_, outputs_);
      for (std::size_t i = 0; i < word.size(); ++i)
        if (outputs_[i] != expected[i]) {
          where_ = std::string(to_string(formats_[k])) + ", n = " + std::to_string(word.size()) +
                   ", i = " + std::to_string(i + 1) + ": " + std::to_string(outputs_[i]) + " for " +
                   std::to_string(expected[i]);
          return false;
        }
    }
    return true;
  }

  void expect_right_on(const Word& word) {
    EXPECT_TRUE(right_on(word)) << compilation_.model.source << "\n"
                                << formula_.alphabet.print(word).substr(0, 400) << "\n"
                                << where_;
  }

 private:
  lang::Formula formula_;
  driver::Compilation compilation_;
  std::vector<NumberFormat> formats_;
  std::vector<run::ReferenceExecutor> executors_;
  run::ReferenceExecutor::Workspace workspace_;
  std::vector<double> outputs_;
  std::string where_;
};

}  // namespace quench::test
