// Models of whole numbers behind layer normalisation that is not the identity to the last bit: ideally everything is as
// the proof in whole numbers says (whole/), and this is how far what is computed can be from it.
//
// Heads. Ideal scores of two keys are equal or at least U apart; computed ones are off by E. Where one key wins, the
// others weigh at most n·e^{−(U−2E)} beside it. Where 2^s tie ([Q-count]), each of them weighs 2^−s up to a factor
// e^{±2E}, so their mean is off by at most V(e^{2E} − 1) besides: that ends lengths soon.
// Hidden units of one row of W_1 are a function of one sum, whose slopes are the partial sums of their weights in the
// order of their thresholds: errors pass times the greatest of these, but for what differs between readers.
#pragma once

#include "certify/normalised/reads.h"
#include "certify/whole/whole.h"

namespace quench::certify {

class WholeErrors {
 public:
  WholeErrors(const Setting& setting, const Wholes& embedded);

  /// `before` and `after` are the ideal states around the sublayer, `lines` those of its heads.
  void attended(const Wholes& before, const Wholes& after, const model::Layer& layer, const HeadLine* lines,
                int first_head);
  void fed_forward(const Wholes& before, const Wholes& after, const model::FeedForward& ffn);
  void require_outputs();

 private:
  Upper read_error(const State& read, const SparseMatrix::Row& row) const;
  Upper score_error(const State& read, const Wholes& state, const model::Head& head) const;
  void take_ideal(const Wholes& state);

  const Setting& setting_;
  State stored_;
  NormalisedReads reads_;
  Upper u_;
};

}  // namespace quench::certify
