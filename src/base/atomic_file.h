// Files that appear whole or not at all, for everything the program writes.
//
// The bytes go into a temporary beside the target, under a random name that must be new, so no link planted there is
// followed and no other file is touched. When all of them have reached the disk it is renamed. An existing file keeps
// its mode, a link stays a link, and several writers of one target each leave a whole file. What is not a regular file,
// such as a device or a pipe, cannot be replaced and is written to.
//
// A temporary is locked while its writer lives. One without a lock was left by a process that was killed, and the next
// writer in its folder removes it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

namespace quench {

class AtomicFile {
 public:
  /// Throws IoError if the target cannot be written.
  explicit AtomicFile(const std::filesystem::path& path);
  /// Without commit() the target stays as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// From here on the target holds what was written. Throws IoError, and then the target stays as it was.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  int open_temporary();

  std::filesystem::path path_;       ///< as it was given, for messages
  std::filesystem::path target_;     ///< behind all links
  std::filesystem::path temporary_;  ///< empty if the target is written to directly
  std::optional<mode_t> mode_;       ///< of the file that is replaced
  std::FILE* file_ = nullptr;
};

/// The whole content at once. Throws IoError.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

/// Throws the IoError that writing would end in now; for asking before hours of work. Leaves nothing behind.
void require_writable(const std::filesystem::path& path);

/// Removes the temporaries of this process, before a signal ends it. May be called from a signal handler.
void discard_unfinished_files() noexcept;

}  // namespace quench
