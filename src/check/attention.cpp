// Heads. What each kind of head needs, and why its result is what the lemma says, is derived in docs/certificates.md; here
// every condition is read off the weights again.
#include <cmath>
#include <limits>

#include "check/facts.h"

namespace quench::check {
namespace {

struct Product {
  SparseMatrix::Row q, k;
};

class HeadCheck {
 public:
  HeadCheck(const Claim& claim, const Facts& facts, const model::Head& head)
      : claim_(claim), facts_(facts), head_(head), n_(claim.longest), u_(relative_step(claim.work)) {
    if (head.weighting != Weighting::soft) throw Rejected("a head that is not softmax");
    double root = 1;
    while (root * root < static_cast<double>(head.q.rows.size())) root *= 2;
    if (root * root != static_cast<double>(head.q.rows.size())) throw Rejected("d_k is not a power of four");
    scale_ = 1 / root;
    for (std::size_t l = 0; l < head.q.rows.size(); ++l) {
      Product product{in_format(head.q.rows[l]), in_format(head.k.rows[l])};
      if (product.q.empty() || product.k.empty()) continue;
      for (const auto& entry : head.k.rows[l]) need_exact(claim, entry.value);
      products_.push_back(std::move(product));
    }
  }

  /// results[l][kind]
  Line derive(std::vector<std::array<Fact, kKinds>>& results) {
    results.resize(head_.v.rows.size());
    for (const SparseMatrix::Row& row : head_.v.rows)
      for (const auto& entry : row) need_exact(claim_, entry.value);
    if (head_.claim.structure == "uniform") return uniform(results);
    if (head_.claim.structure == "tie-break") return tie_break(results);
    if (head_.claim.structure == "lookup") return lookup(results);
    throw Rejected("a head of unknown structure");
  }

 private:
  SparseMatrix::Row in_format(const SparseMatrix::Row& row) const {
    SparseMatrix::Row result;
    for (const auto& [column, w] : row)
      if (const double stored = round_to(claim_.store, w); stored != 0) result.push_back({column, stored});
    return result;
  }

  template <class Visit>
  void for_kinds(Visit visit) const {
    for (int kind = 0; kind < kKinds; ++kind)
      if (occurs(kind, claim_.longest)) visit(kind, facts_[static_cast<std::size_t>(kind)]);
  }
  Role role(std::uint32_t column) const { return facts_[0][column].role; }
  bool constantly(std::uint32_t column, double x) const {
    bool result = true;
    for_kinds([&](int, const std::vector<Fact>& facts) { result = result && facts[column].exactly(x); });
    return result;
  }
  Number worst_relative(std::uint32_t column) const {
    Number worst;
    for_kinds([&](int, const std::vector<Fact>& facts) { worst = max(worst, facts[column].relative); });
    return worst;
  }

  /// Row l of W_V as stored: exact and whole everywhere.
  std::array<Fact, kKinds> values(std::size_t l) const {
    std::array<Fact, kKinds> result;
    for_kinds([&](int kind, const std::vector<Fact>& facts) {
      Fact value = store(claim_, combine(claim_, facts, head_.v.rows[l], 0));
      if (!value.error.zero() || !value.whole) throw Rejected("a head mixes values that are not exact");
      result[static_cast<std::size_t>(kind)] = std::move(value);
    });
    return result;
  }

  /// Divided, rounded and stored.
  Number after_division(const Number& error, const Number& size) const {
    if (!error.finite()) throw Rejected("scores are not apart");
    Number result = error + half_step(claim_.work, size + error);
    if (claim_.narrow()) result += half_step(claim_.store, size + result);
    return result;
  }
  /// (1+u)^count − 1 ≤ e^{count·u} − 1
  Number compounded(const Number& count) const { return (count * u_).exponential() - Number(1); }

  // ---- means

  Line uniform(std::vector<std::array<Fact, kKinds>>& results) {
    if (!products_.empty()) throw Rejected("a uniform head with scores");
    if (head_.mask != Mask::none && head_.mask != Mask::future && head_.mask != Mask::past) throw Rejected("a strict mask");
    Line line;
    for (std::size_t l = 0; l < results.size(); ++l) {
      const auto v = values(l);
      Number low = v[0].low(), high = v[0].high();
      bool first = true, last = true, plus = true, minus = true;
      for_kinds([&](int kind, const std::vector<Fact>&) {
        const Fact& x = v[static_cast<std::size_t>(kind)];
        low = min(low, x.low()), high = max(high, x.high());
        first = first && x.is(is_first(kind) ? 1 : 0);
        last = last && x.is(is_last(kind) ? 1 : 0);
        plus = plus && x.is(is_even(kind) ? 1 : -1);
        minus = minus && x.is(is_even(kind) ? -1 : 1);
      });
      const double sign = first || last ? 0 : plus ? 1 : minus ? -1 : 0;
      for_kinds([&](int kind, const std::vector<Fact>&) {
        Fact& mean = results[l][static_cast<std::size_t>(kind)];
        mean = mean_of(kind, low, high, first, last, sign);
        line.bound = std::fmax(line.bound, mean.error.top().to_double());
      });
    }
    return line;
  }

  Fact mean_of(int kind, const Number& low, const Number& high, bool first, bool last, double sign) const {
    const bool alone = head_.mask == Mask::future ? is_first(kind)
                       : head_.mask == Mask::past ? is_last(kind)
                                                  : kind == 0;
    const bool mark = (first && head_.mask == Mask::future) || (last && head_.mask == Mask::past);
    Fact mean;
    mean.whole = false;
    if (sign != 0) {
      const double here = is_even(kind) ? sign : -sign;
      const double end = head_.mask == Mask::past ? here : -sign;  // the sign of what is left over
      if (alone) mean.spans = {{here, here}}, mean.whole = true;
      else if (head_.mask == Mask::future && is_even(kind)) mean.whole = true;
      else mean.spans = {{end > 0 ? 0 : -0.375, end > 0 ? 0.375 : 0}};
    } else if (mark) {
      if (alone) mean.spans = {{1, 1}}, mean.whole = true;
      else mean.spans = {{0, 0.5}}, mean.cap = 0.5;
    } else {
      mean.spans = {{low, high}};
      mean.whole = low == high;
    }
    if (sign == 0 && Number(0) <= low && high <= Number(1)) {
      if (first && head_.mask != Mask::past) mean.role = head_.mask == Mask::future ? Role::one_over_i : Role::one_over_n;
      else if (mark) mean.role = Role::one_over_rest;
      else mean.role = head_.mask == Mask::future ? Role::left : head_.mask == Mask::past ? Role::right : Role::all;
    }
    const bool reciprocal = mean.role == Role::one_over_i || mean.role == Role::one_over_rest || mean.role == Role::one_over_n;
    const Number size = max(low.absolute(), high.absolute());
    const Number sums = sum_error(size, reciprocal);
    mean.relative = (Number(1) + sums) * (Number(1) + u_);
    if (claim_.narrow()) mean.relative = mean.relative * (Number(1) + relative_step(claim_.store));
    mean.relative = mean.relative - Number(1);
    if (Number::two_to(-claim_.store.min_exponent) < n_)
      mean.relative += Number::two_to(claim_.store.min_exponent - claim_.store.precision) * Number(2) * n_;
    mean.error = alone || (low == high && sums.zero()) ? Number(0) : after_division(sums * size, size);
    mean.positive = Number(0) <= low;
    return mean;
  }

  Number sum_error(const Number& size, bool reciprocal) const {
    const bool exact = n_ * max(size, Number(1)) <= Number::two_to(claim_.work.precision);
    if (claim_.sums == Sums::any) return reciprocal && exact ? u_ : compounded(n_ + Number(2));
    if (exact) return 0;
    return compounded(claim_.sums == Sums::normalise_last ? Number(3) * n_ : Number(4));
  }

  // ---- retrieving

  /// A Boolean picked with total wrong weight at most `mass`.
  void retrieve(std::array<Fact, kKinds>& result, std::size_t l, const Number& mass, Line& line) const {
    const auto v = values(l);
    Number low = v[0].low(), high = v[0].high();
    for_kinds([&](int kind, const std::vector<Fact>&) {
      low = min(low, v[static_cast<std::size_t>(kind)].low());
      high = max(high, v[static_cast<std::size_t>(kind)].high());
    });
    if (!(Number(0) <= low && high <= Number(1))) throw Rejected("a head retrieves values that are not Boolean");
    const Number delta = claim_.sums == Sums::exact_count ? u_ : compounded(n_);
    const Number lost = min(mass * (Number(1) + Number(2) * delta), (Number(1) + mass) * delta);
    Fact fact;
    fact.spans = {{low, high}};
    fact.error = after_division(mass + lost + Number(2) * u_ * (Number(1) + mass + lost), 1);
    line.bound = std::fmax(line.bound, fact.error.top().to_double());
    result.fill(fact);
  }

  Line tie_break(std::vector<std::array<Fact, kKinds>>& results) {
    if (products_.size() != 1 || products_[0].q.size() != 1) throw Rejected("not the products of a tie-break");
    const SparseMatrix::Row &q = products_[0].q, &k = products_[0].k;
    const bool one = constantly(q[0].column, 1);
    const Temperature tau = head_.temperature;
    const bool by_n = (one && tau == Temperature::inverse_n) || (role(q[0].column) == Role::n && tau == Temperature::one);
    const bool by_i2 = (one && tau == Temperature::inverse_i_sq) || (role(q[0].column) == Role::i2 && tau == Temperature::one);
    if (!by_n && !by_i2) throw Rejected("a tie-break that does not scale with n or i²");
    SparseMatrix::Row levels;
    double b = 0;
    for (const SparseMatrix::Entry& entry : k)
      if (b == 0 && role(entry.column) == (by_n ? Role::i_over_n : Role::one_over_i)) b = entry.value;
      else levels.push_back(entry);
    two_levels(levels);
    const std::string lemma = by_i2 ? "P-L8a" : b > 0 ? "P-L8b" : "P-L8c";
    const bool right = lemma != "P-L8c";
    const bool sound = by_i2 ? b < 0 && b >= -1 : b != 0 && std::fabs(b) <= 0.5;
    if (!sound || head_.mask != (right ? Mask::future : Mask::past) ||
        head_.intended != (right ? Weighting::rhardmax : Weighting::lhardmax) || head_.claim.lemma != lemma)
      throw Rejected("a tie-break that is not " + head_.claim.lemma);
    const Number gap = Number(q[0].value) * Number(scale_) * Number(std::fabs(b));
    if (!(Number(0.75) <= gap)) throw Rejected("a tie-break without a gap");
    const Number error = score_error(by_i2);
    if (!(Number(2) * error < gap)) throw Rejected("scores are not apart");
    const Number x = (Number(0) - gap * (Number(1) - u_)).exponential();
    const Number mass = (Number(1) + Number(4) * u_) * (Number(2) * error).exponential() * (x / (Number(1) - x) + x * x);
    Line line{{}, lemma, gap.to_double(), error.top().to_double(), 0};
    for (std::size_t l = 0; l < results.size(); ++l) retrieve(results[l], l, mass, line);
    return line;
  }

  void two_levels(const SparseMatrix::Row& levels) const {
    std::optional<Number> least;
    const auto each = [&](auto visit) {
      for_kinds([&](int, const std::vector<Fact>& facts) {
        const Combination sum = combine(claim_, facts, levels, 0);
        if (sum.rest.size() != 1 || !(sum.rest[0].from == sum.rest[0].to)) throw Rejected("a key with more than two levels");
        visit(sum);
      });
    };
    for_kinds([&](int, const std::vector<Fact>& facts) {
      for (const auto& entry : levels)
        if (!facts[entry.column].error.zero()) throw Rejected("a key reads a value that is not exact");
    });
    each([&](const Combination& sum) { least = least ? min(*least, sum.low()) : sum.low(); });
    each([&](const Combination& sum) {
      if (!(sum.low() - *least).whole() || !(sum.high() - *least <= Number(1))) throw Rejected("a key with more than two levels");
    });
  }

  Number score_error(bool squared) const {
    Number q_size, q_error, k_size, k_error;
    long q_grid = 0, k_grid = 0;
    bool exact = true;
    for_kinds([&](int, const std::vector<Fact>& facts) {
      const Fact q = store(claim_, combine(claim_, facts, products_[0].q, 0));
      const Fact k = store(claim_, combine(claim_, facts, products_[0].k, 0));
      q_size = max(q_size, q.size()), q_error = max(q_error, q.error), q_grid = std::min(q_grid, q.grid);
      k_size = max(k_size, k.size()), k_error = max(k_error, k.error), k_grid = std::min(k_grid, k.grid);
      exact = exact && q.error.zero() && k.error.zero();
    });
    Number size = q_size * k_size;
    Number error = q_size * k_error + k_size * q_error + q_error * k_error;
    exact = exact && fits(claim_.work, size, q_grid + k_grid);
    if (!exact) error += half_step(claim_.work, size + error);
    error = error * Number(scale_), size = size * Number(scale_);
    if (head_.temperature == Temperature::one) return error;
    const Number factor = squared ? n_ * n_ : n_;
    const bool whole = fits(claim_.work, factor, 0);
    error = error * factor + (size + error) * (whole ? Number(0) : half_step(claim_.work, factor));
    size = size * factor;
    if (!exact || !whole || !fits(claim_.work, size, q_grid + k_grid + last_bit(scale_)))
      error += half_step(claim_.work, size + error);
    return error;
  }

  Line lookup(std::vector<std::array<Fact, kKinds>>& results);
  Number lookup_epsilon(const SparseMatrix::Row& q0, std::uint32_t rho) const;

  const Claim& claim_;
  const Facts& facts_;
  const model::Head& head_;
  Number n_, u_;
  double scale_ = 1;
  std::vector<Product> products_;
};

/// The relative error that a computed score carries against 2tj + j².
Number HeadCheck::lookup_epsilon(const SparseMatrix::Row& q0, std::uint32_t rho) const {
  const Number one(1), c = one + u_;
  Number inputs = worst_relative(rho);
  for (const auto& entry : q0) inputs = max(inputs, worst_relative(entry.column));
  Number total = (one + inputs) * c;
  if (claim_.narrow()) total = total * (one + relative_step(claim_.store));
  if (q0.size() == 2) total = total * c;
  total = total * (one + max(worst_relative(products_[0].k[0].column), worst_relative(products_[1].k[0].column)));
  total = total * c * c;
  if (head_.temperature != Temperature::one) {
    const Number factor = head_.temperature == Temperature::inverse_i_sq ? n_ * n_ : n_;
    total = total * (fits(claim_.work, factor, 0) ? c : c * c);
  }
  return total - one;
}

Line HeadCheck::lookup(std::vector<std::array<Fact, kKinds>>& results) {
  if (head_.claim.lemma != "P-L7" || products_.size() != 2) throw Rejected("not the products of a lookup");
  const SparseMatrix::Row &q0 = products_[0].q, &k0 = products_[0].k, &q1 = products_[1].q, &k1 = products_[1].k;
  const Temperature tau = head_.temperature;
  const bool in_keys = tau == Temperature::one;
  if (k0.size() != 1 || k1.size() != 1 || q1.size() != 1 || role(k0[0].column) != (in_keys ? Role::in : Role::i) ||
      role(k1[0].column) != (in_keys ? Role::i2n : Role::i2) || k0[0].value != -2 * k1[0].value || !(k0[0].value > 0))
    throw Rejected("keys that are not 2j and −j²");
  const Role rho = role(q1[0].column);
  Role mean = Role::none;
  std::size_t offsets = 0;
  for (const auto& [column, w] : q0) {
    if (w != q1[0].value || !(w > 0)) throw Rejected("queries scaled differently");
    if (role(column) == rho) ++offsets;
    else mean = mean == Role::none ? role(column) : throw Rejected("a query that is not a mean");
  }
  const bool left = mean == Role::left && rho == Role::one_over_i && head_.mask == Mask::future;
  const bool by_n = tau == Temperature::inverse_n || in_keys;
  const bool wide = ((mean == Role::right && rho == Role::one_over_rest) || (mean == Role::all && rho == Role::one_over_n)) &&
                    head_.mask == Mask::none && by_n;
  if (offsets > 1 || (!left && !wide)) throw Rejected("a lookup whose mean, mask and temperature do not belong together");

  const double a = -k1[0].value, w = q1[0].value;
  const Number sharp = Number(w) * Number(scale_) * Number(a);
  const Number square_size = facts_[0][k1[0].column].size(), factor = tau == Temperature::inverse_i_sq ? n_ * n_ : n_;
  const bool in_range = Number(2 * a) * square_size <= Number(claim_.store.max_finite) &&
                        Number(3 * w) * Number(2 * a) * square_size * factor <= Number(claim_.work.max_finite) &&
                        Number::two_to(claim_.store.min_exponent) * Number(2) * n_ <= Number(w);
  if (!(Number(1) <= sharp) || !in_range) throw Rejected("a lookup that is not sharp, or out of range");
  const Number epsilon = lookup_epsilon(q0, q1[0].column), one(1);
  const Number excess = Number(6) * epsilon * sharp * factor * (n_ + Number(3));
  const Number keep = one - epsilon * (one + Number(4) * (n_ + one));
  if (!(Number(0) < keep) || !(excess < sharp * keep)) throw Rejected("scores are not apart");
  const Number x = (Number(0) - sharp * keep * (one - u_)).exponential();
  const Number lift = (one + Number(4) * u_) * excess.exponential();
  const Number mass = Number(2) * lift * (x + x.power(4) / (one - x));
  Line line{{}, "P-L7", sharp.to_double(), (excess / Number(2)).top().to_double(), 0};
  for (std::size_t l = 0; l < results.size(); ++l) {
    const SparseMatrix::Row& v = head_.v.rows[l];
    if (v.size() != 1 || v[0].value != 1 || role(v[0].column) != Role::i) {
      retrieve(results[l], l, mass, line);
      continue;
    }
    const Number ratio = one / ((one - x) * (one - x)), shift = lift * (x + Number(2) * x.power(4) * ratio);
    const bool once = claim_.sums == Sums::exact_count;
    const Number delta = once ? u_ : compounded(n_);
    std::optional<Number> best;
    for (unsigned big = 0; big <= 8; ++big) {
      const Number tail = Number(2) * lift * Number(big + 1) * x.power((big + 1) * (big + 1)) * ratio;
      const Number relative = Number(once ? 1 : 2 * big) * u_ * (one + delta) * (one + mass);
      const Number lost = once ? Number(0) : tail * (one + Number(2) * delta);
      const Number total = shift + n_ * relative + (n_ + one) * lost + u_ * (n_ + shift) * (one + mass) +
                           (n_ + shift) * (relative + lost) + Number(2) * u_ * (n_ + shift);
      best = best ? min(*best, total) : total;
    }
    Number index_error;
    for_kinds([&](int, const std::vector<Fact>& facts) { index_error = max(index_error, facts[v[0].column].error); });
    Fact index;
    index.spans = {{1, n_}};
    index.error = after_division(*best + index_error, n_);
    line.bound = std::fmax(line.bound, index.error.top().to_double());
    results[l].fill(index);
  }
  return line;
}

}  // namespace

void pass_attention(const Claim& claim, const model::Layer& layer, Facts& facts, std::vector<Line>& lines) {
  Facts after = facts;
  for (const model::Head& head : layer.heads) {
    std::vector<std::array<Fact, kKinds>> results;
    lines.push_back(HeadCheck(claim, facts, head).derive(results));
    std::vector<bool> written(results.size());
    for (std::size_t target = 0; target < head.o.rows.size(); ++target)
      for (const auto& [l, w] : head.o.rows[target]) {
        if (w != 1 || written[l]) throw Rejected("an output projection that mixes");
        written[l] = true;
        for (int kind = 0; kind < kKinds; ++kind) {
          if (!occurs(kind, claim.longest)) continue;
          Fact& place = after[static_cast<std::size_t>(kind)][target];
          if (!place.exactly(0)) throw Rejected("a head writes to a coordinate in use");
          place = results[l][static_cast<std::size_t>(kind)];
        }
      }
  }
  facts = std::move(after);
}

}  // namespace quench::check
