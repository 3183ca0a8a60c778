// All numbers are whole and slopes are, too, so doubles below 2^53 compute exactly.
#include "certify/whole/curve.h"

#include <algorithm>
#include <cmath>

namespace quench::certify {

Curve Curve::line(double low, double high, double factor, double constant) {
  Curve result;
  result.add_knot(low, factor * low + constant);
  if (high > low) result.add_knot(high, factor * high + constant);
  return result;
}

void Curve::add_knot(double x, double y) {
  if (knots_.size() >= 2) {
    const Knot &a = knots_[knots_.size() - 2], &b = knots_.back();
    if ((b.y - a.y) * (x - b.x) == (y - b.y) * (b.x - a.x)) {
      knots_.back() = {x, y};
      return;
    }
  }
  knots_.push_back({x, y});
}

/// At x, which lies between the knot before and this one.
double Curve::value(std::vector<Knot>::const_iterator right, double x) {
  if (right->x == x) return right->y;
  const auto left = right - 1;
  return left->y + (right->y - left->y) / (right->x - left->x) * (x - left->x);
}

double Curve::at(double x) const {
  const auto right =
      std::lower_bound(knots_.begin(), knots_.end(), x, [](const Knot& knot, double v) { return knot.x < v; });
  return value(right, x);
}

Interval Curve::range(Interval domain) const {
  const double from = std::clamp(domain.low, low(), high()), to = std::clamp(domain.high, low(), high());
  const double first = at(from), last = at(to);
  Interval result{std::fmin(first, last), std::fmax(first, last)};
  for (const Knot& knot : knots_)
    if (from < knot.x && knot.x < to) result = hull(result, {knot.y, knot.y});
  return result;
}

Curve& Curve::operator+=(const Curve& other) {
  Curve sum;
  auto a = knots_.cbegin(), b = other.knots_.cbegin();
  while (a != knots_.cend() && b != other.knots_.cend()) {
    const double x = std::fmin(a->x, b->x);
    sum.add_knot(x, value(a, x) + value(b, x));
    if (a->x == x) ++a;
    if (b->x == x) ++b;
  }
  return *this = std::move(sum);
}

Curve& Curve::operator*=(double factor) {
  if (factor == 0) return *this = line(low(), high(), 0, 0);
  for (Knot& knot : knots_) knot.y *= factor;
  return *this;
}

Curve& Curve::operator+=(double constant) {
  for (Knot& knot : knots_) knot.y += constant;
  return *this;
}

Curve Curve::relu() const {
  Curve result;
  for (std::size_t k = 0; k < knots_.size(); ++k) {
    if (k > 0) {
      const Knot &a = knots_[k - 1], &b = knots_[k];
      if ((a.y < 0 && b.y > 0) || (a.y > 0 && b.y < 0)) {
        const double slope = (b.y - a.y) / (b.x - a.x), crossing = std::floor(a.x - a.y / slope);
        for (const double x : {crossing, crossing + 1})
          if (a.x < x && x < b.x && x > result.high())
            result.add_knot(x, std::fmax(0, value(knots_.cbegin() + static_cast<std::ptrdiff_t>(k), x)));
      }
    }
    result.add_knot(knots_[k].x, std::fmax(0, knots_[k].y));
  }
  return result;
}

}  // namespace quench::certify
