// Automata as pictures: text for Graphviz.
#pragma once

#include <string>

#include "lang/dfa.h"

namespace quench::automata {

/// Letters between the same two states share an arrow; accepting states have two rings.
std::string print_dot(const lang::Dfa& dfa);

}  // namespace quench::automata
