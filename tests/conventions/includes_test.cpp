// Who may include whom: src/CMakeLists.txt says it, docs/overview.md tells it, and the sources must keep to it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

const std::filesystem::path kSource = test::source_path("src");

/// folder → folders it may include, from the quench_folder lines.
std::map<std::string, std::set<std::string>> allowed_includes() {
  const std::string text = test::read_text(kSource / "CMakeLists.txt");
  std::map<std::string, std::set<std::string>> allowed;
  const std::regex line(R"(quench_folder\((\w+)([^)]*)\))");
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) {
    std::istringstream words((*it)[2].str());
    std::set<std::string>& folders = allowed[(*it)[1].str()];
    folders.insert((*it)[1].str());
    bool listing = false;
    for (std::string word; words >> word;) {
      if (word == "DEPENDS" || word == "LINK")
        listing = word == "DEPENDS";
      else if (listing)
        folders.insert(word);
    }
  }
  return allowed;
}

std::set<std::string> included_folders(const std::filesystem::path& file) {
  const std::string text = test::read_text(file);
  std::set<std::string> folders;
  const std::regex line("#include \"(\\w+)/");
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) folders.insert((*it)[1].str());
  return folders;
}

TEST(Includes, StayWithinWhatTheFolderMaySee) {
  const auto allowed = allowed_includes();
  ASSERT_GT(allowed.size(), 10u);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    const std::string folder = std::filesystem::relative(entry.path(), kSource).begin()->string();
    ASSERT_TRUE(allowed.contains(folder)) << folder << " has no quench_folder line";
    for (const std::string& included : included_folders(entry.path()))
      EXPECT_TRUE(allowed.at(folder).contains(included)) << entry.path() << " includes " << included << "/";
    ++files;
  }
  EXPECT_GT(files, 50);
}

TEST(Includes, TheOracleAndTheExecutorsStayIndependent) {
  const auto allowed = allowed_includes();
  for (const char* hidden : {"ir", "lower", "opt", "model", "build", "run"})
    EXPECT_FALSE(allowed.at("oracle").contains(hidden)) << hidden;
  for (const char* hidden : {"lang", "ir", "parse", "oracle", "lower"}) {
    EXPECT_FALSE(allowed.at("run").contains(hidden)) << hidden;
    EXPECT_FALSE(allowed.at("model").contains(hidden)) << hidden;
  }
}

/// What certifies and what checks work from the weights alone and share nothing; who knows both stands above them.
TEST(Includes, CertifierAndCheckerStayIndependent) {
  const auto allowed = allowed_includes();
  for (const char* hidden : {"certify", "bounds", "run", "soften", "driver", "certified"})
    EXPECT_FALSE(allowed.at("check").contains(hidden)) << hidden;
  for (const char* hidden : {"check", "run", "soften", "driver", "certified"})
    EXPECT_FALSE(allowed.at("certify").contains(hidden)) << hidden;
  for (const char* known : {"certify", "check", "driver", "run"})
    EXPECT_TRUE(allowed.at("certified").contains(known)) << known;
}

TEST(Overview, NamesEveryFolder) {
  const std::string overview = test::read_text(test::source_path("docs/overview.md"));
  for (const auto& [folder, includes] : allowed_includes())
    EXPECT_NE(overview.find("`src/" + folder + "`"), std::string::npos) << folder;
}

}  // namespace
}  // namespace quench
