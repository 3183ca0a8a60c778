#include "ir/affine_sum.h"

#include <algorithm>
#include <utility>

namespace quench::ir {

void AffineSum::add(const Affine& x, double factor) {
  sum_.constant += factor * x.constant;
  if (factor == 0) return;
  for (const Affine::Term& term : x.terms) sum_.terms.push_back({term.node, factor * term.coefficient});
}

Affine AffineSum::take() {
  std::vector<Affine::Term>& terms = sum_.terms;
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < terms.size();) {
    Affine::Term merged = terms[k];
    for (++k; k < terms.size() && terms[k].node == merged.node; ++k) merged.coefficient += terms[k].coefficient;
    if (merged.coefficient != 0) terms[kept++] = merged;
  }
  terms.resize(kept);
  return std::exchange(sum_, {});
}

}  // namespace quench::ir
