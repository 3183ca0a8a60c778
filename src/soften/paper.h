// Theorem 26 with the paper's own constants: what Appendix D calls d and p_max, and whether it speaks of a model at
// all.
#pragma once

#include <string>
#include <vector>

#include "bounds/theorem26.h"
#include "soften/facts.h"

namespace quench::soften {

/// d and p_max as Appendix D has them; W_O·W_V stands for its W_V.
bounds::Size paper_size(const model::Transformer& model);

/// Why Theorem 26 as printed says nothing about this model; empty if it does.
std::string why_not_paper(const model::Transformer& model, const std::vector<LengthFacts>& facts);

}  // namespace quench::soften
