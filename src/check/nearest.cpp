// Heads with exact scores: the neighbour [Q-prev], the nearest selected position [Q-dyadic], whether there is one
// [Q-any].
#include <cmath>

#include "check/head.h"

namespace quench::check {

/// +1: to the left, under the future mask; −1: to the right.
int HeadCheck::looks() const {
  if (head_.mask == Mask::future && head_.intended == Weighting::rhardmax) return 1;
  if (head_.mask == Mask::past && head_.intended == Weighting::lhardmax) return -1;
  throw Rejected("a mask and an intention that do not belong together");
}

/// m is at least the number of visible positions.
bool HeadCheck::covers(Grows grows) const {
  return grows == Grows::power || grows == Grows::n || (grows == Grows::i && head_.mask == Mask::future);
}

/// Scores −c(−1)^{i+j} + gj, c ≥ 2g for n ≥ 2: behind the neighbour by 2g, 4g, … and 3g, 5g, …
Line HeadCheck::neighbour(Results& results) {
  const ExactScores s = exact_scores();
  const int side = looks();
  const Number g = s.position * Number(side), c = Number(0) - s.parity;
  const bool by_power = s.parity_grows == Grows::power;
  const Lemma lemma = by_power ? Lemma::q_prev : Lemma::q_prev_lin;
  if (!s.levels.empty() || !(Number(0.75) <= g) || !((by_power ? g : Number(2) * g) <= c) || head_.claim.lemma != lemma)
    throw Rejected("scores that are not those of a neighbour");
  const Number x = (Number(0) - Number(2) * g * (Number(1) - u_)).exponential();
  if (!(s.error < g)) throw Rejected("scores are not apart");
  const Number lift = (Number(2) * s.error).exponential();
  const Number mass = (Number(1) + Number(4) * u_) * lift * (x / (Number(1) - x) + x) + n_ * tiny_;
  const Number mixed = mixing_error(mass, std::nullopt);
  Line line{{}, lemma, (Number(2) * g).to_double(), s.error.top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const auto v = values(l);
    Number size, off;
    for_kinds([&](int kind, const std::vector<Fact>&) {
      size = max(size, v[static_cast<std::size_t>(kind)].size());
      off = max(off, v[static_cast<std::size_t>(kind)].error);
    });
    const Number error = after_division(Number(2) * (size + off) * mixed + off * (Number(1) + mixed), size, true);
    for_kinds([&](int kind, const std::vector<Fact>&) {
      Fact& fact = results[l][static_cast<std::size_t>(kind)];
      line.bound = std::fmax(line.bound, error.top().to_double());
      if (alone(kind)) {
        fact = v[static_cast<std::size_t>(kind)];
        fact.error = off.zero() ? Number(0) : error;
        fact.positive = off.zero() && fact.positive;
        return;
      }
      // The neighbour has the other parity, and there is a position beyond it on my side.
      std::optional<Span> all;
      bool positive = off.zero();
      for_kinds([&](int other, const std::vector<Fact>&) {
        if (is_even(other) == is_even(kind) || (side > 0 ? is_last(other) : is_first(other))) return;
        const Fact& x_there = v[static_cast<std::size_t>(other)];
        all = all ? Span{min(all->from, x_there.low()), max(all->to, x_there.high())}
                  : Span{x_there.low(), x_there.high()};
        positive = positive && x_there.positive;
      });
      fact.spans = {*all};
      fact.error = error;
      fact.positive = positive;
    });
  }
  return line;
}

/// Scores level·m·S_j ± gj, level ≥ 2g: selected positions beyond the nearest are behind by g per step, the others on
/// this side of it by 2gm(1−ρ) − gd, d < m; these add up to at most e^{−g(3−4ρ)}/(1−e^{−g}) ≤ e^{−g(2−4ρ)}.
Line HeadCheck::nearest(Results& results) {
  const ExactScores s = exact_scores();
  const Number g = s.position * Number(looks()), one(1);
  const Lemma lemma = s.level_grows == Grows::power ? Lemma::q_dyadic : Lemma::q_since_lin;
  if (!s.parity.zero() || s.levels.empty() || !covers(s.level_grows) || !(Number(0.75) <= g) ||
      !(Number(2) * g <= s.level) || !(s.level_loss <= Number(0.125)) || head_.claim.lemma != lemma)
    throw Rejected("scores that are not those of a nearest position");
  const Number far = g * (Number(2) - Number(4) * s.level_loss);
  const Number x = (Number(0) - g * (one - u_)).exponential(), y = (Number(0) - far * (one - u_)).exponential();
  if (!(Number(2) * s.error < min(g, far))) throw Rejected("scores are not apart");
  const Number lift = (Number(2) * s.error).exponential();
  const Number mass = (one + Number(4) * u_) * lift * (x / (one - x) + y) + n_ * tiny_;
  Line line{{}, lemma, g.to_double(), s.error.top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) retrieve(results[l], l, mass, line);
  return line;
}

/// k keys of weight exactly 1, the others `ratio`·k together. From `vanish_from` visible keys on these add up to less
/// than u and vanish in every sum that contains a one; sums of at most 2^p ones are exact. Equal weights 1/k added one
/// by one in the worst order give (1 − e^{−ku})/(ku) to (e^{(k+1)u} − 1 − u)/(ku), apart from roundings of 1/k.
Number HeadCheck::tied_error(const Number& ratio, std::optional<Number> vanish_from, bool normalised_first) const {
  const Number one(1), two(2);
  if (claim_.sums == Sums::exact_count) return ratio + Number(8) * u_ * (one + ratio);
  const bool exact_counts = n_ * u_ <= one;
  const bool never = !exact_counts || !vanish_from || !(*vanish_from < n_);
  const Number few = never ? n_ : *vanish_from;
  const Number delta = compounded(two * few + Number(6));
  const Number of_few = ratio * (one + two * delta) + two * delta;
  if (never) return of_few;
  Number of_many = ratio * (one + compounded(n_ + Number(4)));
  if (normalised_first) {
    const Number nu = n_ * u_;
    const Number above = (compounded(n_ + one) - u_) / nu * (one + u_).power(2) - one;
    const Number below = one + ((Number(0) - nu).exponential() - one) / nu * (one - u_).power(3);
    of_many = max(of_many, max(above, below));
  }
  return max(of_few, of_many);
}

/// Scores level·m·φ_j, value φ_j: the others have (m−1)e^{−λm} together, which falls from m = 2 on.
Line HeadCheck::any(Results& results) {
  const ExactScores s = exact_scores();
  const Number one(1), lambda = s.level * (one - s.level_loss) * (one - u_);
  if (!s.parity.zero() || !s.position.zero() || s.levels.empty() || !covers(s.level_grows) ||
      !(s.level_loss <= Number(0.125)) || !(one < lambda) || head_.intended != Weighting::ahardmax ||
      head_.claim.lemma != Lemma::q_any || !(n_ <= Number::two_to(-claim_.work.min_exponent)))
    throw Rejected("scores that do not ask whether something holds");
  const auto others = [&](int m) {
    return Number(m - 1) * (Number(-m) * lambda).exponential() * (one + Number(4) * u_) + n_ * tiny_;
  };
  std::optional<Number> vanish_from;
  for (int m = 2; m < 200 && !vanish_from && !claim_.pinned; ++m)
    if (others(m) <= u_ * Number(0.25)) vanish_from = Number(m);
  const Number lift = (Number(2) * s.error).exponential();
  const Number error = tied_error(others(2) * lift, vanish_from, claim_.sums == Sums::any);
  Line line{{}, Lemma::q_any, s.level.to_double(), s.error.top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const auto v = values(l);
    if (!(head_.v.rows[l] == s.levels)) throw Rejected("a value that is not what is looked for");
    for_kinds([&](int kind, const std::vector<Fact>&) {
      const Fact& value = v[static_cast<std::size_t>(kind)];
      if ((!value.error.zero() && !claim_.pinned) || !(Number(0) <= value.low()) || !(value.high() <= one))
        throw Rejected("a value that is not an exact Boolean");
      Fact& fact = results[l][static_cast<std::size_t>(kind)];
      fact.spans = {{0, 1}};
      fact.error = after_division(Number(2) * (one + value.error) * error + Number(2) * value.error, 1, true);
      if (!claim_.pinned) fact.error = after_division(error, 1, true);
      line.bound = std::fmax(line.bound, fact.error.top().to_double());
      if (claim_.pinned) {  // where nothing holds, values are not exactly 0
        if (alone(kind)) fact.spans = value.spans;
        fact.positive = false;
        return;
      }
      // 0, or a stored number of at least ½.
      fact.silent = true;
      fact.gridded = fact.error < Number(0.5);
      fact.grid = -claim_.store.precision;
      if (alone(kind)) {
        fact = value;
        fact.silent = true;
      }
    });
  }
  return line;
}

}  // namespace quench::check
