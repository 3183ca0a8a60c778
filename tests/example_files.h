// The rules in examples/formulas with the words their comments promise to accept and reject.
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

namespace quench {

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
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::stringstream content;
  content << file.rdbuf();
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
inline std::vector<ExampleFile> all_examples() {
  std::vector<ExampleFile> examples;
  for (const auto& entry : std::filesystem::directory_iterator(QUENCH_SOURCE_DIR "/examples/formulas"))
    if (entry.path().extension() == ".tl") examples.push_back(read_example(entry.path()));
  std::sort(examples.begin(), examples.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return examples;
}

}  // namespace quench
