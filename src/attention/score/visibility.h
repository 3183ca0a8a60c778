// Which keys j a query i may see (both from 0). Masks combine with &, | and !.
//
//   Visibility everything;                                                  // no mask
//   Visibility decoder = Visibility(Mask::future) & Visibility::padding(7); // j ≤ i and j < 7
//   Visibility sliding = Visibility::window(128, 0);                        // i − 128 ≤ j ≤ i
//
// A query that sees nothing gets the zero vector. What a masked key or value holds never matters, not even NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/attention_kind.h"

namespace quench::attention {

/// Keys first … last − 1; empty if first ≥ last.
struct KeyInterval {
  std::size_t first = 0, last = 0;
  bool empty() const { return first >= last; }
};

/// A Boolean table; entry (r, c) at cells[r·cols + c]. Outside of it everything is masked.
struct BooleanTable {
  std::size_t rows = 0, cols = 0;
  std::vector<std::uint8_t> cells;
  bool operator()(std::size_t r, std::size_t c) const { return r < rows && c < cols && cells[r * cols + c] != 0; }
};

class Visibility {
 public:
  Visibility();           ///< everything
  Visibility(Mask mask);  // NOLINT: the model file's masks are visibilities; i and j are compared as they are if n ≠ m

  static Visibility padding(std::size_t length);                          ///< j < length
  static Visibility window(std::size_t left, std::size_t right);          ///< i − left ≤ j ≤ i + right
  static Visibility blocks(std::size_t block_size, BooleanTable blocks);  ///< blocks(i / size, j / size)
  static Visibility table(BooleanTable table);                            ///< table(i, j)
  static Visibility where(std::function<bool(std::size_t i, std::size_t j)> allowed);

  friend Visibility operator&(const Visibility& a, const Visibility& b);
  friend Visibility operator|(const Visibility& a, const Visibility& b);
  friend Visibility operator!(const Visibility& a);

  bool allows(std::size_t i, std::size_t j) const { return node_->allows(i, j); }
  /// An interval that contains every key of 0 … keys − 1 that i sees. If `solid`, it contains no other.
  KeyInterval hull(std::size_t i, std::size_t keys) const;
  bool solid() const { return node_->solid; }
  /// The visible keys in increasing order, into `visible`.
  void list(std::size_t i, std::size_t keys, std::vector<std::size_t>& visible) const;

 private:
  struct Node {
    std::function<bool(std::size_t i, std::size_t j)> allows;
    std::function<KeyInterval(std::size_t i)> hull;  // not yet cut to the number of keys
    bool solid = true;
  };
  explicit Visibility(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  static Visibility interval(std::function<KeyInterval(std::size_t i)> hull);

  std::shared_ptr<const Node> node_;
};

}  // namespace quench::attention
