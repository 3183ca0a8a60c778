// Comparing a model with the rule it should compute: words, differences, the smallest counterexample.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lang/rule.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::verify {

struct Options {
  int exhaustive = 0;                 ///< all words of length 1 … this
  std::size_t random_count = 0;       ///< and so many random words
  std::size_t random_length = 0;      ///< of length 1 … this, half of them of exactly this length
  std::size_t adversarial_count = 0;  ///< and so many of random_length made to stress heads (words/adversarial_words.h)
  std::vector<Word> given;            ///< and these: the symbols of the model's and the rule's, the last one no one's
  std::uint64_t seed = 1;
  std::uint64_t part = 0, parts = 1;  ///< of all these words only the part-th of so many shares, from 0
  bool mentioned_only = false;        ///< no symbol that neither model nor rule mentions
  int threads = 0;                    ///< 0: all cores. The result does not depend on it.
  run::Options run;
  run::Engine engine = run::Engine::automatic;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  ///< from any thread, now and then
};

struct Counterexample {
  std::string word;
  std::size_t position = 0;   ///< 1-based, the first that differs
  std::string expected, got;  ///< as answers are written: "0", "1", a symbol, a string in quotes
};

struct Report {
  std::uint64_t words = 0, positions = 0, differences = 0;
  std::size_t longest = 0;                       ///< of these words
  std::optional<Counterexample> counterexample;  ///< smallest found, then shrunk
};

/// Words over the symbols that the model or the rule mentions, and one that neither does, unless the options leave it
/// out; over the alphabet that a formula declares.
Report verify(const model::Transformer& model, const lang::Rule& rule, const Options& options);
Report verify(const model::Transformer& model, const lang::Formula& formula, const Options& options);
Report verify(const model::Transformer& model, const lang::Program& program, const Options& options);

/// The words `exhaustive` stands for; saturates at 2^63.
std::uint64_t count_words(std::size_t symbols, int max_length);
/// Symbols that verification uses for this pair.
std::size_t symbol_count(const model::Transformer& model, const lang::Rule& rule, bool mentioned_only = false);

}  // namespace quench::verify
