#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace quench {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw IoError(fmt::format("{}: cannot write it: {}", path.string(), std::generic_category().message(error)));
}

// ---- names of unfinished temporaries

/// A signal handler may neither allocate nor wait for a lock, so the names stand in a table of fixed size. A writer that
/// finds it full goes unlisted.
struct UnfinishedName {
  enum State : int { free, changing, named };
  std::atomic<int> state{free};
  std::array<char, 4096> path{};
};
std::array<UnfinishedName, 32> unfinished_names;

void list_unfinished(const std::string& path) {
  if (path.size() >= unfinished_names[0].path.size()) return;
  for (UnfinishedName& name : unfinished_names) {
    int expected = UnfinishedName::free;
    if (!name.state.compare_exchange_strong(expected, UnfinishedName::changing)) continue;
    std::memcpy(name.path.data(), path.c_str(), path.size() + 1);
    name.state = UnfinishedName::named;
    return;
  }
}

void unlist_unfinished(const std::string& path) {
  for (UnfinishedName& name : unfinished_names) {
    if (name.state != UnfinishedName::named || path != name.path.data()) continue;
    name.state = UnfinishedName::free;
    return;
  }
}

// ---- temporaries

constexpr std::string_view kPrefix = ".quench-", kSuffix = ".tmp";
constexpr std::size_t kDigits = 16;

std::string random_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) throw IoError("the system gives no random numbers");
  return fmt::format("{}{:0{}x}{}", kPrefix, random, kDigits, kSuffix);
}

bool is_temporary_name(std::string_view name) {
  if (name.size() != kPrefix.size() + kDigits + kSuffix.size() || !name.starts_with(kPrefix) || !name.ends_with(kSuffix))
    return false;
  const std::string_view digits = name.substr(kPrefix.size(), kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether the open file is a regular one of ours and still has this name.
bool is_ours(int descriptor, const fs::path& path) {
  struct stat opened {}, named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && S_ISREG(opened.st_mode) &&
         opened.st_uid == ::geteuid() && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Only what nobody holds the lock of: its writer is gone.
void remove_if_stale(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_ours(descriptor, path)) ::unlink(path.c_str());
  ::close(descriptor);
}

void remove_stale_temporaries(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored))
    if (is_temporary_name(entry->path().filename().native())) remove_if_stale(entry->path());
}

/// Takes the lock. True: somebody else has it, who takes the file for stale and is about to remove it. (Where there are no
/// locks, nobody can.)
bool is_taken(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

/// Whether somebody took the file for stale before it had its lock.
bool is_removed(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink == 0;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// So that the new name survives a loss of power. Not every file system can do this, and then it need not.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// ---- targets

/// N if the path is /proc/self/fd/N, which /dev/stdout and /dev/fd/N lead to.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code failure;
  const std::string name = path.filename().string();
  if (name.empty() || name.size() > 6 || name.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  if (fs::canonical(folder_of(path), failure) != fmt::format("/proc/{}/fd", ::getpid()) || failure) return std::nullopt;
  return std::stoi(name);
}

/// What a path stands for, links followed.
struct Target {
  fs::path path;
  std::optional<int> descriptor = {};  ///< an open file of this process
  bool special = false;                ///< a device, a pipe, a socket
  std::optional<mode_t> mode = {};     ///< of a regular file that is there
};

Target find_target(const fs::path& path) {
  Target target{path};
  for (int links = 0; !(target.descriptor = own_descriptor(target.path)); ++links) {
    std::error_code none;
    const fs::path link = fs::read_symlink(target.path, none);
    if (none) break;
    if (links == 40) cannot_write(path, ELOOP);
    target.path = link.is_absolute() ? link : target.path.parent_path() / link;
  }
  struct stat status {};
  if (target.descriptor || ::stat(target.path.c_str(), &status) != 0) return target;
  if (S_ISDIR(status.st_mode)) cannot_write(path, EISDIR);
  if (::access(target.path.c_str(), W_OK) != 0) cannot_write(path, errno);
  target.special = !S_ISREG(status.st_mode);
  if (!target.special) target.mode = status.st_mode & 07777;
  return target;
}

}  // namespace

void discard_unfinished_files() noexcept {
  for (const UnfinishedName& name : unfinished_names)
    if (name.state == UnfinishedName::named) ::unlink(name.path.data());
}

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
  const Target target = find_target(path);
  target_ = target.path;
  mode_ = target.mode;
  int descriptor = -1;
  if (target.descriptor) {
    std::fflush(nullptr);  // what was printed before comes before
    descriptor = ::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 3);
  } else if (target.special) {
    descriptor = ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  } else {
    remove_stale_temporaries(folder_of(target_));
    descriptor = open_temporary();
  }
  if (descriptor < 0) fail(errno);
  file_ = ::fdopen(descriptor, "wb");
  QUENCH_ASSERT(file_ != nullptr);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unlist_unfinished(temporary_.native());
}

void AtomicFile::fail(int error) const { cannot_write(path_, error); }

int AtomicFile::open_temporary() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const fs::path candidate = folder_of(target_) / random_name();
    list_unfinished(candidate.native());
    const mode_t mode = mode_ ? 0600 : 0666;  // a new file's mode is for the user's mask to decide
    const int descriptor = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    const int error = errno;
    if (descriptor >= 0) {
      if (!is_taken(descriptor) && !is_removed(descriptor)) {
        temporary_ = candidate;
        return descriptor;
      }
      ::unlink(candidate.c_str());
      ::close(descriptor);
    }
    unlist_unfinished(candidate.native());
    if (descriptor < 0 && error != EEXIST) fail(error);
  }
  fail(EEXIST);
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  if (count > 0 && std::fwrite(bytes, 1, count, file_) != count) fail(errno);
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail(errno);
  if (!temporary_.empty()) {
    const int descriptor = ::fileno(file_);
    if (mode_) static_cast<void>(::fchmod(descriptor, *mode_));  // some file systems have no modes to keep
    if (::fsync(descriptor) != 0) fail(errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    unlist_unfinished(std::exchange(temporary_, fs::path()).native());
    sync_folder(folder_of(target_));
  }
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
}

void write_whole_file(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void require_writable(const fs::path& path) {
  const Target target = find_target(path);
  if (!target.descriptor && !target.special) AtomicFile{path};  // opening a pipe would wait for its reader
}

}  // namespace quench
