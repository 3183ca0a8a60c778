// A whole-number function of one whole number, piece by piece: on each piece, a run of whole numbers, it is linear.
// Pieces need not meet, since nothing lies between two whole numbers.
#pragma once

#include <vector>

#include "base/number/int128.h"

namespace quench::check {

using Int = Int128;

struct Bounds {
  Int low = 0, high = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};
inline Bounds scaled(const Bounds& b, Int w) {
  return w >= 0 ? Bounds{w * b.low, w * b.high} : Bounds{w * b.high, w * b.low};
}
inline void plus(Bounds& a, const Bounds& b) { a = {a.low + b.low, a.high + b.high}; }

class Profile {
 public:
  /// slope·x + constant on from … to.
  Profile(Int from, Int to, Int slope, Int constant);

  void add(const Profile& other, Int factor);  ///< on the same run
  Profile positive_part() const;
  /// Over the part of the run that lies in `where`; over all of it if nothing does.
  Bounds bounds(const Bounds& where) const;
  bool is(Int slope, Int constant) const;  ///< everywhere
  std::size_t pieces() const { return pieces_.size(); }
  Int slope() const { return pieces_.front().slope; }  ///< of the first piece
  Bounds run() const { return {pieces_.front().from, pieces_.back().to}; }

 private:
  struct Piece {
    Int from, to;
    Int slope, constant;
    Int at(Int x) const { return slope * x + constant; }
  };
  std::vector<Piece> pieces_;
};

}  // namespace quench::check
