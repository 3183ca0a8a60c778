// Direct semantics of a rule of any kind, and its answers as people read them.
#pragma once

#include <string>

#include "lang/rule.h"
#include "oracle/program.h"

namespace quench::oracle {

Values evaluate(const lang::Rule& rule, const Word& word);

/// The symbols one value puts out, as texts: of a symbol or string. A symbol no rule mentions is "" (see Alphabet).
std::vector<std::string> symbols_of(const lang::Rule& rule, std::int64_t value);

}  // namespace quench::oracle
