#include "soften/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quench::soften {
namespace {

double largest_entry(const SparseMatrix& matrix) {
  double most = 0;
  for (const SparseMatrix::Row& row : matrix.rows)
    for (const auto& entry : row) most = std::max(most, std::fabs(entry.value));
  return most;
}

}  // namespace

bounds::Size paper_size(const model::Transformer& model) {
  bounds::Size size;
  const auto include = [&](std::size_t d, double p) {
    size.d = std::max(size.d, static_cast<double>(d));
    size.p = std::max(size.p, p);
  };
  for (const model::Layer& layer : model.layers) {
    for (const model::Head& head : layer.heads) {
      include(head.q.rows.size(), std::max(largest_entry(head.q), largest_entry(head.k)));
      for (std::size_t c = 0; c < head.o.rows.size(); ++c)
        for (std::uint32_t input = 0; input < model.width; ++input) {
          double entry = 0;
          for (const auto& [m, weight] : head.o.rows[c]) entry += std::fabs(weight * head.v.at(m, input));
          include(0, entry * (1 + 0x1p-40));
        }
    }
    include(std::max(model.width, layer.ffn.b1.size()),
            std::max(largest_entry(layer.ffn.w1), largest_entry(layer.ffn.w2)));
    for (const double bias : layer.ffn.b1) include(0, std::fabs(bias));
    for (const double bias : layer.ffn.b2) include(0, std::fabs(bias));
  }
  return size;
}

std::string why_not_paper(const model::Transformer& model, const std::vector<LengthFacts>& facts) {
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    if (model.layers[l].heads.size() > 1)
      return fmt::format("layer {} has {} heads, and the paper's constants are for one", l,
                         model.layers[l].heads.size());
    for (const LengthFacts& known : facts)
      if (!model.layers[l].heads.empty() && known.layers[l].heads[0].ties)
        return fmt::format("head {} is not tieless", head_name(model, l, 0));
  }
  return {};
}

}  // namespace quench::soften
