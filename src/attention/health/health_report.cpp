// A HealthReport as text.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "attention/health/health.h"

namespace quench::attention {

namespace {

struct Summary {
  double min = 0, mean = 0, max = 0;
};

Summary summarise(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {low, std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), high};
}

std::string line(std::string_view name, const std::vector<double>& values) {
  const Summary s = summarise(values);
  return fmt::format("{:<26}{:>12.4g}{:>12.4g}{:>12.4g}\n", name, s.min, s.mean, s.max);
}

nlohmann::ordered_json json(const std::vector<double>& values) {
  const Summary s = summarise(values);
  return {{"min", s.min}, {"mean", s.mean}, {"max", s.max}, {"values", values}};
}

}  // namespace

std::string HealthReport::to_table() const {
  std::string text = fmt::format("{} queries, {} keys, {} queries that see nothing\n\n", queries, keys, empty_rows);
  text += fmt::format("{:<26}{:>12}{:>12}{:>12}\n", "per row", "min", "mean", "max");
  text += line("entropy (nats)", entropy) + line("effective support", support) + line("saturation", saturation);
  if (!gain.empty()) text += line("gradient gain", gain);
  if (!query_gradients.empty())
    text += line("|dL/dq|", query_gradients) + line("|dL/dk|", key_gradients) + line("|dL/dv|", value_gradients);
  text += "\nentropy band      rows\n";
  for (std::size_t band = 0; band < bands.size(); ++band)
    text += fmt::format("{:<16}{:>6}\n", to_string(static_cast<EntropyBand>(band)), bands[band]);
  text +=
      fmt::format("\nmutual information {:.4g} of at most {:.4g} nats\n", mutual_information, mutual_information_limit);
  if (bottleneck)
    text += fmt::format("bottleneck: rate {:.4g}, relevance {:.4g} of {:.4g} nats\n", bottleneck->rate,
                        bottleneck->relevance, bottleneck->label_entropy);
  text += fmt::format("collapse: {}\n", to_string(collapse));
  text += fmt::format("weights sum to 1 within {:.2g}; {} outputs outside the box of the values\n", worst_weight_sum,
                      outside_box);
  return text;
}

std::string HealthReport::to_json() const {
  nlohmann::ordered_json object = {{"queries", queries}, {"keys", keys}, {"empty_rows", empty_rows}};
  object["entropy"] = json(entropy);
  object["effective_support"] = json(support);
  object["saturation"] = json(saturation);
  for (std::size_t band = 0; band < bands.size(); ++band)
    object["bands"][std::string(to_string(static_cast<EntropyBand>(band)))] = bands[band];
  object["mutual_information"] = mutual_information;
  object["mutual_information_limit"] = mutual_information_limit;
  object["collapse"] = to_string(collapse);
  object["worst_weight_sum"] = worst_weight_sum;
  object["outside_box"] = outside_box;
  object["bottleneck"] = nullptr;
  if (bottleneck)
    object["bottleneck"] = {
        {"rate", bottleneck->rate}, {"relevance", bottleneck->relevance}, {"label_entropy", bottleneck->label_entropy}};
  object["gradients"] = nullptr;
  if (!query_gradients.empty())
    object["gradients"] = {{"queries", json(query_gradients)},
                           {"keys", json(key_gradients)},
                           {"values", json(value_gradients)},
                           {"gain", json(gain)}};
  return object.dump(2);
}

}  // namespace quench::attention
