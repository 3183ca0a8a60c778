#include "model/certificate.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/text/utf8.h"
#include "model/file/json_fields.h"

namespace quench::model {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

/// Part of the promise: a certificate with other assumptions is none of ours. Proofs of exact models ([Q-gap] in
/// docs/theory-exact.md) need the underflow, and that hidden keys weigh nothing; of the two units they make no use.
constexpr const char* kKernels =
    "IEEE 754 rounding to nearest of every product and sum of q·k and of every scaled score; hidden keys left out or "
    "masked by −∞ or the format's least number, not by adding −10⁴; exp of score differences to the row's maximum, "
    "exp(0) = 1, exp(x) = 0 where e^x is below half the least positive number, otherwise within two units in the last "
    "place; other kernels, exp2 among them, as far as docs/theory-exact.md covers them; residuals as in "
    "docs/model-format.md";

constexpr std::size_t kLongestReason = 1000;  // characters; the longest written so far has about 200

// ---- writing

Json head_json(const HeadLine& line) {
  return {{"name", line.name},
          {"lemma", line.lemma},
          {"gap", line.gap},
          {"score_error", line.score_error},
          {"bound", line.bound}};
}

Json entry_json(const Entry& entry) {
  const Finding& finding = entry.finding;
  Json json{{"dtype", to_string(entry.format)}, {"summation", to_string(entry.summation)}, {"heads", Json::array()}};
  json["length"] = finding.length == kLongest ? Json(nullptr) : Json(finding.length);
  json["limiting_head"] = finding.limiting_head.empty() ? Json(nullptr) : Json(finding.limiting_head);
  json["reason"] = finding.reason;
  for (const HeadLine& line : finding.heads) json["heads"].push_back(head_json(line));
  return json;
}

Json entries_json(const Certificate& certificate) {
  Json json = Json::array();
  for (const Entry& entry : certificate.entries) json.push_back(entry_json(entry));
  return json;
}

// ---- reading

/// An object that has fields of these names only. That each of them is there is seen when it is read.
void require_keys(const Field& field, std::initializer_list<std::string_view> known) {
  if (!field.json().is_object()) field.wrong("an object");
  for (const auto& item : field.json().items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      throw IoError(
          fmt::format("{} has a field {} that certificates do not have", field.where(), in_quotes(item.key())));
}

double not_negative(const Field& field) {
  const double value = field.number();
  if (!std::isfinite(value) || value < 0) field.wrong("a number that is not negative");
  return value;
}

/// Null is no limit below 2^53; as a number that one would not be a limit either.
std::uint64_t length_from(const Field& field) {
  return field.json().is_null() ? kLongest : field.natural(kLongest - 1);
}

std::string reason_from(const Field& field) {
  std::string reason = field.text();
  if (printable(reason, kLongestReason) != reason) field.wrong("a short text without control characters");
  return reason;
}

HeadLine head_line_from(const Field& field) {
  require_keys(field, {"name", "lemma", "gap", "score_error", "bound"});
  return {field["name"].text(), field["lemma"].text(), not_negative(field["gap"]), not_negative(field["score_error"]),
          not_negative(field["bound"])};
}

Entry entry_from(const Field& field) {
  require_keys(field, {"dtype", "summation", "length", "limiting_head", "reason", "heads"});
  Entry entry;
  entry.format = field["dtype"].spelled(number_format_from, "a number format");
  entry.summation = field["summation"].spelled(summation_from, "a way of summing");
  entry.finding.length = length_from(field["length"]);
  if (const Field head = field["limiting_head"]; !head.json().is_null()) entry.finding.limiting_head = head.text();
  entry.finding.reason = reason_from(field["reason"]);
  field["heads"].for_each([&](const Field& head) { entry.finding.heads.push_back(head_line_from(head)); });
  if (entry.finding.reason.empty() != (entry.finding.length == kLongest))
    field["reason"].wrong("what stops the proof at the next length");
  return entry;
}

/// As many as there are formats and ways of summing, so that a list of entries is never long.
std::vector<Entry> entries_from(const Field& field) {
  std::vector<Entry> entries;
  std::set<std::pair<NumberFormat, Summation>> seen;
  field.for_each([&](const Field& item) {
    entries.push_back(entry_from(item));
    if (!seen.insert({entries.back().format, entries.back().summation}).second)
      throw IoError(
          fmt::format("{} is about a format and a way of summing that an earlier one is about", item.where()));
  });
  if (entries.empty()) throw IoError("a certificate without entries");
  return entries;
}

std::string fingerprint_from(const Field& field) {
  const std::string text = field.text();
  const bool digits =
      std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (text.size() != 64 || !digits) field.wrong("a SHA-256 in hexadecimal");
  return text;
}

/// What `soften` wrote beside its entries; none of them reaches beyond the derivation.
std::string softened_from(const Field& field, const std::vector<Entry>& entries) {
  const std::uint64_t derived = field["length"].natural(kLongest - 1);
  for (const Entry& entry : entries)
    if (entry.finding.length > derived) field["length"].wrong("as long as the lengths of the entries");
  return field.json().dump();
}

}  // namespace

std::string_view to_string(Summation summation) {
  switch (summation) {
    case Summation::any:
      return "any";
    case Summation::normalise_last:
      return "normalise-last";
    case Summation::exact_count:
      return "exact-count";
  }
  return {};
}

std::optional<Summation> summation_from(std::string_view text) {
  for (const Summation summation : {Summation::any, Summation::normalise_last, Summation::exact_count})
    if (to_string(summation) == text) return summation;
  return std::nullopt;
}

std::string to_json(const Certificate& certificate) {
  Json json{{"version", kVersion},          {"model", certificate.model}, {"recipe", certificate.recipe},
            {"source", certificate.source}, {"kernels", kKernels},        {"entries", entries_json(certificate)}};
  if (!certificate.softened.empty()) json["soften"] = Json::parse(certificate.softened);
  return json.dump();
}

std::string entries_to_json(const Certificate& certificate) { return entries_json(certificate).dump(); }

Certificate certificate_from_json(const std::string& text) {
  const Json json = parse_strict_json(text, "the certificate");
  const Field root(json, "certificate");
  require_keys(root, {"version", "model", "recipe", "source", "kernels", "entries", "soften"});
  if (root["version"].natural(std::numeric_limits<std::uint64_t>::max()) != kVersion)
    throw IoError("a certificate of a version this program does not read");
  if (root["kernels"].text() != kKernels)
    throw IoError("a certificate that assumes other kernels than this program does; quench certify -o writes it anew");
  Certificate certificate{fingerprint_from(root["model"]), root["recipe"].text(), root["source"].text(),
                          entries_from(root["entries"])};
  if (json.contains("soften")) certificate.softened = softened_from(root["soften"], certificate.entries);
  return certificate;
}

const Entry* best_entry(const Certificate& certificate, NumberFormat format, Summation summation) {
  const Entry* best = nullptr;
  for (const Entry& entry : certificate.entries)
    if (entry.format == format && entry.summation <= summation &&
        (!best || best->finding.length < entry.finding.length))
      best = &entry;
  return best;
}

std::optional<std::uint64_t> certified_length(const Certificate& certificate, NumberFormat format,
                                              Summation summation) {
  const Entry* entry = best_entry(certificate, format, summation);
  return entry ? std::optional(entry->finding.length) : std::nullopt;
}

}  // namespace quench::model
