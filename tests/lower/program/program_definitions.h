// What every program of examples/programs should answer, written down independently of the programs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace quench::test {

using Letters = std::string;

/// What a program should answer on a word: the output, or "1"/"0" for acceptance.
using Definition = std::function<std::string(const Letters&)>;

struct ProgramDefinition {
  std::string letters;  ///< tried exhaustively and at random
  Definition definition;
};

/// By the name of the example.
const std::map<std::string, ProgramDefinition>& program_definitions();

// How definitions write acceptance and numbers.
std::string truth(bool value);
std::string numbers(const std::vector<std::size_t>& values);

}  // namespace quench::test
