#include "certify/local_function.h"

#include <cstddef>

namespace quench::certify {
namespace {

bool depends_on(const LocalFunction& f, std::size_t k) {
  for (std::size_t index = 0; index < f.table.size(); ++index)
    if (f.table[index] != f.table[index ^ (std::size_t{1} << k)]) return true;
  return false;
}

/// The table where variable k is 0.
void remove(LocalFunction& f, std::size_t k) {
  std::vector<std::uint8_t> table;
  for (std::size_t index = 0; index < f.table.size(); ++index)
    if ((index >> k & 1) == 0) table.push_back(f.table[index]);
  f.table = std::move(table);
  f.of.erase(f.of.begin() + static_cast<std::ptrdiff_t>(k));
}

}  // namespace

LocalFunction reduced(LocalFunction function) {
  for (std::size_t k = function.of.size(); k-- > 0;)
    if (!depends_on(function, k)) remove(function, k);
  return function;
}

}  // namespace quench::certify
