// Exported files as their readers see them: tensors by name, and the file of a folder by its name.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "export/file_set.h"
#include "model/file/safetensors.h"

namespace quench::test {

struct LoadedTensor {
  std::vector<std::uint64_t> shape;
  std::vector<float> data;
  /// An element of a matrix.
  float at(std::size_t row, std::size_t column) const { return data[row * shape[1] + column]; }
};

inline std::map<std::string, LoadedTensor> load_tensors(std::string_view bytes) {
  model::SafetensorsReader reader(bytes);
  std::map<std::string, LoadedTensor> tensors;
  for (const auto& [name, entry] : reader.tensors()) {
    LoadedTensor& tensor = tensors[name];
    tensor.shape = entry.shape;
    reader.read(entry, [&](std::uint64_t, double value) { tensor.data.push_back(static_cast<float>(value)); });
  }
  return tensors;
}

inline const std::string& file_named(const std::vector<exports::ExportedFile>& files, const std::string& name) {
  for (const exports::ExportedFile& file : files)
    if (file.name == name) return file.content;
  throw std::runtime_error("no file " + name);
}

}  // namespace quench::test
