// Formats that have no room for the usual gap of a scan, and the gap that suits them ([Q-scan], in pure formats).
#pragma once

#include <optional>

#include "base/number/number_format.h"

namespace quench::certified {

/// What `--gamma` of the recipe `scan` is to be; nothing where the usual one will do.
inline std::optional<double> scan_gap(NumberFormat format) {
  if (format == NumberFormat::f8e4m3) return 8;
  if (format == NumberFormat::f8e5m2) return 16;
  if (format == NumberFormat::f16_pure) return 32;
  return std::nullopt;
}

}  // namespace quench::certified
