// [Q-address]: the keys whose bits are those asked for.
//
// With c bits asked or fixed, the score
//     Γ(Σ_asked (2β−1)(2y−1) + Σ_fixed (2y−1) − c) = −2Γ·(misfits)
// is 0 at the keys that fit and at most −2Γ at the others: exp underflows there, and what is retrieved is the mean over
// the keys that fit, exactly if they are one, or 2^t with whole values ([Q-gap]). A sink z adds 2Γ(c+1)(1−g_i)[j = z]:
// where g_i = 0 it is ahead by at least 2Γ(c+1) − 2Γc. The factor c+1 is in the key, so that in float16 the query,
// 2Γ·√d_k = 8,192, stays in range; it is rounded up to three significant bits, which the narrowest formats have. All terms
// are whole multiples of Γ, at most 5c + 3 of them: exact in any order.
#include "base/error.h"
#include "base/number/few_bits.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using bounds::kExactGamma;
using lang::Scope;

/// What does not depend on the query.
ir::Head::Product ExactConstructions::constant_part(const Address& address) const {
  ir::Affine key = -static_cast<double>(address.asked.size() + address.fixed.size());
  for (const ir::Literal literal : address.fixed) key += 2 * ir::Affine(literal) - 1;
  return {kExactGamma, key};
}

ir::HeadId ExactConstructions::address(Mask mask, const Address& address, HeadStructure structure, Lemma lemma,
                                       const std::string& name) {
  const auto compared = static_cast<double>(address.asked.size() + address.fixed.size());  // c
  QUENCH_ASSERT(bounds::address_is_exact(compared, bounds::kNarrowestSums));
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.intended = Weighting::ahardmax;
  head.structure = structure;
  head.lemma = lemma;
  head.gamma = 2 * kExactGamma;
  for (const auto& [query, key] : address.asked) head.score.push_back({kExactGamma * (2 * query - 1), 2 * key - 1});
  if (compared > 0) head.score.push_back(constant_part(address));
  if (address.sink)
    head.score.push_back({2 * kExactGamma * ir::Affine(!address.sink->unless),
                          rounded_up_to_bits(compared + 1, 3) * ir::Affine(address.sink->at)});
  return graph_.add(head, name);
}

ir::HeadId ExactConstructions::at_end(Scope scope) {
  const bool right = scope == Scope::right;
  return address(right ? Mask::past : Mask::future, {{}, {right ? last() : first()}, {}}, HeadStructure::address,
                 Lemma::q_address, right ? "last position" : "first position");
}

}  // namespace quench::lower
