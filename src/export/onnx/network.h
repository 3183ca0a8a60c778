// A whole model as one ONNX file of plain operators, opset 17: every mask, weighting, temperature and encoding, batches
// of words of one length, of any length.
//
//   input_ids  int64 (batch × n)          numbers of symbols; the last number stands for every other symbol
//   values     real  (batch × n × cases)  the coordinates that answers are read off
//   answers    int64 (batch × n)          what `quench run` says: 0 or 1, the number, or the number of the case, −1 for
//                                         none; of models that put out scores (batch × n × cases), in millionths
#pragma once

#include <string>

#include "model/file/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

/// The file. `type` is that of weights and activations, F32 or F64.
std::string onnx(const model::Transformer& model, model::TensorType type);

}  // namespace quench::exports
