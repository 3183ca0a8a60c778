#include "cli/arguments/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "model/file/strict_json.h"

namespace quench::cli {
namespace {

template <class Number>
std::optional<Number> read(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> read_whole(std::string_view text) { return read<std::uint64_t>(text); }

std::optional<double> read_real(std::string_view text) {
  const std::optional<double> number = read<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

Check whole_number(std::uint64_t low, std::uint64_t high) {
  return [=](std::string& text) {
    const std::optional<std::uint64_t> number = read_whole(text);
    if (!number || *number < low || *number > high)
      return fmt::format("{} is not a whole number from {} to {}", model::in_quotes(text), low, high);
    text = std::to_string(*number);  // a leading zero would mean octal to CLI11
    return std::string();
  };
}

Check real_number(double low, double high) {
  return [=](std::string& text) {
    const std::optional<double> number = read_real(text);
    if (!number || *number < low || *number > high)
      return fmt::format("{} is not a number from {} to {}", model::in_quotes(text), low, high);
    return std::string();
  };
}

Check any_whole_number() { return whole_number(0, std::numeric_limits<std::uint64_t>::max()); }

Check thread_count() { return whole_number(0, 1024); }

}  // namespace quench::cli
