#include <algorithm>

#include "certify/proof.h"

namespace quench::certify {
namespace {

std::vector<std::size_t> targets(const model::Head& head) {
  std::vector<std::size_t> result(head.v.rows.size(), Prepared::kNowhere);
  std::size_t coordinate = 0;
  for (const SparseMatrix::Row& row : head.o.rows) {
    for (const auto& [l, w] : row) {
      if (w != 1 || result[l] != Prepared::kNowhere) return {};
      result[l] = coordinate;
    }
    ++coordinate;
  }
  return result;
}

/// A coordinate is 0 for every symbol whose row does not mention it.
std::vector<Interval> embedding_ranges(const model::Transformer& model) {
  std::vector<Interval> ranges(model.width);
  std::vector<std::size_t> mentions(model.width);
  for (const SparseMatrix::Row& row : model.embedding.rows)
    for (const auto& [column, value] : row)
      ranges[column] = mentions[column]++ == 0 ? Interval{value, value} : hull(ranges[column], {value, value});
  for (std::size_t k = 0; k < model.width; ++k)
    if (mentions[k] < model.embedding.rows.size()) ranges[k] = hull(ranges[k], {0, 0});
  return ranges;
}

}  // namespace

Prepared::Prepared(const model::Transformer& transformer) : model(transformer), embedding(embedding_ranges(model)) {
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads) {
      has_sinks = has_sinks || head.claim.structure == HeadStructure::sink;
      targets.push_back(certify::targets(head));
    }
}

}  // namespace quench::certify
