// The examples of the repository as part of the program; written by CMake from examples/ (embedded_examples.cpp.in).
#pragma once

#include <span>
#include <string_view>

namespace quench::studio {

struct ExampleText {
  std::string_view name;  ///< of the file: "flip_flop.tl"
  std::string_view text;
};
std::span<const ExampleText> examples();

}  // namespace quench::studio
