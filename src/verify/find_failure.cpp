#include "verify/find_failure.h"

#include <algorithm>
#include <cmath>

#include "verify/row_trial.h"

namespace quench::verify {
namespace {

constexpr std::size_t kEveryLength = 48;     // up to here every length is tried
constexpr std::size_t kAllPatterns = 192;    // up to about here every pattern is tried
constexpr std::size_t kPatternsPerHead = 3;  // beyond, those that were hardest for it
constexpr std::size_t kGeneralPatterns = 4;  // and the first few of the list, hard for many kinds of heads
constexpr double kStep = 1.19;               // four lengths per octave, besides the powers of two and their successors

/// Lengths that are tried: all short ones, then a geometric sequence, with powers of two and the lengths after them,
/// where exponents change.
std::vector<std::size_t> lengths(std::size_t from, std::size_t to) {
  std::vector<std::size_t> result;
  for (std::size_t n = from; n <= std::min(to, kEveryLength); ++n) result.push_back(n);
  for (double x = kEveryLength; x < static_cast<double>(to); x *= kStep)
    result.push_back(static_cast<std::size_t>(x) | 1);
  for (std::size_t power = 2 * kEveryLength; power != 0 && power <= to; power *= 2) {
    const std::size_t p = power_above(power);
    result.insert(result.end(), {p, p + 1});
  }
  result.push_back(to);
  std::erase_if(result, [&](std::size_t n) { return n < from || n > to; });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

class Search {
 public:
  Search(const model::Transformer& model, const lang::Formula& formula, const FailureSearch& search)
      : model_(model),
        formula_(formula),
        search_(search),
        trial_(model, formula, search.run.format),
        patterns_(adversarial_patterns(formula)) {}

  FailureReport run() {
    const std::vector<std::size_t> all = lengths(std::max<std::size_t>(search_.from, 1), search_.to);
    std::size_t right = all.empty() ? 0 : all.front() - 1;  // the last length at which nothing failed
    bool chosen = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (search_.progress) search_.progress(k, all.size());
      if (!chosen && all[k] > kAllPatterns) {
        choose_patterns();
        chosen = true;
      }
      for (const Pattern& pattern : patterns_)
        if (auto failure = fails(pattern, all[k])) shrink(pattern, *failure, right);
      if (report_.failure) break;
      right = all[k];
    }
    if (report_.failure) scan_below();
    return std::move(report_);
  }

 private:
  std::optional<Failure> fails(const Pattern& pattern, std::size_t length) {
    const std::optional<Word> word = pattern_word(formula_, pattern, length, search_.seed);
    if (!word) return std::nullopt;
    const RowTrial::Outcome outcome = trial_.run(*word, search_.seed, false);
    ++report_.words;
    report_.positions += outcome.rows;
    if (!outcome.ideal && search_.run.format != NumberFormat::f64) {
      if (report_.unknown_from == 0 || length < report_.unknown_from) report_.unknown_from = length;
      return std::nullopt;
    }
    if (outcome.wrong.empty()) return std::nullopt;
    const auto& [position, expected] = outcome.wrong.back();
    return Failure{length, position, expected, !expected, to_string(pattern.shape), outcome.whole};
  }

  /// Keeps the shortest failure of this pattern that bisection finds, if it is the shortest of all.
  void shrink(const Pattern& pattern, Failure failure, std::size_t right) {
    while (failure.length - right > 1) {
      const std::size_t middle = right + (failure.length - right) / 2;
      if (auto shorter = fails(pattern, middle))
        failure = *shorter;
      else
        right = middle;
    }
    if (report_.failure && report_.failure->length <= failure.length) return;
    report_.failure = failure;
    culprit_ = pattern;
  }

  /// Failures need not be monotone in the length: tries lengths below the shortest one, near ones most densely.
  void scan_below() {
    for (int again = 0; again < 4; ++again) {
      const std::size_t from = report_.failure->length;
      for (std::size_t step = 1; step < from / 2; step += std::max<std::size_t>(1, step / 2)) {
        const std::size_t length = from - step;
        if (length < search_.from) break;
        if (auto shorter = fails(culprit_, length); shorter && shorter->length < report_.failure->length)
          report_.failure = shorter;
      }
      if (report_.failure->length == from) return;
    }
  }

  /// Of all patterns those whose heads are furthest off on words of moderate length.
  void choose_patterns() {
    struct Scored {
      double error;
      std::size_t pattern;
    };
    std::vector<std::vector<Scored>> by_head(model_.head_count());
    for (std::size_t p = 0; p < patterns_.size(); ++p) {
      const std::optional<Word> word = pattern_word(formula_, patterns_[p], kAllPatterns, search_.seed);
      if (!word) continue;
      const std::vector<double> errors = trial_.run(*word, search_.seed, true).head_errors;
      for (std::size_t h = 0; h < errors.size(); ++h) by_head[h].push_back({errors[h], p});
    }
    std::vector<bool> keep(patterns_.size(), false);
    for (std::size_t p = 0; p < std::min(kGeneralPatterns, keep.size()); ++p) keep[p] = true;
    for (std::vector<Scored>& scored : by_head) {
      std::stable_sort(scored.begin(), scored.end(),
                       [](const Scored& a, const Scored& b) { return a.error > b.error; });
      for (std::size_t k = 0; k < std::min(kPatternsPerHead, scored.size()); ++k) keep[scored[k].pattern] = true;
    }
    std::vector<Pattern> kept;
    for (std::size_t p = 0; p < patterns_.size(); ++p)
      if (keep[p]) kept.push_back(patterns_[p]);
    patterns_ = std::move(kept);
  }

  const model::Transformer& model_;
  const lang::Formula& formula_;
  const FailureSearch& search_;
  RowTrial trial_;
  std::vector<Pattern> patterns_;
  Pattern culprit_;
  FailureReport report_;
};

}  // namespace

FailureReport search_failure(const model::Transformer& model, const lang::Formula& formula,
                             const FailureSearch& search) {
  return Search(model, formula, search).run();
}

std::optional<Failure> find_failure(const model::Transformer& model, const lang::Formula& formula,
                                    const FailureSearch& search) {
  return search_failure(model, formula, search).failure;
}

}  // namespace quench::verify
