// The certificate of an exported folder, as data and as JSON (docs/certificates.md): up to which length a stock decoder
// is right, its layer normalisation included. Export derives what it says, check derives it again; both read it here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/number_format.h"

namespace quench::model {

/// How an engine's layer normalisation is assumed to form mean and variance.
enum class Moments : std::uint8_t {
  any,       ///< by sums in any order, or by updating (Welford, Chan)
  two_pass,  ///< by sums in any order
};
std::string_view to_string(Moments moments);

struct FolderEntry {
  Moments moments = Moments::any;
  std::uint64_t length = 0;   ///< 0: nothing is certified
  std::string limiting_head;  ///< what stops at length + 1; empty if it is no head, or the context
  std::string reason;
};

struct FolderCertificate {
  std::string model;         ///< model::fingerprint of what was exported
  std::string architecture;  ///< "gpt2" or "opt"
  NumberFormat format = NumberFormat::f32;
  std::size_t context = 0;
  std::size_t width = 0, pairs = 0;  ///< of the pins: D, P
  double constant = 0;               ///< C
  std::vector<FolderEntry> entries;
};

/// What stands in `assumptions`.
std::string folder_assumptions();

std::string to_json(const FolderCertificate& certificate);
/// Strict, as certificate_from_json. Throws IoError.
FolderCertificate folder_certificate_from_json(const std::string& text);

/// The greatest length that is certified for engines whose layer normalisation may be `moments`.
std::uint64_t certified_length(const FolderCertificate& certificate, Moments moments);

inline constexpr const char* kFolderCertificateFile = "quench_certificate.json";
inline constexpr const char* kFolderModelFile = "quench.safetensors";

}  // namespace quench::model
