// Every target of `quench export`, by its name: which files it consists of.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "export/file_set.h"
#include "export/hf/folder.h"
#include "model/file/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

/// A table of positions has so many rows at most.
inline constexpr std::size_t kLongestContext = 100'000;

struct TargetOptions {
  std::size_t context = 1024;  ///< where positions are a table
  model::TensorType type = model::TensorType::f32;
  Architecture architecture = Architecture::gpt2;  ///< of hf
  bool bos = false;                                ///< of hf and transformer-lens: one more token before every word
};

struct Target {
  std::string_view name;
  bool folder;  ///< or a single file
  /// Throws UserError if the target cannot hold the model.
  std::vector<ExportedFile> (*files)(const model::Transformer& model, const TargetOptions& options);
};

std::span<const Target> targets();
/// Null if there is none.
const Target* target_named(std::string_view name);

}  // namespace quench::exports
