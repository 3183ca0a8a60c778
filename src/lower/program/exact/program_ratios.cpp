// Scores and means as quotients of whole numbers, which the host divides (output kind `ratios`).
//
// A score is c + Σ f_b·b + Σ f_m·κ_m/d: decimals in millionths, Booleans b, and shares of counts κ_m of d positions,
// where d is i for means up to i, n − i + 1 from i on, and n for all. With q the least number that makes q·c and all
// q·f_b whole,
//     q·c·d + Σ q·f_b·(d where b holds) + Σ q·f_m·κ_m     over     q·d
// are two whole numbers; without means d is 1. Counts are [Q-count], the rest is a choice ([Q-cmp]). All scores of a
// program share the denominator, so all its means must be of the same positions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text/diagnostic.h"
#include "lower/program/exact/exact_program.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

constexpr double kGreatestNumerator = 0x1p50;

Scope scope_of(Reach reach) {
  return reach == Reach::all ? Scope::all : reach == Reach::from || reach == Reach::after ? Scope::right : Scope::left;
}

}  // namespace

void ExactProgram::score_vector(VectorId id) {
  score_span_ = program_[id].span;
  IntegerElaboration::score_vector(id);
}

ir::NodeId ExactProgram::mean(Reach reach, Literal value) {
  const auto refuse = [&](const char* code, std::string message, std::string note) {
    throw DiagnosticError({Diagnostic{code, std::move(message), score_span_, {std::move(note)}}});
  };
  if (reach_ && *reach_ != reach)
    refuse("E128", fmt::format("recipe {} has means of one set of positions in a program", recipe_.name),
           "another mean here is of other positions, so they have no common denominator: put out one of them, or leave "
           "out "
           "--recipe");
  if (recipe_.decoder && scope_of(reach) != Scope::left)
    refuse("E103", "a decoder sees no position to its right, so it cannot compute this mean",
           "take it up to i, or leave out --decoder");
  reach_ = reach;
  const Affine count = build_.sum_of({{1, scope_of(reach), value, "count"}}, "count");
  const ir::NodeId node = graph_.add(ir::Piecewise{{{count, 1}}, 0, 0, build_.assured_length()}, "count");
  counts_[node] = count;
  return node;
}

ir::NodeId ExactProgram::gated(ir::NodeId real, Literal condition) {
  const Affine chosen = build_.choose({{{condition}, counts_.at(real)}}, "chosen count");
  counts_[chosen.terms.at(0).node] = chosen;
  return chosen.terms[0].node;
}

/// d
Affine ExactProgram::positions_counted() {
  if (!reach_) return 1;
  switch (scope_of(*reach_)) {
    case Scope::left:
      return position();
    case Scope::right:
      return build_.number(Number::after) + 1;
    case Scope::all:
      break;
  }
  return build_.length();
}

/// Of the denominator (kScoreUnit/unit)·positions.
Affine ExactProgram::numerator(const ScoreSum& sum, std::int64_t unit, const Affine& positions) {
  const auto in_units = [&](std::int64_t millionths) { return static_cast<double>(millionths / unit); };
  Affine result = in_units(sum.constant) * positions;
  for (const auto& [bit, millionths] : sum.bits) {
    const Affine there =
        positions.is_constant() ? Affine(literal(bit)) : build_.choose({{{literal(bit)}, positions}}, "positions");
    result += in_units(millionths) * there;
  }
  for (const auto& [node, factor] : sum.reals)
    result += in_units(kScoreUnit) * static_cast<double>(factor) * counts_.at(node);
  const ir::Range range = graph_.range(result);
  if (!(range.low > -kGreatestNumerator && range.high < kGreatestNumerator))
    throw DiagnosticError(
        {Diagnostic{"E126",
                    "the score, as a quotient of whole numbers, has too great ones",
                    program_[program_.output].span,
                    {fmt::format("recipe {} computes with whole numbers, up to 2^50; use fewer decimals, "
                                 "a smaller --length, or leave out --recipe",
                                 recipe_.name)}}});
  return result;
}

void ExactProgram::set_ratios() {
  std::vector<std::pair<const ScoreSum*, std::vector<std::string>>> sums;
  for (const SymbolScore& one : program_.scores)
    sums.emplace_back(&scores_[one.vector.index],
                      std::vector{program_.alphabet.symbols()[static_cast<std::size_t>(one.symbol)]});
  if (sums.empty()) sums.emplace_back(&scores_[program_.output.index], std::vector<std::string>{});
  std::int64_t unit = kScoreUnit;  // in which all decimals are whole
  for (const auto& [sum, symbols] : sums) {
    unit = std::gcd(unit, sum->constant);
    for (const auto& [bit, millionths] : sum->bits) unit = std::gcd(unit, millionths);
  }
  const auto stored = [&](const Affine& x, const std::string& label) -> Literal {
    const ir::Range range = graph_.range(x);
    ir::Piecewise node{{}, 0, std::fmin(0, range.low), std::fmax(0, range.high)};
    if (x.is_constant())
      node.rest = x;
    else if (range.high > 0)
      node.units.push_back({x, 1});
    if (!x.is_constant() && range.low < 0) node.units.push_back({-1 * x, -1});
    return {graph_.add(node, label), false};
  };
  graph_.scores = graph_.whole = true;
  const Affine positions = positions_counted();
  for (const auto& [sum, symbols] : sums)
    graph_.cases.push_back(
        {stored(numerator(*sum, unit, positions), symbols.empty() ? "output" : "score of " + symbols.front()),
         symbols});
  const auto whole = static_cast<double>(kScoreUnit / unit);  // q·d = q + q·ReLU(d − 1): a proof sees that it is not 0
  ir::Piecewise denominator{{}, whole, whole, whole * graph_.range(positions).high};
  if (!positions.is_constant()) denominator.units.push_back({positions - 1, whole});
  graph_.output = {graph_.add(denominator, "denominator"), false};
}

}  // namespace quench::lower
