// "Did you mean …?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quench {

/// The candidate most like `name`, or "" if none is near. Letter case does not count as a difference.
std::string nearest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace quench
