// The facts of one length, or of all lengths up to one, without looking at words one by one: for every position the set
// of residual vectors that some word can put there, as boxes of intervals. Sound, not complete: which boxes of
// different positions occur together is forgotten, so a gap may be missed, never invented.
#pragma once

#include "soften/facts.h"

namespace quench::soften {

/// Boxes kept per position; beyond it the analysis gives up (or merges, where gaps are proved otherwise).
inline constexpr std::size_t kMostBoxes = 4000;

/// Throws Refusal where two scores can be neither told apart nor known to be equal, or boxes become too many.
LengthFacts analyse(const Network& network, std::size_t n);

/// Facts that hold at every length 2 … longest at once, for a network whose heads are tieless or uniform, with proved
/// gaps: only ranges and pieces are analysed, for the positions 1, 2 and beyond. The gaps are left open.
LengthFacts analyse_all(const Network& network, std::size_t longest);

}  // namespace quench::soften
