// How answers are read off the last residual stream, as other tools read it: one logit per label, an affine function of
// the coordinates, and the label with the greatest logit is the answer.
//
//   boolean   labels no, yes: ∓s·(y − ½), so that yes wins exactly where y > ½
//   string    one label per case, s·(y_c − ½), and one for none of them, 0
//   scores    one label per case, y_c as it is
//   ratios    the same over the denominator, if that is the same at every position of every word (scores of decimals)
//
// s = 20, so that a softmax over the logits of an exact answer gives 1 − 2·10⁻⁹ and not the 0.73 that s = 1 would give;
// and 2 more for every case that comes after, since of several that hold the first is the answer.
// An answer that is a number has no finite set of labels: where labels are needed it is refused.
#pragma once

#include <string>
#include <vector>

#include "base/number/matrix.h"
#include "model/transformer.h"

namespace quench::exports {

struct Readout {
  std::vector<std::string> labels;
  Matrix weight;  ///< labels × d
  std::vector<double> bias;
};

/// Throws UserError for models that put out numbers.
Readout readout_of(const model::Transformer& model);

/// Whether labels are symbols with scores, which the causal head reads as they are.
bool has_scores(const model::Output& output);

/// The names of the cases, as they are put out.
std::vector<std::string> case_names(const model::Transformer& model);

}  // namespace quench::exports
