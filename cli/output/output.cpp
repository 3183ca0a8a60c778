#include "cli/output/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"

namespace quench::cli {
namespace {

[[noreturn]] void lost() {
  throw IoError(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
}

/// A pipe, a terminal: something that is there and is no file.
bool is_device(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

/// A file, and not what standard output goes into: /dev/stdout is that file where it is one.
bool is_file(const std::string& path) {
  struct stat file {
  }, output{};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return false;
  return ::fstat(STDOUT_FILENO, &output) != 0 || file.st_dev != output.st_dev || file.st_ino != output.st_ino;
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

OutputKind model_output() { return {"-o", "a model", {".safetensors"}}; }
OutputKind checkpoint_output() { return {"--checkpoint", "a checkpoint", {}}; }

void check_output(const std::string& path, const OutputKind& kind) {
  if (path.empty() || (path == "-" && kind.standard_output)) return;
  const std::string endings = fmt::format("{}", fmt::join(kind.endings, " or "));
  if (path == "-")
    throw UserError(fmt::format("{} -: {} is not written to standard output; name a file{}", kind.option, kind.what,
                                endings.empty() ? "" : " that ends in " + endings));
  const std::string ending = std::filesystem::path(path).extension().string();
  if (!ending.empty() && !kind.endings.empty() && std::ranges::find(kind.endings, ending) == kind.endings.end() &&
      !is_device(path))
    throw UserError(
        fmt::format("{} {}: {} is written to a file that ends in {}", kind.option, path, kind.what, endings));
  require_writable(path);
}

std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t kAll = 8, kSome = 4;
  if (items.empty()) return "none";
  const std::size_t shown = items.size() <= kAll ? items.size() : kSome;
  const std::string text = fmt::format("{}", fmt::join(items.begin(), items.begin() + static_cast<int>(shown), ", "));
  return shown == items.size() ? text : fmt::format("{}, … ({} in all)", text, items.size());
}

void check_folder(const std::string& path, std::string_view option) {
  if (path == "-")
    throw UserError(fmt::format("{} -: a folder is written, and - is standard output; name one", option));
  constexpr std::string_view kEndings[] = {
      ".safetensors", ".json", ".zip", ".onnx", ".dot", ".svg", ".csv",   ".html",  ".md",  ".txt",   ".pt",  ".pth",
      ".bin",         ".npz",  ".tar", ".gz",   ".tgz", ".tl",  ".brasp", ".srasp", ".dfa", ".regex", ".att", ".hoa"};
  const std::string ending = std::filesystem::path(path).extension().string();
  std::error_code ignored;
  if (std::ranges::find(kEndings, ending) != std::end(kEndings) && !std::filesystem::is_directory(path, ignored))
    throw UserError(
        fmt::format("{} {}: a folder is written, and {} is the ending of a file; leave it out", option, path, ending));
}

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths)
    if (path != "-" && is_file(path)) files.push_back(path);
  return files;
}

std::string with_written(const std::string& json, const std::vector<std::string>& paths) {
  if (paths.empty()) return json;
  auto object = nlohmann::ordered_json::parse(json);
  object["written"] = paths;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string written_text(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += fmt::format("{:<12}{}\n", text.empty() ? "written" : "", path);
  return text;
}

}  // namespace quench::cli
