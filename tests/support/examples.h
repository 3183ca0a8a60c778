// The rules in examples/formulas with the words their comments promise to accept and reject: one table that goes through
// every level.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/paths.h"

namespace quench::test {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

struct ExampleFile {
  std::string name;  ///< of the file, without `.tl`
  std::string text;
  std::vector<std::string> accepts, rejects;
  std::vector<std::pair<std::string, std::string>> values;  ///< a word and the truth at each position: "110", "100"
};

/// So that a failing test names the example instead of dumping its bytes.
inline std::ostream& operator<<(std::ostream& out, const ExampleFile& example) { return out << example.name; }

/// Words separated by blanks; a word that contains blanks stands in double quotes.
inline std::vector<std::string> quoted_words(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size(); at = line.find_first_not_of(' ', at)) {
    const bool quoted = line[at] == '"';
    const std::size_t begin = quoted ? at + 1 : at;
    const std::size_t end = std::min(line.find(quoted ? '"' : ' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = quoted ? end + 1 : end;
  }
  return words;
}

inline ExampleFile read_example(const std::filesystem::path& path) {
  std::istringstream content(read_text(path));
  ExampleFile example{path.stem().string(), content.str(), {}, {}, {}};
  std::string line;
  while (std::getline(content, line)) {
    const auto words_after = [&](const std::string& key) {
      return line.starts_with(key) ? quoted_words(line.substr(key.size())) : std::vector<std::string>{};
    };
    for (std::string& word : words_after("// accepts:")) example.accepts.push_back(std::move(word));
    for (std::string& word : words_after("// rejects:")) example.rejects.push_back(std::move(word));
    for (const std::string& pair : words_after("// values:"))
      example.values.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
  }
  return example;
}

/// All of them, by name.
inline const std::vector<ExampleFile>& formula_examples() {
  static const std::vector<ExampleFile> examples = [] {
    std::vector<ExampleFile> found;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("examples/formulas")))
      if (entry.path().extension() == ".tl") found.push_back(read_example(entry.path()));
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
  }();
  return examples;
}

}  // namespace quench::test
