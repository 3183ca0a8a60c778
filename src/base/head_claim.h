// What a head can claim to be, as plain data: the pattern of its scores, and the lemma that its sharpness rests on. The
// names are those of model files and certificates; the lemmas are proved under these names in docs/theory.md,
// docs/theory-tight.md and docs/theory-exact.md.
//
// `none` claims nothing. `other` is a name in a file that this version does not know: it is kept as it is written
// (model/claimed.h), and nothing is proved of it.
#pragma once

#include "base/named_enum.h"

namespace quench {

#define QUENCH_HEAD_STRUCTURES(X)                                                            \
  X(none, "")                                                                                \
  X(uniform, "uniform")     /* a mean over the visible keys */                               \
  X(tie_break, "tie-break") /* the nearest of the keys with the greatest score */            \
  X(previous, "previous")   /* the neighbour */                                              \
  X(any, "any")             /* all keys where something holds, if there are any */           \
  X(sign, "sign")           /* the keys of one parity, by the sign of a number */            \
  X(sink, "sink")           /* a mean with more weight on one key; it is meant to be soft */ \
  X(lookup, "lookup")       /* the key at a computed position */                             \
  X(address, "address")     /* the key whose bits are those asked for */                     \
  X(dyadic, "dyadic")       /* all keys of a block of 2^t, or one key that is worth 0 */     \
  X(match, "match")         /* the nearest of the keys that fit best */                      \
  X(other, "?")
QUENCH_NAMED_ENUM(HeadStructure, QUENCH_HEAD_STRUCTURES)

#define QUENCH_LEMMAS(X)        \
  X(none, "")                   \
  X(p_l7, "P-L7")               \
  X(p_l8a, "P-L8a")             \
  X(p_l8b, "P-L8b")             \
  X(p_l8c, "P-L8c")             \
  X(q_prev, "Q-prev")           \
  X(q_prev_lin, "Q-prev-lin")   \
  X(q_dyadic, "Q-dyadic")       \
  X(q_since_lin, "Q-since-lin") \
  X(q_any, "Q-any")             \
  X(q_sign, "Q-sign")           \
  X(q_sign_lin, "Q-sign-lin")   \
  X(q_sink, "Q-sink")           \
  X(q_srasp, "Q-srasp")         \
  X(q_address, "Q-address")     \
  X(q_count, "Q-count")         \
  X(q_match, "Q-match")         \
  X(q_theta, "Q-theta")         \
  X(other, "?")
QUENCH_NAMED_ENUM(Lemma, QUENCH_LEMMAS)

/// Whether it is one of the paper's lemmas, not one of ours.
constexpr bool is_of_the_paper(Lemma lemma) {
  switch (lemma) {
    case Lemma::p_l7:
    case Lemma::p_l8a:
    case Lemma::p_l8b:
    case Lemma::p_l8c:
      return true;
    case Lemma::none:
    case Lemma::q_prev:
    case Lemma::q_prev_lin:
    case Lemma::q_dyadic:
    case Lemma::q_since_lin:
    case Lemma::q_any:
    case Lemma::q_sign:
    case Lemma::q_sign_lin:
    case Lemma::q_sink:
    case Lemma::q_srasp:
    case Lemma::q_address:
    case Lemma::q_count:
    case Lemma::q_match:
    case Lemma::q_theta:
    case Lemma::other:
      return false;
  }
  return false;
}

}  // namespace quench
