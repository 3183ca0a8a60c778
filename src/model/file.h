// The model file: one .safetensors with dense weights and, in its metadata under "quench", one JSON document
// (docs/model-format.md). A malformed or hostile file gives an IoError, never a crash or an out-of-range read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "model/transformer.h"

namespace quench::model {

inline constexpr int kFormatVersion = 1;
inline constexpr std::uint64_t kLargeFile = 2'000'000'000;

/// Bytes the file will have, without building it.
std::uint64_t file_size(const Transformer& transformer);

/// SHA-256, in hexadecimal, of the metadata document without its certificate followed by the bytes of all tensors as the
/// file holds them: what a certificate is bound to.
std::string fingerprint(const Transformer& transformer);

/// All of the file or nothing (base/atomic_file.h). Above kLargeFile only with `force`.
void save(const Transformer& transformer, const std::filesystem::path& path, bool force = false);
/// What such a file holds.
std::string save_bytes(const Transformer& transformer);

Transformer load(const std::filesystem::path& path);
/// From what such a file holds, for one that can be read only once. `name` is for messages.
Transformer load_bytes(std::string_view bytes, const std::string& name);

}  // namespace quench::model
