// [Q-sign], [Q-sign-lin]: the query is λ(D + ½)/m, D a whole number, times √d_k; the sign of D + ½ survives all errors.
#include <cmath>

#include "check/head.h"

namespace quench::check {

/// η: the query is off by at most η times itself. `unit` is what D is multiplied by.
Number HeadCheck::sign_loss(double unit) const {
  const Number one(1), two(2);
  Share::Of of = Share::Of::nothing;
  std::optional<Number> half;
  int means = 0;
  Number left, right, all, constant, additive, reciprocal, of_mean, of_sums;
  Number size_left, size_right, size_all, size_constant;
  for (const SparseMatrix::Entry& entry : products_[0].q) {
    const std::uint32_t column = entry.column;
    const double weight = entry.value;
    const Share& share = facts_[0][column].share;
    if (share.of == Share::Of::nothing || (of != Share::Of::nothing && of != share.of))
      throw Rejected("a sign of what is not one fraction");
    of = share.of;
    const Number w = Number(weight) / Number(unit), size = w.absolute();
    Number relative = worst_relative(column), own_additive;
    for_kinds([&](int, const std::vector<Fact>& facts) { own_additive = max(own_additive, facts[column].additive); });
    Number loss = share.loss;
    for_kinds([&](int, const std::vector<Fact>& facts) { loss = max(loss, facts[column].share.loss); });
    if (!power_of_two(weight)) relative = (one + relative) * (one + u_) - one, loss = loss * (one + u_);
    if (share.one) {
      if (half || !(w - Number(0.5)).whole() || !own_additive.zero()) throw Rejected("a sign of what may be 0");
      half = size, reciprocal = relative * size, size_constant += size;
      continue;
    }
    if (!w.whole()) throw Rejected("a sign of what is not whole");
    ++means, of_mean = relative;
    additive += size * own_additive * (one + relative);
    Number slope, edge;
    for_kinds([&](int, const std::vector<Fact>& facts) {
      slope = max(slope, facts[column].share.slope), edge = max(edge, facts[column].share.edge);
    });
    slope = slope * size, edge = edge * size;
    of_sums = (slope * n_ + edge) * loss, relative += loss;
    if (share.where == Share::Where::left)
      left += slope * relative, size_left += slope;
    else if (share.where == Share::Where::right)
      right += slope * relative, size_right += slope;
    else
      all += slope * relative, size_all += slope;
    constant += edge * relative, size_constant += edge;
  }
  if (!half) throw Rejected("a sign of what may be 0");
  if (!(head_.mask == Mask::none || (head_.mask == Mask::future && of == Share::Of::i)))
    throw Rejected("a sign under the wrong mask");
  Number eta;
  if (means <= 1) {
    eta = of_mean * (one + two * *half) + two * (reciprocal + additive * n_ + of_sums) + u_;
  } else {
    const Number size = max(size_left, size_right) * (n_ + one) + size_all * n_ + size_constant;
    const Number errors = max(left, right) * (n_ + one) + all * n_ + constant + reciprocal + additive * n_;
    const Number inner(static_cast<double>(products_[0].q.size()) - 2);
    eta = two * (errors + u_ * inner * (size + errors)) * (one + u_) + u_;
  }
  if (claim_.narrow()) eta += relative_step(claim_.store) * (one + eta);
  // The query is at most this where m = 1; where the head sees m positions, its product with j ≤ m is at most `score`.
  const Number slopes = size_left + size_right + size_all, more = means <= 1 ? Number(0) : eta;
  const Number grown = Number(unit) * (means <= 1 ? one + eta : one), most = grown * (slopes + size_constant + more);
  const bool sees_m = head_.mask == Mask::future || of == Share::Of::n;
  const Number score = head_.temperature != Temperature::one ? most * Number::two_to(log_of_power(claim_))
                       : sees_m                              ? grown * (slopes * n_ + size_constant + more)
                                                             : most * n_;
  const int lowest = std::max(claim_.store.min_exponent, claim_.work.min_exponent);
  if (!(most <= Number(claim_.store.max_finite)) ||
      !(score * (one + Number(2) * u_) <= Number(claim_.work.max_finite)) ||
      !(Number::two_to(lowest) * Number(8) * n_ <= Number(unit)))
    throw Rejected("a sign out of range");
  return eta;
}

/// Right keys fall off by 2a per key, a·(visible keys) ≥ γ: all but the first β weigh τ of the whole.
/// Every addition within that part rounds by u, every other loses at most its smaller side.
Number HeadCheck::falling_error(const Number& ratio, const Number& gamma) const {
  const Number one(1);
  if (claim_.sums == Sums::exact_count) return ratio + Number(8) * u_ * (one + ratio);
  const Number lost = one + Number(2) * compounded(n_);
  std::optional<Number> best;
  for (int part = 1; part <= 64; ++part) {
    const Number beta(part / 64.0), rate = beta - Number(6) * u_, big = beta * n_ * u_ / Number(2);
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

Line HeadCheck::sign(Results& results) {
  const bool linear = head_.temperature == Temperature::one;
  if ((!linear && head_.temperature != Temperature::inverse_power) || head_.intended != Weighting::ahardmax ||
      head_.claim.lemma != (linear ? Lemma::q_sign_lin : Lemma::q_sign) || products_.size() != 1 ||
      products_[0].k.size() != 1)
    throw Rejected("not the scores of a sign");
  const SparseMatrix::Entry key = products_[0].k[0];
  bool exact = true;
  for_kinds([&](int, const std::vector<Fact>& facts) { exact = exact && facts[key.column].error.zero(); });
  if (key.value != 1 || !exact || (linear ? role(key.column) != Role::signed_i : !alternates(key.column)))
    throw Rejected("keys that do not alternate");
  double unit = 0;
  for (const auto& [column, w] : products_[0].q)
    if (!facts_[0][column].share.one) unit = unit == 0 ? std::fabs(w) : std::fmin(unit, std::fabs(w));
  if (unit == 0 && products_[0].q.size() == 1)
    unit = std::ldexp(1.0, static_cast<int>(last_bit(products_[0].q[0].value)) + 1);
  const Number one(1), lambda = Number(unit) * Number(scale_);
  if (unit == 0 || !power_of_two(unit) || !(Number(2) <= lambda) || Number::two_to(20) < lambda)
    throw Rejected("a sign that is not sharp");
  const Number eta = sign_loss(unit);
  if (!(eta < Number(0.9375))) throw Rejected("a sign that is not certain");
  const Number gap = lambda * (one - eta), exps = one + Number(4) * u_;
  Number error;
  if (linear) {
    const Number gamma = gap / Number(2), fair = exps / (one - Number(4) * u_);
    const Number near = (Number(0) - gamma).exponential() * (one + (Number(-2) * gamma / Number(3)).exponential()) *
                        (Number(1280) * u_).exponential() * fair;
    const Number far = n_ * (Number(-128) * (one - Number(5) * u_)).exponential() * fair;
    const Number ratio = max(near, far) + n_ * tiny_;
    error = min(tied_error(ratio, std::nullopt, true), falling_error(ratio, gamma));
  } else {
    const Number each = (Number(0) - gap * (one - u_)).exponential() * exps + tiny_;
    const bool vanish = each * n_ * (one + compounded(n_)) < u_;
    error = tied_error(Number(2) * each, vanish ? std::optional(one) : std::nullopt, claim_.sums == Sums::any);
  }
  Line line{{},
            linear ? Lemma::q_sign_lin : Lemma::q_sign,
            (linear ? lambda / Number(2) : lambda).to_double(),
            eta.top().to_double(),
            0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const auto v = values(l);
    for_kinds([&](int kind, const std::vector<Fact>&) {
      const Fact& value = v[static_cast<std::size_t>(kind)];
      if (!value.error.zero() || !value.is(is_even(kind) ? 1 : 0)) throw Rejected("values that are not parities");
      Fact& fact = results[l][static_cast<std::size_t>(kind)];
      if (alone(kind)) return;  // position 1, which is odd: exactly 0
      fact.spans = {{0, 1}};
      fact.error = after_division(error, 1, true);
      line.bound = std::fmax(line.bound, fact.error.top().to_double());
    });
  }
  return line;
}

}  // namespace quench::check
