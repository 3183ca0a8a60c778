// The positions that an attention of a program finds in a long word, in time linear in its length.
//
// In S(i, j) positions meet as symbols and Booleans, of which there are few, and as integers at most once, A(i) = B(j).
// So all that a j has to say is its class (the values of what S reads at j alone) and the number B(j). Going through
// the word in the order in which the mask brings positions into sight, it is enough to know of every class the best
// position, the best one with another B, and the best one for each value of B.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lang/program.h"
#include "oracle/expression_values.h"

namespace quench::oracle {

/// By position, from 1; 0 where none fits. Nothing if there are too many classes: integers that meet otherwise.
std::optional<std::vector<std::int64_t>> positions_of_a_long_word(ExpressionValues& values,
                                                                  const lang::Attention& attention);

}  // namespace quench::oracle
