#include "base/number_format.h"

#include <array>

#include "base/rounding.h"

namespace quench {

namespace {

struct Facts {
  NumberFormat format;
  std::string_view name;
  const FloatFormat& storage;
  const FloatFormat& compute;
};

constexpr std::array<Facts, 8> kFacts{{
    {NumberFormat::f64, "f64", kDouble, kDouble},
    {NumberFormat::f32, "f32", kSingle, kSingle},
    {NumberFormat::bf16, "bf16", kBfloat16, kSingle},
    {NumberFormat::f16, "f16", kHalf, kSingle},
    {NumberFormat::bf16_pure, "bf16-pure", kBfloat16, kBfloat16},
    {NumberFormat::f16_pure, "f16-pure", kHalf, kHalf},
    {NumberFormat::f8e4m3, "f8e4m3", kFloat8E4M3, kFloat8E4M3},
    {NumberFormat::f8e5m2, "f8e5m2", kFloat8E5M2, kFloat8E5M2},
}};

constexpr bool in_order() {
  for (std::size_t index = 0; index < kFacts.size(); ++index)
    if (static_cast<std::size_t>(kFacts[index].format) != index) return false;
  return true;
}
static_assert(in_order(), "the table is indexed by NumberFormat");

const Facts& facts(NumberFormat format) { return kFacts[static_cast<std::size_t>(format)]; }

}  // namespace

std::string_view to_string(NumberFormat format) { return facts(format).name; }

std::optional<NumberFormat> number_format_from(std::string_view text) {
  for (const Facts& row : kFacts)
    if (row.name == text) return row.format;
  return std::nullopt;
}

const std::vector<NumberFormat>& all_number_formats() {
  static const std::vector<NumberFormat> all = [] {
    std::vector<NumberFormat> formats;
    for (const Facts& row : kFacts) formats.push_back(row.format);
    return formats;
  }();
  return all;
}

const FloatFormat& storage_format(NumberFormat format) { return facts(format).storage; }
const FloatFormat& compute_format(NumberFormat format) { return facts(format).compute; }

double round_to(const FloatFormat& format, double x) {
  if (format.precision == 53) return x;
  if (format.precision == 24) return static_cast<double>(static_cast<float>(x));
  return round_narrow(format, x);
}

}  // namespace quench
