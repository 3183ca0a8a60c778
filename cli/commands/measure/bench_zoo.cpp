// quench bench zoo: the sizes of the networks of examples/programs, beside those that Tracr's programs have.
#include "cli/commands/measure/bench_zoo.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/arguments/source.h"
#include "cli/command.h"
#include "driver/compile.h"
#include "zoo_programs.h"

namespace quench::cli {
namespace {

/// Residual width, layers and parameters.
struct Size {
  std::size_t width, layers, parameters;
};

/// Tracr's programs for inputs of 20 tokens, where their sizes are known to us.
struct TracrProgram {
  const char* ours;  ///< file of examples/programs
  const char* name;
  std::optional<Size> size;
};

constexpr std::size_t kTracrLength = 20;
const std::vector<TracrProgram>& tracr_programs() {
  static const std::vector<TracrProgram> table = {
      {"length", "length", Size{49, 1, 6'600}},      {"frac_prevs", "frac_prevs", Size{29, 2, 6'000}},
      {"reverse", "reverse", Size{133, 4, 540'000}}, {"sort_unique", "sort_unique", Size{85, 2, 33'000}},
      {"sort", "sort", Size{133, 3, 198'000}},       {"shuffle_dyck_2", "shuffle_dyck2", Size{100, 8, 5'200'000}},
      {"histogram", "hist", std::nullopt},           {"sort_freq", "sort_freq", std::nullopt},
      {"most_freq", "most_freq", std::nullopt},      {"pair_balance", "pair_balance", std::nullopt},
      {"shift_by_2", "shift_by", std::nullopt},      {"detect_pattern", "detect_pattern", std::nullopt},
  };
  return table;
}

struct Row {
  std::string name;
  model::Transformer model;
  const TracrProgram* tracr = nullptr;

  Size size() const { return {model.width, model.layers.size(), model.parameter_count()}; }
};

Row make_row(const ZooProgram& program) {
  Row row{program.name, driver::compile(driver::parse_program(program.text)).model};
  for (const TracrProgram& known : tracr_programs())
    if (row.name == known.ours) row.tracr = &known;
  return row;
}

/// What is not smaller than Tracr's, and "" if everything is.
std::string not_smaller(const Row& row) {
  const Size ours = row.size(), theirs = *row.tracr->size;
  std::string text;
  const auto note = [&](const char* what, std::size_t a, std::size_t b) {
    if (a >= b) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, a == b ? "as many" : "more");
  };
  note("layers", ours.layers, theirs.layers);
  note("width", ours.width, theirs.width);
  note("parameters", ours.parameters, theirs.parameters);
  return text;
}

/// Tracr's programs first, in the order of its table; then the others by name.
std::vector<Row> make_rows() {
  std::vector<Row> rows, others;
  for (const TracrProgram& known : tracr_programs())
    for (const ZooProgram& program : kZooPrograms)
      if (program.name == std::string_view(known.ours)) rows.push_back(make_row(program));
  for (const ZooProgram& program : kZooPrograms)
    if (Row row = make_row(program); !row.tracr) others.push_back(std::move(row));
  for (Row& row : others) rows.push_back(std::move(row));
  return rows;
}

nlohmann::ordered_json as_json(const Size& size) {
  return {{"width", size.width}, {"layers", size.layers}, {"parameters", size.parameters}};
}

std::string to_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json json;
  json["tracr_length"] = kTracrLength;
  for (const Row& row : rows) {
    nlohmann::ordered_json entry{{"program", row.name}, {"class", row.model.logic}};
    entry.update(as_json(row.size()));
    entry["heads"] = row.model.head_count();
    const bool compared = row.tracr && row.tracr->size;
    entry["tracr"] = compared ? as_json(*row.tracr->size) : nlohmann::ordered_json(nullptr);
    entry["not_smaller"] = compared ? nlohmann::ordered_json(not_smaller(row)) : nlohmann::ordered_json(nullptr);
    json["programs"].push_back(entry);
  }
  return json.dump() + "\n";
}

std::string to_text(const std::vector<Row>& rows) {
  std::string text = fmt::format("{:<22}{:<8}{:>6}{:>7}{:>6}{:>12}   {}\n", "program", "class", "width", "layers",
                                 "heads", "parameters", "Tracr: width/layers/parameters");
  bool ours_only = false;
  for (const Row& row : rows) {
    if (!row.tracr && !ours_only) ours_only = true, text += "\n";
    const Size size = row.size();
    text += fmt::format("{:<22}{:<8}{:>6}{:>7}{:>6}{:>12}", row.name, row.model.logic, size.width, size.layers,
                        row.model.head_count(), size.parameters);
    if (row.tracr && row.tracr->size) {
      const Size theirs = *row.tracr->size;
      text += fmt::format("   {}/{}/{}", theirs.width, theirs.layers, theirs.parameters);
      if (const std::string note = not_smaller(row); !note.empty()) text += "   " + note;
    }
    text += "\n";
  }
  return text + fmt::format("\nOurs are the same for every length. Tracr's are for {} tokens.\n", kTracrLength);
}

}  // namespace

void add_bench_zoo(App& bench) {
  App* app = bench.add_subcommand("zoo", "Sizes of the example programs' networks, beside Tracr's");
  app->set_usage("");
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "One JSON object");
  app->describe_json(
      "`{\"tracr_length\",\"programs\":[{\"program\",\"class\",\"width\",\"layers\",\"parameters\",\"heads\",\"tracr\":null|"
      "{\"width\",\"layers\",\"parameters\"},\"not_smaller\"|null}…]}`, null where there is nothing to compare with.");
  app->callback([json] {
    const std::vector<Row> rows = make_rows();
    print(*json ? to_json(rows) : to_text(rows));
  });
}

}  // namespace quench::cli
