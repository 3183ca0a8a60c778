#include "cli/shared/number_formats.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/number/number_format.h"

namespace quench::cli {
namespace {

struct OtherName {
  std::string_view theirs, ours;
};

constexpr std::array kOtherNames = {
    OtherName{"float64", "f64"}, OtherName{"fp64", "f64"}, OtherName{"double", "f64"},
    OtherName{"float32", "f32"}, OtherName{"fp32", "f32"}, OtherName{"single", "f32"},
    OtherName{"float16", "f16"}, OtherName{"fp16", "f16"}, OtherName{"half", "f16"},
    OtherName{"bfloat16", "bf16"},
};

}  // namespace

Check number_format_name(std::vector<std::string> also) {
  std::vector<std::string> names = std::move(also);
  for (const NumberFormat format : all_number_formats()) names.emplace_back(to_string(format));
  for (const NumberFormat format : emulated_number_formats()) names.emplace_back(to_string(format));
  const Check known = one_of(names);
  const auto look = [known](std::string& typed) {
    const auto other = std::ranges::find(kOtherNames, typed, &OtherName::theirs);
    if (other != kOtherNames.end()) typed = other->ours;
    return known.look(typed);
  };
  return {look, names};
}

}  // namespace quench::cli
