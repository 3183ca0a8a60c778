// quench bench attention: what attention costs, measured on this machine rather than quoted.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attention/measure.h"
#include "base/error.h"
#include "command.h"
#include "source.h"

namespace quench::cli {
namespace {

struct BenchAttentionCommand {
  std::vector<std::size_t> lengths = {512, 2048, 8192, 32768};
  std::size_t width = 64, budget = 1024, score_length = 512;
  bool memory = false, scores = false, json = false;
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

void run(const BenchAttentionCommand& command) {
  if (!command.memory && !command.scores)
    throw UserError("say what to measure: --memory (the n × n matrix against tiles), --scores (the kinds of scores)");
  nlohmann::ordered_json json;
  std::string text;
  if (command.memory) {
    const auto rows = attention::measure_memory(command.lengths, command.width, command.budget << 20);
    json["memory"] = as_json(rows);
    text += attention::to_table(rows);
  }
  if (command.scores) {
    const auto costs = attention::measure_scores(command.score_length, command.width);
    json["scores"] = as_json(costs);
    text += (text.empty() ? "" : "\n") + attention::to_table(costs);
  }
  print(command.json ? json.dump() + "\n" : text);
}

}  // namespace

void add_bench_attention(CLI::App& bench) {
  CLI::App* app = bench.add_subcommand("attention", "What attention costs on this machine: memory, kinds of scores");
  auto command = std::make_shared<BenchAttentionCommand>();
  app->add_flag("--memory", command->memory, "The n × n matrix of weights against the tiled kernel");
  app->add_flag("--scores", command->scores, "Additive against multiplicative scores");
  app->add_option("--length", command->lengths, "Lengths of the memory table")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20).description(""))
      ->capture_default_str();
  app->add_option("--budget", command->budget, "Make the n × n matrix only up to so many MB")
      ->type_name("MB")
      ->check(CLI::Range(0, 1 << 20).description(""))
      ->capture_default_str();
  app->add_option("--width", command->width, "Of queries, keys and values")
      ->type_name("D")
      ->check(CLI::Range(1, 4096).description(""))
      ->capture_default_str();
  app->add_option("--score-length", command->score_length, "Queries and keys of the score table")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 14).description(""))
      ->capture_default_str();
  app->add_flag("--json", command->json, "One JSON object");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
