#include "campaign/tally.h"

#include <algorithm>

#include "base/error.h"
#include "model/file/json_fields.h"

namespace quench::campaign {
namespace {

constexpr std::size_t kMostRemarks = 20;

}  // namespace

void Cell::add(const Cell& other) {
  models += other.models;
  uncertified += other.uncertified;
  words += other.words;
  positions += other.positions;
  differences += other.differences;
  failures += other.failures;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
}

void Cell::add_length(std::uint64_t length) {
  least = std::min(least, length);
  greatest = std::max(greatest, length);
}

void Tally::remark(std::uint64_t piece, const std::string& text) {
  const Remark remark{piece, text};
  remarks_.insert(std::ranges::upper_bound(remarks_, remark), remark);
  if (remarks_.size() > kMostRemarks) remarks_.pop_back();
}

void Tally::add(const Tally& other) {
  pieces += other.pieces;
  not_covered += other.not_covered;
  errors += other.errors;
  for (const auto& [key, cell] : other.cells) cells[key].add(cell);
  for (const Remark& one : other.remarks_) remark(one.piece, one.text);
}

std::uint64_t Tally::differences() const {
  std::uint64_t sum = 0;
  for (const auto& [key, cell] : cells) sum += cell.differences;
  return sum;
}

std::uint64_t Tally::positions() const {
  std::uint64_t sum = 0;
  for (const auto& [key, cell] : cells) sum += cell.positions;
  return sum;
}

nlohmann::json Tally::json() const {
  auto rows = nlohmann::json::array(), remarks = nlohmann::json::array();
  for (const auto& [key, cell] : cells)
    rows.push_back({key.kind, key.recipe, key.format, key.engine, cell.models, cell.uncertified, cell.words,
                    cell.positions, cell.differences, cell.failures, cell.least, cell.greatest});
  for (const Remark& one : remarks_) remarks.push_back({one.piece, one.text});
  return {{"pieces", pieces}, {"not_covered", not_covered}, {"errors", errors}, {"cells", rows}, {"remarks", remarks}};
}

Tally Tally::from_json(const nlohmann::json& json) {
  const model::Field root(json, "", "field");
  Tally tally;
  tally.pieces = root["pieces"].natural(UINT64_MAX);
  tally.not_covered = root["not_covered"].natural(UINT64_MAX);
  tally.errors = root["errors"].natural(UINT64_MAX);
  root["cells"].for_each([&](const model::Field& row) {
    std::vector<std::string> names;
    std::vector<std::uint64_t> numbers;
    row.for_each([&](const model::Field& field) {
      if (names.size() < 4)
        names.push_back(field.text());
      else
        numbers.push_back(field.natural(UINT64_MAX));
    });
    if (numbers.size() != 8) row.wrong("a row of four names and eight numbers");
    tally.cells[{names[0], names[1], names[2], names[3]}].add(
        {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]});
  });
  root["remarks"].for_each([&](const model::Field& pair) {
    if (!pair.json().is_array() || pair.size() != 2) pair.wrong("a piece and a text");
    tally.remark(model::Field(pair.json()[0], pair.where(), "field").natural(UINT64_MAX),
                 model::Field(pair.json()[1], pair.where(), "field").text());
  });
  return tally;
}

}  // namespace quench::campaign
