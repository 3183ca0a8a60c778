// What heads that find keys by their components ask of one component of one word: its values, if they are two, and
// where it has which; or all its numbers. Internal to address.cpp and nearest_code.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "run/structured/methods/codes/column.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

struct WordColumn {
  double low = 0, high = 0;             ///< its values, if it has at most two
  const std::uint64_t* bits = nullptr;  ///< where it is high; none if it is the same everywhere
  std::size_t ones = 0;                 ///< at how many positions
  bool many = false;                    ///< it has more values
  const double* plane = nullptr;        ///< then all its numbers, unless there is a peak
  const Peak* peak = nullptr;           ///< which keys reach
  const std::uint64_t* at_peak = nullptr;

  bool few() const { return !many; }
  bool constant() const { return !many && !bits; }
  double at(std::size_t i) const {
    if (plane) return plane[i];
    return bits && (bits[i / 64] >> i % 64 & 1) ? high : low;
  }
};

/// One word of a head's batch, component by component.
class Columns {
 public:
  Columns(HeadWork& work, std::size_t word);
  /// The queries' component; times factor() it is what scores are made of.
  const WordColumn& q(std::size_t l) { return column(work_.q_columns, q_, l, Of::queries); }
  double factor() const { return factor_; }
  const WordColumn& k(std::size_t l) { return column(work_.k_columns, k_, l, Of::keys); }
  const WordColumn& v(std::size_t x) { return column(work_.v_columns, v_, x, Of::values); }
  std::vector<const WordColumn*> values();  ///< all v(x)
  /// k(l) with all its numbers, if it has more than two values.
  const WordColumn& all_of_k(std::size_t l);
  /// All numbers of what q(l) is of.
  const double* all_of_q(std::size_t l);

 private:
  enum class Of : std::uint8_t { queries, keys, values };
  struct Kept {
    WordColumn column;
    bool known = false;
    std::vector<double> plane;
    Column packed;
  };
  const WordColumn& column(const HeadWork::PackedComponents& packed, std::vector<Kept>& kept, std::size_t l, Of of);
  const double* plane_of(Kept& kept, std::size_t l, Of of);
  WordColumn from(const Column& packed, std::size_t word) const;

  HeadWork& work_;
  const std::size_t word_;
  const bool even_;  ///< the scale is the same at all positions: factor()
  const double factor_;
  std::vector<Kept> q_, k_, v_;
};

bool all_equal(const double* x, std::size_t count);
/// Sets the bit where x > 0.
void mark_positive(const double* x, std::size_t count, std::uint64_t bit, std::uint64_t* codes);
/// Sets the bit where |x|·span is below `least`.
void mark_small(const double* x, std::size_t count, double span, double least, std::uint64_t bit, std::uint64_t* codes);
/// Sets the bit where |x|·span is not what it should be.
void mark_unequal(const double* x, std::size_t count, double span, const double* should, std::uint64_t bit,
                  std::uint64_t* codes);
/// to = |x|·span
void set_sizes(const double* x, std::size_t count, double span, double* to);
/// The greatest of factor·x.
double greatest_multiple(const WordColumn& x, std::size_t count, double factor);
/// to += factor·x
void add_multiple(const WordColumn& x, std::size_t count, double factor, double* to);

}  // namespace quench::run
