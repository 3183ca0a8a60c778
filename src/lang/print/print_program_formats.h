// A program for Graphviz, LaTeX and other programs.
#pragma once

#include <string>

#include "lang/program.h"

namespace quench::lang {

/// One box per vector the output depends on, arrows to the vectors it reads.
std::string print_dot(const Program& program);
/// An align* environment, one line per vector, in the papers' notation.
std::string print_latex(const Program& program);
/// {"symbols", "strings", "vectors": [{"name", "sort", "kind", …}], "expressions": [{"id", "kind", "sort", …, "args"}],
/// "outputs"}
std::string print_json(const Program& program);

}  // namespace quench::lang
