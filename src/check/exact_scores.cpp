// Scores of our constructions are sums of few products, each a multiple of some power of two; together they stay within
// the mantissa, so that no order of summation rounds.
#include <cmath>

#include "check/head.h"

namespace quench::check {
namespace {

/// What a projection stores: one stored number times a power of two is not rounded again.
Fact project(const Claim& claim, const std::vector<Fact>& facts, const SparseMatrix::Row& row) {
  if (row.size() == 1 && power_of_two(row[0].value)) {
    Fact x = facts[row[0].column];
    const Number w(row[0].value), size = w.absolute() * (x.size() + x.error);
    x.grid += last_bit(row[0].value);
    if ((x.error.zero() || x.gridded) && size <= Number(claim.store.max_finite) &&
        x.grid > claim.store.min_exponent - claim.store.precision) {
      for (Span& span : x.spans) span = {w * span.from, w * span.to};
      x.error = w.absolute() * x.error;
      x.gridded = true;
      return x;
    }
  }
  const Combination sum = combine(claim, facts, row, 0);
  Fact x = store(claim, sum);
  x.gridded = sum.gridded;
  return x;
}

bool is_digit(Role role, Role first) { return role >= first && static_cast<int>(role) <= static_cast<int>(first) + 2; }

}  // namespace

/// Reads one product after the other: what its query scales with, what of its key are positions, parities and levels,
/// and how large it is and on which grid it lies. At the end digits must be those of one position, and all together
/// must fit.
class HeadCheck::ScoreReader {
 public:
  explicit ScoreReader(const HeadCheck& head)
      : head_(head), by_power_(head.head_.temperature == Temperature::inverse_power) {
    if (!by_power_ && head.head_.temperature != Temperature::one) throw Rejected("an unexpected temperature");
  }

  ExactScores read() {
    for (const Product& product : head_.products_) {
      const Query query = read_query(product.q);
      const Key key = read_key(product.k, query);
      if (!key.levels.empty())
        read_levels(key.levels, query);
      else if (!query.loss.zero())
        throw Rejected("an inexact query");
      measure(product, query, key);
    }
    join_digits();
    require_exact();
    return result_;
  }

 private:
  struct Query {
    Grows grows = Grows::constant;
    bool parity = false, may_be_inexact = false;
    Number factor;  ///< of every coefficient of the key
    Number loss;    ///< its relative error, the same for all keys
  };
  struct Key {
    SparseMatrix::Row levels;  ///< what is neither a position nor a parity
    Number position;           ///< the size of the position's part, before scaling
  };

  Query read_query(const SparseMatrix::Row& q) const {
    Query query;
    query.factor = Number(head_.scale_);
    if (q.size() == 3)
      read_digits(q, query);
    else if (q.size() == 1 && power_of_two(q[0].value))
      read_coordinate(q[0], query);
    else
      throw Rejected("a query that is not one coordinate");
    if (by_power_) {
      if (query.grows != Grows::constant) throw Rejected("a query that grows against the temperature");
      query.grows = Grows::power;
    }
    if (query.may_be_inexact)
      query.loss = q.size() == 3 ? relative_step(head_.claim_.store) : head_.worst_relative(q[0].column);
    return query;
  }

  /// i, put together from its digits.
  void read_digits(const SparseMatrix::Row& q, Query& query) const {
    double w[3] = {0, 0, 0};
    for (const auto& entry : q)
      for (int d = 0; d < 3; ++d)
        if (head_.role(entry.column) == static_cast<Role>(static_cast<int>(Role::digit_0) + d)) w[d] = entry.value;
    if (!power_of_two(w[0]) || w[0] == 0 || w[1] != 256 * w[0] || w[2] != w[1] ||
        std::fabs(w[0]) < std::ldexp(1.0, head_.claim_.store.min_exponent))
      throw Rejected("a query that is not i in digits");
    query.grows = Grows::i, query.may_be_inexact = head_.claim_.narrow();
    query.factor = query.factor * Number(w[0]);
  }

  /// i, n, 1, or what alternates.
  void read_coordinate(const SparseMatrix::Entry& entry, Query& query) const {
    const Role role = head_.role(entry.column);
    query.factor = query.factor * Number(entry.value);
    if (role == Role::i || role == Role::n) {
      query.grows = role == Role::i ? Grows::i : Grows::n;
      head_.for_kinds([&](int, const std::vector<Fact>& facts) {
        query.may_be_inexact = query.may_be_inexact || !facts[entry.column].error.zero();
      });
      if (head_.claim_.pinned) query.may_be_inexact = false;  // part of the scores' error
    } else if (!head_.constantly(entry.column, 1)) {
      query.parity = head_.alternates(entry.column);
      if (!query.parity) throw Rejected("a query of no known meaning");
    }
  }

  Key read_key(const SparseMatrix::Row& k, const Query& query) {
    Key key;
    for (const SparseMatrix::Entry& entry : k) {
      const Role role = head_.role(entry.column);
      const bool small = role == Role::i || is_digit(role, Role::digit_0);
      const bool scaled = role == Role::i_over_power || is_digit(role, Role::digit_0_over_power);
      if (query.parity)
        read_parity(entry, query);
      else if (small || scaled)
        key.position = read_position(entry, role, scaled, query);
      else
        key.levels.push_back(entry);
    }
    return key;
  }

  void read_parity(const SparseMatrix::Entry& entry, const Query& query) {
    if (!head_.alternates(entry.column) || !result_.parity.zero() || !power_of_two(entry.value))
      throw Rejected("a parity that does not meet one");
    result_.parity = query.factor * Number(entry.value), result_.parity_grows = query.grows;
  }

  /// A position or a digit of one; its size.
  Number read_position(const SparseMatrix::Entry& entry, Role role, bool scaled, const Query& query) {
    if (query.grows != (scaled ? Grows::power : Grows::constant) || !power_of_two(entry.value))
      throw Rejected("a position that is scaled");
    Number each = query.factor * Number(entry.value);  // per position
    if (role == Role::i || role == Role::i_over_power) {
      if (!result_.position.zero()) throw Rejected("a position that occurs twice");
      result_.position = each;
    } else {
      const int d = static_cast<int>(role) - static_cast<int>(scaled ? Role::digit_0_over_power : Role::digit_0);
      if (!scaled && d > 0) each = each / Number(256);
      if (seen_[d]) throw Rejected("a digit that occurs twice");
      seen_[d] = true, digit_[d] = each;
    }
    return each.absolute() / Number(head_.scale_) * (scaled ? Number(1) : head_.n_);
  }

  /// Two levels, a step apart, scaled by a power of two.
  void read_levels(SparseMatrix::Row levels, const Query& query) {
    if (!result_.levels.empty()) throw Rejected("levels in two products");
    double unit = std::fabs(levels[0].value);
    for (const auto& entry : levels) unit = std::fmin(unit, std::fabs(entry.value));
    if (!power_of_two(unit)) throw Rejected("levels not scaled by a power of two");
    for (auto& entry : levels) entry.value /= unit;
    result_.level = query.factor * Number(unit) * step_of(levels);
    result_.level_grows = query.grows, result_.level_loss = query.loss, result_.levels = std::move(levels);
    if (!(Number(0) < result_.level)) throw Rejected("levels upside down");
  }

  Number step_of(const SparseMatrix::Row& levels) const {
    std::vector<Number> seen;
    head_.for_kinds([&](int, const std::vector<Fact>& facts) {
      const Combination sum = combine(head_.claim_, facts, levels, 0);
      if ((!sum.exact && !head_.claim_.pinned) || sum.rest.size() != 1 || !(sum.rest[0].from == sum.rest[0].to) ||
          !(sum.high() - sum.low() <= Number(1)))
        throw Rejected("a key that is not of two exact levels");
      for (const Number& x : {sum.low(), sum.high()}) {
        bool known = false;
        for (const Number& y : seen) known = known || x == y;
        if (!known) seen.push_back(x);
      }
    });
    if (seen.size() > 2) throw Rejected("a key with more than two levels");
    return seen.size() == 2 ? (seen[0] - seen[1]).absolute() : Number(1);
  }

  /// The product's size and grid. Of the products of a position only the greatest counts: they are parts of one number.
  void measure(const Product& product, const Query& query, const Key& key) {
    Number q_size, k_size;
    if (head_.claim_.pinned) return blur(product);
    head_.for_kinds([&](int, const std::vector<Fact>& facts) {
      const Fact q = project(head_.claim_, facts, product.q), k = project(head_.claim_, facts, product.k);
      const bool fine = q.gridded && k.gridded && k.error.zero() && (q.error.zero() || query.may_be_inexact);
      if (!fine) throw Rejected("scores are not exact");
      q_size = max(q_size, q.size() + q.error), k_size = max(k_size, k.size() + k.error);
      grid_ = grid_ ? std::min(*grid_, q.grid + k.grid) : q.grid + k.grid;
    });
    if (key.levels.empty() && !query.parity)
      of_position_ = max(of_position_, key.position);
    else
      total_ += q_size * k_size;
  }

  /// What a product of what was read is off by, its own rounding and those of the sum included.
  void blur(const Product& product) {
    Number q_size, k_size, q_error, k_error;
    head_.for_kinds([&](int, const std::vector<Fact>& facts) {
      const Fact q = project(head_.claim_, facts, product.q), k = project(head_.claim_, facts, product.k);
      q_size = max(q_size, q.size()), k_size = max(k_size, k.size());
      q_error = max(q_error, q.error), k_error = max(k_error, k.error);
    });
    const Number most = (q_size + q_error) * (k_size + k_error);
    const Number roundings(static_cast<double>(head_.products_.size()) + 2);
    result_.error += q_size * k_error + q_error * k_size + q_error * k_error + roundings * head_.u_ * most;
    total_ += most;
  }

  void join_digits() {
    if (!seen_[0] && !seen_[1] && !seen_[2]) return;
    if (!result_.position.zero() || !seen_[0] || !seen_[1] || !seen_[2] || !(digit_[0] == digit_[1]) ||
        !(digit_[0] == digit_[2]))
      throw Rejected("digits that are not those of a position");
    result_.position = digit_[0];
  }

  void require_exact() {
    const FloatFormat& work = head_.claim_.work;
    const Number total = total_ + of_position_;
    if (head_.claim_.pinned) {
      if (by_power_ || !(Number(2) * (total + result_.error) <= Number(work.max_finite)))
        throw Rejected("scores that layer normalisation does not allow");
      result_.error = result_.error * Number(head_.scale_);
      return;
    }
    const long grid = grid_.value_or(0);
    const Number scaled_up = by_power_ ? Number::two_to(log_of_power(head_.claim_)) : Number(1);
    if (!fits(work, total, grid) || grid + last_bit(head_.scale_) <= work.min_exponent - work.precision ||
        !(total * scaled_up <= Number(work.max_finite)) || !(scaled_up <= Number(work.max_finite)))
      throw Rejected("scores are not exact at this length");
  }

  const HeadCheck& head_;
  const bool by_power_;
  ExactScores result_;
  Number total_, of_position_;  ///< sizes of products, before scaling
  std::optional<long> grid_;
  Number digit_[3];
  bool seen_[3] = {false, false, false};
};

ExactScores HeadCheck::exact_scores() const { return ScoreReader(*this).read(); }

}  // namespace quench::check
