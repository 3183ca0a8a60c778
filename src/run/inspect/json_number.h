// Numbers in the JSON of traces and pictures. A null there is something that does not exist, such as the weight of a key
// that the mask hides; so what JSON has no numbers for gets a text.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace quench::run {

/// The number, or "Infinity", "-Infinity", "NaN".
inline nlohmann::ordered_json json_number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

}  // namespace quench::run
