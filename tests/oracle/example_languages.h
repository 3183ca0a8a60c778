// What every example is meant to accept, written without any logic: a plain function of the word.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace quench {

struct ExampleLanguage {
  std::string alphabet;  ///< one character per symbol
  std::function<bool(const std::string&)> contains;
  /// The symbols as the rule spells them, where they are not the characters themselves.
  std::map<char, std::string> spelling;
  /// Of rules that are about positions: the truth at the 0-based position. Otherwise empty.
  std::function<bool(const std::string&, std::size_t)> at;
};

const std::map<std::string, ExampleLanguage>& example_languages();

}  // namespace quench
