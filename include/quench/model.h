// Compiled models and their files (.safetensors; docs/model-format.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quench/answer.h>
#include <quench/error.h>

namespace quench::api {

struct ModelSummary {
  std::string logic;   ///< "TL[⊖, since]"
  std::string recipe;  ///< "tight", "12a"
  std::string kind;    ///< "τ-SMAT", "SMAT", "UHAT", "AHAT" or "mixed"
  std::size_t layers = 0, heads = 0, width = 0, hidden_units = 0;
  std::size_t parameters = 0, nonzero_parameters = 0;  ///< the same for words of every length
  std::vector<std::string> temperatures;               ///< of the heads, layer by layer
  std::vector<std::string> masks;                      ///< of the heads, layer by layer
  std::vector<std::string> position_encodings;
};

/// A transformer. It never changes, so copies share it, and threads may, too.
class Model {
 public:
  Model(const Model&) = default;  // moving copies: there is no model that is none
  Model& operator=(const Model&) = default;

  ModelSummary summary() const;
  /// The rule it was compiled from, as text; empty if the file names none. A claim of the file: check() examines it.
  std::string source() const;
  /// The symbols it tells apart. Words may have others, which it takes for one and the same.
  std::vector<std::string> symbols() const;
  AnswerKind answers() const;
  bool has_certificate() const;
  /// SHA-256 of weights and metadata without the certificate: what a certificate is bound to.
  std::string fingerprint() const;

  struct Inside;  ///< of the library
  explicit Model(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  const Inside& inside() const { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

/// Throws IoError on files that cannot be read or are no models; a hostile file does no more than that.
Model load(const std::filesystem::path& path);
/// From what such a file holds; the name is for messages.
Model load_bytes(std::string_view bytes, const std::string& name = "model");

/// All of the file or nothing. Throws IoError, also for a file above 2 GB unless `even_if_large`.
void save(const Model& model, const std::filesystem::path& path, bool even_if_large = false);
/// What such a file holds. Throws IoError above 2 GB.
std::string save_bytes(const Model& model);

}  // namespace quench::api
