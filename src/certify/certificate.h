// A certificate as data, and as the JSON object that is kept in the model file and beside it. docs/certificates.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/certify.h"

namespace quench::certify {

struct Entry {
  NumberFormat format = NumberFormat::f64;
  Summation summation = Summation::any;
  Finding finding;
};

struct Certificate {
  std::string model;  ///< model::fingerprint
  std::string recipe, source;
  std::vector<Entry> entries;
};

/// For every format an entry per way of summing, from the weakest assumption to the strongest, leaving out those that do
/// not certify more than the one before.
Certificate make_certificate(const model::Transformer& model, const std::vector<NumberFormat>& formats);

std::string to_json(const Certificate& certificate);
/// Only the list of entries: what `quench certify --json` prints.
std::string entries_to_json(const Certificate& certificate);
/// Throws IoError if the text is not a certificate.
Certificate certificate_from_json(const std::string& text);

/// The length a certificate promises in a format for engines that sum as assumed, or weaker assumptions; none if it says
/// nothing about the format.
std::optional<std::uint64_t> certified_length(const Certificate& certificate, NumberFormat format, Summation summation);

/// The formats that are certified whenever a model is written.
const std::vector<NumberFormat>& usual_formats();

}  // namespace quench::certify
