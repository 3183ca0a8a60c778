// JSON from files nobody vouches for: bounded nesting, no duplicate keys, every complaint an IoError.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace quench::model {

inline constexpr std::size_t kMaxJsonDepth = 32;

/// Parses one JSON document. `what` names it in messages ("the header").
nlohmann::json parse_strict_json(std::string_view text, std::string_view what);

/// A text from such a file, fit for a message: quoted, control characters escaped, long ones cut.
std::string in_quotes(const std::string& text);

}  // namespace quench::model
