// The meaning of the IR, exactly: every head attends hard (its intended weighting), every value is a rational number.
// The oracle of everything between the lowering and the weights. Quadratic; for short words.
#pragma once

#include <gmpxx.h>

#include <functional>
#include <vector>

#include "base/word.h"
#include "ir/graph.h"

namespace quench::ir {

/// θ_n(x): supplied by the caller, since predicates have no evaluator in this folder.
using PredicateMeaning = std::function<bool(const Predicate&, std::int64_t x, std::int64_t n)>;

/// values[node][i−1]. Throws InternalError if a Threshold or IsZero meets a value it promises not to meet.
std::vector<std::vector<mpq_class>> interpret_all(const Graph& graph, const Word& word, const PredicateMeaning& holds);

/// The output at every position.
std::vector<std::uint8_t> interpret(const Graph& graph, const Word& word, const PredicateMeaning& holds);

}  // namespace quench::ir
