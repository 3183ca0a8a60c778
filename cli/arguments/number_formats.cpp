#include "cli/arguments/number_formats.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "certify/certificate.h"

namespace quench::cli {
namespace {

struct OtherName {
  std::string_view theirs, ours;
};

constexpr std::array kOtherNames = {
    OtherName{"float64", "f64"},   OtherName{"fp64", "f64"}, OtherName{"double", "f64"},
    OtherName{"float32", "f32"},   OtherName{"fp32", "f32"}, OtherName{"single", "f32"},
    OtherName{"float16", "f16"},   OtherName{"fp16", "f16"}, OtherName{"half", "f16"},
    OtherName{"bfloat16", "bf16"},
};

}  // namespace

Check number_format_name(std::vector<std::string> also) {
  std::vector<std::string> names = std::move(also);
  for (const NumberFormat format : all_number_formats()) names.emplace_back(to_string(format));
  for (const NumberFormat format : emulated_number_formats()) names.emplace_back(to_string(format));
  std::vector<std::string> theirs;
  for (const OtherName& other : kOtherNames) theirs.emplace_back(other.theirs);
  const Check known = one_of(names, theirs);
  const auto look = [known](std::string& typed) {
    const auto other = std::ranges::find(kOtherNames, typed, &OtherName::theirs);
    if (other != kOtherNames.end()) typed = other->ours;
    return known.look(typed);
  };
  return {look, names};
}

void FormatsArgument::add_to(App& app) {
  app.add_option("--dtype", names_, "Number formats, also m8 … m20, or all; default f64 f32 bf16 f16")
      ->check(number_format_name({"all"}))
      ->delimiter(',')
      ->expected(1, -1)
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("FORMAT");
}

std::vector<NumberFormat> FormatsArgument::formats() const {
  std::vector<NumberFormat> formats;
  for (const std::string& name : names_) {
    if (name == "all") return all_number_formats();
    formats.push_back(*number_format_from(name));
  }
  return formats.empty() ? certify::usual_formats() : formats;
}

}  // namespace quench::cli
