// The weights of a model with the heads of each layer in one tensor, padded with zeros to the widest of them, and
// turned so that activations are multiplied from the right: what quench_torch.py loads.
//
//   embed.W_E                (symbols + 1) × d
//   blocks.L.attn.W_Q, W_K   heads × d × d_k          blocks.L.attn.scale   heads: 1/√ of each head's own d_k
//   blocks.L.attn.W_V        heads × d × d_v          blocks.L.attn.W_O     heads × d_v × d
//   blocks.L.mlp.W_in, b_in, W_out, b_out             d × m, m, m × d, d
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "export/checkpoint.h"
#include "export/tensors.h"

namespace quench::exports {

/// d_k, d_v and the number of hidden units of every layer.
std::vector<std::array<std::size_t, 3>> stacked_shapes(const Tensors& tensors);

Checkpoint stacked(const Tensors& tensors, const std::string& prefix);

}  // namespace quench::exports
