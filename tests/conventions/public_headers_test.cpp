// include/quench is all that clients see: it stands on the standard library and on itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

std::vector<std::filesystem::path> public_headers() {
  std::vector<std::filesystem::path> headers;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("include/quench")))
    headers.push_back(entry.path());
  return headers;
}

std::set<std::string> includes_of(const std::filesystem::path& header) {
  const std::string text = test::read_text(header);
  std::set<std::string> found;
  const std::regex line(R"(#\s*include\s*(\S+))");
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) found.insert((*it)[1].str());
  return found;
}

TEST(PublicHeaders, IncludeTheStandardLibraryAndEachOther) {
  const std::regex standard("<[a-z_]+>"), ours("<quench/([a-z_]+\\.h)>");
  ASSERT_GE(public_headers().size(), 9u);
  for (const auto& header : public_headers()) {
    EXPECT_EQ(header.extension(), ".h") << header;
    EXPECT_NE(test::read_text(header).find("#pragma once"), std::string::npos) << header;
    for (const std::string& included : includes_of(header)) {
      std::smatch match;
      if (std::regex_match(included, match, ours))
        EXPECT_TRUE(std::filesystem::exists(header.parent_path() / match[1].str())) << header << ": " << included;
      else
        EXPECT_TRUE(std::regex_match(included, standard)) << header << ": " << included;
    }
  }
}

TEST(PublicHeaders, AreAllInTheOne) {
  const std::set<std::string> all = includes_of(test::source_path("include/quench/quench.h"));
  for (const auto& header : public_headers())
    if (header.filename() != "quench.h") {
      EXPECT_TRUE(all.contains("<quench/" + header.filename().string() + ">")) << header;
    }
}

/// The library's own files do not stand on the headers that are made for others; the studio does, and on nothing else.
TEST(PublicHeaders, AreForTheApiRoomAndTheStudio) {
  const std::filesystem::path source = test::source_path("src");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    const std::string room = std::filesystem::relative(entry.path(), source).begin()->string();
    if (room == "api" || room == "studio") continue;
    for (const std::string& included : includes_of(entry.path()))
      EXPECT_FALSE(included.starts_with("<quench/")) << entry.path() << " includes " << included;
  }
}

TEST(PublicHeaders, AreAllThatTheStudioStandsOn) {
  const std::regex standard("<[a-z_]+>"), allowed("<quench/[a-z_]+\\.h>|\"studio/[a-z_/]+\\.h\"|<nlohmann/json\\.hpp>");
  int files = 0, transports = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_path("src/studio"))) {
    if (entry.is_directory()) continue;
    ++files;
    for (const std::string& included : includes_of(entry.path())) {
      transports += included == "<httplib.h>";
      EXPECT_TRUE(std::regex_match(included, standard) || std::regex_match(included, allowed) ||
                  included == "<httplib.h>")
          << entry.path() << " includes " << included;
    }
  }
  EXPECT_GT(files, 10);
  EXPECT_EQ(transports, 1);  // a large header
}

}  // namespace
}  // namespace quench
