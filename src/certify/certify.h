// How long a word may be: for a compiled model and a number format, a length N such that on every word of length at
// most N the floating-point network gives, at every position, the Boolean that the ideal network gives (exact
// arithmetic, every head attending as its lemma intends). Works from the weights; claims and names are only hints to be
// confirmed. docs/certificates.md says what is promised.
//
// The proof of a length N covers all n ≤ N at once: every bound in it is a bound over 1 ≤ i ≤ n ≤ N. So the search for
// the largest N needs no monotonicity to be sound; monotonicity only makes what it finds the largest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/number_format.h"
#include "model/certificate.h"
#include "model/folder_certificate.h"
#include "model/transformer.h"

namespace quench::certify {

using model::Finding;
using model::HeadLine;
using model::kLongest;
using model::Summation;

/// The two roundings of a number format; free, so that narrow mantissas can be studied.
struct Arithmetic {
  FloatFormat storage, compute;
  static Arithmetic of(NumberFormat format) { return {storage_format(format), compute_format(format)}; }
};

/// Layer normalisation that pins make the identity, to rounding: D coordinates, among them P pairs of +C and −C
/// ([Q-pins] in docs/theory-pins.md).
struct LayerNorm {
  double width = 0, pairs = 0, constant = 0;
  model::Moments moments = model::Moments::any;
};

/// Whether a model's proof is about whole numbers and nothing rounds; then layer normalisation has to be the identity.
bool computes_whole_numbers(const model::Transformer& model);

/// The largest length found, up to `longest`; with `layer_norm` every sublayer and the output read the residual stream
/// through it.
Finding certify(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation,
                std::uint64_t longest = kLongest, const LayerNorm* layer_norm = nullptr);

/// Whether one length is certified.
bool holds(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation, std::uint64_t length);

/// What stops the proof of one length: `limiting_head` and `reason`. Both are empty if nothing does.
Finding obstacle(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation,
                 std::uint64_t length, const LayerNorm* layer_norm = nullptr);

}  // namespace quench::certify
