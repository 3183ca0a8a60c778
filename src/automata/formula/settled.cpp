#include "automata/formula/settled.h"

#include "automata/formula/operators.h"
#include "base/overloaded.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::Operator;

Later later(bool value) { return value ? Later::true_ : Later::false_; }

/// An operator that is constant if all values that its open operands could take give the same.
Later connective(Operator op, Later p, Later q) {
  bool can[2] = {false, false};
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      if ((p == Later::open || p == later(a)) && (q == Later::open || q == later(b)))
        can[truth_here(op, a, b, false, false)] = true;
  return can[0] && can[1] ? Later::open : later(can[1]);
}

/// A past operator whose own truth is carried on: constant if no later operands can change it.
Later carried(Operator op, Later p, Later q, bool here) {
  bool can[2] = {false, false};
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      if ((p == Later::open || p == later(a)) && (q == Later::open || q == later(b)))
        for (const bool before : {false, true})
          if (before == here) can[truth_here(op, a, b, before, false)] = true;
  if (can[0] != can[1] && can[here]) return later(here);
  // Or if operands decide it whatever came before.
  bool any[2] = {false, false};
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      for (const bool before : {false, true})
        if ((p == Later::open || p == later(a)) && (q == Later::open || q == later(b)))
          any[truth_here(op, a, b, before, false)] = true;
  return any[0] && any[1] ? Later::open : later(any[1]);
}

}  // namespace

std::vector<Later> settled(const lang::Formula& formula, const std::vector<FormulaId>& nodes,
                           const std::vector<std::uint8_t>& value, const std::vector<bool>& saturated) {
  std::vector<Later> result(formula.size(), Later::open);
  for (const FormulaId id : nodes) {
    const auto of = [&](FormulaId part) { return result[part.index]; };
    const bool here = value[id.index];
    const auto temporal = [&](Operator op, Later p, FormulaId q) {
      if (looks_right(op)) return Later::open;
      if (!looks_left(op)) return connective(op, p, of(q));
      if (lang::facts(op).modality == lang::Modality::since) return carried(op, p, of(q), here);
      return of(q) == later(value[q.index]) ? of(q) : Later::open;  // prev and Z: as it is here, and then stays
    };
    const auto numeric = [&] { return saturated[id.index] ? later(here) : Later::open; };
    result[id.index] =
        std::visit(Overloaded{[&](const lang::Constant& node) { return later(node.value); },
                              [&](const lang::SymbolAtom&) { return Later::open; },
                              [&](const lang::Unary& node) { return temporal(node.op, Later::open, node.arg); },
                              [&](const lang::Binary& node) { return temporal(node.op, of(node.left), node.right); },
                              [&](const lang::Comparison&) { return numeric(); },
                              [&](const lang::PositionPredicate&) { return numeric(); },
                              [&](const lang::CountPredicate&) { return numeric(); }},
                   formula[id]);
  }
  return result;
}

}  // namespace quench::automata
