// quench bench attention: what attention costs, measured on this machine rather than quoted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "attention/health/costs.h"
#include "attention/health/health.h"
#include "base/error.h"
#include "base/number/random.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"

namespace quench::cli {
namespace {

constexpr std::size_t kMostNumbers = 1 << 27;

struct BenchAttentionCommand {
  std::vector<std::size_t> lengths = {512, 2048, 8192, 32768};
  std::size_t width = 64, budget = 1024, score_length = 512;
  bool memory = false, scores = false, entropy = false, json = false;
};

nlohmann::ordered_json as_json(const std::vector<attention::MemoryRow>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const attention::MemoryRow& row : rows) {
    nlohmann::ordered_json entry;
    entry["length"] = row.length;
    entry["matrix_entries"] = row.matrix_entries;
    entry["matrix_bytes"] = nullptr;
    if (row.matrix_bytes) entry["matrix_bytes"] = *row.matrix_bytes;
    entry["tiled_forward_bytes"] = row.tiled_forward_bytes;
    entry["tiled_backward_bytes"] = row.tiled_backward_bytes;
    list.push_back(entry);
  }
  return list;
}

nlohmann::ordered_json as_json(const std::vector<attention::ScoreCost>& costs) {
  auto list = nlohmann::ordered_json::array();
  for (const attention::ScoreCost& cost : costs)
    list.push_back(
        {{"score", cost.score}, {"nanoseconds_per_pair", cost.nanoseconds_per_pair}, {"relative", cost.relative}});
  return list;
}

/// How attention between random vectors cools: one row per temperature.
struct Cooling {
  double tau = 1, entropy = 0, support = 0, saturation = 0;  ///< means over the rows
  std::array<double, 4> bands{};                             ///< shares of the rows
};

Matrix random_vectors(Random& random, std::size_t count, std::size_t width) {
  Matrix result(count, width);
  for (double& x : result.data) x = std::sqrt(12.0) * (random.unit() - 0.5);  // variance 1
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<Cooling> measure_cooling(std::size_t length, std::size_t width) {
  Random random(1);
  const Matrix q = random_vectors(random, length, width), k = random_vectors(random, length, width);
  std::vector<Cooling> rows;
  for (const double tau : {4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05}) {
    const attention::HealthReport report = attention::examine({.weighting = attention::Softmax{tau}}, q, k, k);
    Cooling row{tau, mean(report.entropy), mean(report.support), mean(report.saturation), {}};
    for (std::size_t b = 0; b < 4; ++b)
      row.bands[b] = static_cast<double>(report.bands[b]) / static_cast<double>(length);
    rows.push_back(row);
  }
  return rows;
}

std::string to_table(const std::vector<Cooling>& rows) {
  std::string text = fmt::format("{:>12}{:>10}{:>10}{:>12}", "temperature", "entropy", "support", "saturation");
  for (int b = 0; b < 4; ++b) text += fmt::format("{:>12}", to_string(static_cast<attention::EntropyBand>(b)));
  text += "\n";
  for (const Cooling& row : rows) {
    text += fmt::format("{:>12}{:>10.2f}{:>10.1f}{:>12.2f}", row.tau, row.entropy, row.support, row.saturation);
    for (const double share : row.bands) text += fmt::format("{:>10.1f} %", 100 * share);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json as_json(const std::vector<Cooling>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Cooling& row : rows)
    list.push_back({{"tau", row.tau},
                    {"entropy", row.entropy},
                    {"support", row.support},
                    {"saturation", row.saturation},
                    {"bands", row.bands}});
  return list;
}

void run(const BenchAttentionCommand& command) {
  if (!command.memory && !command.scores && !command.entropy)
    throw UserError(
        "say what to measure: --memory (the n × n matrix against tiles), --scores (the kinds of scores), --entropy "
        "(how attention cools)");
  nlohmann::ordered_json json;
  std::string text;
  if (command.memory) {
    const std::size_t longest = *std::max_element(command.lengths.begin(), command.lengths.end());
    if (longest * command.width > kMostNumbers)
      throw UserError(fmt::format("{} vectors of width {} are too many; at most {} numbers", longest, command.width,
                                  kMostNumbers));
    const auto rows = attention::measure_memory(command.lengths, command.width, command.budget << 20);
    json["memory"] = as_json(rows);
    text += attention::to_table(rows);
  }
  if (command.scores) {
    const auto costs = attention::measure_scores(command.score_length, command.width);
    json["scores"] = as_json(costs);
    text += (text.empty() ? "" : "\n") + attention::to_table(costs);
  }
  if (command.entropy) {
    const auto rows = measure_cooling(command.score_length, command.width);
    json["entropy"] = as_json(rows);
    text += (text.empty() ? "" : "\n") + to_table(rows);
  }
  print(command.json ? json.dump() + "\n" : text);
}

}  // namespace

void add_bench_attention(App& bench) {
  App* app =
      bench.add_subcommand("attention", "What attention costs on this machine: memory, kinds of scores; how it cools");
  app->set_usage("");
  auto command = std::make_shared<BenchAttentionCommand>();
  app->add_flag("--memory", command->memory, "The n × n matrix of weights against the tiled kernel");
  app->add_flag("--scores", command->scores, "Additive against multiplicative scores");
  app->add_flag("--entropy", command->entropy, "Entropy and its bands, from warm to cold, between random vectors");
  app->add_option("--length", command->lengths, "Lengths of the memory table")
      ->type_name("N")
      ->check(whole_number(1, 1 << 20))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app->add_option("--budget", command->budget, "Make the n × n matrix only up to so many MB")
      ->type_name("MB")
      ->check(whole_number(0, 1 << 20))
      ->capture_default_str();
  app->add_option("--width", command->width, "Of queries, keys and values")
      ->type_name("D")
      ->check(whole_number(1, 4096))
      ->capture_default_str();
  app->add_option("--score-length", command->score_length, "Queries and keys of the score and entropy tables")
      ->type_name("N")
      ->check(whole_number(1, 1 << 14))
      ->capture_default_str();
  app->add_flag("--json", command->json, "One JSON object");
  app->describe_json(
      "`{\"memory\":[{\"length\",\"matrix_entries\",\"matrix_bytes\"|null,\"tiled_forward_bytes\",\"tiled_backward_bytes\"}…],"
      "\"scores\":[{\"score\",\"nanoseconds_per_pair\",\"relative\"}…],\"entropy\":[{\"tau\",\"entropy\",\"support\",\"saturation\","
      "\"bands\":[…]}…]}`, those of the three that were asked for; `matrix_bytes` is null where the matrix is beyond `--budget`.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
