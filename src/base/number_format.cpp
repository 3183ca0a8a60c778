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

constexpr std::size_t kEngineFormats = 8;
constexpr std::array<Facts, kEngineFormats + kEmulated.size()> kFacts{{
    {NumberFormat::f64, "f64", kDouble, kDouble},
    {NumberFormat::f32, "f32", kSingle, kSingle},
    {NumberFormat::bf16, "bf16", kBfloat16, kSingle},
    {NumberFormat::f16, "f16", kHalf, kSingle},
    {NumberFormat::bf16_pure, "bf16-pure", kBfloat16, kBfloat16},
    {NumberFormat::f16_pure, "f16-pure", kHalf, kHalf},
    {NumberFormat::f8e4m3, "f8e4m3", kFloat8E4M3, kFloat8E4M3},
    {NumberFormat::f8e5m2, "f8e5m2", kFloat8E5M2, kFloat8E5M2},
    {NumberFormat::m8, "m8", kEmulated[0], kEmulated[0]},
    {NumberFormat::m9, "m9", kEmulated[1], kEmulated[1]},
    {NumberFormat::m10, "m10", kEmulated[2], kEmulated[2]},
    {NumberFormat::m11, "m11", kEmulated[3], kEmulated[3]},
    {NumberFormat::m12, "m12", kEmulated[4], kEmulated[4]},
    {NumberFormat::m13, "m13", kEmulated[5], kEmulated[5]},
    {NumberFormat::m14, "m14", kEmulated[6], kEmulated[6]},
    {NumberFormat::m15, "m15", kEmulated[7], kEmulated[7]},
    {NumberFormat::m16, "m16", kEmulated[8], kEmulated[8]},
    {NumberFormat::m17, "m17", kEmulated[9], kEmulated[9]},
    {NumberFormat::m18, "m18", kEmulated[10], kEmulated[10]},
    {NumberFormat::m19, "m19", kEmulated[11], kEmulated[11]},
    {NumberFormat::m20, "m20", kEmulated[12], kEmulated[12]},
}};

constexpr bool in_order() {
  for (std::size_t index = 0; index < kFacts.size(); ++index)
    if (static_cast<std::size_t>(kFacts[index].format) != index) return false;
  return true;
}
static_assert(in_order(), "the table is indexed by NumberFormat");

const Facts& facts(NumberFormat format) { return kFacts[static_cast<std::size_t>(format)]; }

std::vector<NumberFormat> formats_from(std::size_t first, std::size_t last) {
  std::vector<NumberFormat> formats;
  for (std::size_t index = first; index < last; ++index) formats.push_back(kFacts[index].format);
  return formats;
}

}  // namespace

std::string_view to_string(NumberFormat format) { return facts(format).name; }

std::optional<NumberFormat> number_format_from(std::string_view text) {
  for (const Facts& row : kFacts)
    if (row.name == text) return row.format;
  return std::nullopt;
}

const std::vector<NumberFormat>& all_number_formats() {
  static const std::vector<NumberFormat> all = formats_from(0, kEngineFormats);
  return all;
}

const std::vector<NumberFormat>& emulated_number_formats() {
  static const std::vector<NumberFormat> emulated = formats_from(kEngineFormats, kFacts.size());
  return emulated;
}

const FloatFormat& storage_format(NumberFormat format) { return facts(format).storage; }
const FloatFormat& compute_format(NumberFormat format) { return facts(format).compute; }

double round_to(const FloatFormat& format, double x) {
  if (format.precision == 53) return x;
  if (format.precision == 24) return static_cast<double>(static_cast<float>(x));
  return round_narrow(format, x);
}

}  // namespace quench
