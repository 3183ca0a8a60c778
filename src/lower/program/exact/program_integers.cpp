// Integers at one position, as whole numbers: sums of coordinates. Ranges decide what never needs to be clipped or
// compared. Counts are [Q-count], everything else is [Q-cmp].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/overloaded.h"
#include "base/text/diagnostic.h"
#include "lower/program/exact/exact_program.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

/// Beyond, sums would leave the whole numbers that float64 has; float32 ends at 2^24, which certificates say.
constexpr double kGreatestSum = 0x1p50;
/// A sum that is clipped without limbs: half of what float32 has, so that it can be compared with n + 1.
constexpr double kFloatSum = 0x1p23;

[[noreturn]] void refuse(const char* code, std::string message, Span where, std::string note) {
  throw DiagnosticError({Diagnostic{code, std::move(message), where, {std::move(note)}}});
}

}  // namespace

void ExactProgram::integer_vector(VectorId id) {
  const Vector& vector = program_[id];
  IntegerRange& range = ranges_[id.index];
  integers_[id.index] =
      std::visit(Overloaded{[&](const Pointwise& x) {
                              const IntegerRange whole = range_of(x.value);
                              range = lower::clipped(whole);
                              return clipped(number(x.value), whole, program_.span(x.value));
                            },
                            [&](const Attention& x) { return integer_attention(x, vector.name, range, vector.span); },
                            [&](const SumOver& x) { return sum_over(x, range, program_.span(x.value)); },
                            [](const Mean&) -> Affine { internal_error("a mean is a score", __FILE__, __LINE__); }},
                 vector.definition);
  const Affine& made = *integers_[id.index];
  if (made.terms.size() == 1) graph_.relabel(made.terms[0].node, vector.name);
}

/// Σ over the values that an integer can take of the value times how often it is taken; of a number that can take any,
/// by its bits.
Affine ExactProgram::sum_over(const SumOver& sum, IntegerRange& range, Span where) {
  const bool right = sum.reach == Reach::after || sum.reach == Reach::from;
  if (recipe_.decoder && (right || sum.reach == Reach::all))
    refuse("E103", "a decoder sees no position to its right, so it cannot compute this sum", where,
           "add up to i, or leave out --decoder");
  const Scope scope = right ? Scope::right : sum.reach == Reach::all ? Scope::all : Scope::left;
  const bool strict = sum.reach == Reach::before || sum.reach == Reach::after;
  const bool finite = finite_[sum.value.index];
  std::vector<ExactConstructions::Summand> summands;
  if (finite) {
    for (const auto& [value, holds] : local(sum.value).cases)
      if (value != 0 && !graph_.is_false(literal(holds)))
        summands.push_back({literal(holds), static_cast<double>(value)});
  } else if (!range_of(sum.value).at_most(kZero)) {
    summands = build_.summands(number(sum.value), "summand");
  }
  double least = 0, greatest = 0, all = 0;
  for (const auto& [of, coefficient] : summands) {
    least = std::min(least, coefficient);
    greatest = std::max(greatest, coefficient);
    all += std::fabs(coefficient);
  }
  if (greatest == 0) return range = {kZero, kZero}, Affine(0);
  if (finite && (greatest <= 1 || all * build_.assured_length() <= kFloatSum)) {  // of the values one is taken
    const IntegerRange whole{{least, least}, {greatest, greatest}};
    range = lower::clipped(whole);
    return clipped(build_.sum_of(summands, scope, strict, "count"), whole, where);
  }
  range = kStored;
  if (recipe_.decoder) cannot_clip(where);
  if (const std::optional<Affine> total = build_.clipped_sum(summands, scope, strict, "sum")) return *total;
  refuse("E126", "the numbers that are added up here are too great", where,
         fmt::format("recipe {} computes with whole numbers, up to 2^50", recipe_.name));
}

[[noreturn]] void ExactProgram::cannot_clip(Span where) const {
  refuse("E103", "a decoder does not know the length of the word, so it cannot clip this to n + 1", where,
         "keep it at most n + 1, or leave out --decoder");
}

/// Within 0 … n+1.
Affine ExactProgram::clipped(const Affine& x, const IntegerRange& range, Span where) {
  const bool low = !range.at_least(kZero), high = !range.at_most(kBeyond);
  if (!low && !high) return x;
  if (range.at_most(kZero)) return 0;
  const double most = build_.assured_length() + 1;
  if (high && recipe_.decoder) cannot_clip(where);
  if (!high) return graph_.add(ir::Piecewise{{{x, 1}}, 0, 0, most}, "clipped");
  const Affine beyond = build_.length() + 1;
  if (range.at_least(kBeyond)) return beyond;
  return graph_.add(ir::Piecewise{{{x, 1}, {x - beyond, -1}}, 0, 0, most}, "clipped");
}

/// A choice among choices is one, so that all of them take one feed-forward.
Affine ExactProgram::chosen(ExpressionId id, const Choice& choice) {
  constexpr std::size_t kMostBranches = 16;
  const Literal yes = literal(local(choice.condition).cases.at(1));
  Branches all;
  for (const auto& [condition, value] : {std::pair{yes, choice.yes}, std::pair{!yes, choice.no}}) {
    const auto inner = branches_.find(value.index);
    if (inner == branches_.end() || all.size() + inner->second.size() >= kMostBranches) {
      all.push_back({{condition}, number_.at(value.index)});
      continue;
    }
    for (const auto& [also, value_there] : inner->second) {
      all.push_back({{condition}, value_there});
      all.back().conditions.insert(all.back().conditions.end(), also.begin(), also.end());
    }
  }
  const Affine result = build_.choose(all, "chosen");
  branches_[id.index] = std::move(all);
  return result;
}

/// The value of an integer expression of one position. Operands first.
const Affine& ExactProgram::number(ExpressionId root) {
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (program_.sort(id) != Sort::integer || number_.contains(id.index)) continue;
    const Affine value = std::visit(
        Overloaded{[&](const IntegerConstant& x) { return Affine(static_cast<double>(x.value)); },
                   [&](const PositionAt&) { return position(); },
                   [&](const VectorAt& x) { return *integers_[x.vector.index]; },
                   [&](const AsInteger& x) { return Affine(literal(local(x.of).cases.at(1))); },
                   [&](const Sum& x) {
                     return number_.at(x.left.index) + static_cast<double>(x.factor) * number_.at(x.right.index);
                   },
                   [&](const Choice& x) { return chosen(id, x); },
                   [](const auto&) -> Affine { internal_error("not an integer", __FILE__, __LINE__); }},
        program_[id]);
    const ir::Range range = graph_.range(value);
    if (!(range.low > -kGreatestSum && range.high < kGreatestSum))
      refuse("E126", "the numbers that are computed with here are too great", program_.span(id),
             fmt::format("recipe {} computes with whole numbers, up to 2^50", recipe_.name));
    number_[id.index] = value;
  }
  return number_.at(root.index);
}

Literal ExactProgram::at_least(ExpressionId a, ExpressionId b) {
  const IntegerRange difference = sum(range_of(a), range_of(b), -1);
  if (difference.at_least(kZero)) return graph_.truth(true);
  if (difference.at_most({-1, 0})) return graph_.truth(false);
  return build_.not_negative(number(a) - number(b), "at least");
}

Literal ExactProgram::equal(ExpressionId a, ExpressionId b) { return build_.zero(number(a) - number(b), {}, "equal"); }

}  // namespace quench::lower
