// One numbering for every text that says the same: what parsing gives, and what is compiled.
#pragma once

#include "lang/formula.h"
#include "lang/program.h"

namespace quench::lang {

/// The rule with its nodes, terms, predicates and symbols numbered in the order in which its text, written out, first
/// mentions them, and nothing that the root does not depend on but the symbols of a declared alphabet, which come
/// first. The result depends on the rule alone: not on `let` lines, on what came before the last expression, or on the
/// order in which a program put the formula together. So canonical(parse(print(f))) is canonical(f), to the number, and
/// both compile to the same bytes.
Formula canonical(const Formula& formula);

/// The same for a program's expressions and strings. Its vectors and symbols, which are all printed, keep their numbers.
Program canonical(const Program& program);

}  // namespace quench::lang
