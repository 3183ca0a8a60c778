#include "verify/find_failure.h"

#include <algorithm>
#include <cmath>

#include "verify/row_trial.h"

namespace quench::verify {
namespace {

constexpr std::size_t kEveryLength = 48;          // up to here every length is tried
constexpr std::size_t kAllPatterns = 192;         // up to about here every pattern is tried
constexpr std::size_t kPatternsPerHead = 2;       // beyond, those that were hardest for it
constexpr std::size_t kGeneralPatterns = 4;       // and the first few of the list, hard for many kinds of heads
constexpr std::size_t kLong = 10'000;             // from here on less is tried, as every word takes long
constexpr double kStep = 1.19, kLongStep = 1.45;  // from length to length, besides powers of two and their successors
constexpr std::size_t kVeryLong = 100'000, kVeryLongPatterns = 7;
constexpr double kLongResolution = 0.002;  // how closely failures of long words are bisected

/// Lengths that are tried: all short ones, then a geometric sequence, with powers of two and the lengths after them,
/// where exponents change.
std::vector<std::size_t> lengths(std::size_t from, std::size_t to) {
  std::vector<std::size_t> result;
  for (std::size_t n = from; n <= std::min(to, kEveryLength); ++n) result.push_back(n);
  for (double x = kEveryLength; x < static_cast<double>(to); x *= x < kLong ? kStep : kLongStep)
    result.push_back(static_cast<std::size_t>(x) | 1);
  for (std::size_t power = 2 * kEveryLength; power != 0 && power <= to; power *= 2) {
    const std::size_t p = power_above(power);
    if (p < kVeryLong) result.push_back(p);
    result.push_back(p + 1);
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
        patterns_(adversarial_patterns(formula)),
        seed_(search.seed) {}

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
      if (all[k] > kVeryLong && patterns_.size() > kVeryLongPatterns) patterns_.resize(kVeryLongPatterns);
      for (const Pattern& pattern : patterns_) {
        // Only failures shorter than the shortest so far are of interest.
        const std::size_t length = report_.failure ? report_.failure->length - 1 : all[k];
        if (length <= right) break;
        if (auto failure = fails(pattern, length)) shrink(pattern, *failure, right);
      }
      if (report_.failure) break;
      right = all[k];
    }
    if (report_.failure) scan_below();
    return std::move(report_);
  }

 private:
  std::optional<Failure> fails(const Pattern& pattern, std::size_t length) {
    const std::optional<Word> word = pattern_word(formula_, pattern, length, seed_);
    if (!word) return std::nullopt;
    const RowTrial::Outcome outcome = trial_.run(*word, seed_, false);
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

  /// The shortest failure of this pattern that bisection finds.
  void shrink(const Pattern& pattern, Failure failure, std::size_t right) {
    const auto wide = [&] {
      const double gap = static_cast<double>(failure.length - right);
      return gap > 1 && (failure.length < kLong || gap > kLongResolution * static_cast<double>(failure.length));
    };
    while (wide()) {
      const std::size_t middle = right + (failure.length - right) / 2;
      if (auto shorter = fails(pattern, middle))
        failure = *shorter;
      else
        right = middle;
    }
    report_.failure = failure;
  }

  /// Failures need not be monotone in the length: tries lengths below the shortest one, near ones most densely, with
  /// all patterns and other random words as long as that is cheap.
  void scan_below() {
    for (int again = 0; again < 8; ++again) {
      const std::size_t from = report_.failure->length;
      const auto n = static_cast<double>(from);
      const double cost = from > trial_.whole_up_to ? 4e6 + 300 * n : 3 * n * n;  // of a word, in some unit
      const auto tries = static_cast<std::size_t>(std::clamp(1e8 / cost, 6.0, 2000.0));
      std::size_t step = 1;
      for (std::size_t t = 0; t < tries; ++t) {
        if (step >= from / 2 || from - step < search_.from) step = 1;
        const std::size_t length = from - step;
        if (length < search_.from || length == 0) return;
        ++seed_;
        if (auto shorter = fails(patterns_[t % patterns_.size()], length)) {
          if (shorter->length < report_.failure->length) report_.failure = shorter;
          break;
        }
        step += std::max<std::size_t>(1, step / 3);
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
      const std::optional<Word> word = pattern_word(formula_, patterns_[p], kAllPatterns, seed_);
      if (!word) continue;
      const std::vector<double> errors = trial_.run(*word, seed_, true).head_errors;
      for (std::size_t h = 0; h < errors.size(); ++h) by_head[h].push_back({errors[h], p});
    }
    for (std::vector<Scored>& scored : by_head)
      std::stable_sort(scored.begin(), scored.end(),
                       [](const Scored& a, const Scored& b) { return a.error > b.error; });
    std::vector<std::size_t> order;  // the hardest first
    for (std::size_t rank = 0; rank < kPatternsPerHead; ++rank) {
      for (const std::vector<Scored>& scored : by_head)
        if (rank < scored.size()) order.push_back(scored[rank].pattern);
      for (std::size_t p = 0; rank == 0 && p < std::min(kGeneralPatterns, patterns_.size()); ++p) order.push_back(p);
    }
    std::vector<Pattern> kept;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order[k]) ==
          order.begin() + static_cast<std::ptrdiff_t>(k))
        kept.push_back(patterns_[order[k]]);
    patterns_ = std::move(kept);
  }

  const model::Transformer& model_;
  const lang::Formula& formula_;
  const FailureSearch& search_;
  RowTrial trial_;
  std::vector<Pattern> patterns_;
  std::uint64_t seed_;  // of the random words
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
