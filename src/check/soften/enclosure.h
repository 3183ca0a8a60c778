// The certificates of `quench soften`, derived again: the soft network in a number format beside the hard one that it
// stands for, on a set of words of one length. Of the hard network every vector that a word can put at a position is
// known exactly; of the soft one, how far it is from that, coordinate by coordinate.
//
// It shares no code with src/soften and goes another way: not one gap for a head and a length, but every row by itself.
// If key a has the greatest score and every other key b is behind by s_a − s_b, the result is off by at most
//   Σ_b exp(−(s_a − s_b)/τ + δ_a + δ_b)·|v_b − v_a|  +  the greatest error of a value  +  roundings,
// δ being errors of scores; of keys that tie at the top, by δ/2 times the spread of their values besides [Q-L33t].
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "check/number.h"
#include "check/soften/rational.h"
#include "check/soften/rounding.h"
#include "model/transformer.h"

namespace quench::check {

/// The words are too many at once: which keys tie, or which vectors there are, has to be looked at word by word.
struct Undecided : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using State = std::vector<Rational>;
/// By position: the rows of the embedding that a word may have there.
using Letters = std::vector<std::vector<std::size_t>>;

/// What is known of one position.
struct Place {
  std::vector<State> states;   ///< vectors of the hard network that words put here, each once
  std::vector<Number> errors;  ///< by coordinate: the soft network's are so near
  std::vector<Number> sizes;   ///< by coordinate: the greatest |coordinate| of the states

  void measure();
};

/// Steps that may still be taken, so that no certificate keeps the checker for long: products of scores and of hidden
/// units.
struct Budget {
  std::size_t steps = 30'000'000;
  void spend(std::size_t count) {
    if (count > steps) throw Undecided("it would take too long");
    steps -= count;
  }
};

/// Throws Rejected where the bounds do not go through, Undecided where fewer words at once might do.
std::vector<Place> embed(const model::Transformer& model, const Rounded& rounded, const Letters& letters);
void attend(const model::Layer& layer, const Rounded& rounded, std::vector<Place>& places, Budget& budget);
void feed_forward(const model::FeedForward& ffn, const Rounded& rounded, Place& place, Budget& budget);

/// Σ w·x of a row, exactly.
Rational dot(const SparseMatrix::Row& row, const State& state);
/// Sorted, each once; Undecided if there are too many.
void keep_each_once(std::vector<State>& states);
bool is_one_power_of_two(const SparseMatrix::Row& row);

}  // namespace quench::check
