// What the neighbour holds, without waiting for it to be there.
//
// A sum of counts and Booleans at i − 1 is one at i: with A(i) = Σ_{j<i} v_j (and v at the first position), A(i−1) =
// A(i) − v_{i−1}, and A(i+1) = A(i) + v_i; counts to the right are mirror images, counts of the whole word are the same
// everywhere, and pos(i−1) = pos(i) − 1. So only Booleans are copied from the neighbour, which can be done before the
// counts are known, and bits of what the neighbour holds are found in the same layers as those of what is here.
// (Copying the number itself takes a layer in between, and a head.) What is clipped below at 0 there is so here. At the
// end of the word, which has no neighbour, it is some whole number.
#include <cmath>

#include "ir/affine_sum.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using ir::Affine;
using lang::Scope;

/// Takes c·(i − 1), given by all of its bits, out of a sum, and returns c.
double ExactConstructions::take_position(Affine& x) {
  const double factor = [&] {
    const ir::NodeId lowest = bit(Number::before, 0).node;
    for (const Affine::Term& term : x.terms)
      if (term.node == lowest) return term.coefficient;
    return 0.0;
  }();
  const Affine rest = x - factor * number(Number::before);
  if (rest.terms.size() + static_cast<std::size_t>(bits_) != x.terms.size()) return 0;
  x = rest;
  return factor;
}

/// Of ReLU(x), ReLU of what the neighbour has for x.
std::optional<Affine> ExactConstructions::shifted_clip(Direction direction, ir::NodeId node) {
  const auto* clip = std::get_if<ir::Piecewise>(&graph_[node]);
  if (!clip || clip->units.size() != 1 || clip->units[0].factor != 1 || clip->rest != Affine()) return std::nullopt;
  const std::optional<Affine> there = shifted(direction, Affine(clip->units[0].x));
  if (!there) return std::nullopt;
  return Affine(graph_.add(ir::Piecewise{{{*there, 1}}, 0, 0, std::fmax(0, graph_.range(*there).high)}));
}

std::optional<Affine> ExactConstructions::shifted(Direction direction, const Affine& x) {
  const bool past = direction == Direction::past;
  ir::AffineSum known, copied;
  known.add(x.constant);
  for (const Affine::Term& term : x.terms) {
    const auto count = counts_.find(term.node.index);
    if (count == counts_.end() && graph_.boolean(term.node)) {
      copied.add(term.node, term.coefficient);
      continue;
    }
    if (count == counts_.end()) {
      const std::optional<Affine> inner = shifted_clip(direction, term.node);
      if (!inner) return std::nullopt;
      known.add(*inner, term.coefficient);
      continue;
    }
    known.add(term.node, term.coefficient);
    const auto& [scope, here] = count->second;
    if (scope == Scope::all) continue;
    if ((scope == Scope::left) == past)
      copied.add(here, -term.coefficient);
    else
      known.add(here, term.coefficient);
  }
  Affine rest = copied.take();
  const double position = take_position(rest);
  known.add(number(Number::before), position);
  known.add(past ? -position : position);
  if (!rest.is_constant()) known.add(graph_.add(ir::Attend{neighbour(direction), rest}));
  return known.take();
}

}  // namespace quench::lower
