// [Q-any]: scores level·m°·φ_j, exact, with m ≥ the number of visible positions, and the value φ_j itself. If φ holds
// somewhere, the positions where it does tie; each of the at most m−1 others weighs e^{−level·m°} beside one of them:
// together (m−1)e^{−λm}, λ = level(1−ρ)(1−u), which falls in m for λ ≥ 1. If φ holds nowhere, all values are exactly 0.
// Under layer normalisation scores have an error E: the others weigh e^{2E} times as much beside those where φ holds,
// and what these weigh among themselves does not matter.
#include <cmath>

#include "bounds/ball.h"
#include "bounds/tied.h"
#include "certify/heads/linear_score.h"

namespace quench::certify {
namespace {

using bounds::Ball;

constexpr int kFew = 200;

/// (m−1)e^{−λm}, and an exp good to two units in the last place.
Upper others(double m, const Ball& lambda, const bounds::HeadArithmetic& arithmetic) {
  return upper_of(Ball(m - 1) * exp(Ball(-m) * lambda) * (Ball(1) + Ball(4) * Ball(arithmetic.u))) +
         Upper(arithmetic.length) * arithmetic.tiny;
}

bool same_row(const SparseMatrix::Row& a, const SparseMatrix::Row& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.column == y.column && x.value == y.value; });
}

}  // namespace

HeadProof prove_any(const Setting& setting, const State& state, const StoredHead& head) {
  const auto fail = [&](const char* why) -> NotProved { return {why, head.number}; };
  const LinearScore score = linear_score(setting, state, head);
  const Mask mask = head.head.mask;
  const bool wide = score.level_growth == Growth::power || score.level_growth == Growth::length ||
                    (score.level_growth == Growth::index && mask == Mask::future);
  if (mask != Mask::none && mask != Mask::future && mask != Mask::past) throw fail("a strict mask");
  if (score.parity != 0 || score.index != 0 || !wide || !(score.level_inexact <= Upper(0.125)) ||
      head.head.intended != Weighting::ahardmax)
    throw fail("the scores of a head do not single out where something holds");
  if (head.head.claim.lemma != Lemma::q_any) throw fail("claims a lemma that is not Q-any");

  const bounds::HeadArithmetic arithmetic = head_arithmetic(setting);
  const Ball one(1), lambda = Ball(score.level) * (one - Ball(score.level_inexact)) * (one - Ball(arithmetic.u));
  if (!(lambda - one).is_positive()) throw fail("a head that is not sharp");
  const Upper ratio = others(2, lambda, arithmetic) * upper_of(exp(Ball(2) * Ball(score.error)));
  const Upper vanishing = bounds::unit_roundoff(setting.arithmetic.compute) * Upper(0.25);  // however they are summed
  double vanish_from = setting.layer_norm ? kFew : 2;  // where keys do not tie exactly, sums round
  while (vanish_from < kFew && !(others(vanish_from, lambda, arithmetic) <= vanishing)) ++vanish_from;
  if (vanish_from == kFew) vanish_from = INFINITY;
  // Below, weights 1/k are normal numbers.
  if (bounds::power_of_two(-setting.arithmetic.compute.min_exponent) < Upper(setting.length))
    throw fail("weights underflow");
  const auto normalise = setting.summation == Summation::any ? bounds::Normalise::either : bounds::Normalise::last;
  const Upper error = bounds::tied_result_error(ratio, vanish_from, arithmetic, normalise);

  HeadProof proof;
  for (std::size_t l = 0; l < head.head.v.rows.size(); ++l) {
    const Value value = whole_value(setting, state, head, l);
    if ((!value.exact() && !setting.layer_norm) || !same_row(head.head.v.rows[l], score.levels))
      throw fail("a head that looks for what holds somewhere retrieves something else");
    proof.results.push_back(retrieved_boolean(setting, value, error, head));
    if (setting.layer_norm) continue;
    Value& result = proof.results.back();
    result.exact_classes = alone_classes(mask);
    // 0, or a stored number of at least ½, hence a multiple of 2^−p.
    result.quiet = true;
    result.on_grid = result.error < Upper(0.5);
    result.grid = -setting.arithmetic.storage.precision;
  }
  proof.line = {{},
                std::string(name_of(Lemma::q_any)),
                score.level,
                score.error.to_double(),
                proof.results.empty() ? 0 : proof.results[0].error.to_double()};
  return proof;
}

}  // namespace quench::certify
