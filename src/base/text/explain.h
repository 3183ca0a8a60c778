// What every error code means, for `quench explain` and the documentation.
#pragma once

#include <span>
#include <string_view>

namespace quench {

struct Explanation {
  std::string_view code;
  std::string_view title;
  std::string_view text;
  std::string_view wrong, right;  ///< E0xx: texts of the formula language; E1xx: command lines
};

/// All codes, in order.
std::span<const Explanation> all_explanations();

/// The explanation of a code, or null. Letter case does not matter.
const Explanation* explain(std::string_view code);

}  // namespace quench
