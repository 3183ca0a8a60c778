#include "model/temper.h"

#include <cmath>
#include <limits>

#include "base/temperature.h"

namespace quench::model {
namespace {

/// Products that leave the range of double would be no weights any more; they stay at its end.
double within_range(double value) {
  constexpr double kGreatest = std::numeric_limits<double>::max();
  return std::isinf(value) ? std::copysign(kGreatest, value) : value;
}

void scale_queries(Head& head, double factor) {
  for (std::size_t row = 0; row < head.q.rows.size(); ++row) {
    if (head.q.rows[row].empty()) continue;
    SparseMatrix::Row& entries = head.q.rows.edit(row);
    for (SparseMatrix::Entry& entry : entries) entry.value = within_range(entry.value * factor);
    std::erase_if(entries, [](const SparseMatrix::Entry& entry) { return entry.value == 0; });
    head.q.rows.drop_if_empty(row);
  }
}

}  // namespace

Transformer warmed(Transformer model, double factor) {
  model.certificate.clear();
  for (Layer& layer : model.layers)
    for (Head& head : layer.heads) scale_queries(head, 1 / factor);
  return model;
}

Transformer with_fixed_temperature(Transformer model, std::uint64_t length) {
  model.certificate.clear();
  for (Layer& layer : model.layers)
    for (Head& head : layer.heads) {
      scale_queries(head, inverse_temperature(head.temperature, length, length));
      head.temperature = Temperature::one;
    }
  return model;
}

}  // namespace quench::model
