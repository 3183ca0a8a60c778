// Numbers on the command line: decimal, within a range that the message names. CLI11 by itself reads 010 as eight, wraps
// −1 around and takes nan for a rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/arguments/options.h"

namespace quench::cli {

/// Digits and nothing else; nothing if there is more, or more than 64 bits of it.
std::optional<std::uint64_t> read_whole(std::string_view text);
/// As C++ writes decimal constants, with a sign if need be; finite.
std::optional<double> read_real(std::string_view text);

/// For transform(), not check(): a validator that only checks cannot take the leading zeros away.
Check whole_number(std::uint64_t low, std::uint64_t high);
Check real_number(double low, double high);
/// A seed: any number of 64 bits.
Check any_whole_number();
/// --threads: 0 means all cores.
Check thread_count();

}  // namespace quench::cli
