// Structural hashing for interned nodes: a struct lists its fields with `tie()`, and this hashes and compares them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace quench {

inline void hash_combine(std::size_t& seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 12) + (seed >> 4);
}

template <class T>
std::size_t hash_of(const T& value);

template <class T>
struct StructuralHash {
  std::size_t operator()(const T& value) const { return hash_of(value); }
};

namespace hash_detail {
template <class T>
concept Tied = requires(const T& t) { t.tie(); };
template <class T>
struct Hasher {
  static std::size_t hash(const T& value) {
    if constexpr (Tied<T>) {
      std::size_t seed = 0x51ed;
      std::apply([&](const auto&... field) { (hash_combine(seed, hash_of(field)), ...); }, value.tie());
      return seed;
    } else {
      return std::hash<T>{}(value);
    }
  }
};
template <class T>
struct Hasher<std::vector<T>> {
  static std::size_t hash(const std::vector<T>& items) {
    std::size_t seed = items.size();
    for (const auto& item : items) hash_combine(seed, hash_of<T>(item));
    return seed;
  }
};
template <class... Ts>
struct Hasher<std::variant<Ts...>> {
  static std::size_t hash(const std::variant<Ts...>& value) {
    std::size_t seed = value.index();
    std::visit([&](const auto& alternative) { hash_combine(seed, hash_of(alternative)); }, value);
    return seed;
  }
};
}  // namespace hash_detail

template <class T>
std::size_t hash_of(const T& value) {
  return hash_detail::Hasher<T>::hash(value);
}

}  // namespace quench
