// What an export consists of: files by name, made in memory and then written into a folder, each whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace quench::exports {

struct ExportedFile {
  std::string name;  ///< within the folder
  std::string content;
};

/// Makes the folder if need be. Throws IoError.
void write_folder(const std::filesystem::path& folder, const std::vector<ExportedFile>& files);

}  // namespace quench::exports
