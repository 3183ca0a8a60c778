#include "model/folder_certificate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text/utf8.h"
#include "model/file/json_fields.h"

namespace quench::model {
namespace {

constexpr int kFolderVersion = 1;
constexpr const char* kFolderKind = "quench-folder-certificate";

std::optional<Moments> moments_from(std::string_view text) {
  for (const Moments moments : {Moments::any, Moments::two_pass})
    if (to_string(moments) == text) return moments;
  return std::nullopt;
}

void need_known_fields(const Field& field, const std::set<std::string>& known) {
  if (!field.json().is_object()) field.wrong("an object");
  for (const auto& item : field.json().items())
    if (!known.contains(item.key()))
      throw IoError(fmt::format("{} has a field {} that certificates of folders do not have", field.where(),
                                in_quotes(item.key())));
}

FolderEntry folder_entry_from(const Field& field) {
  need_known_fields(field, {"layer_norm", "length", "limiting_head", "reason"});
  FolderEntry entry;
  entry.moments = field["layer_norm"].spelled(moments_from, "a way of forming mean and variance");
  entry.length = field["length"].natural(1U << 30);
  entry.limiting_head = field["limiting_head"].text();
  entry.reason = field["reason"].text();
  if (printable(entry.reason, 1000) != entry.reason) field["reason"].wrong("a short text without control characters");
  return entry;
}

}  // namespace

std::string_view to_string(Moments moments) { return moments == Moments::any ? "any" : "two-pass"; }

std::string folder_assumptions() {
  return "those of certificates for any order of summation; in layer normalisation IEEE 754 rounding to nearest, "
         "square "
         "root, reciprocal and reciprocal root within two units in the last place and exact where the result is a "
         "power "
         "of two, mean and variance as layer_norm says: two-pass: by sums in any order; any: those, or by updating, "
         "the "
         "smaller part added to the larger";
}

std::string to_json(const FolderCertificate& certificate) {
  nlohmann::ordered_json json;
  json["format"] = kFolderKind;
  json["version"] = kFolderVersion;
  json["model"] = certificate.model;
  json["architecture"] = certificate.architecture;
  json["dtype"] = to_string(certificate.format);
  json["context"] = certificate.context;
  json["width"] = certificate.width;
  json["pairs"] = certificate.pairs;
  json["constant"] = certificate.constant;
  json["assumptions"] = folder_assumptions();
  json["entries"] = nlohmann::ordered_json::array();
  for (const FolderEntry& entry : certificate.entries)
    json["entries"].push_back({{"layer_norm", to_string(entry.moments)},
                               {"length", entry.length},
                               {"limiting_head", entry.limiting_head},
                               {"reason", entry.reason}});
  return json.dump(2) + "\n";
}

FolderCertificate folder_certificate_from_json(const std::string& text) {
  const nlohmann::json json = parse_strict_json(text, "the certificate of the folder");
  const Field root(json, "certificate");
  need_known_fields(root, {"format", "version", "model", "architecture", "dtype", "context", "width", "pairs",
                           "constant", "assumptions", "entries"});
  if (root["format"].text() != kFolderKind || root["version"].natural(1000) != kFolderVersion)
    throw IoError("a certificate of a kind or version this program does not read");
  if (root["assumptions"].text() != folder_assumptions())
    throw IoError("a certificate that assumes other engines than this program knows");
  constexpr std::uint64_t kMost = 1U << 30;
  FolderCertificate certificate;
  certificate.model = root["model"].text();
  certificate.architecture = root["architecture"].text();
  certificate.format = root["dtype"].spelled(number_format_from, "a number format");
  certificate.context = root["context"].natural(kMost);
  certificate.width = root["width"].natural(kMost);
  certificate.pairs = root["pairs"].natural(kMost);
  certificate.constant = root["constant"].number();
  if (!std::isfinite(certificate.constant)) root["constant"].wrong("a finite number");
  std::set<Moments> seen;
  root["entries"].for_each([&](const Field& item) {
    certificate.entries.push_back(folder_entry_from(item));
    if (!seen.insert(certificate.entries.back().moments).second)
      throw IoError(fmt::format("{} is about what an earlier one is about", item.where()));
  });
  if (certificate.entries.empty()) throw IoError("a certificate without entries");
  return certificate;
}

std::uint64_t certified_length(const FolderCertificate& certificate, Moments moments) {
  std::uint64_t length = 0;
  for (const FolderEntry& entry : certificate.entries)
    if (entry.moments <= moments) length = std::max(length, entry.length);
  return length;
}

}  // namespace quench::model
