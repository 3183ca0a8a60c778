#include "attention/score/position_term.h"

#include <algorithm>

#include "base/error.h"
#include "base/overloaded.h"

namespace quench::attention {

namespace {

double distance(std::size_t i, std::size_t j) { return static_cast<double>(i > j ? i - j : j - i); }

std::size_t offset_index(const RelativeBias& bias, std::size_t i, std::size_t j) {
  QUENCH_ASSERT(bias.by_offset.size() == 2 * bias.radius + 1);
  return j >= i ? bias.radius + std::min(j - i, bias.radius) : bias.radius - std::min(i - j, bias.radius);
}

double unit_tie_break(TieBreak::Form form, std::size_t j, std::size_t keys) {
  const double position = static_cast<double>(j + 1), n = static_cast<double>(keys);
  switch (form) {
    case TieBreak::Form::rightmost:
      return position / (2 * n);
    case TieBreak::Form::leftmost:
      return -position / (2 * n);
    case TieBreak::Form::rightmost_inverse:
      return -1 / position;
  }
  throw InternalError("a tie-break without a meaning");
}

}  // namespace

double position_term(const PositionTerm& term, std::size_t i, std::size_t j, std::size_t keys) {
  return std::visit(Overloaded{[&](const Alibi& t) { return -t.slope * distance(i, j); },
                               [&](const BiasTable& t) { return t.table(i, j); },
                               [&](const RelativeBias& t) { return t.by_offset[offset_index(t, i, j)]; },
                               [&](const BiasFunction& t) { return t.function(i, j); },
                               [&](const TieBreak& t) { return t.scale * unit_tie_break(t.form, j, keys); }},
                    term);
}

PositionTerm zero_like(const PositionTerm& term) {
  return std::visit(
      Overloaded{[](const Alibi&) -> PositionTerm { return Alibi{0}; },
                 [](const BiasTable& t) -> PositionTerm { return BiasTable{Matrix(t.table.rows, t.table.cols)}; },
                 [](const RelativeBias& t) -> PositionTerm {
                   return RelativeBias{t.radius, std::vector<double>(t.by_offset.size(), 0.0)};
                 },
                 [](const BiasFunction&) -> PositionTerm { return BiasFunction{}; },
                 [](const TieBreak& t) -> PositionTerm {
                   return TieBreak{t.form, 0};
                 }},
      term);
}

void add_gradient(const PositionTerm& term, std::size_t i, std::size_t j, std::size_t keys, double d,
                  PositionTerm& gradient) {
  std::visit(Overloaded{[&](Alibi& g) { g.slope -= d * distance(i, j); }, [&](BiasTable& g) { g.table(i, j) += d; },
                        [&](RelativeBias& g) { g.by_offset[offset_index(g, i, j)] += d; }, [](BiasFunction&) {},
                        [&](TieBreak& g) { g.scale += d * unit_tie_break(std::get<TieBreak>(term).form, j, keys); }},
             gradient);
}

}  // namespace quench::attention
