// Program → text that parses to the same program.
#pragma once

#include <string>

#include "lang/program.h"

namespace quench::lang {

/// Every vector on a line; functions are written out.
std::string print(const Program& program);
/// One expression, cut with "…" after about `limit` characters.
std::string print(const Program& program, ExpressionId id, std::size_t limit = std::string::npos);
/// A score as a decimal number, "-0.30103"; always with a point.
std::string score_text(std::int64_t millionths);
/// A symbol in quotes, escaped where need be.
std::string quoted_symbol(std::string_view symbol);
/// `alphabet {'a', 'b'}`
std::string alphabet_text(const Alphabet& alphabet);

}  // namespace quench::lang
