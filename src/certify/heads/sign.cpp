// [Q-sign], [Q-sign-lin]: the query is λ·r times 1/√d_k, r = (D + ½)/m affine in fractions over the same m (means,
// sinks, 1/m): Σ w_k·S_k/m with weights that are whole multiples of λ for the means, and an odd multiple of λ/2 for
// 1/m. So D is whole and R = |D + ½| ≥ ½, whatever the S_k are.
//
// Error of the query, times m/λ: every S_k/m is off by relative_k·|S_k|/m + additive_k; products by weights that are
// not powers of two and sums round once each. A single mean: |S| ≤ R + |c + ½|, so that error is relative to R and to
// |c+½| ≤ 2|c+½|·R: it does not grow with m. Several: |S_k| ≤ slope_k·(positions on its side) + edge_k, where the
// positions left and right of i share n; what summing may cost is a share of the same bound. Together at most ηR; η < 1
// is needed. So the computed r has the right sign and |r|·m ≥ R(1−η) ≥ (1−η)/2.
//
// [Q-sign] keys (−1)^j, times 1/τ = N ≥ m: two exact levels, apart by 2λN|r| ≥ λ(1−η) =: g. The other parity has at
// most twice as many positions (M ≥ 2 visible), of weight e^{−g} each. [Q-sign-lin] keys j(−1)^j: with a = λ|r|, A = aM
// ≥ λ(1−η)/2 =: γ. docs/theory-tight.md gives wrong/right ≤ e^{−A}(1 + e^{−2A/3}) for exact scores. Each product is
// rounded (relative u), each difference to the maximum too: for A ≤ 128 exponents move by at most 5uA, so the ratio by
// e^{10u·128} and the exps. For A > 128 every wrong position is behind by at least A(1−5u), so the ratio is at most
// M·e^{−A(1−5u)}. Under layer normalisation keys are off by κ relative to themselves, and 5u is 5u + 2κ. Sums: bounds/tied.h. Where M = 1 the head sees position 1, which is odd, and returns exactly 0.
#include <cmath>
#include <optional>

#include "bounds/ball.h"
#include "bounds/tied.h"
#include "certify/heads/linear_score.h"

namespace quench::certify {
namespace {

using bounds::Ball;
using Over = Fraction::Over;
using Side = Fraction::Side;

class SignProof {
 public:
  SignProof(const Setting& setting, const State& state, const StoredHead& head)
      : setting_(setting), state_(state), head_(head), n_(setting.length) {}

  HeadProof run() {
    recognise();
    const Upper eta = query_error();
    if (!(eta < Upper(0.9375))) fail("the sign of a comparison is not certain");
    const bool linear = head_.head.temperature == Temperature::one;
    const Ball one(1), gap = Ball(lambda_) * (one - Ball(eta));
    const bounds::HeadArithmetic arithmetic = head_arithmetic(setting_);
    const Upper error = linear ? linear_error(gap / Ball(2), arithmetic) : tied_error(gap, arithmetic);
    HeadProof proof;
    proof.line = {{},
                  std::string(name_of(linear ? Lemma::q_sign_lin : Lemma::q_sign)),
                  linear ? lambda_ / 2 : lambda_,
                  eta.to_double(),
                  0};
    for (std::size_t l = 0; l < head_.head.v.rows.size(); ++l) proof.results.push_back(parity_result(l, error, proof));
    return proof;
  }

 private:
  [[noreturn]] void fail(const char* why) const { throw NotProved(why, head_.number); }

  void recognise() {
    const Mask mask = head_.head.mask;
    const bool linear = head_.head.temperature == Temperature::one;
    if (!linear && head_.head.temperature != Temperature::inverse_power) fail("a temperature that signs do not have");
    if (head_.head.claim.lemma != (linear ? Lemma::q_sign_lin : Lemma::q_sign) ||
        head_.head.intended != Weighting::ahardmax)
      fail("claims a lemma that is not a sign's");
    if (head_.components.size() != 1 || head_.components[0].k.size() != 1)
      fail("the scores of a sign are not one product");
    const SparseMatrix::Entry key = head_.components[0].k[0];
    const Value& k = state_[key.column];
    if (key.value != 1 || (!k.exact() && !setting_.layer_norm) || (linear ? k.meaning != Meaning::signed_index : alternation(setting_, k) != 1))
      fail("the keys of a sign do not alternate");
    // λ is the least weight of a mean.
    double least = INFINITY;
    for (const SparseMatrix::Entry& entry : head_.components[0].q) {
      const Fraction& f = state_[entry.column].fraction;
      if (f.over == Over::none || (over_ != Over::none && f.over != over_)) fail("a sign of what is not one fraction");
      over_ = f.over;
      if (!f.reciprocal) least = std::fmin(least, std::fabs(entry.value));
    }
    // No mean: D is constant, and 1/m alone, an odd multiple of λ/2, says what λ is.
    if (!std::isfinite(least) && head_.components[0].q.size() == 1)
      least = std::ldexp(1.0, static_cast<int>(lowest_bit(head_.components[0].q[0].value)) + 1);
    if (!is_power_of_two(least)) fail("the weights of a sign are not scaled by a power of two");
    unit_ = least;
    lambda_ = least * head_.score_scale;
    if (!(lambda_ >= 2) || lambda_ > 0x1p20) fail("a sign that is not sharp");
    // M ≥ m positions are visible.
    if (!(mask == Mask::none || (mask == Mask::future && over_ == Over::index))) fail("a sign under the wrong mask");
  }

  /// η
  Upper query_error() {
    const FloatFormat &storage = setting_.arithmetic.storage, &compute = setting_.arithmetic.compute;
    const Upper u = bounds::unit_roundoff(compute), one(1), two(2);
    std::optional<double> half;  // c + ½
    int means = 0;
    Upper left, right, all, constant, additive, reciprocal, mean_relative, mean_loss;
    Upper size_left, size_right, size_all, size_constant;
    for (const SparseMatrix::Entry& entry : head_.components[0].q) {
      const Value& x = state_[entry.column];
      const double w = entry.value / unit_;
      const Upper weight(std::fabs(w));
      Upper relative = x.relative;
      Upper loss = x.fraction.loss;
      if (!is_power_of_two(w)) {
        relative = (one + relative) * (one + u), arf_sub_ui(relative.get(), relative.get(), 1, 64, ARF_RND_UP);
        loss *= one + u;
      }
      if (x.fraction.reciprocal) {
        if (half || !is_integer(w - 0.5) || (!x.additive.is_zero() && !setting_.layer_norm))
          fail("a sign that may be of 0");
        half = w;
        additive += weight * x.additive * (one + relative);
        reciprocal = relative * weight;
        size_constant += weight;
        continue;
      }
      if (!is_integer(w)) fail("a sign of what is not a whole number");
      ++means;
      additive += weight * x.additive * (one + relative);
      mean_relative = relative;
      const Upper slope = weight * Upper(x.fraction.slope), edge = weight * Upper(x.fraction.edge);
      mean_loss = (slope * Upper(n_) + edge) * loss;
      relative += loss;
      (x.fraction.side == Side::left ? left : x.fraction.side == Side::right ? right : all) += slope * relative;
      (x.fraction.side == Side::left ? size_left : x.fraction.side == Side::right ? size_right : size_all) += slope;
      constant += edge * relative;
      size_constant += edge;
    }
    if (!half) fail("a sign that may be of 0");
    const Upper n(n_), stored = setting_.stores_narrower() ? bounds::unit_roundoff(storage) : Upper();
    Upper eta;
    if (means <= 1) {
      const Upper offset(std::fabs(*half));
      eta = mean_relative * (one + two * offset) + two * (reciprocal + additive * n + mean_loss) + u;
    } else {
      const auto adds = static_cast<double>(head_.components[0].q.size() - 1);
      const Upper size = bounds::max(size_left, size_right) * (n + one) + size_all * n + size_constant;
      const Upper errors = bounds::max(left, right) * (n + one) + all * n + constant + reciprocal + additive * n;
      // Partial sums in any order: the last addition rounds relative to the result, the others to at most `size`.
      eta = two * (errors + u * Upper(adds - 1) * (size + errors)) * (one + u) + u;
    }
    eta += stored * (one + eta);
    check_range(size_left + size_right + size_all, size_constant, means <= 1 ? eta : Upper(),
                means <= 1 ? Upper() : eta);
    return eta;
  }

  /// Nothing overflows, and the least query is a normal number. |D + ½| ≤ slope·m + constant, and the query is off by
  /// at most `relative` times itself, or by `additive` in units of 1/m.
  void check_range(const Upper& slope, const Upper& constant, const Upper& relative, const Upper& additive) const {
    const FloatFormat &storage = setting_.arithmetic.storage, &compute = setting_.arithmetic.compute;
    const Upper n(n_), grown = Upper(unit_) * (Upper(1) + relative);
    const Upper most = grown * (slope + constant + additive);  // m = 1
    // Times a key j ≤ M, or after division by τ.
    const bool sees_all = head_.head.mask == Mask::future || over_ == Over::length;  // M = m
    const Upper score = head_.head.temperature != Temperature::one ? most * bounds::power_of_two(power_exponent(n_))
                        : sees_all                                 ? grown * (slope * n + constant + additive)
                                                                   : most * n;
    const Upper rounded = Upper(1) + Upper(2) * bounds::unit_roundoff(compute);
    if (Upper(storage.max_finite) < most || Upper(compute.max_finite) < score * rounded) fail("a sign overflows");
    if (!(bounds::power_of_two(std::max(storage.min_exponent, compute.min_exponent)) * Upper(8) * n <= Upper(unit_)))
      fail("a sign underflows");
  }

  Upper tied_error(const Ball& gap, const bounds::HeadArithmetic& arithmetic) const {
    const Ball one(1), u(arithmetic.u);
    const Ball each = exp(Ball(0) - gap * (one - u)) * (one + Ball(4) * u) + Ball(arithmetic.tiny);
    const Upper ratio = upper_of(Ball(2) * each);
    // All wrong weights together, however they are summed.
    const Upper total = upper_of(each) * Upper(n_) * (Upper(1) + bounds::accumulated(arithmetic.u, n_));
    const bool vanish = total < arithmetic.u;
    return bounds::tied_result_error(
        ratio, vanish ? 1 : INFINITY, arithmetic,
        setting_.summation == Summation::any ? bounds::Normalise::either : bounds::Normalise::last);
  }

  Upper linear_error(const Ball& gamma, const bounds::HeadArithmetic& arithmetic) const {
    const Ball one(1), u(arithmetic.u), exps = (one + Ball(4) * u) / (one - Ball(4) * u);
    const Upper keys = key_error();
    const Ball moved = Ball(5) * u + Ball(2) * Ball(keys);  // how far exponents move, over A
    const Ball near = exp(Ball(0) - gamma) * (one + exp(Ball(-2) * gamma / Ball(3))) * exp(Ball(256) * moved) * exps;
    const Ball far = Ball(n_) * exp(Ball(-128) * (one - moved)) * exps;
    const Upper ratio = bounds::max(upper_of(near), upper_of(far)) + Upper(n_) * arithmetic.tiny;
    return bounds::min(bounds::tied_result_error(ratio, INFINITY, arithmetic, bounds::Normalise::either),
                       bounds::falling_result_error(ratio, gamma, keys, arithmetic));
  }

  /// Of j(−1)^j, relative to it.
  Upper key_error() const {
    const Value& key = state_[head_.components[0].k[0].column];
    return setting_.layer_norm ? key.relative + key.additive : Upper();
  }

  /// Value [j is even]; the result is [D ≥ 0] where more than one position is visible.
  Value parity_result(std::size_t l, const Upper& error, HeadProof& proof) const {
    const Value v = whole_value(setting_, state_, head_, l);
    if (!v.exact() && !setting_.layer_norm) fail("a sign mixes values that are not exact");
    Value result;
    const unsigned alone = alone_classes(head_.head.mask);
    for (std::size_t c = 0; c < kClasses; ++c) {
      if (setting_.has_class(static_cast<int>(c)) && !v.ideal[c].is_point(kPositionClasses[c].even ? 1 : 0))
        fail("the values of a sign are not whether j is even");
      result.ideal[c] = (alone >> c & 1U) != 0 ? Set::point(0) : Set::integers(0, 1);
    }
    result.error = stored_error(setting_, error + Upper(2) * v.error, 1, true);
    if (v.exact()) result.exact_classes = alone;
    result.origin = head_.number;
    if (!result.error.is_finite()) fail("the sign of a comparison is not certain");
    proof.line.bound = std::fmax(proof.line.bound, result.error.to_double());
    return result;
  }

  const Setting& setting_;
  const State& state_;
  const StoredHead& head_;
  double n_;
  Over over_ = Over::none;
  double unit_ = 0, lambda_ = 0;
};

}  // namespace

HeadProof prove_sign(const Setting& setting, const State& state, const StoredHead& head) {
  return SignProof(setting, state, head).run();
}

}  // namespace quench::certify
