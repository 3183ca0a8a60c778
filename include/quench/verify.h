// A model against a rule, word by word: evidence, where a certificate is a proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <quench/format.h>
#include <quench/model.h>
#include <quench/rule.h>

namespace quench::api {

struct VerifyOptions {
  // If neither of the first two is given: up to 100,000 short words, and 200 random ones.
  std::optional<int> exhaustive = {};            ///< all words up to this length
  std::optional<std::size_t> random_count = {};  ///< and so many random ones …
  std::size_t random_length = 200;               ///< … up to this length
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: all cores. The report does not depend on it.
  Format format = Format::f64;
  Engine engine = Engine::automatic;  ///< any but `bits`, which is the rule itself
  bool hard = false;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< called from any thread, now and
                                                                               ///< then; what it throws ends the work
};

struct Counterexample {
  std::string word;
  std::size_t position = 0;   ///< the first that differs, counted from 1
  std::string expected, got;  ///< "0", "1", a number, a symbol
};

struct Report {
  std::uint64_t words = 0, positions = 0, differences = 0;
  int exhaustive = 0;                            ///< all words up to this length are among them
  std::optional<Counterexample> counterexample;  ///< the smallest found, made smaller still
};

/// Words over the symbols that the model or the rule mentions, and one that neither does. Lengths are not refused.
Report verify(const Rule& rule, const Model& model, const VerifyOptions& options = {});

struct FailureOptions {
  std::size_t shortest = 1, longest = 4096;  ///< lengths that are tried
  Format format = Format::f32;
  std::uint64_t seed = 1;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< what it throws ends the search
};

struct Failure {
  std::size_t length = 0, position = 0;
  std::string expected, got;
  std::string family;  ///< which words failed, in words
  bool whole = false;  ///< seen on the whole network; else in one row of a head, the rest being as it should
};

struct FailureReport {
  std::optional<Failure> failure;
  std::uint64_t words = 0;   ///< that were tried
  std::size_t searched = 0;  ///< lengths were tried up to here, unless one failed before
};

/// The smallest length at which a model is seen to fail in a number format, on words that are hard for its heads: how
/// tight a certified length is. Not a proof that shorter words are right.
FailureReport find_failure(const Rule& rule, const Model& model, const FailureOptions& options = {});

}  // namespace quench::api
