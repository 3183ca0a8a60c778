#include "model/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace quench::model {

namespace {

/// Brackets open at once, outside strings. The parser itself does not recurse, but printing and copying its result do.
std::size_t nesting_depth(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (in_string) {
      if (byte == '\\') ++at;
      if (byte == '"') in_string = false;
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '{' || byte == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((byte == '}' || byte == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

/// The library keeps the last of several equal keys; here that would let two readers see two models in one file.
class DuplicateKeys {
 public:
  bool operator()(nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end && !open_.empty()) open_.pop_back();
    if (event == Event::key && !open_.empty() && !open_.back().insert(value.get<std::string>()).second &&
        first_.empty())
      first_ = value.get<std::string>();
    return true;
  }
  const std::string& first() const { return first_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string first_;
};

/// The library's message without its copy of the offending bytes.
std::string reason(const nlohmann::json::exception& failure) {
  const std::string text = failure.what();
  return text.substr(0, text.find("; last read"));
}

}  // namespace

std::string in_quotes(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  const std::string escaped = nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return escaped.size() <= kLongest ? escaped : escaped.substr(0, kLongest) + "…\"";
}

nlohmann::json parse_strict_json(std::string_view text, std::string_view what) {
  if (nesting_depth(text) > kMaxJsonDepth)
    throw IoError(fmt::format("{} is nested deeper than {} levels", what, kMaxJsonDepth));
  try {
    DuplicateKeys duplicates;
    nlohmann::json document = nlohmann::json::parse(
        text.begin(), text.end(), [&](int, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
          return duplicates(event, value);
        });
    if (!duplicates.first().empty())
      throw IoError(fmt::format("{} has the key {} twice", what, in_quotes(duplicates.first())));
    return document;
  } catch (const nlohmann::json::exception& failure) {
    throw IoError(fmt::format("{} is not valid JSON: {}", what, reason(failure)));
  }
}

}  // namespace quench::model
