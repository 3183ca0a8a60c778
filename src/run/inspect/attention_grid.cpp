#include "run/inspect/attention_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/utf8.h"
#include "run/inspect/json_number.h"
#include "run/inspect/trace.h"

namespace quench::run {
namespace {

constexpr std::size_t kMostWeights = std::size_t{1} << 26;

nlohmann::ordered_json weights_json(const AttentionView& view) {
  const std::size_t n = view.symbols.size();
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < n; ++i) {
    auto row = nlohmann::ordered_json::array();
    const KeyRange range = visible(view.mask, i + 1, n);
    for (std::size_t j = 1; j <= n; ++j)
      row.push_back(range.first <= j && j <= range.last ? json_number(view.weights(i, j - 1)) : nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<AttentionView> attention_views(const model::Transformer& transformer, const Word& word,
                                           const std::vector<HeadIndex>& heads, const Options& options,
                                           std::vector<std::string> symbols) {
  const std::size_t n = word.size();
  if (n <= kLongestView && heads.size() > 1 && n * n * heads.size() > kMostWeights)
    throw UserError(fmt::format(
        "the weights of {} heads at {} positions are too many at once; choose --layer and --head", heads.size(), n));
  TraceOptions wanted;
  wanted.run = options;
  wanted.attention = heads;
  wanted.values = false;
  return std::move(trace(transformer, word, wanted, std::move(symbols)).attention);
}

std::string to_svg(const std::vector<AttentionView>& views) {
  std::vector<AttentionPicture> pictures;
  double width = 0, height = 0;  // of a cell of the grid
  for (const AttentionView& view : views) {
    pictures.push_back(picture_of(view));
    width = std::max(width, pictures.back().width);
    height = std::max(height, pictures.back().height);
  }
  const auto across = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(pictures.size()))));
  const std::size_t down = (pictures.size() + across - 1) / across;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#1a1a1a\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width * static_cast<double>(across), height * static_cast<double>(down));
  for (std::size_t k = 0; k < pictures.size(); ++k)
    svg += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", width * static_cast<double>(k % across),
                       height * static_cast<double>(k / across), pictures[k].content);
  return svg + "</svg>\n";
}

std::string to_json(const std::string& word, const std::vector<AttentionView>& views) {
  nlohmann::ordered_json json{
      {"word", word}, {"symbols", nullptr}, {"dtype", nullptr}, {"heads", nlohmann::ordered_json::array()}};
  for (const AttentionView& view : views) {
    json["symbols"] = view.symbols;
    json["dtype"] = to_string(view.format);
    json["heads"].push_back({{"layer", view.index.layer},
                             {"head", view.index.head},
                             {"name", printable(view.name)},
                             {"mask", to_string(view.mask)},
                             {"temperature", to_string(view.temperature)},
                             {"weighting", to_string(view.weighting)},
                             {"weights", weights_json(view)}});
  }
  return json.dump();
}

}  // namespace quench::run
