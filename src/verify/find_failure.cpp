#include "verify/find_failure.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "oracle/evaluate.h"
#include "verify/row_trial.h"

namespace quench::verify {
namespace {

constexpr std::size_t kEveryLength = 48;     // up to here every length is tried
constexpr std::size_t kAllPatterns = 192;    // up to about here every pattern is tried
constexpr int kRandomWords = 60;             // besides, of random shapes
constexpr std::size_t kPatternsPerHead = 2;  // beyond, those that were hardest for it
constexpr std::size_t kWhole = 1024;         // RowTrial::whole_up_to
constexpr std::size_t kLong = 10'000;        // from here on less is tried, as every word takes long
constexpr double kStep = 1.19;               // from length to length, besides powers of two and their successors …
constexpr double kRowStep = 1.05;            // … and closer where words are run by rows and still short
constexpr std::size_t kVeryLong = 100'000, kVeryLongPatterns = 9;
constexpr std::size_t kMillion = 1'000'000, kMillionPatterns = 5;
constexpr double kLongResolution = 0.005;  // how closely failures of long words are bisected

class Search {
 public:
  Search(const model::Transformer& model, const lang::Formula& formula, const FailureSearch& search)
      : model_(model),
        formula_(formula),
        search_(search),
        trial_(model, formula, search.run.format),
        patterns_(adversarial_patterns(formula)),
        seed_(search.seed) {
    for (const Pattern& pattern : patterns_)
      if (pattern.shape == Shape::random || pattern.shape == Shape::random_pair || pattern.shape == Shape::rare ||
          pattern.shape == Shape::near_threshold)
        random_patterns_.push_back(pattern);
  }

  FailureReport run() {
    const std::vector<std::size_t> all = failure_lengths(std::max<std::size_t>(search_.from, 1), search_.to);
    std::size_t right = all.empty() ? 0 : all.front() - 1;  // the last length at which nothing failed
    bool chosen = false;
    report_.searched = search_.to;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (search_.progress) search_.progress(k, all.size());
      if (!chosen && all[k] > kAllPatterns) {
        choose_patterns();
        chosen = true;
      }
      if (all[k] > kVeryLong && patterns_.size() > kVeryLongPatterns) patterns_.resize(kVeryLongPatterns);
      if (all[k] > kMillion && patterns_.size() > kMillionPatterns) patterns_.resize(kMillionPatterns);
      for (const Pattern& pattern : patterns_) {
        // Only failures shorter than the shortest so far are of interest.
        const std::size_t length = report_.failure ? report_.failure->length - 1 : all[k];
        if (length <= right) break;
        if (auto failure = fails(pattern, length)) shrink(pattern, *failure, right);
      }
      if (all[k] <= kAllPatterns) try_random(all[k], right);
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
    const RowTrial::Outcome outcome =
        search_.structured ? trial_.run_structured(*word) : trial_.run(*word, seed_, false);
    ++report_.words;
    report_.positions += outcome.rows;
    if (!outcome.ideal && search_.run.format != NumberFormat::f64) {
      if (report_.unknown_from == 0 || length < report_.unknown_from) report_.unknown_from = length;
      return std::nullopt;
    }
    if (outcome.wrong.empty()) return std::nullopt;
    const auto& [position, expected] = outcome.wrong.front();
    return Failure{length, position, expected ? "1" : "0", expected ? "0" : "1", to_string(pattern.shape), outcome.whole};
  }

  /// More of the random shapes, as long as words are short.
  void try_random(std::size_t length, std::size_t right) {
    const std::uint64_t before = seed_;
    for (int k = 0; k < kRandomWords; ++k) {
      if (report_.failure) length = std::min(length, report_.failure->length - 1);
      if (length <= right) break;
      ++seed_;
      const Pattern& pattern = random_patterns_[static_cast<std::size_t>(k) % random_patterns_.size()];
      if (auto failure = fails(pattern, length)) shrink(pattern, *failure, right);
    }
    seed_ = before;
  }

  /// The shortest failure of this pattern that bisection finds.
  void shrink(const Pattern& pattern, Failure failure, std::size_t right) {
    const auto wide = [&] {
      const double gap = static_cast<double>(failure.length - right);
      return gap > 1 && (failure.length < kLong || gap > kLongResolution * static_cast<double>(failure.length));
    };
    while (wide()) {
      // In a decoder nothing depends on what comes later: the word may end at the position that failed.
      if (failure.position > right && failure.position < failure.length)
        if (auto shorter = fails(pattern, failure.position)) {
          failure = *shorter;
          continue;
        }
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
      const auto tries = static_cast<std::size_t>(std::clamp(3e7 / cost, 6.0, 1000.0));
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

  /// Of all patterns those that are hardest for some head on words of moderate length, and one of each important shape.
  void choose_patterns() {
    std::vector<Tried> tried;
    for (const Pattern& pattern : patterns_)
      if (const std::optional<Word> word = pattern_word(formula_, pattern, kAllPatterns, seed_)) {
        const std::vector<std::uint8_t> answers = oracle::evaluate(formula_, *word);
        const auto ones = static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 1));
        tried.push_back({pattern, trial_.run(*word, seed_, true).head_errors, std::min(ones, answers.size() - ones)});
      }
    patterns_.clear();
    for (std::size_t rank = 0; rank < kPatternsPerHead; ++rank) {
      for (std::size_t h = 0; h < model_.head_count(); ++h) keep_ranked(tried, h, rank);
      for (const Shape shape :
           {Shape::random, Shape::near_threshold, Shape::block_true, Shape::block_false, Shape::in_turn, Shape::halves})
        if (rank == 0) keep_best(tried, shape);
    }
    for (const Shape shape :
         {Shape::spread_true, Shape::spread_false, Shape::random_pair, Shape::last, Shape::first, Shape::all})
      keep_best(tried, shape);
  }

  struct Tried {
    Pattern pattern;
    std::vector<double> errors;  // by head
    std::size_t balance;         // how often the rarer answer occurs
    double worst() const { return errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end()); }
  };

  void keep(const Pattern& pattern) {
    if (std::find(patterns_.begin(), patterns_.end(), pattern) == patterns_.end()) patterns_.push_back(pattern);
  }

  void keep_ranked(std::vector<Tried>& tried, std::size_t head, std::size_t rank) {
    std::stable_sort(tried.begin(), tried.end(), [&](const Tried& a, const Tried& b) {
      return std::tie(a.errors[head], a.balance) > std::tie(b.errors[head], b.balance);
    });
    if (rank < tried.size()) keep(tried[rank].pattern);
  }

  void keep_best(const std::vector<Tried>& tried, Shape shape) {
    const Tried* best = nullptr;
    for (const Tried& each : tried)
      if (each.pattern.shape == shape &&
          (!best || std::pair(each.worst(), each.balance) > std::pair(best->worst(), best->balance)))
        best = &each;
    if (best) keep(best->pattern);
  }

  const model::Transformer& model_;
  const lang::Formula& formula_;
  const FailureSearch& search_;
  RowTrial trial_;
  std::vector<Pattern> patterns_, random_patterns_;
  std::uint64_t seed_;  // of the random words
  FailureReport report_;
};

}  // namespace

/// Powers of two and the lengths after them are where exponents change.
std::vector<std::size_t> failure_lengths(std::size_t from, std::size_t to) {
  std::vector<std::size_t> result{from, to};
  for (std::size_t n = from; n <= std::min(to, kEveryLength); ++n) result.push_back(n);
  const auto step = [](double x) { return x > kWhole && x < kLong ? kRowStep : kStep; };
  for (double x = kEveryLength; x < static_cast<double>(to); x *= step(x))
    result.push_back(static_cast<std::size_t>(x) | 1);
  for (std::size_t power = power_above(kEveryLength); power <= to; power *= 2) {
    if (power < kVeryLong) result.push_back(power);
    result.push_back(power + 1);
  }
  std::erase_if(result, [&](std::size_t n) { return n < from || n > to; });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

FailureReport search_failure(const model::Transformer& model, const lang::Formula& formula,
                             const FailureSearch& search) {
  return Search(model, formula, search).run();
}

std::optional<Failure> find_failure(const model::Transformer& model, const lang::Formula& formula,
                                    const FailureSearch& search) {
  return search_failure(model, formula, search).failure;
}

}  // namespace quench::verify
