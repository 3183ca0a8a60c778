// Models for other people's tools (docs/exports.md): files in memory, or written into a folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <quench/format.h>
#include <quench/model.h>

namespace quench::api {

/// A weight of a model, dense and row-major, by its name in the model file (docs/model-format.md).
struct Tensor {
  std::string name;  ///< "layers.0.heads.1.q"
  std::vector<std::uint64_t> shape;
  std::vector<double> data;
};

/// All of them, in the order of the file.
std::vector<Tensor> tensors(const Model& model);
/// Everything about a model but its weights: the JSON document of the model file.
std::string document(const Model& model);

/// A file of an export.
struct File {
  std::string name;
  std::string content;
};

struct ExportOptions {
  std::size_t context = 1024;    ///< the longest word, where positions are a table (hf, transformer-lens)
  Format weights = Format::f32;  ///< or f64
  bool opt = false;              ///< hf: OPT in place of GPT-2
  bool bos = false;              ///< hf, transformer-lens: one more token before every word, which no head sees
};

/// "hf", "hf-custom", "transformer-lens", "interpbench", "torch", "onnx", "circuit" (JSON) and "circuit-dot".
std::vector<std::string> export_targets();

/// What `quench export --to` writes; a single file for onnx and circuits. Throws UserError, naming what does not fit
/// and the way out, if the target cannot hold the model, and if there is no such target.
std::vector<File> export_files(const Model& model, std::string_view target, const ExportOptions& options = {});

/// Makes the folder if need be; each file is written whole or not at all. Throws IoError.
void write_files(const std::filesystem::path& folder, const std::vector<File>& files);

}  // namespace quench::api
