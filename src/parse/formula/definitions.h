// The names a text defines.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/predicate.h"
#include "parse/formula/builder.h"

namespace quench::parse {

struct Definition {
  Span span;                                  ///< of the name where it is defined
  Value value;                                ///< of a `let`
  std::optional<Predicate> predicate;         ///< of a `pred`
  std::optional<lang::PredicateId> interned;  ///< once it has been used
  bool done = false;                          ///< false: only announced, the text defines it further down
};

using Definitions = std::unordered_map<std::string, Definition>;

}  // namespace quench::parse
