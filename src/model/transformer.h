// The transformer itself, as plain data: what the compiler emits, the model file stores and the executors run.
// Weights alone mean something: nothing here refers to formulas or to the compiler's IR.
//
//   x_i = WE(w_i) + PE_n(i)                                     d = width coordinates; coordinate "1" is constantly 1
//   per layer:  h_i += Σ_heads W_O · Σ_j α_ij W_V h_j,   α_i* = weighting(q_i · k_j / (√d_k · τ(i,n))),  j visible
//               h_i += W_2 · ReLU(W_1 h_i + b_1) + b_2
//   output:     coordinate `output.coordinate` of h_i after the last layer
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/attention_kind.h"
#include "base/head_claim.h"
#include "base/number/matrix.h"
#include "base/position_formula.h"
#include "base/word.h"
#include "model/claimed.h"

namespace quench::model {

/// What the compiler says of a head: its pattern, and the lemma its sharpness rests on. Proofs begin from it and bear
/// it out from the weights; no executor looks at it.
struct HeadClaim {
  Claimed<HeadStructure> structure;
  Claimed<Lemma> lemma;
  double gamma = 0;  ///< the lemma's γ, 0 for uniform heads and sinks; what it bounds: docs/model-format.md
  friend bool operator==(const HeadClaim&, const HeadClaim&) = default;
};

struct Head {
  std::string name;
  Mask mask = Mask::none;
  Temperature temperature = Temperature::one;
  Weighting weighting = Weighting::soft;
  Weighting intended = Weighting::soft;  ///< what `--weighting hard` switches to; `soft` means: stays soft
  HeadClaim claim;
  SparseMatrix q, k;  ///< d_k × d, d_k ≥ 1 (a uniform head has zero rows, not none)
  SparseMatrix v;     ///< d_v × d, d_v ≥ 1
  SparseMatrix o;     ///< d × d_v
  friend bool operator==(const Head&, const Head&) = default;
};

struct FeedForward {
  SparseMatrix w1;         ///< m × d
  std::vector<double> b1;  ///< m
  SparseMatrix w2;         ///< d × m
  std::vector<double> b2;  ///< d
  friend bool operator==(const FeedForward&, const FeedForward&) = default;
};

struct Layer {
  std::vector<Head> heads;
  FeedForward ffn;
  friend bool operator==(const Layer&, const Layer&) = default;
};

/// A name for what a residual coordinate holds, from after sublayer `from` up to and including after sublayer `to`.
/// Sublayer 0 is the embedding, 2l−1 the attention and 2l the feed-forward of layer l. Coordinates are reused, so one
/// coordinate may have several tenants, one after the other.
struct Tenant {
  std::uint32_t coordinate = 0;
  std::string name;
  int from = 0, to = 0;
  bool boolean = false;             ///< exactly 0 or 1
  std::optional<double> low, high;  ///< proven range, if bounded
  friend bool operator==(const Tenant&, const Tenant&) = default;
};

struct PositionEncoding {
  std::uint32_t coordinate = 0;
  PositionFormula formula;
  friend bool operator==(const PositionEncoding&, const PositionEncoding&) = default;
};

/// How answers are read off the residual stream.
#define QUENCH_OUTPUT_KINDS(X)                                                                      \
  X(boolean, "boolean") /* the coordinate itself */                                                 \
  X(integer, "integer") /* n times the coordinate, rounded */                                       \
  X(string, "string")   /* the case whose coordinate is 1 (none: a symbol that no rule mentions) */ \
  X(scores, "scores")   /* every case's coordinate, as it is */                                     \
  X(whole, "whole")     /* the coordinate, rounded: of a model that computes with whole numbers */  \
  X(ratios, "ratios")   /* scores of such a model: every case's coordinate over `coordinate` */
QUENCH_NAMED_ENUM(OutputKind, QUENCH_OUTPUT_KINDS)

/// Whether answers are read off the coordinates of cases.
bool has_cases(OutputKind kind);
/// Whether the coordinates that answers are read off stand for truth values.
bool reads_truth_values(OutputKind kind);

struct Output {
  /// A coordinate that is 1 where these symbols are put out; of kind `scores`, the score of a symbol;
  /// of kind `ratios`, a score's numerator, and `coordinate` is the denominator of all.
  struct Case {
    std::uint32_t coordinate = 0;
    std::vector<std::string> symbols;
    friend bool operator==(const Case&, const Case&) = default;
  };
  OutputKind kind = OutputKind::boolean;
  std::uint32_t coordinate = 0;
  std::vector<Case> cases;  ///< of kinds that have them
  friend bool operator==(const Output&, const Output&) = default;
};

struct Transformer {
  Alphabet alphabet;
  std::size_t width = 0;
  SparseMatrix embedding;  ///< (symbols + 1) × d; the last row is every symbol the alphabet does not mention
  std::vector<PositionEncoding> position_encodings;
  std::vector<Layer> layers;
  Output output;
  std::vector<Tenant> tenants;

  // Where it comes from; none of it changes what the model computes.
  std::string source, recipe, logic;

  /// One JSON object (docs/certificates.md), or empty. Bound to the rest by model::fingerprint; not checked here.
  std::string certificate;

  std::size_t head_count() const;
  /// Entries of all dense tensors: embedding, projections, feed-forwards with biases.
  std::size_t parameter_count() const;
  /// "τ-SMAT", "SMAT", "UHAT", "AHAT" or "mixed": Definition 4.
  std::string kind() const;

  /// Equal in every field (an Alphabet is its list of symbols).
  friend bool operator==(const Transformer& a, const Transformer& b);
};

/// Checks shapes, finiteness of the weights and index ranges; throws IoError naming the first thing that is wrong.
void validate(const Transformer& transformer);

}  // namespace quench::model
