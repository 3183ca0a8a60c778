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
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< called from any thread, now and then
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

}  // namespace quench::api
