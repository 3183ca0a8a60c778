// Direct semantics of a rule of any kind, and its answers as people read them.
#pragma once

#include <string>

#include "lang/rule.h"
#include "oracle/program.h"

namespace quench::oracle {

Values evaluate(const lang::Rule& rule, const Word& word);

/// The symbols one value puts out, as texts: of a symbol or string. A symbol no rule mentions is "" (see Alphabet).
std::vector<std::string> symbols_of(const lang::Rule& rule, std::int64_t value);

/// Of a rule that puts out scores: what each is of, one symbol; nothing, where there is one score without a symbol.
std::vector<std::vector<std::string>> score_symbols(const lang::Rule& rule);

}  // namespace quench::oracle
