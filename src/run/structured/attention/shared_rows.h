// Rows of weights that several heads have in common and that only read coordinates which no layer writes, such as the
// digits of positions by which exact recipes break ties: summed once for all of them. Where nothing else reads such a
// coordinate, the bits of positions mostly, it need not be there.
#pragma once

#include <cstdint>
#include <vector>

#include "run/structured/position_wise.h"

namespace quench::run {

template <class T>
class SharedRows {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class Of : std::uint8_t { queries, keys, values };

  SharedRows() = default;
  /// `steady`, by coordinate: no layer writes it.
  SharedRows(const std::vector<LayerRows<T>>& layers, const std::vector<bool>& steady);

  /// All of them, one after the other.
  const SumRows<T>& rows() const { return rows_; }
  /// By row of a head's queries, keys or values: which of them it is, or kNone.
  const std::vector<std::uint32_t>& of(std::size_t layer, std::size_t head, Of of) const {
    return heads_[layer][head].which[static_cast<std::size_t>(of)];
  }
  /// Whether one of them reads a coordinate, and no other row, nor a hidden unit, does.
  bool alone_read(std::size_t coordinate) const { return summed_[coordinate] && !read_[coordinate]; }

 private:
  struct Head {
    std::vector<std::uint32_t> which[3];
  };
  SumRows<T> rows_;
  std::vector<std::vector<Head>> heads_;
  std::vector<bool> summed_, read_;  ///< by coordinate: by these rows, by others
};

extern template class SharedRows<float>;
extern template class SharedRows<double>;

}  // namespace quench::run
