// Languages of the field as automata: what the tests and the lab take to see whether anything is learnt or proved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "automata/monoid/permutation_group.h"
#include "lang/dfa.h"

namespace quench::automata {

/// a, b, c …
Alphabet first_letters(std::size_t count);

/// Letters that generate a group of permutations, which acts on itself; accepted where the product is 1. Minimal.
lang::Dfa word_problem(const std::vector<Permutation>& letters);

/// n points in a circle, turned by one.
Permutation turn(std::uint32_t n);

/// D_k: brackets a and b of depth at most k, as a regular expression.
std::string brackets(int depth);

/// Brackets of several kinds, (a, b), (c, d) …, of depth at most `depth`.
lang::Dfa bounded_dyck(std::size_t kinds, std::size_t depth);

/// Digits below m with + − × between them; accepted where the value is 0 modulo m. Minimal.
lang::Dfa modular_arithmetic(std::uint32_t m);

/// Pairs of symbols, an instruction (w, r or i) and a bit: the first instruction is w, and the bit after each r is the
/// one after the last w. Accepted after whole pairs.
lang::Dfa flip_flop();

}  // namespace quench::automata
