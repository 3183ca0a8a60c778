// One attempt to prove one length: the state that layers transform, and how an attempt fails.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "certify/value.h"

namespace quench::certify {

/// The length is not proved: why, and at which head (counted through all layers; −1: not at a head).
struct NotProved : std::runtime_error {
  NotProved(const std::string& why, int at) : std::runtime_error(why), head(at) {}
  int head;
};

/// What of a model does not depend on the length, worked out once for all attempts.
struct Prepared {
  explicit Prepared(const model::Transformer& transformer);

  const model::Transformer& model;
  bool has_sinks = false;  ///< only then are local functions looked for
  /// By head, counted through all layers: the coordinate that each result is written to, by one entry of W_O that is 1
  /// (kNowhere if there is none). Empty if W_O mixes results.
  std::vector<std::vector<std::size_t>> targets;
  static constexpr std::size_t kNowhere = SIZE_MAX;
  /// Of every coordinate, over all symbols.
  std::vector<Interval> embedding;
};

struct Setting {
  const Prepared& prepared;
  const Arithmetic& arithmetic;
  Summation summation;
  double length;  ///< N
  const LayerNorm* layer_norm = nullptr;  ///< what stands before every sublayer, if anything does

  const model::Transformer& model() const { return prepared.model; }

  bool has_class(int c) const { return kPositionClasses[static_cast<std::size_t>(c)].shortest <= length; }
  /// One more rounding to storage after one to compute costs nothing where they are the same format.
  bool stores_narrower() const { return arithmetic.storage.precision < arithmetic.compute.precision; }
};

using State = std::vector<Value>;  ///< per coordinate

/// Σ weight·coordinate + bias of one row, before any ReLU: ideal values per class and the error of computing it in the
/// compute format, from left to right. `error` includes the errors of the coordinates.
struct RowSum {
  struct PerClass {
    Interval integers;             ///< the ideal sum is an integer from here …
    std::vector<Interval> rest;    ///< … plus a number from here
    Interval computed_rest{0, 0};  ///< bounds of the computed rest that no error widens; may be infinite
    Interval all() const;
  };
  std::array<PerClass, kClasses> ideal;
  Upper error;
  Upper magnitude;      ///< of the computed sum, and of each partial one
  bool exact = true;    ///< computed without error …
  bool on_grid = true;  ///< … or at least without rounding: it is what the computed coordinates add up to …
  long grid = 0;        ///< … and then a multiple of 2^grid
};
RowSum row_sum(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias);

/// The same at positions of one class only, where some coordinates may be exact that are not so elsewhere.
RowSum row_sum_in_class(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias,
                        std::size_t position_class);
bool has_exact_classes(const State& state, const SparseMatrix::Row& row);

/// A value that results from storing a row sum (projections).
Value stored(const Setting& setting, const RowSum& sum);

/// The exponent of the lowest bit of x ≠ 0.
long lowest_bit(double x);

/// Whether every multiple of 2^grid up to the magnitude is a number of the format.
bool representable(const FloatFormat& format, const Upper& magnitude, long grid);

/// The head whose error weighs most in a row.
int heaviest_origin(const State& state, const SparseMatrix::Row& row);

/// The value once it has been added to a free coordinate.
void add_to(const Setting& setting, const Value& before, Value& value);

State embed(const Setting& setting);
/// What a coordinate that holds a position encoding is.
Value encode(const Setting& setting, const PositionFormula& position);
/// 1/i, 1/(n−i+1) and 1/n as fractions; other meanings are none.
Fraction reciprocal_fraction(Meaning meaning);
/// k with N = 2^k, N the power of two at or above n: the greatest N of all words of length at most n.
int power_exponent(double n);
/// Adds the heads' results to the state; a line per head. `read` is what the sublayer sees of the state: the same, or
/// what layer normalisation makes of it.
void attend(const Setting& setting, const model::Layer& layer, int first_head, const State& read, State& state,
            std::vector<HeadLine>& lines);
void feed_forward(const Setting& setting, const model::FeedForward& ffn, const State& read, State& state);

/// A number that no value of the state has.
int fresh_id(const State& state);

/// Throws NotProved unless the format holds the weight exactly.
void require_exact_weight(const Setting& setting, double weight, const char* where);

}  // namespace quench::certify
