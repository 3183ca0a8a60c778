#include "cli/output/certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace quench::cli {
namespace {

using certify::Summation;

constexpr Summation kSummations[] = {Summation::any, Summation::normalise_last, Summation::exact_count};

std::vector<NumberFormat> formats_of(const certify::Certificate& certificate) {
  std::vector<NumberFormat> formats;
  for (const certify::Entry& entry : certificate.entries)
    if (std::ranges::find(formats, entry.format) == formats.end()) formats.push_back(entry.format);
  return formats;
}

/// What a certificate that names the format says of it: 0 where it says nothing of engines that sum like this.
std::uint64_t length_of(const certify::Certificate& certificate, NumberFormat format, Summation summation) {
  return certify::certified_length(certificate, format, summation).value_or(0);
}

nlohmann::ordered_json length_json(std::uint64_t length) {
  return length == certify::kLongest ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(length);
}

/// "f32 349525, …": the formats in which engines that sum like this reach further than those that assume less.
std::string lengths_text(const certify::Certificate& certificate, Summation summation) {
  std::string text;
  for (const NumberFormat format : formats_of(certificate)) {
    const std::uint64_t length = length_of(certificate, format, summation);
    if (summation != Summation::any) {
      const auto weaker = static_cast<Summation>(static_cast<int>(summation) - 1);
      if (length <= length_of(certificate, format, weaker)) continue;
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(format),
                        length == certify::kLongest ? "any length" : fmt::format("{}", length));
  }
  return text;
}

}  // namespace

std::string certified_json(const certify::Certificate& certificate) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const NumberFormat format : formats_of(certificate))
    json[std::string(to_string(format))] = length_json(length_of(certificate, format, Summation::any));
  return json.dump();
}

std::string certified_by_summation_json(const certify::Certificate& certificate) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const NumberFormat format : formats_of(certificate))
    for (const Summation summation : kSummations)
      json[std::string(to_string(format))][std::string(to_string(summation))] =
          length_json(length_of(certificate, format, summation));
  return json.dump();
}

std::string certified_text(const certify::Certificate& certificate, const std::string& indent) {
  std::string text = lengths_text(certificate, Summation::any), further;
  for (const Summation summation : {Summation::normalise_last, Summation::exact_count})
    if (const std::string lengths = lengths_text(certificate, summation); !lengths.empty())
      further += fmt::format("\n{}{}: {}", indent, lengths, engines_that_sum(summation));
  return further.empty() ? text : fmt::format("{}: {}{}", text, engines_that_sum(Summation::any), further);
}

std::string_view engines_that_sum(Summation summation) {
  switch (summation) {
    case Summation::any:
      return "any engine, softmax followed by a product included";
    case Summation::normalise_last:
      return "engines that divide by the sum of the weights last (all of quench; fused float32 kernels)";
    case Summation::exact_count:
      return "engines that also form sums over positions exactly (quench run in f32)";
  }
  return {};
}

std::string certificate_path(const std::string& model_path) {
  const std::string ending = ".safetensors";
  const bool ends = model_path.ends_with(ending);
  return (ends ? model_path.substr(0, model_path.size() - ending.size()) : model_path) + ".certificate.json";
}

}  // namespace quench::cli
