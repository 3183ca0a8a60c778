#include "check/normalised/lens.h"

#include <algorithm>
#include <cmath>

namespace quench::check {
namespace {

Number reach(const Fact& fact) { return fact.size() + fact.error; }

/// Of the model's coordinates and a constant 1.
Number magnitudes(const std::vector<Fact>& facts) {
  Number sum(1);
  for (const Fact& fact : facts) sum += reach(fact);
  return sum;
}

template <class Visit>
void for_occurring(const Claim& claim, Visit visit) {
  for (int kind = 0; kind < kKinds; ++kind)
    if (occurs(kind, claim.longest)) visit(kind, static_cast<std::size_t>(kind));
}

}  // namespace

std::size_t most_terms(const SparseMatrix& matrix) {
  std::size_t most = 0;
  for (const SparseMatrix::Row& row : matrix.rows) most = std::max(most, row.size());
  return most;
}

std::size_t most_terms(const model::Layer& layer) {
  std::size_t most = 0;
  for (const model::Head& head : layer.heads)
    for (const SparseMatrix* matrix : {&head.q, &head.k, &head.v}) most = std::max(most, most_terms(*matrix));
  return most;
}

/// Two tables are rounded to the format, the balance with them, and added.
Lens::Lens(const Claim& claim, const Facts& embedded) : claim_(claim), u_(relative_step(claim.work)) {
  for_occurring(claim, [&](int, std::size_t kind) { drift_[kind] = Number(16) * u_ * magnitudes(embedded[kind]); });
}

/// The mean is off by at most 9u(PC + Σ|x|), the variance, relative to 2PC²/D, by u(20P(1 + Σ|x|/2PC)²(3/2 + ln D) + 2D
/// + 16), by the data's own share and by ε; the reciprocal root by half of that and 9u. Reading k coordinates and
/// ground costs (k + 6)u(|x| + 2T).
Blur Lens::blur(const std::vector<Fact>& facts, std::size_t terms, int kind) const {
  const Pinned& pins = *claim_.pinned;
  const Number one(1), two(2), rest = Number(1) + Number::two_to(-6);
  const Number own = magnitudes(facts), drift = drift_[static_cast<std::size_t>(kind)], balance = own + drift;
  Number squares = one + balance * balance;
  for (const Fact& fact : facts) squares += reach(fact) * reach(fact);
  const Number data = own + balance, width(pins.width), pin = Number(pins.pairs) * Number(pins.constant);
  const Number shift = drift / width + Number(9) * rest * u_ * (pin + data);
  const Number wide = one + data / (two * pin);
  if (!(wide < two)) throw Rejected("data that are not small beside the pins");
  const Number variance = two * pin * Number(pins.constant);
  const Number off = (squares + two * width * shift * shift + width * Number(1.01e-5)) / variance +
                     u_ * rest *
                         (Number(20) * Number(pins.pairs) * wide * wide * (Number(1.5) + width.logarithm()) +
                          two * width + Number(16));
  const Number stretch = off * (one + off) / two + Number(9) * u_;
  if (!(stretch < Number::two_to(-8))) throw Rejected("a variance that is not the pins'");
  const Number reading = Number(static_cast<double>(terms) + 6) * rest * u_;
  return {stretch + reading, two * reading * shift, reading};
}

Facts Lens::through(const Facts& facts, std::size_t terms) const {
  Facts seen = facts;
  for_occurring(claim_, [&](int kind, std::size_t index) {
    const Blur here = blur(facts[index], terms, kind);
    for (Fact& fact : seen[index]) {
      fact.noise = here.reading * reach(fact) + here.haze;
      fact.error += here.stretch * reach(fact) + here.haze;
      fact.additive = fact.additive * (Number(1) + here.stretch) + here.haze;
      fact.relative += here.stretch * (Number(1) + fact.relative);
      fact.cap.reset();
      fact.positive = fact.gridded = fact.silent = false;
    }
  });
  return seen;
}

/// Results go to one coordinate each, unchanged, and all of them to the balance.
void Lens::after_heads(const Facts& facts, const model::Layer& layer) {
  double results = 3;
  for (const model::Head& head : layer.heads) results += static_cast<double>(head.v.rows.size());
  for_occurring(claim_, [&](int, std::size_t kind) {
    drift_[kind] += Number(2) * Number(results) * u_ * (Number(2) * magnitudes(facts[kind]) + drift_[kind]);
  });
}

void Lens::after_units(const Facts& facts, const Facts& seen, const model::FeedForward& ffn) {
  for_occurring(claim_, [&](int, std::size_t kind) {
    std::vector<Number> most;
    for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit) {
      most.emplace_back(std::fabs(ffn.b1[unit]));
      for (const auto& [column, w] : ffn.w1.rows[unit]) most.back() += Number(std::fabs(w)) * reach(seen[kind][column]);
    }
    Number all = Number(2) * magnitudes(facts[kind]) + drift_[kind];
    for (std::size_t target = 0; target < facts[kind].size(); ++target) {
      all += Number(std::fabs(ffn.b2[target]));
      for (const auto& [unit, w] : ffn.w2.rows[target]) all += Number(std::fabs(w)) * most[unit];
    }
    drift_[kind] += Number(2) * Number(static_cast<double>(most.size()) + 4) * u_ * all;
  });
}

void Lens::need_labels(const Facts& facts) const {
  const model::Output& output = claim_.model.output;
  for_occurring(claim_, [&](int kind, std::size_t index) {
    const Blur here = blur(facts[index], 2, kind);
    const auto off = [&](std::uint32_t coordinate) {
      const Fact& fact = facts[index][coordinate];
      if (!fact.whole || !(Number(0) <= fact.low()) || !(fact.high() <= Number(1)))
        throw Rejected("the output is not a truth value");
      return fact.error + here.stretch * (reach(fact) + Number(0.5)) + Number(1.5) * here.haze;
    };
    if (output.cases.empty() && !(off(output.coordinate) < Number(0.5)))
      throw Rejected("the output is not shown to be right");
    for (const model::Output::Case& one : output.cases)
      if (!(Number(18 + 2 * static_cast<double>(output.cases.size())) * off(one.coordinate) < Number(0.5)))
        throw Rejected("the labels of the output are not apart");
  });
}

namespace {

Number magnitudes_of(const Cells& cells) {
  Number sum(1);
  for (const Cell& cell : cells) sum += Number(static_cast<double>(size_of(cell.bounds.any)));
  return sum;
}

void need_sum(const Claim& claim, const Number& sum) {
  if (!(sum <= Number::two_to(claim.work.precision))) throw Rejected("sums of layer normalisation that round");
}

}  // namespace

void need_identity(const Claim& claim, const Cells& cells) {
  const Pinned& pins = *claim.pinned;
  const Number sum = magnitudes_of(cells), square = Number(pins.constant) * Number(pins.constant);
  Number squares = Number(1) + sum * sum;
  for (const Cell& cell : cells) {
    const Number size(static_cast<double>(size_of(cell.bounds.any)));
    squares += size * size;
  }
  need_sum(claim, Number(pins.pairs) * Number(pins.constant) + Number(2) * sum);
  const Number enough = Number::two_to(claim.work.precision + 1);
  if (!(squares * enough <= square)) throw Rejected("data that do not vanish beside the pins");
  if (!(enough * Number(1.01e-5) * Number(pins.width) <= Number(2 * pins.pairs) * square))
    throw Rejected("pins that are too small");
}

void need_exact_balance(const Claim& claim, const Cells& cells, const model::Layer& layer) {
  Number all = magnitudes_of(cells);
  for (const model::Head& head : layer.heads)
    for (const SparseMatrix::Row& row : head.o.rows)
      for (const auto& [l, w] : row)
        all += Number(std::fabs(w)) *
               Number(static_cast<double>(size_of(total(claim, cells, head.v.rows[l], 0).bounds.any)));
  need_sum(claim, all);
}

void need_exact_balance(const Claim& claim, const Cells& cells, const model::FeedForward& ffn) {
  Number all = magnitudes_of(cells);
  std::vector<Number> most;
  for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit)
    most.emplace_back(
        std::max(0.0, static_cast<double>(total(claim, cells, ffn.w1.rows[unit], ffn.b1[unit]).bounds.any.high)));
  for (std::size_t target = 0; target < ffn.w2.rows.size(); ++target) {
    all += Number(std::fabs(ffn.b2[target]));
    for (const auto& [unit, w] : ffn.w2.rows[target]) all += Number(std::fabs(w)) * most[unit];
  }
  need_sum(claim, all);
}

}  // namespace quench::check
