// [Q-theta]: θ(κ), by asking for position κ.
//
// [Q-count] gives κ, a whole number, and the lookup of position κ (lookup.cpp) retrieves θ(j) there. κ = 0 finds
// position 1; whether κ ≥ 1 is ReLU(κ) − ReLU(κ−1), and θ(0) is known. In half formats, by digits.cpp.
//
// Where φ is `true` nothing is counted: #←[true] = i, and θ(i) is an encoding; #→[true] = n − i + 1 is the number of the
// mirror image, and #[true] = n that of the last position.
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using lang::Scope;

ir::Literal ExactConstructions::predicate_of_all(const Predicate& theta, Scope scope, const std::string& label) {
  const ir::Literal here = encoding(theta);
  if (scope == Scope::left) return here;
  if (scope == Scope::all) return at_last(here, label);
  return exactly(graph_.add(ir::Attend{mirrored(), here}, label + ", attended"), label);
}

ir::Literal ExactConstructions::predicate_of(const Predicate& theta, Scope scope, ir::Literal of,
                                             const std::string& label) {
  using P = Predicate::Kind;
  if (graph_.is_true(of)) return predicate_of_all(theta, scope, label);
  if (graph_.is_false(of)) return at_zero(theta);
  const bool halves = theta.kind == P::odd || theta.kind == P::even;
  const std::int64_t modulus = halves ? 2 : theta.modulus;
  if ((halves || theta.kind == P::mod) && modulus <= bounds::kLargestModulus) {
    const std::int64_t rest = halves ? theta.kind == P::odd : ((theta.residue % modulus) + modulus) % modulus;
    return modulus == 1 ? graph_.truth(true) : residue(modulus, rest, scope, of, label);
  }
  if (digits_) return predicate_by_digits(theta, scope, of, label);
  const ir::Affine count = sum_of({{1, scope, of, label}}, label);
  const ir::Literal positive{
      graph_.add(ir::Piecewise{{{count, 1}, {count - 1, -1}}, 0, 0, 1, true}, "count > 0 in " + label), false};
  const ir::HeadId lookup =
      this->lookup(count, scope == Scope::left ? Mask::future : Mask::none, Lemma::q_theta, "count in " + label);
  const ir::Affine found = graph_.add(ir::Attend{lookup, encoding(theta)}, label + ", attended");
  const ir::Literal retrieved = exactly(found, {});
  return graph_.disjunction(
      {graph_.conjunction({positive, retrieved}), graph_.conjunction({!positive, at_zero(theta)})}, label);
}

}  // namespace quench::lower
