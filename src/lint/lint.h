// Rules that mean something, but hardly what their writer meant. Warnings, never errors: a rule that is linted compiles
// to the same network. Codes W001 … are explained like those of errors.
#pragma once

#include <vector>

#include "base/text/diagnostic.h"
#include "lang/formula.h"

namespace quench::lint {

/// All of the warnings below about a formula, in the order of the text.
std::vector<Diagnostic> lint(const lang::Formula& formula);

/// W001: parts that are true everywhere or nowhere, whatever the word, although they mention symbols or counts.
std::vector<Diagnostic> constant_parts(const lang::Formula& formula);

/// Whether the rule mentions a symbol, a count or a predicate. Without them it is meant to be constant, if it is.
bool mentions_anything(const lang::Formula& formula);

/// W002: operators that look to the right where only the last position counts, so that there is nothing to look at.
std::vector<Diagnostic> trivial_at_the_end(const lang::Formula& formula);

}  // namespace quench::lint
