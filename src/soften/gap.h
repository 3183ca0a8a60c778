// γ(n) and the other facts at the lengths 1 … N, by one of the three routes.
#pragma once

#include "soften/soften.h"

namespace quench::soften {

/// Facts at lengths 1, 2, …, as far as the route goes (to the length asked for, or else as far as is cheap). `stopped`
/// says what ended it before the length asked for. Throws Refusal if there is not even one length.
struct FactsByLength {
  std::vector<LengthFacts> facts;
  std::string stopped;
};
FactsByLength find_facts(const Network& network, Route route, const Options& options);

/// γ(n) of a head in closed form, if its claim is of a construction that proves one; else 0.
double proved_gap(const model::Head& claimed, std::size_t n);

}  // namespace quench::soften
