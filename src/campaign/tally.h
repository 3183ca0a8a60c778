// What pieces of a campaign have found, and all of them together. Adding up is commutative and associative, so the sum
// is the same in whatever order pieces are done.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "campaign/campaign.h"

namespace quench::campaign {

/// Networks of one kind of rule by one recipe, in one format, by one engine.
struct CellKey {
  std::string kind, recipe, format, engine;
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};

struct Cell {
  std::uint64_t models = 0;
  std::uint64_t uncertified = 0;  ///< of these, without a certified length, and so without a promise to try
  std::uint64_t words = 0, positions = 0;
  std::uint64_t differences = 0;  ///< broken promises: positions, rejected certificates, failures within a length
  std::uint64_t failures = 0;     ///< of find-failure: networks of which one was found
  std::uint64_t least = UINT64_MAX, greatest = 0;  ///< lengths: tried; of certify, certified

  void add(const Cell& other);
  void add_length(std::uint64_t length);
};

/// A broken promise, or a piece that could not be done.
struct Remark {
  std::uint64_t piece = 0;
  std::string text;
  friend auto operator<=>(const Remark&, const Remark&) = default;
};

class Tally {
 public:
  std::uint64_t pieces = 0;
  std::uint64_t not_covered = 0;  ///< rules that the recipe makes nothing of
  std::uint64_t errors = 0;       ///< pieces that could not be done, for a reason that is a bug
  std::map<CellKey, Cell> cells;

  void remark(std::uint64_t piece, const std::string& text);
  void add(const Tally& other);
  std::uint64_t differences() const;
  std::uint64_t positions() const;
  /// The first of them, by piece.
  const std::vector<Remark>& remarks() const { return remarks_; }

  /// Of the journal's lines.
  nlohmann::json json() const;
  /// Throws IoError if the line is none of ours.
  static Tally from_json(const nlohmann::json& json);

 private:
  std::vector<Remark> remarks_;  // sorted
};

/// For people, and for programs. Depend on the campaign and the tally alone: same bytes on any number of ranks.
std::string report_text(const Campaign& campaign, std::uint64_t pieces, const Tally& tally);
std::string report_json(const Campaign& campaign, std::uint64_t pieces, const Tally& tally);

}  // namespace quench::campaign
