#include "base/number/int128.h"

#include <algorithm>

namespace quench {

std::string to_string(Int128 value) {
  const bool negative = value < 0;
  // Unsigned, because the smallest integer has no positive counterpart.
  Uint128 rest = negative ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest > 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace quench
