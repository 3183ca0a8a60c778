// Lookup heads [P-L7]: with r = κ/m, ρ = 1/m (m the number of counted positions), o ∈ {0, 1} and t = κ + o,
//   score_j = w(r + oρ)·2aj − wρ·aj²   times 1/√d_k and T,  which is  G·(t² − (t−j)²),   G = scale·T/m,  scale = wa/√d_k.
// T is 1/τ, or the factor n inside the keys. T ≥ m, so G ≥ scale. The intended key j* is t, or the visible position
// nearest to it (t = 0: position 1; t = m+1 where only m are visible: m); d positions from j* the score is lower by at
// least G·d².
//
// Errors. r, ρ, queries, keys, products, sum and scaling carry relative errors, together (1+ε); r and ρ are not
// negative, so each score is off by at most ε·G(2tj + j²). With L = m+1 ≥ t, j* and j = j* ± d, the errors at j and j*
// together are at most ε·G(6L² + 4Ld + d²). Since L²/m ≤ m + 3, the computed score at distance d is lower by at least
//   G·d²(1 − ε − 4εL) − W  ≥  scale·d²(1 − ε − 4ε(N+1)) − W,     W = 6ε·scale·max T(m+3).
#include <cmath>

#include "certify/heads.h"

namespace quench::certify {
namespace {

struct Shape {
  Meaning mean = Meaning::other, reciprocal = Meaning::other;
  double scale = 0;
  double most = 0;  ///< max T(m+3), rounded up
  const Value *r = nullptr, *rho = nullptr, *linear = nullptr, *square = nullptr;
  bool offset = false;
};

class LookupProof {
 public:
  LookupProof(const Setting& setting, const State& state, const StoredHead& head)
      : setting_(setting), state_(state), head_(head), n_(setting.length) {}

  HeadProof run() {
    recognise();
    const bounds::LookupFall fall = fall_off();
    const bounds::HeadArithmetic arithmetic = head_arithmetic(setting_);
    const Upper mass = bounds::lookup_mass(fall, arithmetic);
    if (!mass.is_finite()) fail("the scores of a lookup are not apart");
    HeadProof proof;
    proof.line = {{}, "P-L7", shape_.scale, (Upper(0.5) * fall.excess).to_double(), 0};
    for (std::size_t l = 0; l < head_.head.v.rows.size(); ++l) {
      const SparseMatrix::Row& row = head_.head.v.rows[l];
      const bool index = row.size() == 1 && row[0].value == 1 && state_[row[0].column].meaning == Meaning::index;
      proof.results.push_back(index ? retrieved_index(state_[row[0].column], bounds::index_result_error(fall, arithmetic))
                                    : retrieved_boolean(setting_, exact_value(setting_, state_, head_, l),
                                                        bounds::boolean_result_error(mass, arithmetic), head_));
      proof.line.bound = std::fmax(proof.line.bound, proof.results.back().error.to_double());
    }
    return proof;
  }

 private:
  [[noreturn]] void fail(const char* why) const { throw NotProved(why, head_.number); }

  const Value* only(const SparseMatrix::Row& row, Meaning meaning) const {
    return row.size() == 1 && state_[row[0].column].meaning == meaning ? &state_[row[0].column] : nullptr;
  }

  void recognise() {
    if (head_.head.claim.lemma != "P-L7") fail("claims a lemma that is not a lookup's");
    if (head_.components.size() != 2) fail("a lookup without its two products");
    const SparseMatrix::Row &q0 = head_.components[0].q, &k0 = head_.components[0].k;
    const SparseMatrix::Row &q1 = head_.components[1].q, &k1 = head_.components[1].k;
    const bool in_keys = head_.head.temperature == Temperature::one;
    shape_.linear = only(k0, in_keys ? Meaning::index_length : Meaning::index);
    shape_.square = only(k1, in_keys ? Meaning::index_sq_length : Meaning::index_sq);
    if (!shape_.linear || !shape_.square || !(k0[0].value == -2 * k1[0].value) || !(k0[0].value > 0))
      fail("the keys of a lookup are not 2j and −j²");
    if (q1.size() != 1) fail("the second query of a lookup is not a reciprocal");
    shape_.rho = &state_[q1[0].column];
    shape_.reciprocal = shape_.rho->meaning;
    for (const SparseMatrix::Entry& entry : q0) {
      const Meaning meaning = state_[entry.column].meaning;
      if (entry.value != q1[0].value) fail("the queries of a lookup are scaled differently");
      if (meaning == shape_.reciprocal && !shape_.offset) shape_.offset = true;
      else if (!shape_.r) shape_.r = &state_[entry.column], shape_.mean = meaning;
      else fail("the first query of a lookup is not a mean");
    }
    if (!shape_.r || !(q1[0].value > 0)) fail("the first query of a lookup is not a mean");
    const bool left = shape_.mean == Meaning::mean_left && shape_.reciprocal == Meaning::inverse_index;
    const bool wide = (shape_.mean == Meaning::mean_right && shape_.reciprocal == Meaning::inverse_remaining) ||
                      (shape_.mean == Meaning::mean_all && shape_.reciprocal == Meaning::inverse_length);
    check_temperature(left, wide);
    shape_.scale = q1[0].value * head_.score_scale * -k1[0].value;
    if (!(shape_.scale >= 1)) fail("a lookup that is not sharp");
  }

  /// m = i under the future mask: T may be n, i or i². Otherwise m is only known to be at most n, and T must be n.
  void check_temperature(bool left, bool wide) {
    const Temperature tau = head_.head.temperature;
    const bool by_n = tau == Temperature::inverse_n || tau == Temperature::one;
    const bool right = left ? head_.head.mask == Mask::future : wide && head_.head.mask == Mask::none && by_n;
    if (!right) fail("mean, reciprocal, mask and temperature of a lookup do not belong together");
    const Upper n(n_), t = tau == Temperature::inverse_i_sq ? n * n : n;
    shape_.most = (t * Upper(n_ + 3)).to_double();
  }

  /// ε, as a product of factors.
  Upper relative_error() const {
    const FloatFormat &compute = setting_.arithmetic.compute, &storage = setting_.arithmetic.storage;
    const Upper one(1), c = one + bounds::unit_roundoff(compute);
    const Upper s = setting_.stores_narrower() ? one + bounds::unit_roundoff(storage) : one;
    Upper query = (one + bounds::max(shape_.r->relative, shape_.rho->relative)) * c * s;
    if (shape_.offset) query *= c;
    const Upper key = one + bounds::max(shape_.linear->relative, shape_.square->relative);
    Upper total = query * key * c * c;  // product, sum of the two products
    if (head_.head.temperature != Temperature::one) {
      const Upper n(n_), factor = head_.head.temperature == Temperature::inverse_i_sq ? n * n : n;
      total *= representable(compute, factor, 0) ? c : c * c;
    }
    arf_sub_ui(total.get(), total.get(), 1, 64, ARF_RND_UP);
    return total;
  }

  bounds::LookupFall fall_off() const {
    check_range();
    const Upper epsilon = relative_error();
    return {shape_.scale, epsilon * (Upper(1) + Upper(4) * Upper(n_ + 1)),
            Upper(6) * epsilon * Upper(shape_.scale) * Upper(shape_.most)};
  }

  /// Nothing overflows, and no query falls below the normal range.
  void check_range() const {
    const double w = head_.components[1].q[0].value, a = -head_.components[1].k[0].value;
    const FloatFormat &storage = setting_.arithmetic.storage, &compute = setting_.arithmetic.compute;
    const Upper key = Upper(2 * a) * Upper(magnitude(shape_.square->all()));
    const Upper product = Upper(3 * w) * key;
    const Upper n(n_), factor = head_.head.temperature == Temperature::inverse_i_sq ? n * n : n;
    if (Upper(storage.max_finite) < key || Upper(compute.max_finite) < product * factor)
      fail("the scores of a lookup overflow");
    if (!(bounds::power_of_two(storage.min_exponent) * Upper(2 * n_) <= Upper(w))) fail("the queries of a lookup underflow");
  }

  Value retrieved_index(const Value& index, const Upper& error) const {
    Value result;
    for (Set& set : result.ideal) set = Set::integers(1, n_);
    result.error = stored_error(setting_, error + index.error, n_);
    result.origin = head_.number;
    if (!result.error.is_finite()) fail("the scores of a lookup are not apart");
    return result;
  }

  const Setting& setting_;
  const State& state_;
  const StoredHead& head_;
  double n_;
  Shape shape_;
};

}  // namespace

HeadProof prove_lookup(const Setting& setting, const State& state, const StoredHead& head) {
  return LookupProof(setting, state, head).run();
}

}  // namespace quench::certify
