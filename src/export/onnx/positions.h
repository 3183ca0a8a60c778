// Positions as ONNX operators: encodings, predicates, temperatures and masks, all computed from the length of the
// input, in 64-bit integers and doubles whatever the type of the weights, and rounded once.
//
// Integers are exact up to 2^63. The integer expressions of predicates have 128 bits elsewhere; here they wrap around
// beyond 64, and a division by zero, which is an error elsewhere, divides by one.
#pragma once

#include <map>

#include "base/attention_kind.h"
#include "base/position_formula.h"
#include "export/onnx/graph.h"

namespace quench::exports {

/// What is known of the positions of a graph's input (batch × n), each value made when it is first asked for.
class OnnxPositions {
 public:
  using Value = OnnxGraph::Value;
  OnnxPositions(OnnxGraph& graph, const Value& input_ids);

  const Value& n() const { return n_; }  ///< int64, a scalar
  const Value& i() const { return i_; }  ///< int64 (n): 1 … n
  const Value& real_n();                 ///< double
  const Value& real_i();

  /// The encoding at every position: double (n).
  Value encoding(const PositionFormula& formula);
  /// 1/τ(i, n) of the graph's own type, to be multiplied with scores: a scalar, or (n × 1).
  Value inverse_temperature(Temperature temperature);
  /// bool (n × n), true where key j is visible from query i. Not for Mask::none.
  const Value& visible(Mask mask);
  /// The same as 0 and 1 of the graph's own type.
  const Value& visible_weight(Mask mask);

 private:
  const Value& power();      ///< int64: N, the power of two at or above n
  const Value& remaining();  ///< double (n): n − i + 1
  Value over_power(const Value& integers, double factor);

  OnnxGraph& graph_;
  Value n_, i_, real_n_, real_i_, power_, remaining_;
  std::map<Mask, Value> visible_, visible_weight_;
};

/// θ_n(x) as bool, x being int64 (n).
OnnxGraph::Value predicate_node(OnnxGraph& graph, const Predicate& predicate, const OnnxGraph::Value& x,
                                const OnnxGraph::Value& n);

}  // namespace quench::exports
