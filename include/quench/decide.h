// Which transformers there are for a regular language (docs/automata.md): its class, and one row per architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <quench/format.h>
#include <quench/rule.h>

namespace quench::api {

struct Architecture {
  std::string name;  ///< "hard attention"
  bool possible = false;
  std::string kind;                        ///< "network", "theorem"; "unconditional", "unless TC0 = NC1"
  std::string reason;                      ///< whose theorem it is, or why there is no network of ours
  std::optional<std::uint64_t> certified;  ///< of a network of ours: the length; kNoLimit: there is no limit
  std::string formula;                     ///< it was made from; proved to be the language
};

struct Decision {
  std::size_t states = 0;  ///< of the minimal automaton
  std::size_t monoid = 0;  ///< elements of its transition monoid
  std::string language_class, logic;
  bool aperiodic = false, quasi_aperiodic = false, solvable = false;
  std::optional<std::size_t> modulus;  ///< of positions, if the language is quasi-aperiodic
  std::vector<Architecture> architectures;
};

struct DecideOptions {
  Format format = Format::f32;  ///< of certified lengths
  bool networks = true;         ///< without them, it is theorems that say yes, and that is quick
};

/// Of a regular expression, an automaton, a formula of the regular fragment, or a B-RASP program. Throws UserError if
/// the rule is not known to be regular, or is beyond the usual limits.
Decision decide(const Rule& rule, const DecideOptions& options = {});

}  // namespace quench::api
