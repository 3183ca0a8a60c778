// A certified length is a promise, and this tries to break it: adversarial words of length N, N−1 and powers of two
// below come out right in the format, and no head is further from its intended result than its line in the certificate
// says. Short words are run whole; of long ones the positions where trouble is likeliest are computed, one row at a
// time, as the reference executor would (verify/row_trial.h), so that lengths of millions are tried too.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/number/random.h"
#include "certify/certify.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "lower/fragment.h"
#include "lower/recipe.h"
#include "lower/recipe_fragment.h"
#include "verify/row_trial.h"
#include "verify/words/adversarial_words.h"

namespace quench::test {

struct CampaignCounts {
  std::uint64_t promises = 0;  ///< models in a format with a certified length of at least 1 …
  std::uint64_t empty = 0;     ///< … and those without
  std::uint64_t broken = 0;    ///< promises that turned out false
  std::uint64_t words = 0, positions = 0, longest = 0;
  double worst = 0;  ///< greatest measured error as a fraction of its bound
  void record() const {
    ::testing::Test::RecordProperty("promises", std::to_string(promises));
    ::testing::Test::RecordProperty("words", std::to_string(words));
    ::testing::Test::RecordProperty("positions", std::to_string(positions));
    std::printf(
        "%llu certified lengths (%llu models certify nothing), %llu words, %llu positions, longest n = %llu; "
        "worst measured error / bound = %.3f\n",
        static_cast<unsigned long long>(promises), static_cast<unsigned long long>(empty),
        static_cast<unsigned long long>(words), static_cast<unsigned long long>(positions),
        static_cast<unsigned long long>(longest), worst);
  }
};

struct CampaignEffort {
  std::uint64_t longest = 600;  ///< lengths beyond this are tried here instead
  std::size_t words = 6;        ///< per length
  std::size_t powers = 64;      ///< how many powers of two below
  double keys = 2e5;            ///< verify::RowTrial::effort
};

class Campaign {
 public:
  CampaignCounts counts;

  void check(const lang::Formula& formula, const model::Transformer& model, NumberFormat format,
             const CampaignEffort& effort, std::uint64_t seed) {
    const certify::Finding finding =
        certify::certify(model, certify::Arithmetic::of(format), certify::Summation::normalise_last);
    if (finding.length == 0) {
      ++counts.empty;
      return;
    }
    ++counts.promises;
    const auto end = static_cast<std::size_t>(std::min(finding.length, effort.longest));
    std::vector<std::size_t> lengths{end, std::max<std::size_t>(end - 1, 1)};
    std::size_t power = power_above(end) / 2;
    for (std::size_t k = 0; k < effort.powers && power >= 1; ++k, power /= 2) lengths.push_back(power);
    const std::vector<verify::Pattern> patterns = verify::adversarial_patterns(formula);
    verify::RowTrial trial(model, formula, format);
    trial.effort = effort.keys;
    Random random(seed);
    for (const std::size_t n : lengths)
      for (std::size_t k = 0; k < effort.words; ++k) {
        // The first pattern is all symbols at random; the others are drawn.
        const verify::Pattern pattern = patterns[k == 0 ? 0 : random.below(patterns.size())];
        const std::optional<Word> word = verify::pattern_word(formula, pattern, n, seed + k);
        if (!word) continue;
        if (!is_right(formula, model, format, finding, n, pattern, trial.run(*word, seed + k, true))) {
          ++counts.broken;
          return;
        }
      }
  }

 private:
  bool is_right(const lang::Formula& formula, const model::Transformer& model, NumberFormat format,
                const certify::Finding& finding, std::size_t n, const verify::Pattern& pattern,
                const verify::RowTrial::Outcome& outcome) {
    const auto where = [&] {
      return lang::print(formula) + " by " + model.recipe + " in " + std::string(to_string(format)) +
             " at n = " + std::to_string(n) + " of " + std::to_string(finding.length) + ", " + to_string(pattern.shape);
    };
    ++counts.words;
    counts.positions += outcome.rows;
    counts.longest = std::max<std::uint64_t>(counts.longest, n);
    EXPECT_TRUE(outcome.ideal) << "the ideal network in f64 is wrong: " << where();
    EXPECT_TRUE(outcome.wrong.empty()) << "UNSOUND: " << where() << ", position " << outcome.wrong.front().position;
    EXPECT_EQ(outcome.head_errors.size(), finding.heads.size());
    bool right = outcome.ideal && outcome.wrong.empty() && outcome.head_errors.size() == finding.heads.size();
    // What heads are compared with is hard attention in double precision, from sums of at most n terms, itself off by
    // n·2^-53 of what it sums; sums go through W_O and into the residual stream.
    for (std::size_t h = 0; right && h < finding.heads.size(); ++h) {
      const double bound = finding.heads[h].bound, error = outcome.head_errors[h];
      const double slack = 8 * static_cast<double>(n) * 0x1p-53 * std::max(1.0, outcome.head_sizes[h]);
      EXPECT_LE(error, bound + slack) << "UNSOUND: head " << finding.heads[h].name << " of " << where();
      right = error <= bound + slack;
      if (bound > 4 * slack) counts.worst = std::max(counts.worst, error / bound);
    }
    return right;
  }
};

/// Operators that a recipe covers.
inline lang::RandomFormulaOptions options_for(const lower::Recipe& recipe, int operators) {
  lang::RandomFormulaOptions options;
  options.fragment = lower::fragment_for(recipe);
  options.operators = operators;
  return options;
}

}  // namespace quench::test
