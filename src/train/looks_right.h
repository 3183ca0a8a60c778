// Whether a rule's value at a position can depend on what stands to the right of it: then causal heads cannot learn it.
#pragma once

#include "lang/formula.h"

namespace quench::train {

bool looks_right(const lang::Formula& rule);

}  // namespace quench::train
