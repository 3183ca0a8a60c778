#include "circuits/write_set.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"

namespace quench::circuits {
namespace {

namespace fs = std::filesystem;

/// A new folder beside the one that it is to become; gone with the object unless it was renamed.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& target) : target_(target) {
    std::string name = (parent_of(target) / ("." + target.filename().string() + ".XXXXXX")).string();
    if (!::mkdtemp(name.data())) fail(errno);
    path_ = name;
    fs::permissions(path_,
                    fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }
  void become_target() {
    std::error_code failure;
    fs::rename(path_, target_, failure);
    if (failure) fail(failure.value());
    path_.clear();
  }

  static fs::path parent_of(const fs::path& target) {
    return target.has_parent_path() ? target.parent_path() : fs::path(".");
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw IoError(
        fmt::format("cannot write the folder {}: {}", target_.string(), std::generic_category().message(error)));
  }

  fs::path target_, path_;
};

/// "DIR/" is DIR.
fs::path without_trailing_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace

void require_new_folder(const fs::path& folder) {
  const fs::path target = without_trailing_slash(folder);
  std::error_code failure;
  if (fs::exists(fs::symlink_status(target, failure)) &&
      !(fs::is_directory(fs::symlink_status(target, failure)) && fs::is_empty(target, failure)))
    throw IoError(fmt::format(
        "{} is there already; a set is written whole: name a new folder, or remove this one first", target.string()));
  const fs::path parent = TemporaryFolder::parent_of(target);
  if (!fs::is_directory(parent, failure))
    throw IoError(fmt::format("cannot write the folder {}: {} is no folder", target.string(), parent.string()));
}

void write_set(const fs::path& folder, const CircuitSet& set) {
  require_new_folder(folder);
  TemporaryFolder temporary(without_trailing_slash(folder));
  for (const exports::ExportedFile& file : set.files) {
    const fs::path path = temporary.path() / file.name;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) throw IoError(fmt::format("cannot write {}: {}", path.string(), failure.message()));
    write_whole_file(path, file.content);
  }
  temporary.become_target();
}

}  // namespace quench::circuits
