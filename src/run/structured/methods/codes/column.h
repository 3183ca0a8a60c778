// One component of a head's queries or keys at all positions of a batch's words, where it has two values: a bit for
// each position. Most components of exact recipes are bits of positions; packed, those of a long word stay in the
// cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace quench::run {

inline constexpr std::size_t kColumnBits = 64;  ///< to a number

/// Where a sum of columns of two values is greatest: where each of them is. No sum of some of them is ever rounded.
struct Peak {
  double behind = 0;  ///< how far it is less elsewhere, at least
  double range = 0;   ///< and at most
  std::size_t apart = 0;
  std::vector<std::uint64_t> bits;
};

struct Column {
  double low = 0, high = 0;         ///< the values; equal if there is only one
  bool many = false;                ///< it has more than two values, and none of the rest is there
  double size = 0;                  ///< at least the greatest |x|, infinite if one is infinite or NaN
  std::size_t apart = 0;            ///< numbers of `bits` from one word to the next
  std::vector<std::uint64_t> bits;  ///< where it is high: bit i % 64 of bits[i / 64], i from 0; none if low = high
  std::vector<std::size_t> ones;    ///< by word: at how many positions
  std::shared_ptr<const Peak> peak;  ///< of one with many values, if it is known

  const std::uint64_t* of_word(std::size_t word) const { return bits.data() + word * apart; }
  /// Has low and high change places, in words of length n.
  void turn(std::size_t n);
};

std::size_t count_ones(const std::uint64_t* blocks, std::size_t count);

/// Whether the one could be a multiple of the other, with the same factor everywhere.
bool may_be_multiples(const Column& a, const Column& b);

/// Makes a column of words of length n from the numbers at their positions.
template <class T>
class ColumnMaker {
 public:
  ColumnMaker(std::size_t n, std::size_t words);
  /// `count` numbers of a word, from position `first` on.
  void take(const T* x, std::size_t count, std::size_t word, std::size_t first);
  Column made();

 private:
  bool has_others(const T* x, std::size_t count);

  std::size_t n_;
  Column column_;
  std::size_t values_ = 0;  ///< how many were met, up to 2
  T value_[2] = {};         ///< which; bits are set for the second one
};

extern template class ColumnMaker<float>;
extern template class ColumnMaker<double>;

}  // namespace quench::run
