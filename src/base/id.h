// Typed index into a vector of nodes: ids of different tags do not mix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace quench {

template <class Tag>
struct Id {
  std::uint32_t index = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr bool valid() const { return index != UINT32_MAX; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace quench

template <class Tag>
struct std::hash<quench::Id<Tag>> {
  std::size_t operator()(quench::Id<Tag> id) const noexcept { return id.index; }
};
