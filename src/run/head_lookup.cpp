// Lookups on a parabola: s_ij = a_i·j − b_i·j², b_i > 0 [P-L7]. With c = a/2b,
//
//   s_ij = b(c² − (j − c)²),   s_ij − s_ij* = b(j* − j)(j* + j − 2c).
//
// Let j* be the visible position nearest to c (c itself clamped into the visible range). For a visible j at distance r
// from j*, if c lies in the range then |j + j* − 2c| ≥ r − 2|c − j*| ≥ r − 1; if not, j and j* lie on the same side of
// c and |j + j* − 2c| ≥ r. So the weight of j is at most e^{−b·r(r−1)} of the best one's, and with
//
//   R(R − 1) ≥ T/b,   T = negligible(n),
//
// all positions further than R from j* together weigh less than n·e^{−T}: below rounding. The window has 2R + 1 keys;
// b ≥ 3 makes R ≤ 5 at n = 10^6. Positions and their squares are exact here whatever the format holds in its keys, and
// score differences come from the product above: no cancellation between numbers of size bn².
#include <algorithm>
#include <cmath>

#include "run/head_work.h"
#include "run/lane_exp.h"
#include "run/lanes.h"

namespace quench::run {

namespace {

constexpr double kWidestWindow = 512;

/// Whether plane = factor·j^power up to the rounding of its format (2^−21 relative covers float32 keys).
bool is_power(const Plane& plane, std::size_t lanes, int power) {
  const double factor = plane[0];
  if (factor == 0 || !std::isfinite(factor)) return false;
  for (std::size_t p = 0; p < plane.size(); ++p) {
    const auto j = static_cast<double>(p / lanes + 1);
    const double expected = factor * (power == 1 ? j : j * j);
    if (!(std::fabs(plane[p] - expected) <= 0x1p-21 * std::fabs(expected))) return false;
  }
  return true;
}

struct Parabola {
  std::size_t linear = 0, square = 0;  // components
  double linear_factor = 0, square_factor = 0;
};

std::optional<Parabola> find_parabola(const HeadWork& work) {
  if (work.k.size() != 2 || work.n < 3) return std::nullopt;
  for (const std::size_t linear : {std::size_t{0}, std::size_t{1}})
    if (is_power(work.k[linear], work.lanes, 1) && is_power(work.k[1 - linear], work.lanes, 2))
      return Parabola{linear, 1 - linear, work.k[linear][0], work.k[1 - linear][0]};
  return std::nullopt;
}

class Lookup {
 public:
  Lookup(HeadWork& work, const Parabola& parabola) : work_(work), parabola_(parabola), cutoff_(negligible(work.n)) {}

  /// False if the query's parabola does not open downwards, or is too flat.
  bool answer(std::size_t i, std::size_t w) {
    const std::size_t p = i * work_.lanes + w;
    const KeyRange range = visible(work_.mask, i + 1, work_.n);
    if (range.first > range.last) {
      for (Plane& out : work_.out) out[p] = 0;
      return true;
    }
    const double a = work_.q[parabola_.linear][p] * parabola_.linear_factor;
    const double minus_b = work_.q[parabola_.square][p] * parabola_.square_factor;
    const double b = -minus_b * work_.scale[i], c = a / (-2 * minus_b);
    if (!(b > 0) || !std::isfinite(b) || !std::isfinite(c)) return false;
    const double reach = 1 + std::sqrt(cutoff_ / b + 0.25) + 0.5;
    if (reach > kWidestWindow) return false;
    mix(p, w, b, c, range, static_cast<std::size_t>(reach));
    return true;
  }

 private:
  void mix(std::size_t p, std::size_t w, double b, double c, KeyRange range, std::size_t reach) {
    const auto low = static_cast<double>(range.first), high = static_cast<double>(range.last);
    const double best = std::nearbyint(std::clamp(c, low, high)), shift = 2 * (best - c);
    const auto middle = static_cast<std::size_t>(best);
    const std::size_t first = middle > range.first + reach ? middle - reach : range.first;
    const std::size_t last = std::min(range.last, middle + reach);
    weight_.resize(last - first + 1);
    weigh(b, shift, static_cast<double>(first) - best, weight_.data(), weight_.size());
    double total = 0;
    for (const double e : weight_) total += e;
    for (std::size_t x = 0; x < work_.v.size(); ++x) {
      double sum = 0;
      const double* v = work_.v[x].data() + (first - 1) * work_.lanes + w;
      for (std::size_t t = 0; t < weight_.size(); ++t, v += work_.lanes) sum += weight_[t] * *v;
      work_.out[x][p] = sum / total;
    }
  }

  /// s_j − s_j* = −b·d(d + 2(j* − c)) with d = j − j*.
  QUENCH_LANES static void weigh(double b, double shift, double from, double* weight, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) {
      const double d = from + static_cast<double>(static_cast<int>(t));
      weight[t] = lane_exp(-b * (d * (d + shift)));
    }
  }

  HeadWork& work_;
  const Parabola parabola_;
  const double cutoff_;
  std::vector<double> weight_;
};

}  // namespace

std::optional<std::string> run_by_lookup(HeadWork& work) {
  if (work.weighting != Weighting::soft) return "hard attention";
  const std::optional<Parabola> parabola = find_parabola(work);
  if (!parabola) return "keys that are not j and j²";
  if (!values_are_finite(work)) return "values that are not finite";
  Lookup lookup(work, *parabola);
  for (std::size_t i = 0; i < work.n; ++i)
    for (std::size_t w = 0; w < work.lanes; ++w)
      if (!lookup.answer(i, w)) return "a parabola that is flat or opens upwards";
  return std::nullopt;
}

}  // namespace quench::run
