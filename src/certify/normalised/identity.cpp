#include "certify/normalised/identity.h"

#include <cmath>

#include "certify/normalised/layer_norm.h"

namespace quench::certify {
namespace {

/// Of all data but the balance, whose magnitude is at most the same; a constant 1 may be there besides.
Upper sum_of_sizes(const Wholes& state) {
  Upper sum(1);
  for (const Whole& whole : state) sum += Upper(whole.ranges.all.magnitude());
  return sum;
}

void require_room(const Setting& setting, const Upper& sum) {
  if (!(sum <= bounds::power_of_two(setting.arithmetic.compute.precision)))
    throw NotProved("the sums of layer normalisation have more bits than the format", -1);
}

}  // namespace

void require_identity(const Setting& setting, const Wholes& state) {
  const LayerNorm& norm = *setting.layer_norm;
  const long p = setting.arithmetic.compute.precision;
  const Upper sum = sum_of_sizes(state), pin(norm.constant);
  Upper squares = Upper(1) + sum * sum;
  for (const Whole& whole : state) squares += Upper(whole.ranges.all.magnitude()) * Upper(whole.ranges.all.magnitude());
  require_room(setting, Upper(norm.pairs) * pin + Upper(2) * sum);
  if (!(squares <= bounds::power_of_two(-p - 1) * pin * pin))
    throw NotProved("the data do not vanish beside the pins", -1);
  if (!(bounds::power_of_two(p + 1) * Upper(kNormEpsilon) * Upper(norm.width) <= Upper(2 * norm.pairs) * pin * pin))
    throw NotProved("the pins are too small", -1);
}

void require_exact_balance(const Setting& setting, const Wholes& state, const model::Layer& layer) {
  Upper terms = sum_of_sizes(state);
  for (const model::Head& head : layer.heads) {
    std::vector<Upper> values;
    for (const SparseMatrix::Row& row : head.v.rows)
      values.emplace_back(sum_of(setting, state, row, 0, Stored::yes).ranges.all.magnitude());
    for (const SparseMatrix::Row& row : head.o.rows)
      for (const auto& [l, w] : row) terms += Upper(std::fabs(w)) * values[l];
  }
  require_room(setting, terms);
}

void require_exact_balance(const Setting& setting, const Wholes& state, const model::FeedForward& ffn) {
  Upper terms = sum_of_sizes(state);
  std::vector<Upper> hidden;
  for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit)
    hidden.emplace_back(
        std::fmax(0, sum_of(setting, state, ffn.w1.rows[unit], ffn.b1[unit], Stored::no).ranges.all.high));
  for (std::size_t coordinate = 0; coordinate < ffn.w2.rows.size(); ++coordinate) {
    terms += Upper(std::fabs(ffn.b2[coordinate]));
    for (const auto& [unit, w] : ffn.w2.rows[coordinate]) terms += Upper(std::fabs(w)) * hidden[unit];
  }
  require_room(setting, terms);
}

}  // namespace quench::certify
