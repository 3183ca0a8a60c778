// Direct semantics of programs, written to be obvious: for every position, the least or greatest j that fits. Shares
// nothing with the lowering or the network.
#pragma once

#include <cstdint>
#include <vector>

#include "base/word.h"
#include "lang/program.h"

namespace quench::oracle {

/// A value as a number: a Boolean is 0 or 1; a symbol is its number in the alphabet, or kUnmentioned; a string is its
/// number in `program.strings`, or −3−s for the symbol s alone (−2: an unmentioned one); an integer is itself; a score
/// is counted in millionths, a mean rounded to the nearest.
using Values = std::vector<std::int64_t>;

/// The output vector on a non-empty word over `program.alphabet`; of several scores, those of position 1 in the order
/// of `program.scores`, then those of position 2, … Throws UserError where integers overflow.
Values evaluate(const lang::Program& program, const Word& word);
/// Every vector, indexed by VectorId.
std::vector<Values> evaluate_all(const lang::Program& program, const Word& word);
/// The same with sums and attention in linear time (oracle/long_attention.h), as of long words, or by definition.
std::vector<Values> evaluate_all(const lang::Program& program, const Word& word, bool linear);

/// The string that a value of sort string stands for.
std::vector<Symbol> string_of(const lang::Program& program, std::int64_t value);

}  // namespace quench::oracle
