// A function of one whole number, linear between knots: what a feed-forward sublayer makes of it with hidden units
// ReLU(±x + b), and sums of such functions.
#pragma once

#include <vector>

#include "certify/value.h"

namespace quench::certify {

class Curve {
 public:
  /// factor·x + constant for whole x in [low, high].
  static Curve line(double low, double high, double factor, double constant);

  double low() const { return knots_.front().x; }
  double high() const { return knots_.back().x; }
  double at(double x) const;
  /// The least and the greatest value for whole x in an interval, which is cut to the domain.
  Interval range(Interval domain) const;
  Interval range() const { return range({low(), high()}); }
  std::size_t size() const { return knots_.size(); }

  Curve& operator+=(const Curve& other);  ///< of the same domain
  Curve& operator*=(double factor);
  Curve& operator+=(double constant);
  /// max(0, ·) at whole numbers: a sign that changes between two of them makes both knots.
  Curve relu() const;
  friend bool operator==(const Curve&, const Curve&) = default;

 private:
  struct Knot {
    double x, y;
    friend bool operator==(const Knot&, const Knot&) = default;
  };
  static double value(std::vector<Knot>::const_iterator right, double x);
  void add_knot(double x, double y);  ///< to the right; drops the one before if it lies on the line
  std::vector<Knot> knots_;
};

}  // namespace quench::certify
