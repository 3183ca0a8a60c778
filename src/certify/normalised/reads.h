// The residual stream as the sublayers of a stock decoder see it: through layer normalisation. Every read widens what
// is known of a coordinate by what normalising, the weight on ground and the reader's sum cost; nothing is exact any
// more.
//
// A reader Σ w_c x_c of k coordinates has k + 1 products. By layer_norm.h it sees (1+η)Σ w_c x_c up to 3uΣ|w_c|(|x_c| +
// 2T), T also for the weight on ground, and its sum rounds, in any order, by at most (k+2)u times the sum of
// magnitudes. So it is as if each coordinate were off by η|x_c| + (k+6)u(|x_c| + 2T). Of this η|x_c| is the same for
// all readers; the rest is not, nor is what a bias adds to the magnitudes: (k+3)u|b|. Two units of a ramp are two
// readers.
//
// The drift of a position is the sum of its data, which is 0 but for rounding: what is written sums to 0. A sublayer
// with at most m terms to a coordinate adds at most (m+3)u times the sum of magnitudes of all terms, twice for the
// balance, and adding the results rounds again.
#pragma once

#include <cstddef>

#include "certify/normalised/layer_norm.h"
#include "certify/proof.h"

namespace quench::certify {

/// How far two readers with these weights can be apart, the bias of the one included.
Upper reader_noise(const State& read, const SparseMatrix::Row& row, double bias, const Upper& u);

class NormalisedReads {
 public:
  NormalisedReads(const Setting& setting, const State& embedded);

  State before_attention(const State& state, const model::Layer& layer);
  State before_feed_forward(const State& state, const model::FeedForward& ffn);
  /// With the constant that thresholds are weights on as one more coordinate.
  State before_output(const State& state);
  void attended(const State& state, const model::Layer& layer);
  void fed_forward(const State& state, const State& read, const model::FeedForward& ffn);

  /// Answers are the labels with the greatest logits, s(y − ½) with s up to 20 + 2(cases − 1), two steps of 1 apart.
  void require_certain_labels(const State& read) const;

 private:
  State through(const State& state, std::size_t widest_row);
  DataSize size_of(const State& state) const;

  const Setting& setting_;
  Upper u_, drift_;
};

}  // namespace quench::certify
