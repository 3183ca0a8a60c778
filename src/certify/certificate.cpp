#include "certify/certificate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "model/file.h"

namespace quench::certify {
namespace {

using Json = nlohmann::json;

constexpr const char* kKernels =
    "IEEE 754 rounding to nearest of every product and sum of q·k and of every scaled score; exp of score differences "
    "to "
    "the row's maximum, exp(0) = 1, otherwise within two units in the last place; residuals as in docs/model-format.md";

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

Summation summation_from(const std::string& text) {
  for (const Summation summation : {Summation::any, Summation::normalise_last, Summation::exact_count})
    if (to_string(summation) == text) return summation;
  throw IoError("a certificate that assumes an unknown way of summing");
}

Entry entry_from(const Json& json) {
  Entry entry;
  const auto format = number_format_from(json.at("dtype").get<std::string>());
  if (!format) throw IoError("a certificate for an unknown number format");
  entry.format = *format;
  entry.summation = summation_from(json.at("summation").get<std::string>());
  entry.finding.length = json.at("length").is_null() ? kLongest : json.at("length").get<std::uint64_t>();
  if (!json.at("limiting_head").is_null()) entry.finding.limiting_head = json["limiting_head"].get<std::string>();
  entry.finding.reason = json.value("reason", "");
  for (const Json& head : json.at("heads"))
    entry.finding.heads.push_back({head.at("name").get<std::string>(), head.at("lemma").get<std::string>(),
                                   head.at("gap").get<double>(), head.at("score_error").get<double>(),
                                   head.at("bound").get<double>()});
  return entry;
}

}  // namespace

const std::vector<NumberFormat>& usual_formats() {
  static const std::vector<NumberFormat> formats{NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16,
                                                 NumberFormat::f16};
  return formats;
}

Certificate make_certificate(const model::Transformer& model, const std::vector<NumberFormat>& formats) {
  Certificate certificate{model::fingerprint(model), model.recipe, model.source, {}};
  for (const NumberFormat format : formats) {
    std::optional<std::uint64_t> before;
    for (const Summation summation : {Summation::any, Summation::normalise_last, Summation::exact_count}) {
      if (before && (*before == kLongest || !holds(model, Arithmetic::of(format), summation, *before + 1))) continue;
      Finding finding = certify(model, Arithmetic::of(format), summation);
      if (before && finding.length <= *before) continue;
      before = finding.length;
      certificate.entries.push_back({format, summation, std::move(finding)});
    }
  }
  return certificate;
}

std::string to_json(const Certificate& certificate) {
  const Json json{{"version", 1},
                  {"model", certificate.model},
                  {"recipe", certificate.recipe},
                  {"source", certificate.source},
                  {"kernels", kKernels},
                  {"entries", entries_json(certificate)}};
  return json.dump();
}

std::string entries_to_json(const Certificate& certificate) { return entries_json(certificate).dump(); }

Certificate certificate_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("version") != 1) throw IoError("a certificate of a version this program does not read");
    Certificate certificate{json.at("model").get<std::string>(),
                            json.at("recipe").get<std::string>(),
                            json.at("source").get<std::string>(),
                            {}};
    for (const Json& entry : json.at("entries")) certificate.entries.push_back(entry_from(entry));
    return certificate;
  } catch (const Json::exception&) {
    throw IoError("not a certificate");
  }
}

std::optional<std::uint64_t> certified_length(const Certificate& certificate, NumberFormat format,
                                              Summation summation) {
  std::optional<std::uint64_t> longest;
  for (const Entry& entry : certificate.entries)
    if (entry.format == format && entry.summation <= summation)
      longest = std::max(longest.value_or(0), entry.finding.length);
  return longest;
}

}  // namespace quench::certify
