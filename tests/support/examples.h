// The formulas of examples/formulas, as one table that goes through every level.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace quench::test {

struct Example {
  std::string name, text;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

inline const std::vector<Example>& formula_examples() {
  static const std::vector<Example> examples = [] {
    std::vector<Example> found;
    for (const auto& entry : std::filesystem::directory_iterator(QUENCH_SOURCE_DIR "/examples/formulas"))
      if (entry.path().extension() == ".tl") found.push_back({entry.path().stem().string(), read_text(entry.path())});
    std::sort(found.begin(), found.end(), [](const Example& a, const Example& b) { return a.name < b.name; });
    return found;
  }();
  return examples;
}

}  // namespace quench::test
