// A trained network as a model file's Transformer. The temperature goes into W_Q. The readout goes into the last
// feed-forward: with o the output coordinate, r = readout − e_o and m_i the stream before that feed-forward,
//
//   ½ + logit_i = m_i[o] + ReLU(r·m_i) − ReLU(−r·m_i) + (readout W_2ᵀ)·hidden_i + readout·b_2 + bias + ½
//
// so two hidden units more and a new row o of W_2 make coordinate o hold ½ + logit: at least ½ exactly when the network
// says yes.
#pragma once

#include <span>

#include "base/word.h"
#include "model/transformer.h"
#include "train/network/parameters.h"
#include "train/options.h"

namespace quench::train {

model::Transformer to_model(const Shape& shape, const Layout& layout, std::span<const double> parameters, double tau,
                            const Alphabet& alphabet);

}  // namespace quench::train
