// The tests of classify/decision.h on a transition monoid.
#pragma once

#include "automata/monoid/green.h"

namespace quench::automata {

bool is_definite(const TransitionMonoid& monoid, const Green& green);
bool is_reverse_definite(const TransitionMonoid& monoid, const Green& green);
bool is_locally_testable(const TransitionMonoid& monoid, const Green& green, Budget& budget);
bool is_da(const TransitionMonoid& monoid, const Green& green);

/// Elements that generate a group of their own: not idempotent, in the H-class of an idempotent.
std::vector<Element> proper_group_elements(const TransitionMonoid& monoid, const Green& green);

/// The least s such that no word whose length is a multiple of s is a proper group element; 0 if there is none. More
/// than `limits.modulus` is a UserError.
std::size_t least_modulus(const TransitionMonoid& monoid, const Green& green, const Limits& limits, Budget& budget);

}  // namespace quench::automata
