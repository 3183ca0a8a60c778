// Scores are written without the factor c·n³ ln(n+1) of sharpness and temperature; N is the length. [Q-srasp] in
// docs/theory.md has the proofs.
//
// lookup     2(c/N)(j/N) − (j/N)², unmasked: c² − (c−j)² over N², gap 1/N².
// sign       −x·(j/N), value [j = 1]: finds position 1 for x > 0 and position N for x < 0; gap |x|/N. Where N = 1 the
//            two are one position; there |x| ≥ ½, and a feed-forward decides.
// count      of p up to i. With t = #{2 ≤ j ≤ i : p(j)} + 1, which lies between 1 and i, the uniform future-masked head
//            gives m_i = t/(iN), and the lookup 2m_i(j/N) − (1/i)(j/N)² = (2tj − j²)/(iN²) finds t, gap 1/(iN²) ≥ 1/N³.
//            The count is t − 1 + p(1).
// sum        S over m positions: j ≤ i, m = i; j ≥ i, m = N−i+1; all, m = N. The uniform head under that mask gives
//            S/(mN), and the lookup 2(S/mN)(j/N) − (1/m)(j/N)² finds S the same way. S ≥ 1 and S > N are signs of
//            S/(mN) − 1/(2mN) and S/(mN) − 1/m − 1/(2mN), gap 1/(2mN²). 1/(iN) is the mean of [j = 1]·(j/N), and
//            1/(N−i+1) that of [j = N]. Strict masks: of the values copied from the neighbour, 0 at the edge.
// square     (j/N)² looked up at j = x; 0 for x = 0, and (N+1)² = N² + 2N + 1 for x = N+1.
// 1/N, 1/N²  fetched from position 1, whose 1/j is ½ ahead.
#include "lower/program/srasp/stored_integers.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quench::lower {

using ir::Affine;
using ir::Literal;
using Kind = PositionFormula::Kind;

namespace {

constexpr double kRounding = 1.0 / 16;  // a retrieved Boolean is nearer than this to 0 or 1

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

ir::Head Numbers::head(Mask mask, HeadStructure structure) const {
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.structure = structure;
  head.lemma = Lemma::q_srasp;
  head.gamma = sharpness_;
  return head;
}

ir::HeadId Numbers::uniform(Mask mask) {
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.structure = HeadStructure::uniform;
  return graph_.add(head, "mean");
}

Literal Numbers::retrieve(ir::HeadId head, Literal value) {
  if (graph_.is_true(value) || graph_.is_false(value)) return value;
  const ir::NodeId attended = graph_.add(ir::Attend{head, value});
  return {graph_.add(ir::Threshold{attended, kRounding, 1 - kRounding, 0, 1}), false};
}

Literal Numbers::first() { return {graph_.add(ir::Threshold{inverse_index(), 0.5, 1, 0, 1}, "first"), false}; }
/// i ≥ v where 1/i ≤ 1/v, and elsewhere 1/i ≥ 1/(v−1), which is 1/(v(v−1)) more. A power of two times that is at least
/// ½, wide enough for a ramp that is exact (opt/ramp.h).
Literal Numbers::position_from(std::int64_t v) {
  if (v <= 1) return graph_.truth(true);
  const double least = static_cast<double>(v);
  double scale = 1;
  while (scale < least * (least - 1) / 2) scale *= 2;
  return {graph_.add(ir::Threshold{scale * inverse_index(), scale / least, scale / (least - 1), 0, scale}), true};
}
Literal Numbers::last() { return at_least_zero(position() - 1); }

ir::HeadId Numbers::first_head() {
  ir::Head head = this->head(Mask::none, HeadStructure::lookup);
  head.score = {{sharpness_, inverse_index()}};
  return graph_.add(head, "first position");
}
Affine Numbers::one() { return graph_.add(ir::Attend{first_head(), position()}, "1/n"); }
Affine Numbers::one_squared() { return graph_.add(ir::Attend{first_head(), position_squared()}, "1/n^2"); }

Literal Numbers::positive(const Affine& x, const std::string& label) {
  ir::Head head = this->head(Mask::none, HeadStructure::lookup);
  head.score = {{-sharpness_ * x, position()}};
  const Literal sign = retrieve(graph_.add(head, "sign"), first());
  // 2 − 1/i − i/N is 0 where N = 1 and at least ½ elsewhere: −x − 2k(2 − 1/i − i/N) is −x or at most |x| − k < −½.
  const double most = magnitude(x), k = most + 1;
  const Affine alone = -1 * x - 2 * k * (2 - inverse_index() - position());
  const Literal negative_alone{graph_.add(ir::Threshold{alone, -0.5, 0.5, -most - 4 * k, std::max(most, 0.5)}), false};
  return graph_.conjunction({sign, !negative_alone}, label);
}

ir::HeadId Numbers::lookup(const Affine& c, const std::string& name) {
  ir::Head head = this->head(Mask::none, HeadStructure::lookup);
  head.score = {{2 * sharpness_ * c, position()}, {-sharpness_, position_squared()}};
  return graph_.add(head, name);
}

Affine Numbers::square(const Affine& x, bool never_zero, bool never_beyond) {
  if (x == position()) return position_squared();
  const ir::NodeId found = retrieve(lookup(x, "square"), position_squared());
  if (never_zero && never_beyond) return found;
  ir::Piecewise square{{}, {}, 0, 4};
  square.units.push_back({never_zero ? Affine(found) : Affine(found) + at_least_zero(x - one()) - 1, 1});
  if (!never_beyond)
    square.units.push_back({2 * one() + one_squared() + 3 * Affine(at_least_zero(x - 1 - one())) - 3, 1});
  return graph_.add(square, "square");
}

/// With p(1) replaced by true: [j = 1]/N + p(j)/N − [j = 1]p(j)/N. Each is a ReLU, since 1/N + 1/j ≤ 1 for j > 1.
Affine Numbers::count(Literal p) {
  const Affine truth(p);
  const ir::NodeId marked = graph_.add(ir::Piecewise{
      {{one() + inverse_index() - 1, 1}, {one() + truth - 1, 1}, {one() + truth + inverse_index() - 2, -1}}, {}, 0, 1});
  const Affine mean = graph_.add(ir::Attend{uniform(Mask::future), marked}, "count/(i n)");
  ir::Head head = this->head(Mask::none, HeadStructure::lookup);
  head.score = {{2 * sharpness_ * mean, position()}, {-sharpness_ * inverse_index(), position_squared()}};
  const ir::NodeId found = retrieve(graph_.add(head, "count"), position());
  const ir::NodeId missing = graph_.add(relu(position() - truth, 0, 1));  // at position 1: 1/N unless p
  return Affine(found) - retrieve(first_head(), missing);
}

Numbers::Reached Numbers::reached(lang::Reach reach) {
  const auto mean = [&](Mask mask, const Affine& of, const char* label) {
    return graph_.add(ir::Attend{uniform(mask), of}, label);
  };
  switch (reach) {
    case lang::Reach::all:
      return {Mask::none, one(), one_squared()};
    case lang::Reach::before:
    case lang::Reach::up_to: {
      const ir::NodeId mark = graph_.add(relu(position() + first() - 1, 0, 1), "1/n at 1");
      return {Mask::future, inverse_index(), mean(Mask::future, mark, "1/(i n)")};
    }
    case lang::Reach::after:
    case lang::Reach::from: {
      const ir::NodeId mark = graph_.add(relu(one() + last() - 1, 0, 1), "1/n at n");
      return {Mask::past, mean(Mask::past, Affine(last()), "1/(n-i+1)"), mean(Mask::past, mark, "1/((n-i+1) n)")};
    }
  }
  internal_error("reach", __FILE__, __LINE__);
}

ir::NodeId Numbers::sum(lang::Reach reach, const Affine& v) {
  if (reach == lang::Reach::before || reach == lang::Reach::after) {
    const bool before = reach == lang::Reach::before;
    const Literal edge = before ? first() : last();
    return sum(before ? lang::Reach::up_to : lang::Reach::from, choose({{edge, 0}, {!edge, shifted(before, v)}}));
  }
  const auto [mask, inverse, unit] = reached(reach);
  const Affine mean = graph_.add(ir::Attend{uniform(mask), v}, "sum/(m n)");
  const Literal some = positive(mean - 0.5 * unit, "sum > 0");
  const Literal beyond = positive(mean - inverse - 0.5 * unit, "sum > n");
  ir::Head head = this->head(Mask::none, HeadStructure::lookup);
  head.score = {{2 * sharpness_ * mean, position()}, {-sharpness_ * inverse, position_squared()}};
  const ir::NodeId found = retrieve(graph_.add(head, "sum"), position());
  return graph_.add(ir::Piecewise{{{Affine(found) + some - 1, 1}, {one() + beyond - 1, 1}}, {}, 0, 2});
}

ir::NodeId Numbers::integer(Literal p) { return graph_.add(relu(one() + p - 1, 0, 1)); }

ir::NodeId Numbers::over_index(Literal p) { return graph_.add(relu(inverse_index() + p - 1, 0, 1)); }

/// With |x| ≤ M for all of them: Σ ReLU(x + 2Mp − M) − M, since the branch that is chosen gives x + M and the others 0.
ir::NodeId Numbers::choose(const std::vector<std::pair<Literal, Affine>>& branches) {
  double m = 1;
  for (const auto& [condition, x] : branches) m = std::max(m, magnitude(x));
  ir::Piecewise result{{}, Affine(-m), -m, m};
  for (const auto& [condition, x] : branches)
    if (!graph_.is_false(condition)) result.units.push_back({x + 2 * m * Affine(condition) - m, 1});
  return graph_.add(result);
}

/// −1/n + ReLU(x + 1/n) − ReLU(x − 1 − 2/n)
ir::NodeId Numbers::clip_outside(const Affine& x) {
  return graph_.add(ir::Piecewise{{{x + one(), 1}, {x - 1 - 2 * one(), -1}}, -1 * one(), -1, 3});
}

ir::NodeId Numbers::clip(const Affine& x) { return graph_.add(ir::Piecewise{{{x, 1}, {x - 1 - one(), -1}}, {}, 0, 2}); }

Literal Numbers::shifted(bool before, Literal p) {
  if (graph_.is_false(p)) return p;
  const Affine there = before ? position() - one() : position() + one();
  const Literal value = retrieve(lookup(there, before ? "predecessor" : "successor"), p);
  return graph_.conjunction({before ? !first() : !last(), value});
}

Affine Numbers::shifted(bool before, const Affine& x) {
  if (x.is_constant()) return x;
  const Affine there = before ? position() - one() : position() + one();
  return retrieve(lookup(there, before ? "predecessor" : "successor"), x);
}

}  // namespace quench::lower
