// [Q-sink]: score log L at the end of the sink, 0 elsewhere, and no value there. Every other position has the same
// weight (1+κ)/L beside the sink's 1, so the result is off by at most Vκ/(4(1−κ)), and by what the sums are: in any
// order, numerator and denominator together by about u·n times V and the share of positions beside the sink.
#include <cmath>
#include <map>

#include "check/head.h"

namespace quench::check {

/// Whether Σ w·x is 0 because coordinates agree, as functions of earlier values.
bool HeadCheck::cancels(const SparseMatrix::Row& row, const std::vector<Fact>& facts) const {
  std::map<std::pair<std::vector<long>, std::vector<bool>>, double> weights;
  double constant = 0;
  for (const auto& [column, w] : row) {
    const Fact& x = facts[column];
    if (!x.error.zero() || !x.whole) return false;
    if (x.low() == x.high()) {
      constant += w * x.low().to_double();
      continue;
    }
    if (!x.low().zero() || !(x.high() == Number(1))) return false;
    Table table = x.table ? *x.table : Table{{x.id}, {false, true}};
    if (table.bits[0]) {  // x = 1 − (its negation)
      table.bits.flip();
      constant += w;
      weights[{table.of, table.bits}] -= w;
    } else {
      weights[{table.of, table.bits}] += w;
    }
  }
  for (const auto& [table, weight] : weights)
    if (weight != 0 && !table.first.empty()) return false;
  return constant == 0;
}

Line HeadCheck::sink(Results& results) {
  const bool left = head_.mask == Mask::future;
  if (head_.mask == Mask::none || head_.claim.lemma != Lemma::q_sink || head_.intended != Weighting::soft ||
      head_.temperature != Temperature::one || products_.size() != 1 || products_[0].q.size() != 1 ||
      products_[0].k.size() != 1)
    throw Rejected("not the scores of a sink");
  const SparseMatrix::Entry q = products_[0].q[0], k = products_[0].k[0];
  if (role(q.column) != (left ? Role::log_rest : Role::log_i) || k.value != 1 || q.value * scale_ != 1)
    throw Rejected("a sink without its logarithm");
  Number log_error;
  for_kinds([&](int kind, const std::vector<Fact>& facts) {
    log_error = max(log_error, facts[q.column].error);
    if (!facts[k.column].exactly((left ? is_first(kind) : is_last(kind)) ? 1 : 0))
      throw Rejected("a sink that is not at its end");
  });
  if (!(Number(2) * n_ <= Number::two_to(-claim_.work.min_exponent))) throw Rejected("weights underflow");
  const Number one(1), kappa = log_error.exponential() * (one + Number(4) * u_) - one;
  if (!(kappa < Number(0.25))) throw Rejected("a sink whose weight is too inexact");
  const bool once = claim_.sums == Sums::exact_count;
  const Number sums = once ? Number(4) * n_ * u_ * u_ : Number(0);
  const auto sums_loss = [&](const Number& size) {
    if (once) return Number(0);
    const Number before((size <= one ? 0 : 1) + (claim_.sums == Sums::any ? 1 : 0));  // roundings of a term
    const Number each = u_ * (one + compounded(n_ + Number(2))), half = n_ / Number(2);
    const Number above = each * (half + before), below = each * (half + one) / (one - kappa);
    if (!(below < one)) throw Rejected("a sink over too many positions");
    return (above + below) / (one - below) * (one + kappa) / (one - kappa);
  };
  Line line{{}, Lemma::q_sink, 0, log_error.top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const auto v = values(l);
    Number size, low, high;
    bool positive = true;
    for_kinds([&](int kind, const std::vector<Fact>& facts) {
      const Fact& x = v[static_cast<std::size_t>(kind)];
      if (!x.error.zero()) throw Rejected("a sink mixes values that are not exact");
      if ((left ? is_first(kind) : is_last(kind)) && !x.is(0) && !cancels(head_.v.rows[l], facts))
        throw Rejected("a sink with a value of its own");
      size = max(size, x.size()), low = min(low, x.low()), high = max(high, x.high());
      positive = positive && x.positive;
    });
    const Number loss = sums_loss(size);
    for_kinds([&](int kind, const std::vector<Fact>&) {
      Fact& fact = results[l][static_cast<std::size_t>(kind)];
      fact.share.of = Share::Of::n;
      fact.share.where = left ? Share::Where::left : Share::Where::right;
      fact.share.slope = size;
      fact.relative = compounded(Number(once ? 5 : 1));
      if (claim_.narrow()) fact.relative += relative_step(claim_.store) * (one + fact.relative);
      fact.share.loss = loss * (one + fact.relative);
      fact.additive = (kappa / (Number(4) * (one - kappa)) + Number(3) * sums) * size +
                      Number::two_to(claim_.store.min_exponent - claim_.store.precision);
      fact.positive = positive;
      if (!alone(kind)) {
        fact.whole = false;
        fact.spans = {{low, high}};
        fact.error = fact.relative * size + (fact.additive + loss * size) * (one + fact.relative);
        line.bound = std::fmax(line.bound, fact.error.top().to_double());
        if (!(fact.error < max(one, size))) throw Rejected("a sink that is too inexact");
      }
      fact.additive = fact.additive * (one + fact.relative);
    });
  }
  return line;
}

}  // namespace quench::check
