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
#include <cstdint>

#include "base/lanes.h"
#include "run/head_work.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

constexpr double kWidestWindow = 512;

/// How many entries are not factor·j^power up to the rounding of their format (2^−21 relative covers float32 keys).
QUENCH_LANES std::size_t strangers(const double* row, std::size_t lanes, double expected) {
  const double allowed = 0x1p-21 * (expected < 0 ? -expected : expected);
  std::size_t count = 0;
  for (std::size_t w = 0; w < lanes; ++w)
    count += (row[w] - expected <= allowed && expected - row[w] <= allowed) ? 0 : 1;
  return count;
}

bool is_power(const Plane& plane, std::size_t lanes, int power) {
  const double factor = plane[0];
  if (factor == 0 || !std::isfinite(factor)) return false;
  const auto at = [&](std::size_t i) {
    const auto j = static_cast<double>(i + 1);
    return factor * (power == 1 ? j : j * j);
  };
  const std::size_t n = plane.size() / lanes;
  for (std::size_t i = 0; i < n; ++i) {
    if (lanes > 1 && strangers(plane.data() + i * lanes, lanes, at(i)) > 0) return false;
    if (lanes == 1 && !(std::fabs(plane[i] - at(i)) <= 0x1p-21 * std::fabs(at(i)))) return false;
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

/// Queries of one word side by side: rows are lanes, and the loop goes over the distance from j*.
constexpr std::size_t kRows = 256;

struct Block {
  double b[kRows], shift[kRows], below[kRows], above[kRows], weight[kRows], total[kRows];
  std::int64_t best[kRows];  // 0-based j*
  std::int64_t reach = 0;
};

/// weight = e^{−b·d(d + 2(j* − c))}, 0 where j* + d is not visible: s_j − s_j* as derived above.
QUENCH_LANES void weigh(Block& block, double d, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) {
    const double e = lane_exp(-block.b[r] * (d * (d + block.shift[r])));
    block.weight[r] = d >= block.below[r] && d <= block.above[r] ? e : 0.0;
    block.total[r] += block.weight[r];
  }
}

class Lookup {
 public:
  Lookup(HeadWork& work, const Parabola& parabola) : work_(work), parabola_(parabola), cutoff_(negligible(work)) {}

  /// False if some query's parabola does not open downwards, or is too flat.
  bool run() {
    static thread_local Block block;
    for (std::size_t w = 0; w < work_.lanes; ++w)
      for (std::size_t first = 0; first < work_.n; first += kRows) {
        const std::size_t rows = std::min(kRows, work_.n - first);
        block.reach = 0;
        for (std::size_t r = 0; r < rows; ++r)
          if (!prepare(first + r, w, r, block)) return false;
        mix(block, first, w, rows);
      }
    return true;
  }

 private:
  bool prepare(std::size_t i, std::size_t w, std::size_t r, Block& block) const {
    const std::size_t p = i * work_.lanes + w;
    const KeyRange range = visible(work_.mask, i + 1, work_.n);
    const double a = work_.q[parabola_.linear][p] * parabola_.linear_factor;
    const double minus_b = work_.q[parabola_.square][p] * parabola_.square_factor;
    const double b = -minus_b * work_.scale[i], c = a / (-2 * minus_b);
    if (!(b > 0) || !std::isfinite(b) || !std::isfinite(c) || range.first > range.last) return false;
    const double reach = 1.5 + std::sqrt(cutoff_ / b + 0.25);  // R(R − 1) ≥ T/b, rounded up
    if (reach > kWidestWindow) return false;
    const auto low = static_cast<double>(range.first), high = static_cast<double>(range.last);
    const double best = std::nearbyint(std::clamp(c, low, high));
    block.b[r] = b;
    block.shift[r] = 2 * (best - c);
    block.below[r] = low - best;
    block.above[r] = high - best;
    block.best[r] = static_cast<std::int64_t>(best) - 1;
    block.reach = std::max(block.reach, static_cast<std::int64_t>(reach));
    return true;
  }

  void mix(Block& block, std::size_t first, std::size_t w, std::size_t rows) {
    std::fill_n(block.total, rows, 0.0);
    for (Plane& out : work_.out)
      for (std::size_t r = 0; r < rows; ++r) out[(first + r) * work_.lanes + w] = 0;
    const auto last = static_cast<std::int64_t>(work_.n) - 1, lanes = static_cast<std::int64_t>(work_.lanes);
    for (std::int64_t d = -block.reach; d <= block.reach; ++d) {
      weigh(block, static_cast<double>(d), rows);
      for (std::size_t x = 0; x < work_.v.size(); ++x) {
        const double* v = work_.v[x].data() + w;
        double* out = work_.out[x].data() + first * work_.lanes + w;
        for (std::size_t r = 0; r < rows; ++r)
          out[r * work_.lanes] += block.weight[r] * v[std::clamp<std::int64_t>(block.best[r] + d, 0, last) * lanes];
      }
    }
    for (Plane& out : work_.out)
      for (std::size_t r = 0; r < rows; ++r) out[(first + r) * work_.lanes + w] /= block.total[r];
  }

  HeadWork& work_;
  const Parabola parabola_;
  const double cutoff_;
};

}  // namespace

std::optional<std::string> run_by_lookup(HeadWork& work) {
  if (work.weighting != Weighting::soft) return "hard attention";
  const std::optional<Parabola> parabola = find_parabola(work);
  if (!parabola) return "keys that are not j and j²";
  if (!values_are_finite(work)) return "values that are not finite";
  if (!Lookup(work, *parabola).run()) return "a parabola that is flat or opens upwards";
  return std::nullopt;
}

}  // namespace quench::run
