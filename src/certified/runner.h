// Words through a model, as its certificate allows: which engine answers, up to which length, and what is refused. What
// `quench run` and the public Runner (src/api) both stand on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "certified/allowance.h"
#include "certified/bits_engine.h"
#include "lang/rule.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::certified {

/// A word is longer than the certificate answers for.
struct LengthRefused : std::runtime_error {
  LengthRefused(std::uint64_t refused, std::uint64_t allowed, NumberFormat format);
  std::uint64_t length;   ///< of the word
  std::uint64_t longest;  ///< that is answered for
};

/// How a model is to be run.
struct Request {
  run::Options options;
  run::Engine engine = run::Engine::automatic;
  bool bits = false;         ///< the formula answers, where a certificate allows it; `engine` then does not matter
  bool uncertified = false;  ///< no limit and no warnings; but `bits` has no answer without a certificate
  bool parallel = true;      ///< threads; the results do not depend on it
};

/// Const use from several threads is safe, each with a Workspace of its own.
class Runner {
 public:
  struct Workspace {
    run::Executor::Workspace network;
    BitsEngine::Workspace bits;
  };

  /// The model must outlive it. `compiled_from` as in BitsEngine. Throws UserError where the engine cannot do what is
  /// asked.
  Runner(const model::Transformer& model, const Request& request, const lang::Rule* compiled_from = nullptr);

  /// What words are written in.
  const Alphabet& alphabet() const { return bits_ ? bits_->alphabet() : model_.alphabet; }
  const RunLimit& limit() const { return limit_; }

  /// run::answers of each word. `bits` takes them side by side; engines of networks one after the other. Throws
  /// LengthRefused before any of them is run.
  std::vector<std::vector<std::int64_t>> answers(std::span<const Word> words, Workspace& workspace) const;
  /// How the last call got its answers, in words.
  std::string explanation(const Workspace& workspace) const;

 private:
  const model::Transformer& model_;
  Request request_;
  RunLimit limit_;
  std::unique_ptr<const BitsEngine> bits_;  ///< it, or …
  std::optional<run::Executor> executor_;   ///< … the network
};

/// Throws LengthRefused if a word of this length may not be run.
void require_length(std::uint64_t length, const RunLimit& limit, NumberFormat format);

}  // namespace quench::certified
