// Enums whose values have a name in files and on the command line. One list is expanded into the enum and its names
// together, so that neither can be forgotten:
//
//   #define QUENCH_MASKS(X) X(none, "none") X(future, "future") …
//   QUENCH_NAMED_ENUM(Mask, QUENCH_MASKS)
//
// gives `enum class Mask`, and with the templates below name_of(mask), from_name<Mask>("none"), all_of<Mask>(). Switches
// over such an enum have no `default:`; the compiler names those that a new value has to be added to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#define QUENCH_ENUMERATOR(value, ...) value,
#define QUENCH_ENUMERATOR_NAME(value, name, ...) name,
#define QUENCH_NAMED_ENUM(Type, LIST)                                                        \
  enum class Type : std::uint8_t { LIST(QUENCH_ENUMERATOR) };                                \
  inline constexpr std::string_view k##Type##Names[] = {LIST(QUENCH_ENUMERATOR_NAME)};       \
  constexpr std::span<const std::string_view> names_of(const Type*) { return k##Type##Names; }

namespace quench {

/// The names of all values, in their order.
template <class Enum>
constexpr std::span<const std::string_view> names() {
  return names_of(static_cast<const Enum*>(nullptr));
}

/// Whether this is one of the values, as a number from elsewhere need not be.
template <class Enum>
constexpr bool is_value(Enum value) {
  return static_cast<std::size_t>(value) < names<Enum>().size();
}

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return is_value(value) ? names<Enum>()[static_cast<std::size_t>(value)] : "?";
}

template <class Enum>
constexpr std::optional<Enum> from_name(std::string_view name) {
  for (std::size_t index = 0; index < names<Enum>().size(); ++index)
    if (names<Enum>()[index] == name) return static_cast<Enum>(index);
  return std::nullopt;
}

template <class Enum>
std::vector<Enum> all_of() {
  std::vector<Enum> values;
  for (std::size_t index = 0; index < names<Enum>().size(); ++index) values.push_back(static_cast<Enum>(index));
  return values;
}

}  // namespace quench
