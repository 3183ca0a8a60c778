// A JSON document with one thing changed somewhere: a number, a name, an item of a list. Model files and certificates
// are such documents.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/number/random.h"

namespace quench::test {

using Json = nlohmann::ordered_json;

inline void change_number(Random& random, double& x) {
  const double values[] = {0,      -x,       2 * x, x / 2, x + 1,  x - 1, 1,   -1,        0.5,   0.1, 1e300,  -1e300,
                           1e-300, 4.9e-324, 1e20,  -1e20, 0x1p53, 65504, 1e4, x * 1.001, 3 * x, 16,  -x * 4, 0x1p-20};
  x = random.chance(0.05) ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ 1ULL << random.below(64))
                          : values[random.below(std::size(values))];
}

/// Every spelling the document knows, and some it does not.
inline const std::vector<std::string>& spellings() {
  static const std::vector<std::string> all{"",
                                            "soft",
                                            "lhardmax",
                                            "rhardmax",
                                            "ahardmax",
                                            "none",
                                            "future",
                                            "past",
                                            "strict_future",
                                            "strict_past",
                                            "1",
                                            "1/n",
                                            "1/i",
                                            "1/i^2",
                                            "1/N",
                                            "1/ln(n+1)",
                                            "1/(n^3 ln(n+1))",
                                            "uniform",
                                            "tie-break",
                                            "previous",
                                            "any",
                                            "lookup",
                                            "sink",
                                            "sign",
                                            "P-L7",
                                            "P-L8a",
                                            "P-L8b",
                                            "P-L8c",
                                            "Q-prev",
                                            "Q-prev-lin",
                                            "Q-dyadic",
                                            "Q-since-lin",
                                            "Q-any",
                                            "Q-sign",
                                            "Q-sign-lin",
                                            "Q-sink",
                                            "boolean",
                                            "integer",
                                            "string",
                                            "scores",
                                            "12a",
                                            "13a",
                                            "15a",
                                            "20a",
                                            "22a",
                                            "23",
                                            "tight",
                                            "tight-position",
                                            "tight-decoder",
                                            "brasp",
                                            "srasp",
                                            "odd",
                                            "even",
                                            "prime",
                                            "divide",
                                            "modulo",
                                            "f64",
                                            "f32",
                                            "bf16",
                                            "exact-count",
                                            "a",
                                            "b",
                                            "\x1b[31mred",
                                            "whole",
                                            "ratios",
                                            "address",
                                            "dyadic",
                                            "match",
                                            "Q-address",
                                            "Q-count",
                                            "Q-match",
                                            "Q-theta",
                                            "Q-srasp",
                                            "exact",
                                            "exact-decoder",
                                            "scan"};
  return all;
}

inline void change_value(Random& random, Json& value) {
  if (random.chance(0.1)) {
    const Json values[] = {nullptr, true, -1, 1.5, 1e300, "x", Json::array(), Json::object(), 0, 1ULL << 60};
    value = values[random.below(std::size(values))];
  } else if (value.is_string()) {
    value = spellings()[random.below(spellings().size())];
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_number_integer()) {
    value = random.chance(0.5) ? value.get<std::int64_t>() + 1 : static_cast<std::int64_t>(random.below(6));
  } else if (value.is_number()) {
    double x = value.get<double>();
    change_number(random, x);
    value = std::isfinite(x) ? x : 0;
  } else {
    value = random.below(10);
  }
}

/// Walks down to some leaf and changes it; on the way, a list may lose, repeat or exchange items, an object a field.
inline void change_anywhere(Random& random, Json& start) {
  Json* at = &start;
  while (at->is_structured() && !at->empty()) {
    if (at->is_array() && random.chance(0.15)) {
      Json& a = (*at)[random.below(at->size())];
      Json& b = (*at)[random.below(at->size())];
      if (random.chance(0.5)) return std::swap(a, b);
      if (random.chance(0.5)) return at->push_back(Json(a));
      return at->erase(random.below(at->size()));
    }
    auto item = at->begin();
    std::advance(item, static_cast<std::ptrdiff_t>(random.below(at->size())));
    if (at->is_object() && random.chance(0.02)) {
      at->erase(item);
      return;
    }
    at = &*item;
  }
  change_value(random, *at);
}

}  // namespace quench::test
