// The campaigns and the examples of the repository, as part of the program: they are there on every machine that it
// runs on. Written by CMake from campaigns/ and examples/ (library.cpp.in).
#pragma once

#include <span>
#include <string_view>

namespace quench::campaign {

struct NamedText {
  std::string_view name;  ///< of an example "parity.dfa", of a campaign "quick"
  std::string_view text;
};

/// "formulas", "programs" or "automata"; empty for anything else.
std::span<const NamedText> examples(std::string_view folder);
std::span<const NamedText> campaigns();

}  // namespace quench::campaign
