// A certificate as data, and as the JSON object that is kept in the model file and beside it (docs/certificates.md).
// Here it is only read and written: certify derives what it says, check derives it again, and both read it with this one
// reader, so that no text means one thing to one of them and another to the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/number_format.h"

namespace quench::model {

/// How sums over positions are assumed to be formed.
enum class Summation : std::uint8_t {
  any,             ///< in any order; weights may be normalised before they are summed
  normalise_last,  ///< in any order; Σe·v is divided by Σe
  exact_count,     ///< exactly (or in a wider format), rounded once; then divided
};
std::string_view to_string(Summation summation);
std::optional<Summation> summation_from(std::string_view text);

struct HeadLine {
  std::string name, lemma;
  double gap = 0;          ///< per position, in units of scaled scores; 0 for uniform heads
  double score_error = 0;  ///< greatest error of a scaled score
  double bound = 0;        ///< greatest distance of a result from the ideal one
};

inline constexpr std::uint64_t kLongest = std::uint64_t{1} << 53;

struct Finding {
  std::uint64_t length = 0;     ///< 0: not even one position; kLongest: no limit below 2^53
  std::string limiting_head;    ///< what stops at length + 1; empty if nothing does
  std::string reason;           ///< in words
  std::vector<HeadLine> heads;  ///< at `length` (at 1 where nothing is certified)
};

struct Entry {
  NumberFormat format = NumberFormat::f64;
  Summation summation = Summation::any;
  Finding finding;
};

struct Certificate {
  std::string model;  ///< model::fingerprint
  std::string recipe, source;
  std::vector<Entry> entries;
  std::string softened = {};  ///< the derivation of `quench soften`, a JSON object; empty if it did not make this
};

std::string to_json(const Certificate& certificate);
/// Only the list of entries: what `quench certify --json` prints.
std::string entries_to_json(const Certificate& certificate);

/// Strict: every field is there, once, and of its type; there are no others; the engine assumptions are those this
/// program makes; there is an entry, and none of them twice. Throws IoError that says what is wrong.
Certificate certificate_from_json(const std::string& text);

/// The entry that promises most in a format to engines that sum as assumed, or better; null if the certificate says
/// nothing about the format.
const Entry* best_entry(const Certificate& certificate, NumberFormat format, Summation summation);
/// The length it promises.
std::optional<std::uint64_t> certified_length(const Certificate& certificate, NumberFormat format, Summation summation);

}  // namespace quench::model
