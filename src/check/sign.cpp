// [Q-sign], [Q-sign-lin]: the query is λ(D + ½)/m, D a whole number, times √d_k; the sign of D + ½ survives all errors.
#include <cmath>

#include "check/head.h"

namespace quench::check {

/// The query of a sign, read entry by entry: the means that D is made of, and the reciprocal that carries the ½.
/// `unit` is what D is multiplied by.
class HeadCheck::SignQuery {
 public:
  SignQuery(const HeadCheck& head, double unit) : head_(head), unit_(unit) {
    for (const SparseMatrix::Entry& entry : head.products_[0].q) read(entry);
    if (!half_) throw Rejected("a sign of what may be 0");
    if (!(head.head_.mask == Mask::none || (head.head_.mask == Mask::future && of_ == Share::Of::i)))
      throw Rejected("a sign under the wrong mask");
  }

  /// η: the query is off by at most η times itself.
  Number loss() const {
    const Number &u = head_.u_, &n = head_.n_;
    Number eta;
    if (means_ <= 1) {
      eta = of_mean_ * (one_ + two_ * *half_) + two_ * (reciprocal_ + additive_ * n + of_sums_) + u;
    } else {
      const Number size = max(size_.left, size_.right) * (n + one_) + size_.all * n + size_.constant;
      const Number errors =
          max(error_.left, error_.right) * (n + one_) + error_.all * n + error_.constant + reciprocal_ + additive_ * n;
      const Number inner(static_cast<double>(head_.products_[0].q.size()) - 2);
      eta = two_ * (errors + u * inner * (size + errors)) * (one_ + u) + u;
    }
    if (head_.claim_.narrow()) eta += relative_step(head_.claim_.store) * (one_ + eta);
    return eta;
  }

  /// The query is at most `most` where m = 1; where the head sees m positions, its product with j ≤ m is at most
  /// `score`.
  void need_range(const Number& eta) const {
    const Claim& claim = head_.claim_;
    const Number slopes = size_.left + size_.right + size_.all, more = means_ <= 1 ? Number(0) : eta;
    const Number grown = Number(unit_) * (means_ <= 1 ? one_ + eta : one_),
                 most = grown * (slopes + size_.constant + more);
    const bool sees_m = head_.head_.mask == Mask::future || of_ == Share::Of::n;
    const Number score = head_.head_.temperature != Temperature::one ? most * Number::two_to(log_of_power(claim))
                         : sees_m ? grown * (slopes * head_.n_ + size_.constant + more)
                                  : most * head_.n_;
    const int lowest = std::max(claim.store.min_exponent, claim.work.min_exponent);
    if (!(most <= Number(claim.store.max_finite)) ||
        !(score * (one_ + Number(2) * head_.u_) <= Number(claim.work.max_finite)) ||
        !(Number::two_to(lowest) * Number(8) * head_.n_ <= Number(unit_)))
      throw Rejected("a sign out of range");
  }

 private:
  /// Parts of a bound that grow with the positions to the left, to the right, with all of them, or not at all.
  struct Parts {
    Number left, right, all, constant;
  };

  void read(const SparseMatrix::Entry& entry) {
    const std::uint32_t column = entry.column;
    const Share& share = head_.facts_[0][column].share;
    if (share.of == Share::Of::nothing || (of_ != Share::Of::nothing && of_ != share.of))
      throw Rejected("a sign of what is not one fraction");
    of_ = share.of;
    const Number w = Number(entry.value) / Number(unit_);
    Number relative = head_.worst_relative(column), additive, loss = share.loss;
    head_.for_kinds([&](int, const std::vector<Fact>& facts) {
      additive = max(additive, facts[column].additive), loss = max(loss, facts[column].share.loss);
    });
    if (!power_of_two(entry.value))
      relative = (one_ + relative) * (one_ + head_.u_) - one_, loss = loss * (one_ + head_.u_);
    if (!share.one) return read_mean(column, w, relative, additive, loss);
    if (half_ || !(w - Number(0.5)).whole() || (!additive.zero() && !head_.claim_.pinned)) throw Rejected("a sign of what may be 0");
    additive_ += w.absolute() * additive * (one_ + relative);
    half_ = w.absolute(), reciprocal_ = relative * *half_, size_.constant += *half_;
  }

  void read_mean(std::uint32_t column, const Number& w, Number relative, const Number& additive, const Number& loss) {
    if (!w.whole()) throw Rejected("a sign of what is not whole");
    const Number size = w.absolute();
    ++means_, of_mean_ = relative;
    additive_ += size * additive * (one_ + relative);
    Number slope, edge;
    head_.for_kinds([&](int, const std::vector<Fact>& facts) {
      slope = max(slope, facts[column].share.slope), edge = max(edge, facts[column].share.edge);
    });
    slope = slope * size, edge = edge * size;
    of_sums_ = (slope * head_.n_ + edge) * loss, relative += loss;
    const Share::Where where = head_.facts_[0][column].share.where;
    Number Parts::*const part = where == Share::Where::left    ? &Parts::left
                                : where == Share::Where::right ? &Parts::right
                                                               : &Parts::all;
    error_.*part += slope * relative, size_.*part += slope;
    error_.constant += edge * relative, size_.constant += edge;
  }

  const Number one_{1}, two_{2};
  const HeadCheck& head_;
  const double unit_;
  Share::Of of_ = Share::Of::nothing;
  std::optional<Number> half_;  ///< what 1/m is multiplied by, over the unit
  int means_ = 0;
  Parts error_, size_;
  Number additive_, reciprocal_;
  Number of_mean_, of_sums_;  ///< of the only mean, if there is one
};

/// Right keys fall off by 2a per key, a·(visible keys) ≥ γ: all but the first β weigh τ of the whole.
/// Every addition within that part rounds by u, every other loses at most its smaller side.
Number HeadCheck::falling_error(const Number& ratio, const Number& gamma, const Number& keys) const {
  const Number one(1);
  if (claim_.sums == Sums::exact_count) return ratio + Number(8) * u_ * (one + ratio);
  const Number lost = one + Number(2) * compounded(n_);
  std::optional<Number> best;
  for (int part = 1; part <= 64; ++part) {
    const Number beta(part / 64.0), rate = beta - Number(6) * u_ - Number(4) * keys, big = beta * n_ * u_ / Number(2);
    if (!(Number(0) < rate) || !(big < one)) continue;
    const Number tau = (Number(0) - gamma * rate).exponential() * (one + Number(4) * u_) / (one - Number(4) * u_);
    const Number rho = (big * (one + ratio) + (tau + n_ * tiny_ + ratio) * lost) / (one - big);
    if (!(rho < one)) continue;
    const Number off = Number(2) * rho / (one - rho);
    best = best ? min(*best, off) : off;
  }
  if (!best) best = Number::two_to(60);
  return ratio + *best + Number(3) * u_ * (one + ratio + *best);
}

/// λ is the least weight of a mean. No mean: D is constant, and 1/m alone, an odd multiple of λ/2, says what λ is.
double HeadCheck::sign_unit() const {
  double unit = 0;
  for (const auto& [column, w] : products_[0].q)
    if (!facts_[0][column].share.one) unit = unit == 0 ? std::fabs(w) : std::fmin(unit, std::fabs(w));
  if (unit == 0 && products_[0].q.size() == 1)
    unit = std::ldexp(1.0, static_cast<int>(last_bit(products_[0].q[0].value)) + 1);
  return unit;
}

/// The keys of the wrong parity are `gap` behind: altogether, or by half of it per key and side.
Number HeadCheck::sign_error(const Number& gap) const {
  const Number one(1), exps = one + Number(4) * u_;
  if (head_.temperature == Temperature::one) {
    const Number gamma = gap / Number(2), fair = exps / (one - Number(4) * u_);
    Number keys;  // what j(−1)^j is off by, relative to itself
    if (claim_.pinned)
      for_kinds([&](int, const std::vector<Fact>& facts) {
        const Fact& key = facts[products_[0].k[0].column];
        keys = max(keys, key.relative + key.additive);
      });
    const Number moved = Number(5) * u_ + Number(2) * keys;
    const Number near = (Number(0) - gamma).exponential() * (one + (Number(-2) * gamma / Number(3)).exponential()) *
                        (Number(256) * moved).exponential() * fair;
    const Number far = n_ * (Number(-128) * (one - moved)).exponential() * fair;
    const Number ratio = max(near, far) + n_ * tiny_;
    return min(tied_error(ratio, std::nullopt, true), falling_error(ratio, gamma, keys));
  }
  const Number each = (Number(0) - gap * (one - u_)).exponential() * exps + tiny_;
  const bool vanish = each * n_ * (one + compounded(n_)) < u_;
  return tied_error(Number(2) * each, vanish ? std::optional(one) : std::nullopt, claim_.sums == Sums::any);
}

Line HeadCheck::sign(Results& results) {
  const bool linear = head_.temperature == Temperature::one;
  const Lemma lemma = linear ? Lemma::q_sign_lin : Lemma::q_sign;
  if ((!linear && head_.temperature != Temperature::inverse_power) || head_.intended != Weighting::ahardmax ||
      head_.claim.lemma != lemma || products_.size() != 1 || products_[0].k.size() != 1)
    throw Rejected("not the scores of a sign");
  const SparseMatrix::Entry key = products_[0].k[0];
  bool exact = true;
  for_kinds([&](int, const std::vector<Fact>& facts) { exact = exact && facts[key.column].error.zero(); });
  if (key.value != 1 || (!exact && !claim_.pinned) || (linear ? role(key.column) != Role::signed_i : !alternates(key.column)))
    throw Rejected("keys that do not alternate");
  const double unit = sign_unit();
  const Number lambda = Number(unit) * Number(scale_);
  if (unit == 0 || !power_of_two(unit) || !(Number(2) <= lambda) || Number::two_to(20) < lambda)
    throw Rejected("a sign that is not sharp");
  const SignQuery query(*this, unit);
  const Number eta = query.loss();
  query.need_range(eta);
  if (!(eta < Number(0.9375))) throw Rejected("a sign that is not certain");
  const Number error = sign_error(lambda * (Number(1) - eta));
  Line line{{}, lemma, (linear ? lambda / Number(2) : lambda).to_double(), eta.top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const auto v = values(l);
    for_kinds([&](int kind, const std::vector<Fact>&) {
      const Fact& value = v[static_cast<std::size_t>(kind)];
      if ((!value.error.zero() && !claim_.pinned) || !value.is(is_even(kind) ? 1 : 0))
        throw Rejected("values that are not parities");
      Fact& fact = results[l][static_cast<std::size_t>(kind)];
      fact.error = Number(2) * value.error;
      if (alone(kind)) return;  // position 1, which is odd: 0
      fact.spans = {{0, 1}};
      fact.error = after_division(error + Number(2) * value.error, 1, true);
      line.bound = std::fmax(line.bound, fact.error.top().to_double());
    });
  }
  return line;
}

}  // namespace quench::check
