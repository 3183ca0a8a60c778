#include "campaign/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "model/file/sha256.h"
#include "model/file/strict_json.h"

namespace quench::campaign {
namespace {

constexpr std::size_t kDigits = 16;
constexpr auto kSync = std::chrono::seconds(1);  // a machine that loses power loses at most this much

std::string sha256(std::string_view text) {
  model::Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.finish();
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw IoError(fmt::format("{} the journal {}: {}", what, path.string(), std::strerror(errno)));
}

/// How many bytes of whole lines there are from the beginning; `take` is given their texts.
std::uint64_t read_lines(const std::filesystem::path& path, const std::function<void(std::string_view)>& take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError("cannot read the journal " + path.string());
  std::uint64_t good = 0;
  for (std::string line; std::getline(file, line) && !file.eof();) {  // a last line without its end was cut off
    const std::string_view text = journal_text(line);
    if (text.empty()) break;
    take(text);
    good += line.size() + 1;
  }
  return good;
}

nlohmann::json head_of(const Work& work) {
  return {{"journal", 1}, {"name", work.name()}, {"pieces", work.pieces()}, {"campaign", sha256(work.document())}};
}

}  // namespace

std::string journal_line(const std::string& text) { return sha256(text).substr(0, kDigits) + " " + text + "\n"; }

std::string_view journal_text(std::string_view line) {
  if (line.size() <= kDigits + 1 || line[kDigits] != ' ') return {};
  const std::string_view text = line.substr(kDigits + 1);
  return sha256(text).compare(0, kDigits, line.substr(0, kDigits)) == 0 ? text : std::string_view();
}

Journal::Journal(const std::filesystem::path& path, Start start, const Work& work,
                 const std::function<void(std::uint64_t, const nlohmann::json&)>& known)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0) fail(path, "cannot open");
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
      throw UserError(fmt::format("the journal {} is being written by another campaign", path.string()));
    const bool empty = std::filesystem::file_size(path) == 0;
    if (!empty && start == Start::fresh)
      throw UserError(fmt::format("there is a journal {} already; --retry goes on with it", path.string()));
    const nlohmann::json head = head_of(work);
    bool first = true;
    const std::uint64_t good = read_lines(path, [&](std::string_view text) {
      const nlohmann::json line = model::parse_strict_json(text, "a line of the journal");
      if (std::exchange(first, false)) {
        if (line != head)
          throw UserError(
              fmt::format("the journal {} is of another campaign, or of one that has been changed", path.string()));
        return;
      }
      if (!line.is_object() || !line.contains("piece") || !line.contains("result") ||
          !line["piece"].is_number_unsigned() || line["piece"] >= work.pieces())
        throw IoError(fmt::format("a line of the journal {} has no piece of the campaign", path.string()));
      known(line["piece"].get<std::uint64_t>(), line["result"]);
    });
    if (!empty && good == 0) throw IoError(fmt::format("{} is not a journal", path.string()));
    if (::ftruncate(file_, static_cast<off_t>(good)) != 0 || ::lseek(file_, 0, SEEK_END) < 0)
      fail(path, "cannot go on with");
    if (good == 0) write(journal_line(head.dump()));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::fdatasync(file_);
  ::close(file_);
}

void Journal::add(std::uint64_t piece, const nlohmann::json& result, double seconds) {
  write(journal_line(nlohmann::json{{"piece", piece}, {"seconds", seconds}, {"result", result}}.dump()));
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < kSync) return;
  synced_ = now;
  if (::fdatasync(file_) != 0 && errno != EINVAL) fail(path_, "cannot write");
}

void Journal::write(const std::string& line) {
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(file_, line.data() + done, line.size() - done);
    if (count < 0 && errno != EINTR) fail(path_, "cannot write");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

}  // namespace quench::campaign
