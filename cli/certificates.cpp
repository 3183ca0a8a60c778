#include "certificates.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "model/file.h"
#include "output.h"

namespace quench::cli {
namespace {

template <class Visit>
void for_each_format(const certify::Certificate& certificate, Visit visit) {
  std::set<NumberFormat> seen;
  for (const certify::Entry& entry : certificate.entries)
    if (seen.insert(entry.format).second)
      visit(entry.format, *certify::certified_length(certificate, entry.format, certify::Summation::normalise_last));
}

}  // namespace

std::string certified_json(const certify::Certificate& certificate) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for_each_format(certificate, [&](NumberFormat format, std::uint64_t length) {
    auto& item = json[std::string(to_string(format))];
    if (length != certify::kLongest) item = length;
  });
  return json.dump();
}

std::string certified_text(const certify::Certificate& certificate) {
  const auto words = [](std::uint64_t length) {
    return length == certify::kLongest ? "any length" : fmt::format("{}", length);
  };
  std::string text;
  for_each_format(certificate, [&](NumberFormat format, std::uint64_t length) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(format), words(length));
    const std::uint64_t exact = *certify::certified_length(certificate, format, certify::Summation::exact_count);
    if (exact > length) text += fmt::format(" ({} with exact sums)", words(exact));
  });
  return text;
}

std::optional<certify::Certificate> valid_certificate(const model::Transformer& model) {
  if (model.certificate.empty()) return std::nullopt;
  try {
    certify::Certificate certificate = certify::certificate_from_json(model.certificate);
    if (certificate.model == model::fingerprint(model)) return certificate;
    say("warning: the model was changed after it was certified, so its certificate is void\n");
  } catch (const IoError& error) {
    say(fmt::format("warning: the model's certificate is void: {}\n", error.what()));
  }
  return std::nullopt;
}

std::string certificate_path(const std::string& model_path) {
  const std::string ending = ".safetensors";
  const bool ends = model_path.ends_with(ending);
  return (ends ? model_path.substr(0, model_path.size() - ending.size()) : model_path) + ".certificate.json";
}

}  // namespace quench::cli
