// The table of `regular-atlas`: its columns, and the report made from it.
#pragma once

#include <string>
#include <vector>

#include "base/number/number_format.h"
#include "lab/experiment.h"
#include "lower/recipe.h"

namespace quench::lab::of_regular_atlas {

inline constexpr const char* kEveryLength = "every length";
inline constexpr const char* kExact = "to 2^20";
inline constexpr const char* kTrained = "trained";
inline constexpr std::size_t kLength = lower::kExactLength;
inline constexpr std::size_t kTrainingLength = 20;
inline const std::vector<NumberFormat> kFormats = {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16,
                                                   NumberFormat::f16};
inline const std::vector<std::string> kColumns = {"family",
                                                  "language",
                                                  "class",
                                                  "states",
                                                  "letters",
                                                  "monoid",
                                                  "network",
                                                  "recipe",
                                                  "layers",
                                                  "heads",
                                                  "width",
                                                  "hidden",
                                                  "parameters",
                                                  "f64",
                                                  "f32",
                                                  "bf16",
                                                  "f16",
                                                  "words",
                                                  "differences",
                                                  "right",
                                                  "right at 10 times the length",
                                                  "the more common answer",
                                                  "why not"};

Report report(const Table& table, const Settings& settings);

}  // namespace quench::lab::of_regular_atlas
