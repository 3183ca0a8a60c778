// The list of operators, expanded into the enum (lang/formula.h) and the table of facts (lang/operators.cpp) together. A
// new operator is a row here; the compiler then names every switch that has to handle it.
//
//   X(name, modality, [precedence, associativity,] symbol, word, unicode, latex, meaning)
//
// modality:  what of temporal logic the operator is made of: none, previous, next, since or until
// symbol:    what the printer writes; word and unicode are other spellings, "" if there are none
// meaning:   one line, for the documents and `quench show`
#pragma once

// clang-format off
#define QUENCH_UNARY_OPERATORS(X)                                                                                                  \
  X(not_,          none,     "!",    "not",          "¬", "\\neg",       "p is false")                                             \
  X(previous,      previous, "prev", "Y",            "⊖", "\\ominus",    "p at the position before; false at 1")                   \
  X(next,          next,     "next", "X",            "⊕", "\\oplus",     "p at the position after; false at n")                    \
  X(once,          since,    "O",    "once",         "",  "\\mathsf{O}", "p at some j <= i")                                       \
  X(historically,  since,    "H",    "historically", "",  "\\mathsf{H}", "p at every j <= i")                                      \
  X(eventually,    until,    "F",    "eventually",   "",  "\\mathsf{F}", "p at some j >= i")                                       \
  X(always,        until,    "G",    "always",       "",  "\\mathsf{G}", "p at every j >= i")                                      \
  X(weak_previous, previous, "Z",    "weak_prev",    "",  "\\mathsf{Z}", "p at the position before; true at 1")                    \
  X(weak_next,     next,     "N",    "weak_next",    "",  "\\mathsf{N}", "p at the position after; true at n")

#define QUENCH_BINARY_OPERATORS(X)                                                                                                 \
  X(and_,           none,  and_,     left,  "&",     "and",        "∧", "\\wedge",                   "both p and q")               \
  X(or_,            none,  or_,      left,  "|",     "or",         "∨", "\\vee",                     "p or q or both")             \
  X(implies,        none,  implies,  right, "->",    "implies",    "→", "\\rightarrow",              "q whenever p")               \
  X(iff,            none,  iff,      left,  "<->",   "iff",        "↔", "\\leftrightarrow",          "p exactly when q")           \
  X(xor_,           none,  xor_,     left,  "xor",   "",           "⊻", "\\veebar",                  "p or q but not both")        \
  X(since,          since, temporal, right, "since", "",           "",  "\\mathbin{\\mathbf{since}}", "q at some j <= i, and p at j, ..., i")   \
  X(until,          until, temporal, right, "until", "",           "",  "\\mathbin{\\mathbf{until}}", "q at some j >= i, and p at i, ..., j")   \
  X(standard_since, since, temporal, right, "S",     "",           "",  "\\mathbin{\\mathsf{S}}",     "q at some j <= i, and p at j+1, ..., i") \
  X(standard_until, until, temporal, right, "U",     "",           "",  "\\mathbin{\\mathsf{U}}",     "q at some j >= i, and p at i, ..., j-1") \
  X(weak_until,     until, temporal, right, "W",     "weak_until", "",  "\\mathbin{\\mathsf{W}}",     "p U q, or p at every j >= i")            \
  X(release,        until, temporal, right, "R",     "release",    "",  "\\mathbin{\\mathsf{R}}",     "q at i, ..., j for some j >= i with p, or q at every j >= i")
// clang-format on

/// The cases of a switch that cannot occur, by name, so that the switch needs no `default:` and a new operator is not
/// swallowed by one: `QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)`.
#define QUENCH_OPERATOR_CASE(name, ...) case ::quench::lang::Operator::name:
