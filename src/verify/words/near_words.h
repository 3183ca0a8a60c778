// Long words on the edge of what a rule accepts: accepted words, made of short ones by repeating them or by repeating
// each of their symbols, and their neighbours, in which one symbol is another, two have changed places, or all have
// moved by one. Where a count decides, a neighbour is one off its threshold.
#pragma once

#include <cstdint>
#include <vector>

#include "base/word.h"
#include "lang/rule.h"

namespace quench::verify {

/// At most `count` words of at most n symbols (as many as a multiple of the short word's length allows) over the rule's
/// alphabet. Of rules that neither accept nor reject, or for which no such words are found, none.
std::vector<Word> near_words(const lang::Rule& rule, std::size_t n, std::size_t count, std::uint64_t seed);

}  // namespace quench::verify
