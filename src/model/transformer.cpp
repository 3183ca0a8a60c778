#include "model/transformer.h"

#include <algorithm>
#include <tuple>

#include "base/tied_keys.h"

namespace quench::model {

namespace {

std::size_t entries(const SparseMatrix& matrix) { return matrix.rows.size() * matrix.cols; }

template <class Test>
bool all_heads(const Transformer& transformer, Test test) {
  return std::all_of(transformer.layers.begin(), transformer.layers.end(),
                     [&](const Layer& layer) { return std::all_of(layer.heads.begin(), layer.heads.end(), test); });
}

}  // namespace

bool has_cases(OutputKind kind) {
  switch (kind) {
    case OutputKind::boolean:
    case OutputKind::integer:
    case OutputKind::whole:
      return false;
    case OutputKind::string:
    case OutputKind::scores:
    case OutputKind::ratios:
      return true;
  }
  return false;
}

bool reads_truth_values(OutputKind kind) {
  switch (kind) {
    case OutputKind::boolean:
    case OutputKind::string:
      return true;
    case OutputKind::integer:
    case OutputKind::whole:
    case OutputKind::scores:
    case OutputKind::ratios:
      return false;
  }
  return false;
}

std::size_t Transformer::head_count() const {
  std::size_t count = 0;
  for (const Layer& layer : layers) count += layer.heads.size();
  return count;
}

std::size_t Transformer::parameter_count() const {
  std::size_t count = entries(embedding);
  for (const Layer& layer : layers) {
    for (const Head& head : layer.heads) count += entries(head.q) + entries(head.k) + entries(head.v) + entries(head.o);
    count += entries(layer.ffn.w1) + layer.ffn.b1.size() + entries(layer.ffn.w2) + layer.ffn.b2.size();
  }
  return count;
}

std::string Transformer::kind() const {
  const auto soft = [](const Head& head) { return head.weighting == Weighting::soft; };
  const auto average_hard = [](const Head& head) { return head.weighting == Weighting::ahardmax; };
  const auto unique_hard = [](const Head& head) { return takes_one_key(head.weighting); };
  const auto unscaled = [](const Head& head) { return head.temperature == Temperature::one; };
  // A model without heads uses no weighting function at all: the weakest class will do.
  if (all_heads(*this, soft)) return all_heads(*this, unscaled) ? "SMAT" : "τ-SMAT";
  if (all_heads(*this, unique_hard)) return "UHAT";
  if (all_heads(*this, average_hard)) return "AHAT";
  return "mixed";
}

bool operator==(const Transformer& a, const Transformer& b) {
  const auto fields = [](const Transformer& t) {
    return std::tie(t.alphabet.symbols(), t.width, t.embedding, t.position_encodings, t.layers, t.output, t.tenants,
                    t.source, t.recipe, t.logic, t.certificate);
  };
  return fields(a) == fields(b);
}

}  // namespace quench::model
