#include "model/summary.h"

#include <algorithm>

namespace quench::model {
namespace {

std::size_t nonzeros(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](double x) { return x != 0; }));
}

bool uniform_or_tieless(HeadStructure structure) {
  switch (structure) {
    case HeadStructure::uniform:
    case HeadStructure::tie_break:
    case HeadStructure::previous:
    case HeadStructure::lookup:
    case HeadStructure::address:
    case HeadStructure::match:
      return true;
    case HeadStructure::none:
    case HeadStructure::any:
    case HeadStructure::sign:
    case HeadStructure::sink:
    case HeadStructure::dyadic:
    case HeadStructure::other:
      return false;
  }
  return false;
}

}  // namespace

Summary summary(const Transformer& model) {
  Summary result;
  result.layers = model.layers.size();
  result.heads = model.head_count();
  result.width = model.width;
  result.parameters = model.parameter_count();
  result.nonzero_parameters = model.embedding.nonzeros();
  for (const Layer& layer : model.layers) {
    const FeedForward& ffn = layer.ffn;
    result.hidden_units += ffn.b1.size();
    result.nonzero_parameters += ffn.w1.nonzeros() + ffn.w2.nonzeros() + nonzeros(ffn.b1) + nonzeros(ffn.b2);
    for (const Head& head : layer.heads) {
      result.nonzero_parameters += head.q.nonzeros() + head.k.nonzeros() + head.v.nonzeros() + head.o.nonzeros();
      result.temperatures.emplace_back(to_string(head.temperature));
      result.masks.emplace_back(to_string(head.mask));
      if (!uniform_or_tieless(head.claim.structure.value())) result.uniform_tieless = false;
    }
  }
  for (const PositionEncoding& encoding : model.position_encodings)
    result.position_encodings.push_back(to_string(encoding.formula));
  return result;
}

}  // namespace quench::model
