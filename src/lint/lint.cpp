#include "lint/lint.h"

#include <algorithm>

namespace quench::lint {

std::vector<Diagnostic> lint(const lang::Formula& formula) {
  std::vector<Diagnostic> all = constant_parts(formula);
  // What is constant is not worth a second warning.
  if (all.empty()) all = trivial_at_the_end(formula);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.span < b.span; });
  return all;
}

}  // namespace quench::lint
