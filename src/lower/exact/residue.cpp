// [Q-blocks]: κ mod m, in numbers that every format holds.
//
// The L bits are split into levels. Before a level with `low` bits below it, P(x) is the number of j ≤ x in x's aligned
// block of 2^low where φ' holds, mod m. The level's heads, low ≤ t < low + r, add 2^{t−low} times the mean of P over
// the last keys of the sub-blocks of 2^low that lie in x's block of 2^{low+r} before x's own ([Q-count]): together with
// P at most 2^r summands of at most m−1 (of at most 1 at the first level, where P is φ'). A feed-forward reduces the
// sum mod m. At the last level φ(1) is added, and in place of reducing the feed-forward says whether the rest is the
// one asked for. Every whole number up to the greatest sum must be a number of the stored format: 2^8 in bfloat16.
//
// Any function f of a whole number 0 ≤ z ≤ Z is f(0) + Σ_k d_k·ReLU(z−k), d_k the change of slope at k: exact in any
// order while Z² ≤ 2^p for the functions here (slopes change by at most m, at two of m numbers).
//
// For #[φ] the Boolean of #←[φ] is read at the last position.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using lang::Scope;

void ExactConstructions::append(ir::Piecewise& f, const ir::Affine& z, const std::vector<double>& values) {
  f.rest += values.front();
  double slope = 0;
  for (std::size_t k = 0; k + 1 < values.size(); ++k) {
    const double next = values[k + 1] - values[k];
    if (next != slope) f.units.push_back({z - static_cast<double>(k), next - slope});
    slope = next;
  }
}

ir::NodeId ExactConstructions::function_of(const ir::Affine& z, const std::vector<double>& values, bool boolean,
                                           const std::string& label) {
  ir::Piecewise f{{},
                  0,
                  *std::min_element(values.begin(), values.end()),
                  *std::max_element(values.begin(), values.end()),
                  boolean};
  append(f, z, values);
  return graph_.add(f, label);
}

ir::Literal ExactConstructions::at_last(ir::Literal of, const std::string& label) {
  const ir::HeadId head = address(Mask::none, {{}, {last()}, {}}, HeadStructure::address, Lemma::q_address, "end");
  return exactly(graph_.add(ir::Attend{head, of}, label + ", attended"), label);
}

ir::Literal ExactConstructions::residue(std::int64_t modulus, std::int64_t rest, Scope scope, ir::Literal of,
                                        const std::string& label) {
  if (scope == Scope::all) return at_last(residue(modulus, rest, Scope::left, of, label + ", up to here"), label);
  ir::Affine p = elsewhere(scope, of);
  double greatest = 1;  // of p
  int low = 0;
  const std::vector<int> levels = levels_.empty() ? bounds::residue_levels(bits_, modulus) : levels_;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const bool final = l + 1 == levels.size();
    std::vector<ir::Attend::Part> parts;
    for (int t = low; t < low + levels[l]; ++t) parts.push_back({block(scope, t, low), p, std::exp2(t - low)});
    if (final) parts.push_back({at_end(scope), of, 1});
    const ir::Affine sum = p + graph_.add(ir::Attend(std::move(parts)), "sum in " + label);
    const auto most = static_cast<std::int64_t>(greatest * std::exp2(levels[l])) + final;
    std::vector<double> values;
    for (std::int64_t z = 0; z <= most; ++z)
      values.push_back(final ? (z % modulus == rest ? 1 : 0) : static_cast<double>(z % modulus));
    const ir::NodeId reduced = function_of(sum, values, final, final ? label : "rest in " + label);
    if (final) return {reduced, false};
    p = reduced;
    greatest = static_cast<double>(modulus - 1);
    low += levels[l];
  }
  internal_error("no levels", __FILE__, __LINE__);
}

}  // namespace quench::lower
