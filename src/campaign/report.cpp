#include <fmt/format.h>

#include <algorithm>

#include "campaign/tally.h"
#include "model/file/strict_json.h"

namespace quench::campaign {
namespace {

/// What the column `differences` counts.
std::string_view broken(Task task) {
  switch (task) {
    case Task::verify:
      return "differences";
    case Task::certify:
      return "rejected";
    case Task::find_failure:
      return "broken";
  }
  throw InternalError("a task without a report");
}

Cell total(const Tally& tally) {
  Cell sum;
  for (const auto& [key, cell] : tally.cells) sum.add(cell);
  return sum;
}

/// Of the column of recipes, some of which have options.
std::size_t recipe_width(const Tally& tally) {
  std::size_t width = 22;
  for (const auto& [key, cell] : tally.cells) width = std::max(width, key.recipe.size());
  return width;
}

std::string row(const CellKey& key, const Cell& cell, std::size_t width) {
  const std::string lengths = cell.greatest == 0 ? "-" : fmt::format("{}..{}", cell.least, cell.greatest);
  return fmt::format("{:<9} {:<{}} {:<9} {:<10} {:>7} {:>7} {:>10} {:>13} {:>8} {:>8}  {}\n", key.kind, key.recipe,
                     width, key.format, key.engine, cell.models, cell.uncertified, cell.words, cell.positions,
                     cell.failures, cell.differences, lengths);
}

nlohmann::ordered_json cell_json(const Cell& cell, Task task) {
  nlohmann::ordered_json json{{"models", cell.models},     {"uncertified", cell.uncertified},
                              {"words", cell.words},       {"positions", cell.positions},
                              {"failures", cell.failures}, {broken(task), cell.differences},
                              {"shortest", nullptr},       {"longest", nullptr}};
  if (cell.greatest > 0) json["shortest"] = cell.least, json["longest"] = cell.greatest;
  return json;
}

}  // namespace

std::string report_text(const Campaign& campaign, std::uint64_t pieces, const Tally& tally) {
  std::string text = fmt::format("campaign {} ({}, seed {}): {} of {} pieces done\n", model::in_quotes(campaign.name),
                                 quench::name_of(campaign.task), campaign.seed, tally.pieces, pieces);
  const std::size_t width = recipe_width(tally);
  text += fmt::format("{:<9} {:<{}} {:<9} {:<10} {:>7} {:>7} {:>10} {:>13} {:>8} {:>8}  {}\n", "rules", "recipe", width,
                      "dtype", "engine", "models", "no-cert", "words", "positions", "failures",
                      campaign.task == Task::verify ? "differ" : broken(campaign.task), "lengths");
  for (const auto& [key, cell] : tally.cells) text += row(key, cell, width);
  text += row({"all", "", "", ""}, total(tally), width);
  if (tally.not_covered > 0) text += fmt::format("{} rules that their recipe makes nothing of\n", tally.not_covered);
  if (tally.errors > 0) text += fmt::format("{} pieces could not be done\n", tally.errors);
  for (const Remark& remark : tally.remarks()) text += fmt::format("piece {}: {}\n", remark.piece, remark.text);
  return text;
}

std::string report_json(const Campaign& campaign, std::uint64_t pieces, const Tally& tally) {
  nlohmann::ordered_json json{{"campaign", campaign.name},
                              {"task", quench::name_of(campaign.task)},
                              {"seed", campaign.seed},
                              {"pieces", pieces},
                              {"done", tally.pieces},
                              {"not_covered", tally.not_covered},
                              {"errors", tally.errors},
                              {"total", cell_json(total(tally), campaign.task)},
                              {"cells", nlohmann::ordered_json::array()},
                              {"remarks", nlohmann::ordered_json::array()}};
  for (const auto& [key, cell] : tally.cells) {
    nlohmann::ordered_json one{
        {"rules", key.kind}, {"recipe", key.recipe}, {"dtype", key.format}, {"engine", key.engine}};
    one.update(cell_json(cell, campaign.task));
    json["cells"].push_back(std::move(one));
  }
  for (const Remark& remark : tally.remarks())
    json["remarks"].push_back({{"piece", remark.piece}, {"text", remark.text}});
  return json.dump() + "\n";
}

}  // namespace quench::campaign
