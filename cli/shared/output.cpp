#include "cli/shared/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"

namespace quench::cli {
namespace {

[[noreturn]] void lost() {
  throw IoError(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
}

}  // namespace

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) lost();
}

void flush() {
  if (std::fflush(stdout) != 0) lost();
  if (std::ferror(stdout) != 0) throw IoError("cannot write to standard output");
}

void say(const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

void write_file(const std::string& path, const std::string& content) {
  if (path == "-") return print(content);
  write_whole_file(path, content);
}

void check_output(const std::string& path) {
  if (!path.empty() && path != "-") require_writable(path);
}

}  // namespace quench::cli
