// The kinds of heads the certifier recognises, one function each. A function either proves the head's result or throws
// NotProved; which one is tried is decided by the head's claim, which the weights then have to bear out.
//
// To add a kind: one function here, one line in attend.cpp.
#pragma once

#include "bounds/attention.h"
#include "certify/proof.h"

namespace quench::certify {

/// A head as the format sees it: weights rounded to storage, empty score components dropped.
/// Scores of positions next to each other differ by this at least, so that the weights behind the nearest position sum
/// to less than its own: it exceeds ln 2.
constexpr double kLeastGap = 0.75;

struct StoredHead {
  const model::Head& head;
  int number;  ///< counted through all layers
  struct Component {
    SparseMatrix::Row q, k;
  };
  std::vector<Component> components;
  double score_scale = 1;  ///< 1/√d_k, a power of two
};

/// What is proved about a head: a line of the certificate and its results, one per row of W_V.
struct HeadProof {
  HeadLine line;
  std::vector<Value> results;
};

HeadProof prove_uniform(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_tie_break(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_lookup(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_previous(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_nearest(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_any(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_sign(const Setting& setting, const State& state, const StoredHead& head);
HeadProof prove_sink(const Setting& setting, const State& state, const StoredHead& head);

/// Bit c: at positions of class c the head sees that position alone.
unsigned alone_classes(Mask mask);

/// `exact-count` allows sums in a format of at least twice the precision, rounded once: what such a sum over positions
/// can be off by, relative to the sum of magnitudes, before it is rounded.
Upper wide_sum_error(const Setting& setting);

bounds::HeadArithmetic head_arithmetic(const Setting& setting);

/// Throws if the head claims another lemma than the one that its weights bear out.
void require_lemma(const StoredHead& head, Lemma lemma);

/// The value row l of W_V, stored; its ideal values are whole numbers, its error is usually 0 and always small.
Value whole_value(const Setting& setting, const State& state, const StoredHead& head, std::size_t l);

/// The result of retrieving one of the Booleans `value` with the given error before storing.
Value retrieved_boolean(const Setting& setting, const Value& value, const Upper& error, const StoredHead& head);

/// The result of retrieving one of the whole numbers `value` (of either sign) from a key of weight 1 with at most
/// `mass` beside it; `ideal` is what is meant. Exact where the head sees one position.
Value retrieved_whole(const Setting& setting, const Value& value, std::array<Set, kClasses> ideal, const Upper& mass,
                      const StoredHead& head);

/// `error`, then the division rounded to compute and to storage, at the magnitude of the result. Where the result
/// stands for a whole number, one nearer to it than half the spacing below 1 is stored as that number, or, if that is
/// 0, stays as near.
Upper stored_error(const Setting& setting, const Upper& error, double magnitude, bool whole = false);

}  // namespace quench::certify
