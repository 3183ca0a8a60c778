// Layer normalisation made the identity, to rounding, by coordinates that hold no data.
//
// LayerNorm takes x to g·(x − μ)/√(σ² + ε), μ and σ² being mean and variance over the D coordinates. Three kinds of
// coordinates are added to the d of the model, and D is a power of two:
//
//   pins     P pairs +C and −C, P = 1 or 2 such that 2PC²/D is a power of four. Their sum is 0, and with data x of norm
//            ‖x‖ the variance is (2PC² + ‖x‖²)/D, 4^m = 2PC²/D but for a factor of at most 1 + (‖x‖/C)²/2P. The gain
//            g = 2^m undoes the division exactly. C is a power of two. The greater it is, the less the data weigh in
//            the variance, and the coarser the mean is rounded. C ≥ 2^12.5·‖x‖ makes the data vanish in the variance
//            and keeps sums of whole numbers exact while PC + Σ|x| ≤ 2²⁴: then nothing rounds at all, and models of
//            whole numbers get it if that is so. All others get C ≥ 2^10·‖x‖, near the best for certified lengths
//            ([Q-pins]).
//   balance  minus the sum of the data: what writes to the residual stream (embeddings, W_O, W_2, b_2) writes minus the
//            sum of its column there. So the exact mean is 0, and what is computed as μ is rounding only.
//   ground   0 for ever. Rounding of sums with C in them may leave a mean μ that is not small beside the data; every
//            reader (W_Q, W_K, W_V, W_1, the classifier) has minus the sum of its row as its weight on ground, where
//            LayerNorm has put −g·μ/2^m too, so the shift cancels: Σ w_c (x_c − μ) − (Σ w_c)(0 − μ) = Σ w_c x_c.
//
// ‖x‖ is bounded over all words up to the context by the ranges of the coordinates (export/ranges.h).
#pragma once

#include <vector>

#include "export/stock_decoder.h"

namespace quench::exports {

struct Pins {
  std::size_t width = 0;  ///< D
  std::size_t pairs = 0;  ///< P
  double constant = 0;    ///< C
  double gain = 1;        ///< of every LayerNorm
};

/// The shape in which heads fill the width, D = heads · d_head, with room for pins, balance and ground.
StockShape shape_with_pins(StockShape least);

/// Fills the free coordinates of a decoder of such a shape. `magnitudes` bounds the model's own coordinates; `whole`:
/// they hold whole numbers. Throws UserError if they are too great.
Pins add_pins(StockDecoder& decoder, const std::vector<double>& magnitudes, bool whole);

}  // namespace quench::exports
