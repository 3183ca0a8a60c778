#include "base/matrix.h"

#include <algorithm>

namespace quench {

void SparseMatrix::add(std::size_t row, std::size_t column, double value) {
  if (value == 0) return;
  Row& entries = rows[row];
  const auto at = std::lower_bound(entries.begin(), entries.end(), column,
                                   [](const Entry& entry, std::size_t c) { return entry.column < c; });
  if (at == entries.end() || at->column != column) {
    entries.insert(at, Entry{static_cast<std::uint32_t>(column), value});
  } else if ((at->value += value) == 0) {
    entries.erase(at);
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
