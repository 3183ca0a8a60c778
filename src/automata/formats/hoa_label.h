// Labels of the Hanoi format: Boolean formulas over atomic propositions, `[0 & !1 | @name]`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace quench::automata {

/// Labels by name, without the @.
using HoaAliases = std::map<std::string, std::string>;

/// Whether a label (without its brackets) holds where `letter` is the only true proposition; `letter` = `propositions`:
/// none is true. Nothing if it is no label. Brackets may be 200 deep, aliases within aliases too.
std::optional<bool> label_holds(std::string_view label, std::size_t letter, std::size_t propositions,
                                const HoaAliases& aliases, int depth = 0);

}  // namespace quench::automata
