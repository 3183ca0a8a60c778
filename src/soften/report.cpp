// The derivation of a softened model, as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "soften/soften.h"

namespace quench::soften {
namespace {

/// e^x as text, beyond the range of doubles too.
std::string power_text(double log) {
  const double exponent = std::floor(log / std::log(10.0));
  return fmt::format("{:.2f}e{:+03.0f}", std::exp(log - exponent * std::log(10.0)), exponent);
}

std::string number(double x) { return std::isinf(x) ? "none" : x == 0 ? "0" : fmt::format("{:.3g}", x); }

std::string formula_text(const Sharpening& sharpening) {
  const std::string name(to_string(sharpening.formula));  // "1/(n ln(n+1))"
  std::string f = name.substr(2);
  if (f.front() == '(') f = f.substr(1, f.size() - 2);
  return fmt::format("{:g} * {}", sharpening.scale, f);
}

std::string route_text(const Derivation& d) {
  switch (d.route) {
    case Route::proof:
      return "proof of the construction (docs/soften.md)";
    case Route::interval:
      return "interval analysis over all words of each length";
    case Route::exhaustive:
      return "every word of each length, in exact arithmetic";
  }
  return {};
}

std::string lengths_text(const Derivation& d) {
  std::string text = fmt::format("{:>6}  {:>10}  {:>8}  {:>16}  {:>16}  {:>12}\n", "n", "gap", "x_max",
                                 "1/tau, ours from", "1/tau, paper", "1/tau used");
  std::size_t last = 0;
  for (const LengthLine& line : d.lengths) {
    if (line.n == 1 && d.length > 1) continue;  // one position attends to itself at any temperature
    const bool shown = line.n <= 4 || line.n >= 2 * last || line.n == d.length;
    if (!shown) continue;
    last = line.n;
    text += fmt::format("{:>6}  {:>10}  {:>8.4g}  {:>16.4g}  {:>16}  {:>12.6g}\n", line.n, number(line.gap), line.x_max,
                        line.needed, line.paper ? fmt::format("{:.4g}", *line.paper) : "-",
                        d.sharpening.inverse_tau(line.n));
  }
  return text;
}

/// At the certified length: one line per head, the layer's error after its last.
std::string layers_text(const Derivation& d) {
  std::string text =
      fmt::format("{:<6} {:<8} {:>10}  {:>22}  {:>22}\n{:<6} {:<8} {:>10}  {:>10} {:>11}  {:>10} {:>11}\n", "", "", "",
                  "ours", "paper", "layer", "kind", "gap", "error in", "error out", "error in", "error out");
  const auto paper = [&](std::size_t l) -> std::string {  // after l layers
    if (!d.paper) return "-";
    return l == 0 ? "0" : power_text(d.paper->log_allowed[l - 1]);
  };
  for (std::size_t l = 0; l < d.errors.layers.size(); ++l) {
    const LayerError& layer = d.errors.layers[l];
    const std::size_t count = std::max<std::size_t>(d.kinds[l].size(), 1);
    for (std::size_t h = 0; h < count; ++h) {
      const bool none = d.kinds[l].empty(), last = h + 1 == count;
      text += fmt::format("{:<6} {:<8} {:>10}  {:>10} {:>11}  {:>10} {:>11}\n",
                          none ? fmt::format("{}", l) : fmt::format("{}.{}", l, h), none ? "no head" : d.kinds[l][h],
                          none || d.kinds[l][h] == "uniform" ? "-" : number(layer.heads[h].gap),
                          h == 0 ? number(layer.in) : "", last ? number(layer.out) : "", h == 0 ? paper(l) : "",
                          last ? paper(l + 1) : "");
    }
  }
  return text;
}

std::string certified_text(const certify::Certificate& certificate) {
  std::string text;
  for (const certify::Entry& entry : certificate.entries)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(entry.format), entry.finding.length);
  return text;
}

nlohmann::json real(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); }

}  // namespace

std::string report_text(const Softened& softened) {
  const Derivation& d = softened.derivation;
  std::string text;
  for (std::size_t at = 0; at < d.why.size();) {
    const std::size_t end = std::min(d.why.find('\n', at), d.why.size());
    text += fmt::format("tried       {}\n", d.why.substr(at, end - at));
    at = end + 1;
  }
  text += fmt::format("gap by      {}\n", route_text(d));
  text += fmt::format("1/tau(n)    {}\n\n", formula_text(d.sharpening));
  text += lengths_text(d) + fmt::format("\nat n = {}\n", d.length) + layers_text(d);
  text += fmt::format("\noutput      off by at most {}{}\n", number(d.errors.output),
                      d.rounded ? ", and rounded by the last sublayer" : "; not rounded: it is not 0 or 1");
  if (d.tie_breaks) text += "tie-breaks  +-t*j/n added where leftmost and rightmost heads tie\n";
  if (!d.why_not_paper.empty()) text += fmt::format("paper       its constants do not apply: {}\n", d.why_not_paper);
  if (d.paper)
    text += fmt::format("paper       K1 = {}, K2 = {}\n", power_text(d.paper->log_k1), power_text(d.paper->log_k2));
  return text + fmt::format("certified   {}\n", certified_text(softened.certificate));
}

std::string report_json(const Softened& softened) {
  const Derivation& d = softened.derivation;
  nlohmann::json lengths = nlohmann::json::array(), layers = nlohmann::json::array();
  for (const LengthLine& line : d.lengths) {
    lengths.push_back({{"n", line.n},
                       {"gap", real(line.gap)},
                       {"x_max", line.x_max},
                       {"inverse_tau", d.sharpening.inverse_tau(line.n)},
                       {"needed", line.needed}});
    if (line.paper) lengths.back()["paper"] = real(*line.paper);
  }
  for (std::size_t l = 0; l < d.errors.layers.size(); ++l) {
    nlohmann::json heads = nlohmann::json::array();
    for (std::size_t h = 0; h < d.kinds[l].size(); ++h)
      heads.push_back({{"kind", d.kinds[l][h]},
                       {"gap", real(d.errors.layers[l].heads[h].gap)},
                       {"score_error", d.errors.layers[l].heads[h].score_error},
                       {"distance", d.errors.layers[l].heads[h].distance}});
    layers.push_back({{"error_in", d.errors.layers[l].in}, {"error_out", d.errors.layers[l].out}, {"heads", heads}});
  }
  const nlohmann::json json{
      {"route", to_string(d.route)},     {"length", d.length},         {"temperature", to_string(d.sharpening.formula)},
      {"scale", d.sharpening.scale},     {"tie_breaks", d.tie_breaks}, {"rounded", d.rounded},
      {"output_error", d.errors.output}, {"lengths", lengths},         {"layers", layers}};
  return json.dump();
}

}  // namespace quench::soften
