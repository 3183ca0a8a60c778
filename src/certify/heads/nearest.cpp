// One position is meant: the neighbour ([Q-prev], [Q-prev-lin]) or the nearest selected one ([Q-dyadic],
// [Q-since-lin]). Scores are exact (linear_score.h), so the intended key is the computed maximum and only the lemma's
// own mass is in the wrong place. Below g = |index|; looking left g = index under the future mask, looking right
// g = −index under the past mask, and everything is mirrored.
//
// Neighbour: scores −c(−1)^{i+j} + gj with c ≥ 2g wherever i−1 exists: c = |parity|·N with N ≥ 2, or |parity|. Behind
// i−1 are i−3, i−5 … by 2g, 4g …, and i, i−2, … by 2c − g ≥ 3g, 5g, …: together x/(1−x) + e^{−3g}/(1−x), x = e^{−2g},
// and the second term is at most e^{−2g} for g ≥ ½.
//
// Nearest: scores level·m°·S_j + gj with level ≥ 2g, m° ≥ m(1−ρ), m ≥ i. Selected positions beyond j*, and all that are
// not selected there, are behind by g per step. The others, up to i − j* ≤ m − 1 steps on the near side, are behind by
// level·m° − gd ≥ 2gm(1−ρ) − gd; their sum is at most e^{−g(m+1−2ρm)}/(1−e^{−g}), with m ≥ 2 at most
// e^{−g(3−4ρ)}/(1−e^{−g}) ≤ e^{−g(2−4ρ)} for ρ ≤ ½, g ≥ ln 2.
//
// Under layer normalisation scores have an error E, and all of this is e^{2E} times as much, while the least gap
// exceeds 2E.
#include <cmath>

#include "certify/heads/linear_score.h"

namespace quench::certify {
namespace {

/// +1 looking left, −1 looking right; throws if mask, sign of the tie-break and intention do not belong together.
int direction(const StoredHead& head, double index) {
  if (head.head.mask == Mask::future && index > 0 && head.head.intended == Weighting::rhardmax) return 1;
  if (head.head.mask == Mask::past && index < 0 && head.head.intended == Weighting::lhardmax) return -1;
  throw NotProved("mask and tie-break of a head do not belong together", head.number);
}

/// What is retrieved from the neighbour: at a position of class c, the values of the classes its neighbour can be of;
/// at the end, where only the position itself is visible, its own.
std::array<Set, kClasses> neighbour_values(const Setting& setting, const Value& value, int step) {
  std::array<Set, kClasses> result;
  const auto at_end = [&](const PositionClass& p) { return step > 0 ? p.first : p.last; };
  for (std::size_t c = 0; c < kClasses; ++c) {
    const PositionClass& here = kPositionClasses[c];
    result[c] = value.ideal[c];
    if (at_end(here) || !setting.has_class(static_cast<int>(c))) continue;
    std::optional<Interval> all;
    for (std::size_t d = 0; d < kClasses; ++d) {
      const PositionClass& there = kPositionClasses[d];
      // The neighbour has the other parity and is not at the opposite end.
      if (there.even == here.even || (step > 0 ? there.last : there.first) || !setting.has_class(static_cast<int>(d)))
        continue;
      all = all ? hull(*all, value.ideal[d].all()) : value.ideal[d].all();
    }
    result[c] = Set::integers(all->low, all->high);
  }
  return result;
}

HeadProof retrieve(const Setting& setting, const State& state, const StoredHead& head, const Upper& mass,
                   const LinearScore& score, double gap, Lemma lemma, int neighbour_step) {
  const bounds::HeadArithmetic arithmetic = head_arithmetic(setting);
  HeadProof proof;
  proof.line = {{}, std::string(name_of(lemma)), gap, score.error.to_double(), 0};
  for (std::size_t l = 0; l < head.head.v.rows.size(); ++l) {
    const Value value = whole_value(setting, state, head, l);
    if (neighbour_step == 0)
      proof.results.push_back(retrieved_boolean(setting, value, bounds::boolean_result_error(mass, arithmetic), head));
    else
      proof.results.push_back(
          retrieved_whole(setting, value, neighbour_values(setting, value, neighbour_step), mass, head));
    proof.line.bound = std::fmax(proof.line.bound, proof.results.back().error.to_double());
  }
  return proof;
}

}  // namespace

HeadProof prove_previous(const Setting& setting, const State& state, const StoredHead& head) {
  const LinearScore score = linear_score(setting, state, head);
  const int step = direction(head, score.index);
  const double g = std::fabs(score.index);
  const bool by_power = score.parity_growth == Growth::power;
  if (score.level != 0 || !(score.parity < 0) || !(g >= kLeastGap) || !(-score.parity >= (by_power ? g : 2 * g)))
    throw NotProved("the scores of a head do not single out the neighbour", head.number);
  const Lemma lemma = by_power ? Lemma::q_prev : Lemma::q_prev_lin;
  require_lemma(head, lemma);
  const Upper mass = bounds::tie_break_mass(2 * g, 2 * g, score.error, head_arithmetic(setting));
  return retrieve(setting, state, head, mass, score, 2 * g, lemma, step);
}

HeadProof prove_nearest(const Setting& setting, const State& state, const StoredHead& head) {
  const LinearScore score = linear_score(setting, state, head);
  const int step = direction(head, score.index);
  const double g = std::fabs(score.index);
  // m must be at least the number of visible positions.
  const bool wide = score.level_growth == Growth::power || score.level_growth == Growth::length ||
                    (score.level_growth == Growth::index && step > 0);
  if (score.parity != 0 || !wide || !(g >= kLeastGap) || !(score.level >= 2 * g) ||
      !(score.level_inexact <= Upper(0.125)))
    throw NotProved("the scores of a head do not single out the nearest selected position", head.number);
  const Lemma lemma = score.level_growth == Growth::power ? Lemma::q_dyadic : Lemma::q_since_lin;
  require_lemma(head, lemma);
  const double far = g * (2 - 4 * score.level_inexact.to_double()) * (1 - 0x1p-50);
  const Upper mass = bounds::tie_break_mass(g, far, score.error, head_arithmetic(setting));
  return retrieve(setting, state, head, mass, score, g, lemma, 0);
}

}  // namespace quench::certify
