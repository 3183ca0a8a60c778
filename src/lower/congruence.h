// t ≡ r (mod m) for a sum of counts, from the rests of its counts one by one. No recipe needs a construction of its own
// for it: each count has its predicate θ(κ), and a table adds the rests up.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "lang/formula.h"

namespace quench::lower {

inline constexpr std::int64_t kMostCases = 256;  ///< the largest modulus of several counts

struct CongruenceParts {
  struct Part {
    lang::Count count;
    std::int64_t step;             ///< what one more is worth, modulo m
    std::vector<Predicate> rests;  ///< the predicates of the count that are needed: rest v is rests[v]
  };
  std::vector<Part> counts;  ///< those that matter modulo m
  std::int64_t modulus = 1;
  std::int64_t wanted = 0;  ///< Σ step · count ≡ wanted
  bool tractable = true;    ///< false: there are several counts and the modulus is beyond kMostCases
};

/// In normal form: c·κ ≡ w (mod m) depends on κ modulo m/gcd(c, m) alone.
CongruenceParts congruence_parts(const lang::Formula& formula, const lang::Congruence& congruence);

/// Whether the sum is in the class, given for each count the literals of its rests.
ir::Literal sum_in_class(ir::Graph& graph, const CongruenceParts& parts,
                         const std::vector<std::vector<ir::Literal>>& rests, const std::string& label);

}  // namespace quench::lower
