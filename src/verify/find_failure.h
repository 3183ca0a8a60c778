// The smallest length at which a model really fails: how tight a certified length is, measured.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lang/formula.h"
#include "lang/rule.h"
#include "model/transformer.h"
#include "run/reference/reference.h"
#include "verify/words/adversarial_words.h"

namespace quench::verify {

struct Failure {
  std::size_t length = 0, position = 0;
  std::string expected, got;  ///< as answers are written
  std::string family;  ///< which words failed, in words
  bool whole = false;  ///< seen on the whole network; else in a row whose other positions hold what they should
};

struct FailureSearch {
  std::size_t from = 1, to = 2048;  ///< lengths that are tried
  run::Options run;                 ///< of these only the format: failures are those of soft attention
  bool structured = false;          ///< by the linear-time executor in f32 instead of the reference
  std::uint64_t seed = 1;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct FailureReport {
  std::optional<Failure> failure;
  std::uint64_t words = 0, positions = 0;  ///< that were tried
  std::size_t searched = 0;                ///< lengths were tried up to here, unless one failed before
  /// From here on not even f64 evaluates the ideal network, so nothing is known; 0: no such length was met.
  std::size_t unknown_from = 0;
};

/// Tries adversarial words of growing length, all shapes of them on short words, on long ones those that are hardest
/// for some head (verify/row_trial.h). When one fails, shorter words of its shape are bisected, and lengths just below
/// scanned. Not a proof that shorter words are right: the result is an upper bound of the first failure.
FailureReport search_failure(const model::Transformer& model, const lang::Formula& formula,
                             const FailureSearch& search);

/// The same for any rule: a formula, or an automaton with one, as above; others on words that are run whole, so by the
/// reference executor none longer than kLongestWhole.
inline constexpr std::size_t kLongestWhole = 4096;
FailureReport search_failure(const model::Transformer& model, const lang::Rule& rule, const FailureSearch& search);

/// The lengths that are tried, in order: all short ones, then a geometric sequence with powers of two among them.
std::vector<std::size_t> failure_lengths(std::size_t from, std::size_t to);

std::optional<Failure> find_failure(const model::Transformer& model, const lang::Formula& formula,
                                    const FailureSearch& search);

}  // namespace quench::verify
