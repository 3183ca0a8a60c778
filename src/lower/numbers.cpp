// Scores are written without the factor c·n³ ln(n+1) of sharpness and temperature; N is the length.
//
// lookup     2(c/N)(j/N) − (j/N)², unmasked: c² − (c−j)² over N², gap 1/N².
// sign       x·k_j with k_1 = 1, k_2 = −1 and 0 elsewhere, value [j = 1]: the sign of x, gap |x|. Where N = 1 there is
// no
//            second position; there |x| ≥ ½, and a feed-forward decides.
// psum       m_i = S/(iN) by the uniform future-masked head. S ≥ 1 and S > N are signs of m_i − 1/(2iN) and
//            m_i − 1/i − 1/(2iN). Scaled up by the lookup 2m_i(j/N) − (1/i)(j/N)² = (2Sj − j²)/(iN²), gap 1/(iN²) ≥
//            1/N³.
// square     (j/N)² looked up at j = x; 0 for x = 0, and (N+1)² = N² + 2N + 1 for x = N+1.
// 1/N, 1/N²  fetched from position 1; 1/(iN) is the future-masked mean of [j = 1]·(j/N).
#include "lower/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quench::lower {

using ir::Affine;
using ir::Literal;
using Kind = PositionFormula::Kind;

namespace {

constexpr double kRounding = 1.0 / 16;  // a retrieved Boolean is nearer than this to 0 or 1
constexpr double kThird = 0.375;

ir::Piecewise relu(const Affine& x, double low, double high) { return {{{x, 1}}, {}, low, high}; }

}  // namespace

Affine Numbers::place(Kind kind) {
  const PositionFormula formula{kind, {}};
  return graph_.add(ir::Position{formula}, to_string(formula));
}

double Numbers::magnitude(const Affine& x) const {
  const ir::Range range = graph_.range(x);
  QUENCH_ASSERT(range.bounded());
  return std::max(std::fabs(range.low), std::fabs(range.high));
}

ir::Head Numbers::head(Mask mask, const char* structure) const {
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.structure = structure;
  head.lemma = "Q-srasp";
  head.gamma = sharpness_;
  return head;
}

ir::HeadId Numbers::uniform(Mask mask) {
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.structure = "uniform";
  return graph_.add(head, "mean");
}

Literal Numbers::retrieve(ir::HeadId head, Literal value) {
  if (graph_.is_true(value) || graph_.is_false(value)) return value;
  const ir::NodeId attended = graph_.add(ir::Attend{head, value});
  return {graph_.add(ir::Threshold{attended, kRounding, 1 - kRounding, 0, 1}), false};
}

Literal Numbers::first() { return {graph_.add(ir::Threshold{inverse_index(), 0.5, 1, 0, 1}, "first"), false}; }
Literal Numbers::last() { return at_least_zero(position() - 1); }

ir::HeadId Numbers::first_head() {
  ir::Head head = this->head(Mask::none, "lookup");
  head.score = {{sharpness_, first()}};
  return graph_.add(head, "first position");
}
Affine Numbers::one() { return graph_.add(ir::Attend{first_head(), position()}, "1/n"); }
Affine Numbers::one_squared() { return graph_.add(ir::Attend{first_head(), position_squared()}, "1/n^2"); }

Literal Numbers::positive(const Affine& x, const std::string& label) {
  const Literal up_to_second{graph_.add(ir::Threshold{inverse_index(), kThird, 0.5, 0, 1}, "i <= 2"), false};
  ir::Head head = this->head(Mask::none, "lookup");
  head.score = {{sharpness_ * x, 2 * Affine(first()) - up_to_second}};
  const Literal sign = retrieve(graph_.add(head, "sign"), first());
  // −x − 2K(1 − 1/N) is −x where N = 1, and at most |x| − K < −½ elsewhere.
  const double most = magnitude(x), k = most + 1;
  const Affine alone = -1 * x - 2 * k * (1 - one());
  const Literal negative_alone{graph_.add(ir::Threshold{alone, -0.5, 0.5, -most - 2 * k, std::max(most, 0.5)}), false};
  return graph_.conjunction({sign, !negative_alone}, label);
}

Literal Numbers::zero(const Affine& x) { return graph_.conjunction({at_least_zero(x), at_least_zero(-1 * x)}); }

ir::HeadId Numbers::lookup(const Affine& c, const std::string& name) {
  ir::Head head = this->head(Mask::none, "lookup");
  head.score = {{2 * sharpness_ * c, position()}, {-sharpness_, position_squared()}};
  return graph_.add(head, name);
}

Affine Numbers::square(const Affine& x) {
  if (x == position()) return position_squared();
  const ir::NodeId found = retrieve(lookup(x, "square"), position_squared());
  const Literal some = at_least_zero(x - one()), beyond = at_least_zero(x - 1 - one());
  return graph_.add(
      ir::Piecewise{{{Affine(found) + some - 1, 1}, {2 * one() + one_squared() + 3 * Affine(beyond) - 3, 1}}, {}, 0, 4},
      "square");
}

ir::NodeId Numbers::prefix_sum(const Affine& v, bool small) {
  const ir::NodeId mark = graph_.add(relu(position() + first() - 1, 0, 1), "1/n at 1");
  const Affine unit = graph_.add(ir::Attend{uniform(Mask::future), mark}, "1/(i n)");
  const Affine mean = graph_.add(ir::Attend{uniform(Mask::future), v}, "sum/(i n)");
  const Literal some = positive(mean - 0.5 * unit, "sum > 0");
  ir::Head head = this->head(Mask::none, "lookup");
  head.score = {{2 * sharpness_ * mean, position()}, {-sharpness_ * inverse_index(), position_squared()}};
  const ir::NodeId found = retrieve(graph_.add(head, "sum"), position());
  ir::Piecewise sum{{{Affine(found) + some - 1, 1}}, {}, 0, 2};
  if (!small) {
    const Literal beyond = positive(mean - inverse_index() - 0.5 * unit, "sum > n");
    sum.units.push_back({one() + beyond - 1, 1});
  }
  return graph_.add(sum);
}

ir::NodeId Numbers::integer(Literal p) { return graph_.add(relu(one() + p - 1, 0, 1)); }

/// With |x|, |y| ≤ M: ReLU(x + 2Mp − M) + ReLU(y + M − 2Mp) − M.
ir::NodeId Numbers::choose(Literal p, const Affine& yes, const Affine& no) {
  const double m = std::max({magnitude(yes), magnitude(no), 1.0});
  return graph_.add(
      ir::Piecewise{{{yes + 2 * m * Affine(p) - m, 1}, {no + m - 2 * m * Affine(p), 1}}, Affine(-m), -m, m});
}

ir::NodeId Numbers::clip(const Affine& x) { return graph_.add(ir::Piecewise{{{x, 1}, {x - 1 - one(), -1}}, {}, 0, 2}); }

Literal Numbers::shifted(bool before, Literal p) {
  if (graph_.is_false(p)) return p;
  const Affine there = before ? position() - one() : position() + one();
  const Literal value = retrieve(lookup(there, before ? "predecessor" : "successor"), p);
  return graph_.conjunction({before ? !first() : !last(), value});
}

Affine Numbers::shifted(bool before, const Affine& x) {
  const Affine there = before ? position() - one() : position() + one();
  return retrieve(lookup(there, before ? "predecessor" : "successor"), x);
}

}  // namespace quench::lower
