// Documents and comments name files by their paths, or by the end of them: `methods/scan.h`. Such files exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "support/paths.h"

namespace quench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRooms[] = {"include", "src", "cli", "lab", "mpi", "fuzz", "tests", "bench", "scripts", "python"};

/// Every path below the rooms, and every end of one.
std::set<std::string> ends_of_paths(const fs::path& root) {
  std::set<std::string> ends;
  for (const char* room : kRooms)
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      std::string path = fs::relative(entry.path(), root).generic_string();
      for (std::size_t slash = 0; slash != std::string::npos; slash = path.find('/')) {
        if (slash > 0) path.erase(0, slash + 1);
        ends.insert(path);
      }
    }
  return ends;
}

/// What of a line is for people: all of a document's, the comment of a source.
std::string prose(const fs::path& path, const std::string& line) {
  if (path.extension() == ".md") return line;
  const std::size_t comment = line.find("//");
  return comment == std::string::npos ? "" : line.substr(comment + 2);
}

std::size_t check_paths(const fs::path& path, const std::set<std::string>& ends) {
  static const std::regex kPath("(^|[^\\w./-])((?:[\\w-]+/)+[\\w-]+\\.(?:cpp|h|py|sh))\\b");
  std::size_t named = 0;
  std::istringstream text(test::read_text(path));
  for (std::string line; std::getline(text, line);) {
    const std::string words = prose(path, line);
    if (words.find('/') == std::string::npos) continue;
    for (std::sregex_iterator match(words.begin(), words.end(), kPath), end; match != end; ++match) {
      const std::string name = (*match)[2];
      if (name.find("/my_") != std::string::npos) continue;  // a file that the reader is to write
      ++named;
      EXPECT_TRUE(ends.contains(name)) << path << " names " << name << ", which does not exist";
    }
  }
  return named;
}

TEST(Paths, ThatAreNamedExist) {
  const fs::path root = test::source_path(".");
  const std::set<std::string> ends = ends_of_paths(root);
  std::size_t named = check_paths(root / "README.md", ends) + check_paths(root / "CONTRIBUTING.md", ends);
  for (const char* room : {"docs", "include", "src", "cli", "lab", "mpi", "fuzz", "tests", "bench"})
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".md" || path.extension() == ".cpp" || path.extension() == ".h")
        named += check_paths(path, ends);
    }
  EXPECT_GT(named, 200u);
}

}  // namespace
}  // namespace quench
