// Which transformers there are for a regular language: one row per architecture, with a network of ours or the reason
// why there is none. What `quench decide` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "automata/classify/decision.h"
#include "automata/classify/return_witness.h"
#include "driver/compile.h"

namespace quench::driver {

/// A network of ours, compiled by the recipe `auto`.
struct KnownNetwork {
  std::string strategy, formula;  ///< proved to be the language
  std::string recipe;
  std::size_t layers = 0, heads = 0;
  std::uint64_t certified = 0;  ///< the length, in the format asked for, by any engine; model::kLongest is no limit
};

/// How an answer is known.
#define QUENCH_ANSWER_KINDS(X)      \
  X(network, "network")             \
  X(theorem, "theorem")             \
  X(unconditional, "unconditional") \
  X(conditional, "unless TC0 = NC1")
QUENCH_NAMED_ENUM(AnswerKind, QUENCH_ANSWER_KINDS)

struct Architecture {
  std::string name;  ///< "hard attention"
  bool possible = false;
  AnswerKind kind = AnswerKind::theorem;
  std::string reason;                   ///< whose theorem it is, or why there is no network of ours
  std::optional<KnownNetwork> network;  ///< of the kind `network`
};

struct Verdict {
  lang::Dfa minimal;
  automata::Decision decision;
  std::optional<automata::ReturnWitness> not_r_trivial;
  std::vector<Architecture> architectures;  ///< the narrowest first
  std::string recipe;  ///< the narrowest of the paper's that covers a formula of the language; "" if none is known
};

/// Every witness has been checked by automata/classify/witness_check. Without `networks`, which take the most time,
/// rows say what theorems say. Throws UserError beyond the limits of the classification; a formula beyond limits is a
/// reason.
Verdict judge(const lang::Dfa& dfa, const RegularOptions& options = {}, bool networks = true);

}  // namespace quench::driver
