// Running the program as a user would: exit code, standard output, standard error.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/paths.h"

namespace quench::test {

/// A directory of its own, gone with the object. It has a link to the examples.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "quench-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
    std::filesystem::create_directory_symlink(source_path("examples"), path_ / "examples");
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Finished {
  int exit_code = -1;
  std::string out, err;
};

/// Runs a shell command line in which `quench` is our program.
inline Finished shell(const std::string& command, const std::filesystem::path& directory) {
  const auto program = std::filesystem::path(program_path()).parent_path();
  const auto read = [&](const char* name) {
    std::ifstream file(directory / name, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    std::filesystem::remove(directory / name);
    return content.str();
  };
  const std::string line = "cd '" + directory.string() + "' && export PATH='" + program.string() + "':\"$PATH\" && { " +
                           command + "\n} >.out 2>.err </dev/null";
  const int status = std::system(line.c_str());
  Finished finished;
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  finished.out = read(".out");
  finished.err = read(".err");
  return finished;
}

}  // namespace quench::test
