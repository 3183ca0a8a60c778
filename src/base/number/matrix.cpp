#include "base/number/matrix.h"

#include <algorithm>

namespace quench {

const SparseMatrix::Row SparseMatrix::Rows::kEmpty;

std::size_t SparseMatrix::Rows::find(std::size_t row) const {
  const auto at = std::lower_bound(filled_.begin(), filled_.end(), row,
                                   [](const auto& filled, std::size_t r) { return filled.first < r; });
  return static_cast<std::size_t>(at - filled_.begin());
}

const SparseMatrix::Row& SparseMatrix::Rows::operator[](std::size_t row) const {
  const std::size_t at = find(row);
  return holds(at, row) ? filled_[at].second : kEmpty;
}

SparseMatrix::Row& SparseMatrix::Rows::edit(std::size_t row) {
  const std::size_t at = find(row);
  if (!holds(at, row)) filled_.insert(filled_.begin() + static_cast<std::ptrdiff_t>(at), {row, {}});
  return filled_[at].second;
}

void SparseMatrix::Rows::drop_if_empty(std::size_t row) {
  const std::size_t at = find(row);
  if (holds(at, row) && filled_[at].second.empty()) filled_.erase(filled_.begin() + static_cast<std::ptrdiff_t>(at));
}

void SparseMatrix::Rows::resize(std::size_t count) {
  count_ = count;
  filled_.erase(filled_.begin() + static_cast<std::ptrdiff_t>(find(count)), filled_.end());
}

void SparseMatrix::add(std::size_t row, std::size_t column, double value) {
  if (value == 0) return;
  Row& entries = rows.edit(row);
  const auto at = std::lower_bound(entries.begin(), entries.end(), column,
                                   [](const Entry& entry, std::size_t c) { return entry.column < c; });
  if (at == entries.end() || at->column != column) {
    entries.insert(at, Entry{static_cast<std::uint32_t>(column), value});
  } else if ((at->value += value) == 0) {
    entries.erase(at);
    rows.drop_if_empty(row);
  }
}

double SparseMatrix::at(std::size_t row, std::size_t column) const {
  for (const Entry& entry : rows[row])
    if (entry.column == column) return entry.value;
  return 0;
}

std::size_t SparseMatrix::nonzeros() const {
  std::size_t count = 0;
  for (const Row& row : rows) count += row.size();
  return count;
}

}  // namespace quench
