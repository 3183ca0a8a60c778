#include "export/file_set.h"

#include <fmt/format.h>

#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"

namespace quench::exports {

void write_folder(const std::filesystem::path& folder, const std::vector<ExportedFile>& files) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!std::filesystem::is_directory(folder))
    throw IoError(fmt::format("cannot make the folder {}{}", folder.string(),
                              failure ? ": " + failure.message() : std::string()));
  for (const ExportedFile& file : files) write_whole_file(folder / file.name, file.content);
}

}  // namespace quench::exports
