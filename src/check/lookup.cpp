// Lookups [P-L7].
#include <cmath>

#include "check/head.h"

namespace quench::check {

/// 1 + the relative error of a query, the same for all keys of its row.
Number HeadCheck::query_factor(const SparseMatrix::Row& q) const {
  Number inputs;
  for (const auto& entry : q) inputs = max(inputs, worst_relative(entry.column));
  Number total = (Number(1) + inputs) * (Number(1) + u_).power(q.size() == 2 ? 2 : 1);
  return claim_.narrow() ? total * (Number(1) + relative_step(claim_.store)) : total;
}

/// 1 + the relative error of a key and its product with the query.
Number HeadCheck::key_factor() const {
  const Number key = max(worst_relative(products_[0].k[0].column), worst_relative(products_[1].k[0].column));
  return (Number(1) + key) * (Number(1) + u_);
}

/// 1 + the relative error of adding the two products and scaling the sum.
Number HeadCheck::sum_factor() const {
  const Number c = Number(1) + u_;
  if (head_.temperature == Temperature::one || head_.temperature == Temperature::inverse_power) return c;
  return fits(claim_.work, largest_factor(), 0) ? c * c : c * c * c;
}

/// The greatest 1/τ, or n inside the keys.
Number HeadCheck::largest_factor() const {
  if (head_.temperature == Temperature::inverse_power) return Number::two_to(log_of_power(claim_));
  return head_.temperature == Temperature::inverse_i_sq ? n_ * n_ : n_;
}

/// Keys 2j and −j², or both times n.
void HeadCheck::need_lookup_keys() const {
  const SparseMatrix::Row &k0 = products_[0].k, &k1 = products_[1].k;
  const bool in_keys = head_.temperature == Temperature::one;
  if (k0.size() != 1 || k1.size() != 1 || products_[1].q.size() != 1 ||
      role(k0[0].column) != (in_keys ? Role::in : Role::i) || role(k1[0].column) != (in_keys ? Role::i2n : Role::i2) ||
      k0[0].value != -2 * k1[0].value || !(k0[0].value > 0))
    throw Rejected("keys that are not 2j and −j²");
}

/// A mean κ/m, or (κ+1)/m, beside 1/m, under a mask and a temperature that go with m: whether it is κ+1.
bool HeadCheck::looks_one_further() const {
  const SparseMatrix::Row &q0 = products_[0].q, &q1 = products_[1].q;
  const Temperature tau = head_.temperature;
  const Role rho = role(q1[0].column);
  Role mean = Role::none;
  std::size_t offsets = 0, means = 0;
  bool constant = false;
  for (const auto& [column, w] : q0) {
    if (w != q1[0].value || !(w > 0)) throw Rejected("queries scaled differently");
    if (column == q1[0].column)
      ++offsets;
    else if (++means == 1)
      mean = role(column), constant = constantly(column, 1);
    else
      throw Rejected("a query that is not a mean");
  }
  const auto pair = [&](Role counted, Role reciprocal) {
    // A mark is counted like anything else, and so is `true`, whose mean is 1.
    return rho == reciprocal && means == 1 && (mean == counted || mean == reciprocal || constant);
  };
  const bool left = pair(Role::left, Role::one_over_i) && head_.mask == Mask::future;
  const bool by_n = tau == Temperature::inverse_n || tau == Temperature::inverse_power || tau == Temperature::one;
  const bool wide =
      (pair(Role::right, Role::one_over_rest) || pair(Role::all, Role::one_over_n)) && head_.mask == Mask::none && by_n;
  if (offsets > 1 || (!left && !wide))
    throw Rejected("a lookup whose mean, mask and temperature do not belong together");
  return offsets == 1;
}

/// The factor of (κ − j)², with everything in the range of the formats.
Number HeadCheck::lookup_sharpness() const {
  const SparseMatrix::Entry key = products_[1].k[0];
  const double a = -key.value, w = products_[1].q[0].value;
  const Number sharp = Number(w) * Number(scale_) * Number(a);
  const Number square_size = facts_[0][key.column].size(), factor = largest_factor();
  const bool in_range = Number(2 * a) * square_size <= Number(claim_.store.max_finite) &&
                        Number(3 * w) * Number(2 * a) * square_size * factor <= Number(claim_.work.max_finite) &&
                        Number::two_to(claim_.store.min_exponent) * Number(2) * n_ <= Number(w);
  if (!(Number(1) <= sharp) || !in_range) throw Rejected("a lookup that is not sharp, or out of range");
  return sharp;
}

/// How the weights fall off on both sides of the number looked for.
HeadCheck::Fall HeadCheck::lookup_fall(const Number& sharp, bool one_further) const {
  const SparseMatrix::Row &q0 = products_[0].q, &q1 = products_[1].q;
  const Number one(1), epsilon1 = query_factor(q1) - one;
  if (!(epsilon1 < Number(0.25))) throw Rejected("queries that are too inexact");
  const Number ratio = query_factor(q0) / (one - epsilon1);
  Number additive;
  for_kinds([&](int, const std::vector<Fact>& facts) {
    for (const auto& entry : q0) additive = max(additive, facts[entry.column].additive);
    if (!facts[q1[0].column].additive.zero()) throw Rejected("a reciprocal of a mark that is not exact");
  });
  const Number reach = one_further ? n_ + one : n_;  // the greatest number looked for
  const Number apex = reach * (ratio - one) + Number(2) * n_ * ratio * additive;
  const Number epsilon = (key_factor() - one) * ratio, of_sum = (sum_factor() - one) * key_factor() * ratio;
  if (!(apex < Number(0.5)) || !(Number(4) * (epsilon + of_sum) * n_ <= one))
    throw Rejected("a lookup that may point between two positions");
  // Gaps and errors grow alike with 1/τ; a number one beyond the last position has three times the gap.
  Fall fall;
  fall.excess = (Number(6) * epsilon + Number(2) * of_sum) * sharp * n_ * n_;
  const Number keep = one - epsilon1 - epsilon * (one + Number(4) * n_) - Number(5) * of_sum;
  const Number flat = keep - Number(2) * apex, steep = keep + Number(2) * apex;
  if (!(Number(0) < flat) || !(fall.excess < sharp * flat)) throw Rejected("scores are not apart");
  fall.x = (Number(0) - sharp * flat * (one - u_)).exponential();
  fall.lift = (one + Number(4) * u_) * fall.excess.exponential();
  fall.mass = fall.lift * (fall.x + (Number(0) - sharp * steep * (one - u_)).exponential() +
                           Number(2) * fall.x.power(4) / (one - fall.x)) +
              n_ * tiny_;
  return fall;
}

/// The retrieved number of the position itself: what weights in the wrong place and sums do to it, whatever number of
/// weights beside the greatest is taken to matter.
Number HeadCheck::looked_up_index_error(const Fall& fall) const {
  const Number one(1), spread = one / ((one - fall.x) * (one - fall.x)),
                       shift = fall.lift * (fall.x + Number(2) * fall.x.power(4) * spread) + n_ * n_ * tiny_;
  const bool once = claim_.sums == Sums::exact_count;
  const Number delta = once ? u_ : compounded(n_);
  std::optional<Number> best;
  for (unsigned big = 0; big <= 8; ++big) {
    const Number tail = Number(2) * fall.lift * Number(big + 1) * fall.x.power((big + 1) * (big + 1)) * spread;
    const Number relative = Number(once ? 1 : 2 * big) * u_ * (one + delta) * (one + fall.mass);
    const Number lost = once ? Number(0) : tail * (one + Number(2) * delta);
    const Number total = shift + n_ * relative + (n_ + one) * lost + u_ * (n_ + shift) * (one + fall.mass) +
                         (n_ + shift) * (relative + lost) + Number(2) * u_ * (n_ + shift);
    best = best ? min(*best, total) : total;
  }
  return *best;
}

Line HeadCheck::lookup(Results& results) {
  if (head_.claim.lemma != Lemma::p_l7 || products_.size() != 2) throw Rejected("not the products of a lookup");
  need_lookup_keys();
  const bool one_further = looks_one_further();
  const Number sharp = lookup_sharpness();
  const Fall fall = lookup_fall(sharp, one_further);
  Line line{{}, Lemma::p_l7, sharp.to_double(), (fall.excess / Number(2)).top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const SparseMatrix::Row& v = head_.v.rows[l];
    if (v.size() != 1 || v[0].value != 1 || role(v[0].column) != Role::i) {
      retrieve(results[l], l, fall.mass, line);
      continue;
    }
    Number index_error;
    for_kinds([&](int, const std::vector<Fact>& facts) { index_error = max(index_error, facts[v[0].column].error); });
    Fact index;
    index.spans = {{1, n_}};
    index.error = after_division(looked_up_index_error(fall) + index_error, n_);
    line.bound = std::fmax(line.bound, index.error.top().to_double());
    results[l].fill(index);
  }
  return line;
}

}  // namespace quench::check
