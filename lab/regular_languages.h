// The languages of the atlas: those that the field tests on, word problems of groups, random automata of every class,
// and automata files of others. Rules that are not regular are in lab/languages.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lang/automaton.h"

namespace quench::lab {

struct RegularLanguage {
  std::string family;  ///< "languages", "groups", "tasks", "random"
  std::string name;
  lang::Dfa dfa;  ///< over its own symbols
};

/// Languages and tasks as they are usually defined (docs/lab/regular-atlas.md), and groups by generators.
std::vector<RegularLanguage> languages_of_the_field();

/// Up to `count` random automata of every class, as far as they are met with.
std::vector<RegularLanguage> random_regular_languages(std::uint64_t seed, std::size_t count);

/// As a rule, written in our own format.
lang::Automaton rule_of(const lang::Dfa& dfa);

/// The automata and regular expressions of a folder, by name. Throws UserError if there are none, IoError if it cannot
/// be read.
std::vector<std::filesystem::path> automaton_files(const std::filesystem::path& folder);
/// One of them. Throws DiagnosticError, UserError, IoError.
lang::Automaton read_automaton_file(const std::filesystem::path& file);
/// A hash of their names and contents.
std::string contents_of(const std::filesystem::path& folder);

}  // namespace quench::lab
