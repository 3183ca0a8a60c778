// Proofs in whole numbers, for models all of whose heads rest on [Q-gap] (docs/theory-exact.md). Every coordinate holds
// a whole number, and the proof is that no operation rounds: ranges, multiples of powers of two, and bits of mantissa.
// So there are no errors to propagate, and what is proved holds for every order of summation.
//
// curve.h: functions of one whole number; row.cpp: sums; penalties.cpp: scores of which some may be rounded; keys.cpp:
// which keys win, by the kind of head; head.cpp: what is retrieved; feed_forward.cpp: hidden units; prove.cpp: the
// layers.
#pragma once

#include <memory>
#include <optional>

#include "certify/proof.h"
#include "certify/whole/curve.h"

namespace quench::certify {

/// Whether all heads of a model claim to be of these kinds; if it has none, whether positions or the output are
/// numbers.
bool is_whole(const model::Transformer& model);
/// The lines of a proof of one length; throws NotProved.
std::vector<HeadLine> prove_whole(const Setting& setting);

/// What a Boolean position encoding says.
struct Mark {
  enum class Kind : std::uint8_t { none, bit, square_bit, either_bit, first, last };
  enum class Number : std::uint8_t { before, after, others };  ///< i − 1, n − i, n − 1
  Kind kind = Kind::none;
  Number number = Number::before;
  int bit = 0;
  int low =
      0;  ///< of a square_bit: a bit of ((i − 1) mod 2^low)²; of an either_bit: bits `bit` < `low` of i − 1, or-ed
  friend bool operator==(const Mark&, const Mark&) = default;
};
Mark mark_of(const PositionFormula& formula);

/// Values at all positions, and at the ends of the word.
struct Ranges {
  Interval all{0, 0}, first{0, 0}, last{0, 0};
  static Ranges everywhere(Interval range) { return {range, range, range}; }
  bool is_point(double x) const { return all == Interval{x, x}; }
};

/// Σ weight·(value), by the values' numbers: what a curve is a function of.
struct Base {
  std::vector<std::pair<int, double>> terms;  ///< number of a value, weight; the first weight is positive
  Ranges ranges;
  /// It is at most the number of positions up to i, from i on, or in all.
  std::optional<Mark::Number> counts;
};

/// What a residual coordinate holds: a whole number, exactly.
struct Whole {
  int id = -1;  ///< every writing gets a number of its own
  Ranges ranges;
  Mark mark;
  std::shared_ptr<const Base> base;  ///< if it is a function of one sum
  std::optional<Curve> curve;        ///< which one
  /// At most this number (i − 1, n − i, n − 1), and `slack` more, where it is not 0 (n − 1: everywhere); for sums that
  /// heads have formed.
  std::optional<Mark::Number> bounded_by;
  double slack = 0;
};
using Wholes = std::vector<Whole>;

/// A row of weights applied to a position: it is computed exactly in any order, or NotProved is thrown.
struct Sum {
  Ranges ranges;
  long grid = 0;  ///< a multiple of 2^grid
  std::shared_ptr<const Base> base;
  std::optional<Curve> curve;
};
enum class Stored : std::uint8_t { no, yes };
Sum sum_of(const Setting& setting, const Wholes& state, const SparseMatrix::Row& row, double bias, Stored stored);
/// One that is not stored, of a row that has been summed with another bias.
Sum sum_of(const Setting& setting, const Wholes& state, const SparseMatrix::Row& row, double bias, const Sum& other,
           double other_bias);
/// The same as a function of nothing but itself, within the ranges that are known.
void begin_anew(const Wholes& state, const SparseMatrix::Row& row, double bias, Sum& sum);

/// Which keys win a head's rows.
struct Winners {
  enum class Kind : std::uint8_t {
    one,       // one key, whichever it is
    first,     // the first position
    last,      // the last one
    dyadic,    // 2^count keys where bit `bit` of `number` is set; elsewhere one key of the end, whose value must be 0
    position,  // one key
  };
  Kind kind = Kind::one;
  Mark::Number number = Mark::Number::before;
  int bit = 0, count = 0;
};

/// The scores of a head by key coordinate: key coordinate k is multiplied by the row `coefficient` of the query.
struct Scores {
  struct Part {
    std::size_t key;                ///< a coordinate
    SparseMatrix::Row coefficient;  ///< over the query's coordinates
  };
  std::vector<Part> parts;
  double unit = 0;  ///< U: differences between keys are multiples of it
};
/// A component of queries and keys, multiplied.
struct Product {
  std::size_t row;
  Sum q, k;
};
/// Whether no order of adding them up rounds.
bool are_exact(const Setting& setting, const std::vector<Product>& products);

/// Scores of which those of keys with penalties may be rounded.
struct Penalties {
  std::vector<Product> others;  ///< what is exact
  double room = 0;              ///< keys with penalties stay behind by U, in products, if it is at most this
};
/// [Q-penalty], if that is what a head has.
std::optional<Penalties> set_penalties_aside(const Setting& setting, const Wholes& state, const model::Head& head,
                                             const std::vector<Product>& products);

Winners winners(const Setting& setting, const Wholes& state, const model::Head& head, const Scores& scores);

void attend_whole(const Setting& setting, const model::Layer& layer, int first_head, Wholes& state,
                  std::vector<HeadLine>& lines);
void feed_forward_whole(const Setting& setting, const model::FeedForward& ffn, Wholes& state);

/// The smallest id that no value has.
int next_id(const Wholes& state);

}  // namespace quench::certify
