#include "model/file/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

/// The library keeps the last of several equal keys; here that would let two readers see two models in one file. A pass
/// of its own over the text: the library's parser with callbacks takes quadratic time on long lists.
class DuplicateKeys : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }
  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool key(string_t& key) override {
    if (open_.back().insert(key).second) return true;
    duplicate_ = key;
    return false;
  }
  const std::optional<std::string>& duplicate() const { return duplicate_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::optional<std::string> duplicate_;
};

/// The library's message without its copy of the offending bytes.
std::string reason(const nlohmann::json::exception& failure) {
  const std::string text = failure.what();
  return text.substr(0, text.find("; last read"));
}

}  // namespace

std::string in_quotes(const std::string& text) {
  constexpr std::size_t kLongestQuote = 60;
  const std::string escaped = nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return escaped.size() <= kLongestQuote ? escaped : escaped.substr(0, kLongestQuote) + "…\"";
}

nlohmann::json parse_strict_json(std::string_view text, std::string_view what) {
  if (nesting_depth(text) > kMaxJsonDepth)
    throw IoError(fmt::format("{} is nested deeper than {} levels", what, kMaxJsonDepth));
  DuplicateKeys keys;
  nlohmann::json::sax_parse(text.begin(), text.end(), &keys);
  if (keys.duplicate()) throw IoError(fmt::format("{} has the key {} twice", what, in_quotes(*keys.duplicate())));
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& failure) {
    throw IoError(fmt::format("{} is not valid JSON: {}", what, reason(failure)));
  }
}

}  // namespace quench::model
