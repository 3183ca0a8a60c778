// Scores are sums of Booleans with fixed factors, so they need no attention of their own: p ? x : y multiplies every
// term of x by p and every term of y by ¬p, which are conjunctions again. Factors are whole numbers of millionths, so
// nothing is rounded before the weights are written. A mean m ∈ [0, 1] is chosen by ReLU(m + p − 1).
#include "base/error.h"
#include "base/overloaded.h"
#include "lower/program/ir_elaboration.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;

namespace {

std::int64_t score_plus(std::int64_t a, std::int64_t b, std::int64_t factor) {
  std::int64_t product = 0, sum = 0;
  if (__builtin_mul_overflow(b, factor, &product) || __builtin_add_overflow(a, product, &sum))
    throw UserError("the program's scores exceed 64 bits");
  return sum;
}

}  // namespace

ir::NodeId IrElaboration::mean(Reach, ir::Literal) { internal_error("mean", __FILE__, __LINE__); }

void IrElaboration::score_vector(VectorId id) {
  std::visit(Overloaded{[&](const Pointwise& x) { scores_[id.index] = score(x.value); },
                        [&](const Mean& x) {
                          const ir::NodeId node = mean(x.reach, literal(local(x.value).cases.at(1)));
                          graph_.relabel(node, program_[id].name);
                          scores_[id.index].reals[node] = 1;
                        },
                        [](const auto&) { internal_error("score", __FILE__, __LINE__); }},
             program_[id].definition);
}

const IrElaboration::ScoreSum& IrElaboration::score(ExpressionId root) {
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (program_.sort(id) != Sort::score || score_.contains(id.index)) continue;
    ScoreSum sum;
    const auto add = [&](const ScoreSum& other, std::int64_t factor) {
      sum.constant = score_plus(sum.constant, other.constant, factor);
      for (const auto& [bit, value] : other.bits) sum.bits[bit] = score_plus(sum.bits[bit], value, factor);
      for (const auto& [node, value] : other.reals) sum.reals[node] = score_plus(sum.reals[node], value, factor);
    };
    std::visit(Overloaded{[&](const ScoreConstant& x) { sum.constant = x.millionths; },
                          [&](const AsScore& x) {
                            sum = gated(local(x.of).cases.at(1), {kScoreUnit, {}, {}});
                          },
                          [&](const VectorAt& x) { sum = scores_[x.vector.index]; },
                          [&](const Sum& x) {
                            add(score_.at(x.left.index), 1);
                            add(score_.at(x.right.index), x.factor);
                          },
                          [&](const Choice& x) {
                            const Bit condition = local(x.condition).cases.at(1);
                            add(gated(condition, score_.at(x.yes.index)), 1);
                            add(gated(negation(condition), score_.at(x.no.index)), 1);
                          },
                          [](const auto&) { internal_error("score", __FILE__, __LINE__); }},
               program_[id]);
    score_[id.index] = std::move(sum);
  }
  return score_.at(root.index);
}

/// condition ? sum : 0
IrElaboration::ScoreSum IrElaboration::gated(Bit condition, const ScoreSum& sum) {
  ScoreSum result;
  const auto term = [&](Bit bit, std::int64_t value) {
    if (bit == truth(false)) return;
    if (bit == truth(true)) return void(result.constant = score_plus(result.constant, value, 1));
    result.bits[bit] = score_plus(result.bits[bit], value, 1);
  };
  if (sum.constant != 0) term(condition, sum.constant);
  for (const auto& [bit, value] : sum.bits) term(conjunction({condition, bit}), value);
  if (condition == truth(true)) result.reals = sum.reals;
  if (condition != truth(true) && condition != truth(false))
    for (const auto& [node, value] : sum.reals)
      result.reals[gated(node, literal(condition))] = value;
  return result;
}

ir::NodeId IrElaboration::gated(ir::NodeId real, ir::Literal condition) {  // within [0, 1]
  return graph_.add(ir::Piecewise{{{Affine(real) + Affine(condition) - 1, 1}}, {}, 0, 1});
}

ir::NodeId IrElaboration::score_node(const ScoreSum& sum, const std::string& label) {
  const auto decimal = [](std::int64_t millionths) { return static_cast<double>(millionths) / kScoreUnit; };
  Affine value = decimal(sum.constant);
  for (const auto& [bit, millionths] : sum.bits) value += decimal(millionths) * Affine(literal(bit));
  for (const auto& [node, factor] : sum.reals) value += static_cast<double>(factor) * Affine(node);
  const bool alone = value.terms.size() == 1 && value.constant == 0 && value.terms[0].coefficient == 1;
  if (alone && !graph_.boolean(value.terms[0].node)) return value.terms[0].node;
  const ir::Range range = graph_.range(value);
  return graph_.add(ir::Piecewise{{}, value, range.low, range.high}, label);
}

}  // namespace quench::lower
