#include "run/stream/static_facts.h"

#include "model/position.h"

namespace quench::run {
namespace {

using Kind = PositionFormula::Kind;

/// b, if the encoding seems to be bit b of i − 1.
std::optional<int> bit_of_position(const PositionFormula& formula) {
  if (formula.kind != Kind::predicate) return std::nullopt;
  const auto at = [&](std::size_t before) { return model::position_value(formula, before + 1, before + 1); };
  for (int b = 0; b < 40; ++b) {
    const std::size_t power = std::size_t{1} << b;
    if (at(power) != 1) continue;
    const bool is_bit =
        at(0) == 0 && at(power - 1) == 0 && at(2 * power - 1) == 1 && at(2 * power) == 0 && at(3 * power) == 1;
    return is_bit ? std::optional(b) : std::nullopt;
  }
  return std::nullopt;
}

bool has(const SparseMatrix::Row& row, std::uint32_t column, double value) {
  for (const SparseMatrix::Entry& entry : row)
    if (entry.column == column) return entry.value == value;
  return false;
}

}  // namespace

StaticFacts::StaticFacts(const ReferencePlan& plan)
    : constant_(plan.width, true), rising_(plan.width, false), bit_(plan.width), first_(plan.width, 0.0) {
  for (const auto& [column, value] : plan.embedding.front()) first_[column] = value;
  for (const SparseMatrix::Row& row : plan.embedding)
    for (const auto& [column, value] : row)
      for (const SparseMatrix::Row& other : plan.embedding)
        if (!has(other, column, value)) constant_[column] = false;
  const std::vector<bool> symbols = constant_;
  for (const model::PositionEncoding& pe : plan.position_encodings) {
    const bool alone = symbols[pe.coordinate] && constant_[pe.coordinate];
    constant_[pe.coordinate] = false;
    if (alone) bit_[pe.coordinate] = bit_of_position(pe.formula);
    rising_[pe.coordinate] =
        alone && first_[pe.coordinate] >= 0 && (pe.formula.kind == Kind::index || pe.formula.kind == Kind::index_sq);
  }
}

void StaticFacts::written_by(const LayerPlan& layer) {
  for (const MixTarget& target : layer.targets) forget(target.coordinate);
  for (const FlatRows::Row& row : layer.w2.rows) forget(row.index);
}

void StaticFacts::forget(std::uint32_t coordinate) {
  constant_[coordinate] = rising_[coordinate] = false;
  bit_[coordinate].reset();
}

bool StaticFacts::constant(const FlatRows& rows, const FlatRows::Row& row) const {
  for (std::uint32_t entry = row.first; entry < row.last; ++entry)
    if (!constant_[rows.entries[entry].column]) return false;
  return true;
}

bool StaticFacts::rising(const FlatRows& rows) const {
  for (const SparseMatrix::Entry& entry : rows.entries) {
    const bool steady = constant_[entry.column] && entry.value * first_[entry.column] >= 0;
    if (!steady && !(rising_[entry.column] && entry.value > 0)) return false;
  }
  return true;
}

std::optional<StaticFacts::ByBit> StaticFacts::by_bit(const FlatRows& rows, const FlatRows::Row& row) const {
  std::optional<ByBit> result;
  double rest = 0;
  for (std::uint32_t entry = row.first; entry < row.last; ++entry) {
    const auto& [column, value] = rows.entries[entry];
    rest += value * first_[column];
    if (constant_[column]) continue;
    if (result || !bit_[column]) return std::nullopt;
    result = {*bit_[column], 0, value};
  }
  if (result) result = {result->bit, rest, rest + result->at_1};
  return result;
}

}  // namespace quench::run
