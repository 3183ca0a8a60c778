// A trace as JSON and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "run/inspect/json_number.h"
#include "run/inspect/terminal_text.h"
#include "run/inspect/trace.h"

namespace quench::run {

namespace {

using Json = nlohmann::ordered_json;

/// As short as it can be without hiding that a value is not quite 0 or 1.
std::string short_number(double x) {
  std::string text = fmt::format("{:.4g}", x);
  if ((text == "0" || text == "1" || text == "-0") && x != 0 && x != 1) text = fmt::format("{:.1e}", x - std::round(x));
  if (std::round(x) == 1 && x != 1 && text.find('e') != std::string::npos)
    text = fmt::format("1{}{}", text[0] == '-' ? "" : "+", text);
  return text == "-0" ? "0" : text;
}

Json numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(json_number(value));
  return json;
}

Json coordinate_to_json(const TracedCoordinate& traced) {
  return {{"name", traced.name},
          {"coordinate", traced.coordinate},
          {"boolean", traced.boolean},
          {"raw", numbers(traced.raw)},
          {"rounded", traced.boolean ? Json(traced.rounded) : Json(nullptr)},
          {"distance", traced.boolean ? json_number(traced.distance) : Json(nullptr)}};
}

/// Positions first … last of one step: a line per coordinate, a column per position.
std::string table(const Trace& trace, const TraceStep& step, std::size_t first, std::size_t last,
                  const std::vector<std::size_t>& widths, std::size_t name_width) {
  std::string text = pad_right("", name_width);
  for (std::size_t i = first; i < last; ++i)
    text += fmt::format("  {}", pad_left(fmt::format("{} {}", i + 1, cut(trace.symbols[i], 8)), widths[i]));
  text += '\n';
  for (const TracedCoordinate& traced : step.coordinates) {
    text += pad_right(cut(traced.name, name_width), name_width);
    for (std::size_t i = first; i < last; ++i)
      text += fmt::format("  {}", pad_left(short_number(traced.raw[i]), widths[i]));
    if (traced.boolean && last == trace.symbols.size() && traced.distance != 0)
      text += fmt::format("   within {:.1e} of 0/1", traced.distance);
    text += '\n';
  }
  return text;
}

std::size_t name_width_of(const Trace& trace) {
  std::size_t width = 4;
  for (const TraceStep& step : trace.steps)
    for (const TracedCoordinate& traced : step.coordinates) width = std::max(width, columns(traced.name));
  return std::min<std::size_t>(width, 40);
}

std::vector<std::size_t> column_widths(const Trace& trace, const TraceStep& step) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < trace.symbols.size(); ++i) {
    std::size_t width = columns(fmt::format("{} {}", i + 1, cut(trace.symbols[i], 8)));
    for (const TracedCoordinate& traced : step.coordinates) width = std::max(width, short_number(traced.raw[i]).size());
    widths.push_back(width);
  }
  return widths;
}

std::string step_to_text(const Trace& trace, const TraceStep& step, std::size_t name_width, std::size_t width) {
  std::string text = fmt::format("── {}: {}\n", step.sublayer, step.title);
  const std::vector<std::size_t> widths = column_widths(trace, step);
  for (std::size_t first = 0; first < widths.size();) {  // as many positions side by side as fit
    std::size_t last = first, used = name_width;
    while (last < widths.size() && (last == first || used + widths[last] + 2 <= width)) used += widths[last++] + 2;
    text += table(trace, step, first, last, widths, name_width);
    first = last;
  }
  return text + '\n';
}

std::string interventions(const TraceOptions& options) {
  std::string text;
  for (const HeadIndex head : options.ablated) text += fmt::format("ablated head {}.{}\n", head.layer, head.head);
  for (const Patch& patch : options.patches)
    text += fmt::format("patched {} = {} at position {}\n", patch.coordinate, patch.value, patch.position);
  return text;
}

}  // namespace

std::string to_json(const Trace& trace) {
  Json ablated = Json::array(), patched = Json::array(), steps = Json::array();
  for (const HeadIndex head : trace.options.ablated) ablated.push_back({{"layer", head.layer}, {"head", head.head}});
  for (const Patch& patch : trace.options.patches)
    patched.push_back({{"coordinate", patch.coordinate}, {"value", patch.value}, {"position", patch.position}});
  for (const TraceStep& step : trace.steps) {
    Json coordinates = Json::array();
    for (const TracedCoordinate& traced : step.coordinates) coordinates.push_back(coordinate_to_json(traced));
    steps.push_back({{"sublayer", step.sublayer}, {"title", step.title}, {"coordinates", std::move(coordinates)}});
  }
  const Json json{{"word", trace.word},
                  {"symbols", trace.symbols},
                  {"dtype", to_string(trace.options.run.format)},
                  {"hard", trace.options.run.hard},
                  {"ablated", std::move(ablated)},
                  {"patched", std::move(patched)},
                  {"steps", std::move(steps)},
                  {"outputs", numbers(trace.outputs)}};
  // A symbol typed by the user may be any bytes; what is not UTF-8 is replaced, not refused.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Trace& trace, std::size_t width) {
  const std::size_t name_width = name_width_of(trace);
  std::string text =
      fmt::format("{}, {} weighting\n{}\n", to_string(trace.options.run.format),
                  trace.options.run.hard ? "intended hard" : "the model's own", interventions(trace.options));
  for (const TraceStep& step : trace.steps) text += step_to_text(trace, step, name_width, width);
  text += "output";
  for (const double value : trace.outputs) text += fmt::format(" {}", short_number(value));
  return text + '\n';
}

}  // namespace quench::run
