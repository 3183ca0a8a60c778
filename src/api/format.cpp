#include <quench/format.h>

#include "api/convert.h"
#include "base/error.h"

namespace quench::api {

// The same values in the same order; tests/api compares the names.
static_assert(names<NumberFormat>().size() == static_cast<std::size_t>(Format::m20) + 1);
static_assert(static_cast<int>(model::Summation::exact_count) == static_cast<int>(Summation::exact_count));

NumberFormat inside(Format format) {
  const auto result = static_cast<NumberFormat>(format);
  if (!is_value(result)) throw quench::UserError("this is not a number format");
  return result;
}
Format outside(NumberFormat format) { return static_cast<Format>(format); }

model::Summation inside(Summation summation) { return static_cast<model::Summation>(summation); }
Summation outside(model::Summation summation) { return static_cast<Summation>(summation); }

run::Engine inside(Engine engine) {
  switch (engine) {
    case Engine::automatic:
      return run::Engine::automatic;
    case Engine::reference:
      return run::Engine::reference;
    case Engine::dense:
      return run::Engine::dense;
    case Engine::structured:
      return run::Engine::structured;
    case Engine::bits:
      break;
  }
  throw quench::UserError("engine bits runs no network; this asks for one that does");
}

std::string_view name_of(Format format) { return quench::name_of(static_cast<NumberFormat>(format)); }

std::optional<Format> format_from(std::string_view name) {
  const std::optional<NumberFormat> format = number_format_from(name);
  return format ? std::optional(outside(*format)) : std::nullopt;
}

std::vector<Format> all_formats() {
  std::vector<Format> formats;
  for (const NumberFormat format : all_of<NumberFormat>()) formats.push_back(outside(format));
  return formats;
}

std::string_view name_of(Summation summation) { return to_string(inside(summation)); }

}  // namespace quench::api
