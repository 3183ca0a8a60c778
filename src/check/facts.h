// What the checker derives, coordinate by coordinate and kind of position by kind of position.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/number.h"
#include "model/transformer.h"

namespace quench::check {

/// A step of the derivation does not go through.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Sums { any, normalise_last, exact_count };

/// Layer normalisation with pins: D coordinates, P pairs of +C and −C.
struct Pinned {
  double width, pairs, constant;
  bool two_pass = false;  ///< mean and variance are sums
};

/// The claim under examination.
struct Claim {
  const model::Transformer& model;
  FloatFormat store, work;  ///< values are stored in one format, sums are formed in the other
  Sums sums;
  double longest;  ///< N
  const Pinned* pinned = nullptr;  ///< what every sublayer and the output read through, if anything
  bool narrow() const { return store.precision < work.precision; }
};

/// Kinds of positions: alone (i = n = 1), first, last and even, last and odd, inner even, inner odd.
inline constexpr int kKinds = 6;
inline bool is_first(int kind) { return kind <= 1; }
inline bool is_last(int kind) { return kind == 0 || kind == 2 || kind == 3; }
inline bool is_even(int kind) { return kind == 2 || kind == 4; }
inline bool occurs(int kind, double longest) {
  constexpr double from[kKinds] = {1, 2, 2, 3, 3, 4};
  return longest >= from[kind];
}

struct Span {
  Number from, to;
};

/// Which function of position or counts a coordinate is, where a head depends on it.
enum class Role {
  none,
  i,
  i2,
  n,
  in,
  i2n,
  i_over_n,
  one_over_i,
  one_over_rest,
  one_over_n,
  left,
  right,
  all,
  i_over_power,  // i/N, N the power of two at or above n
  signed_i,      // i(−1)^i
  log_i,
  log_rest,
  digit_0,  // i = digit_0 + 256·digit_1 + 256·digit_2
  digit_1,
  digit_2,
  digit_0_over_power,  // i/N = the sum of the three
  digit_1_over_power,
  digit_2_over_power,
};

/// A whole number S divided by i, by n−i+1 or by n, for comparisons.
struct Share {
  enum class Of { nothing, i, rest, n };
  enum class Where { everywhere, left, right };
  Of of = Of::nothing;
  bool one = false;  ///< S = 1
  Where where = Where::everywhere;
  Number slope, edge;  ///< |S| ≤ slope·(positions there) + edge
  Number loss;         ///< what summing may cost besides, as a share of that bound
};

/// A Boolean as a truth table over earlier values (their numbers, increasing); it depends on all of them.
struct Table {
  std::vector<long> of;
  std::vector<bool> bits{false};
  auto operator<=>(const Table&) const = default;
};

struct Fact {
  std::vector<Span> spans{{0, 0}};  ///< the intended value lies in one of these, in increasing order …
  bool whole = true;                ///< … and is a whole number
  Number error;                     ///< the computed value is that close to it
  Number relative, additive;        ///< and that close relative to it, plus so much, if it has a role
  Number noise;                     ///< through layer normalisation: the part of the error that readers do not share
  Role role = Role::none;
  long grid = 0;              ///< if there is no error: a multiple of 2^grid
  std::optional<double> cap;  ///< the computed value is at most this
  bool positive = true;       ///< the computed value is not negative
  bool gridded = false;       ///< a multiple of 2^grid even if there is an error
  bool silent = false;        ///< computed as exactly 0 where 0 is intended
  Share share;
  long id = -1;                ///< which value this is
  std::optional<Table> table;  ///< what it is as a function of others, at this kind of position

  Number low() const { return spans.front().from; }
  Number high() const { return spans.back().to; }
  Number size() const { return max(low().absolute(), high().absolute()); }
  bool is(double x) const { return spans.size() == 1 && low() == Number(x) && high() == Number(x); }
  bool unused() const { return is(0); }
  bool exactly(double x) const { return is(x) && error.zero(); }
};

/// facts[kind][coordinate]; kinds that do not occur are not looked at.
using Facts = std::array<std::vector<Fact>, kKinds>;

/// Half the distance of neighbouring numbers of the format around `size`.
Number half_step(const FloatFormat& format, const Number& size);
bool fits(const FloatFormat& format, const Number& size, long grid);
long last_bit(double x);
Number relative_step(const FloatFormat& format);
void need_exact(const Claim& claim, double weight);

/// Σ w·x + b as computed from left to right.
struct Combination {
  Number whole_from, whole_to;                ///< intended: a whole number from this range …
  std::vector<Span> rest;                     ///< … plus one of these
  std::optional<Number> held_low, held_high;  ///< the computed rest stays within, whatever its error
  Number error, size;
  bool exact = true;    ///< no error
  bool gridded = true;  ///< no rounding: the sum of what was computed, a multiple of 2^grid
  long grid = 0;
  Number low() const;
  Number high() const;
};
Combination combine(const Claim& claim, const std::vector<Fact>& facts, const SparseMatrix::Row& row, double bias);
/// What readers of one position with these weights do not share, roundings of a bias included.
Number unshared_noise(const Claim& claim, const std::vector<Fact>& facts, const SparseMatrix::Row& row, double bias);
/// The combination stored as a value.
Fact store(const Claim& claim, const Combination& sum);
bool power_of_two(double w);
/// k with N = 2^k for the longest word.
long log_of_power(const Claim& claim);
/// A number that no value has.
long unused_id(const Facts& facts);

/// What becomes of a fact that is added to an unused coordinate with something left in it.
void add_leftover(const Claim& claim, const Number& leftover, Fact& fact);

Facts read_embedding(const Claim& claim);

/// What a line of the certificate says about a head.
struct Line {
  std::string name;
  Lemma lemma = Lemma::none;
  double gap = 0, score_error = 0, bound = 0;
};
/// Derives the heads of a layer, which read `seen`; appends a line for each.
void pass_attention(const Claim& claim, const model::Layer& layer, const Facts& seen, Facts& facts,
                    std::vector<Line>& lines);
/// At one kind of position. Coordinate k, if written, becomes value number first_id + k. Tables are only derived on
/// demand.
void pass_feed_forward(const Claim& claim, const model::FeedForward& ffn, const std::vector<Fact>& seen,
                       std::vector<Fact>& facts, long first_id, bool with_tables);

}  // namespace quench::check
