// A decoder as a stock checkpoint of Hugging Face: a folder that the Auto classes load without any code of ours, with
// tokenizer, model card, the model itself and the folder's certificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "export/file_set.h"
#include "model/file/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

enum class Architecture : std::uint8_t { gpt2, opt };

struct FolderOptions {
  std::size_t context = 1024;
  model::TensorType type = model::TensorType::f32;
  Architecture architecture = Architecture::gpt2;
  bool bos = false;
};

/// Throws UserError if the model is not a stock decoder.
std::vector<ExportedFile> hf_folder(const model::Transformer& model, const FolderOptions& options);

}  // namespace quench::exports
