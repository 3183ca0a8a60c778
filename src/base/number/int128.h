// 128-bit integers without a -Wpedantic warning at every use.
#pragma once

#include <limits>
#include <string>

namespace quench {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

/// In decimal.
std::string to_string(Int128 value);

}  // namespace quench
