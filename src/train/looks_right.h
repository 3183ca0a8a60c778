// Whether a rule's value at a position can depend on what stands to the right of it: then causal heads cannot learn it.
#pragma once

#include "lang/rule.h"

namespace quench::train {

/// A program may: its masks are not analysed.
bool looks_right(const lang::Rule& rule);

}  // namespace quench::train
