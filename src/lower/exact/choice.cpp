// One of several whole numbers, by conditions that exclude each other. [Q-cmp]
//
//     x where all of c_1 … c_m hold, else 0: ReLU(x − K·(how many do not)) − ReLU(−x − K·(how many do not)), K ≥ |x|
// with the second part where x < 0 can be. It is exact in any order while K(m+1) ≤ 2^p. A branch that asks for c and one
// that asks for ¬c have no positive units in common, which a proof can read off the weights; so conditions stay lists of
// literals where there is room for it, and the range that is written down for the result is the one that can be read off:
// that of one branch if every two of them have such a pair, and otherwise what all of them add up to.
#include <algorithm>
#include <cmath>

#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {
namespace {

using Branch = ExactConstructions::Branch;

double greatest_part(const ir::Range& range) { return std::fmax(std::fabs(range.low), std::fabs(range.high)); }

bool visibly_exclusive(const Branch& a, const Branch& b) {
  return std::any_of(a.conditions.begin(), a.conditions.end(), [&](ir::Literal literal) {
    return std::find(b.conditions.begin(), b.conditions.end(), !literal) != b.conditions.end();
  });
}

bool visibly_exclusive(const std::vector<Branch>& branches) {
  for (std::size_t a = 0; a < branches.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (!visibly_exclusive(branches[a], branches[b])) return false;
  return true;
}

}  // namespace

/// The branches that can be, with conditions that leave room for their sums.
std::vector<Branch> ExactConstructions::possible(const std::vector<Branch>& branches) {
  std::vector<Branch> result;
  for (const Branch& branch : branches) {
    const ir::Literal all = graph_.conjunction(branch.conditions);
    if (graph_.is_false(all)) continue;
    if (graph_.is_true(all)) return {{{}, branch.value}};
    Branch one{{}, branch.value};
    for (const ir::Literal literal : branch.conditions)
      if (!graph_.is_true(literal)) one.conditions.push_back(literal);
    const double parts = greatest_part(graph_.range(branch.value)) * (static_cast<double>(one.conditions.size()) + 1);
    if (parts > std::exp2(bounds::kNarrowestSums)) one.conditions = {all};
    result.push_back(std::move(one));
  }
  return result;
}

ir::Affine ExactConstructions::choose(const std::vector<Branch>& branches, const std::string& label) {
  const std::vector<Branch> open = possible(branches);
  if (open.size() == 1 && open[0].conditions.empty()) return open[0].value;
  const bool exclusive = visibly_exclusive(open);
  ir::Piecewise chosen{{}, 0, 0, 0};
  for (const auto& [conditions, value] : open) {
    const ir::Range range = graph_.range(value);
    const double low = std::fmin(0, range.low), high = std::fmax(0, range.high);
    chosen.low = exclusive ? std::fmin(chosen.low, low) : chosen.low + low;
    chosen.high = exclusive ? std::fmax(chosen.high, high) : chosen.high + high;
    ir::Affine missing;
    for (const ir::Literal literal : conditions) missing += ir::Affine(!literal);
    if (value.is_constant()) {
      if (value.constant != 0) chosen.units.push_back({1 - missing, value.constant});
      continue;
    }
    const ir::Affine off = greatest_part(range) * missing;
    if (range.high > 0) chosen.units.push_back({value - off, 1});
    if (range.low < 0) chosen.units.push_back({-1 * value - off, -1});
  }
  if (chosen.units.empty()) return 0;
  return graph_.add(chosen, label);
}

}  // namespace quench::lower
