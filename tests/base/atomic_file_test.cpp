// Files that appear whole or not at all, whatever happens to their writer.
#include "base/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "base/error.h"
#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class AtomicFileTest : public ::testing::Test {
 protected:
  fs::path path(const char* name) const { return directory_.path() / name; }
  std::string read(const char* name) const { return test::read_text(path(name)); }
  void put(const char* name, const std::string& content) const { std::ofstream(path(name)) << content; }
  mode_t mode(const char* name) const {
    struct stat status {};
    EXPECT_EQ(::stat(path(name).c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_.path()))
      if (entry.path().filename() != "examples") names.push_back(entry.path().filename().string());
    return names;
  }
  std::string complaint(const fs::path& target) const {
    try {
      write_whole_file(target, "new");
    } catch (const IoError& error) {
      return error.what();
    }
    return "no error";
  }
  /// How a child process that does this ends.
  static int in_child(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(AtomicFileTest, NothingIsThereBeforeCommitAndAllOfItAfter) {
  put("f", "old");
  {
    AtomicFile file(path("f"));
    file.write("new");
    EXPECT_EQ(read("f"), "old");
    file.commit();
    EXPECT_EQ(read("f"), "new");
  }
  { AtomicFile(path("f")).write("never committed"); }
  EXPECT_EQ(read("f"), "new");
  EXPECT_THAT(files(), UnorderedElementsAre("f"));
}

TEST_F(AtomicFileTest, AModeIsKeptAndANewFileHasTheUsersMask) {
  put("old", "");
  ASSERT_EQ(::chmod(path("old").c_str(), 0640), 0);
  const mode_t mask = ::umask(0027);
  write_whole_file(path("old"), "x");
  write_whole_file(path("new"), "x");
  ::umask(mask);
  EXPECT_EQ(mode("old"), 0640u);
  EXPECT_EQ(mode("new"), 0640u);
  ::chmod(path("old").c_str(), 0604);
  write_whole_file(path("old"), "x");
  EXPECT_EQ(mode("old"), 0604u);
}

TEST_F(AtomicFileTest, OthersFilesAndLinksBesideTheTargetAreLeftAlone) {
  put("victim", "precious");
  for (const char* name : {"f.part", "f.tmp"}) fs::create_symlink("victim", path(name));
  put("g.part", "mine");
  write_whole_file(path("f"), "x");
  write_whole_file(path("g"), "x");
  EXPECT_EQ(read("victim"), "precious");
  EXPECT_EQ(read("g.part"), "mine");
  EXPECT_TRUE(fs::is_symlink(path("f.part")));
}

TEST_F(AtomicFileTest, ALinkStaysALink) {
  put("real", "old");
  fs::create_symlink("real", path("link"));
  fs::create_symlink("link", path("link to link"));
  fs::create_symlink("not there yet", path("dangling"));
  fs::create_symlink("circle", path("circle"));
  write_whole_file(path("link to link"), "new");
  EXPECT_EQ(read("real"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  write_whole_file(path("dangling"), "made");
  EXPECT_EQ(read("not there yet"), "made");
  EXPECT_THAT(complaint(path("circle")), HasSubstr("cannot write"));
}

TEST_F(AtomicFileTest, WhatCannotBeWrittenIsNamed) {
  fs::create_directory(path("folder"));
  EXPECT_THAT(complaint(path("folder")), HasSubstr("Is a directory"));
  EXPECT_THAT(complaint(path("nowhere") / "f"), HasSubstr("nowhere/f: cannot write it: No such file"));
  EXPECT_THAT(complaint("/dev/full"), HasSubstr("No space left"));
  EXPECT_THROW(require_writable(path("nowhere") / "f"), IoError);
  EXPECT_THROW(require_writable(path("folder")), IoError);
  require_writable(path("possible"));
  EXPECT_THAT(files(), UnorderedElementsAre("folder"));
}

TEST_F(AtomicFileTest, PipesAndDevicesAreWrittenToAndNotReplaced) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read("pipe"); });
  write_whole_file(path("pipe"), "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  fs::create_symlink("/dev/null", path("null"));
  write_whole_file(path("null"), "gone");
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_THAT(files(), UnorderedElementsAre("pipe", "null"));
}

TEST_F(AtomicFileTest, AnOpenFileOfOursIsWrittenWhereItStands) {
  const int descriptor = ::open(path("f").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  write_whole_file("/dev/fd/" + std::to_string(descriptor), "after");
  ::close(descriptor);
  EXPECT_EQ(read("f"), "before after");
}

TEST_F(AtomicFileTest, WhatAKilledWriterLeftIsCleanedAndNothingElse) {
  const int status = in_child([&] {
    AtomicFile file(path("f"));
    file.write(std::string(100'000, 'x'));
    ::raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(files().size(), 1u);
  EXPECT_NE(files()[0], "f");
  put(".quench-00000000.tmp", "not our pattern");
  put(".quench-000000000000000g.tmp", "not our pattern");
  fs::create_symlink("f", path(".quench-0000000000000000.tmp"));
  AtomicFile unfinished(path("g"));  // its writer lives
  write_whole_file(path("f"), "x");
  unfinished.write("y");
  unfinished.commit();
  EXPECT_THAT(files(), UnorderedElementsAre("f", "g", ".quench-00000000.tmp", ".quench-000000000000000g.tmp",
                                            ".quench-0000000000000000.tmp"));
  EXPECT_EQ(read("g"), "y");
}

TEST_F(AtomicFileTest, ASignalHandlerCanDiscardWhatIsUnfinished) {
  put("f", "old");
  const int status = in_child([&] {
    std::signal(SIGTERM, [](int signal) {
      discard_unfinished_files();
      std::signal(signal, SIG_DFL);
      ::raise(signal);
    });
    AtomicFile first(path("f")), second(path("g"));
    first.write("half");
    ::raise(SIGTERM);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(read("f"), "old");
  EXPECT_THAT(files(), UnorderedElementsAre("f"));
}

TEST_F(AtomicFileTest, OfManyWritersEachLeavesAWholeFile) {
  constexpr std::size_t kSize = 200'000;
  std::vector<pid_t> children;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int round = 0; round < 10; ++round) write_whole_file(path("f"), std::string(kSize, letter));
      ::_exit(0);
    }
    children.push_back(child);
  }
  const auto expect_whole = [&] {
    const std::string content = fs::exists(path("f")) ? read("f") : std::string(kSize, 'a');
    ASSERT_EQ(content.size(), kSize);
    EXPECT_EQ(content.find_first_not_of(content[0]), std::string::npos);
  };
  for (const pid_t child : children) {
    int status = -1;
    while (::waitpid(child, &status, WNOHANG) == 0) expect_whole();
    EXPECT_EQ(status, 0);
  }
  expect_whole();
  EXPECT_THAT(files(), UnorderedElementsAre("f"));
}

}  // namespace
}  // namespace quench
