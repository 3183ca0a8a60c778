#include "base/number/number_format.h"

#include "base/number/rounding.h"

namespace quench {

namespace {

struct Facts {
  const FloatFormat& storage;
  const FloatFormat& compute;
};

#define QUENCH_FORMAT_ROW(format, name, storage, compute) {storage, compute},
constexpr Facts kFacts[] = {QUENCH_NUMBER_FORMATS(QUENCH_FORMAT_ROW)};
#undef QUENCH_FORMAT_ROW

const Facts& facts(NumberFormat format) { return kFacts[static_cast<std::size_t>(format)]; }

}  // namespace

#define QUENCH_FORMAT_VALUE(format, ...) NumberFormat::format,
const std::vector<NumberFormat>& all_number_formats() {
  static const std::vector<NumberFormat> all = {QUENCH_ENGINE_FORMATS(QUENCH_FORMAT_VALUE)};
  return all;
}

const std::vector<NumberFormat>& emulated_number_formats() {
  static const std::vector<NumberFormat> emulated = {QUENCH_EMULATED_FORMATS(QUENCH_FORMAT_VALUE)};
  return emulated;
}

#undef QUENCH_FORMAT_VALUE

const FloatFormat& storage_format(NumberFormat format) { return facts(format).storage; }
const FloatFormat& compute_format(NumberFormat format) { return facts(format).compute; }

double round_to(const FloatFormat& format, double x) {
  if (format.precision == 53) return x;
  if (format.precision == 24) return static_cast<double>(static_cast<float>(x));
  return round_narrow(format, x);
}

}  // namespace quench
