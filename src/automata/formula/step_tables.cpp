#include "automata/formula/step_tables.h"

#include "lang/looks_right.h"
#include "lang/step.h"


namespace quench::automata {
namespace {

using lang::Operator;

bool may_be(Later x, bool value) { return x == Later::open || x == later_if(value); }

/// An operator that is constant if all values that its open operands could take give the same.
Later connective(Operator op, Later p, Later q) {
  bool can[2] = {false, false};
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      if (may_be(p, a) && may_be(q, b)) can[lang::truth_here(op, a, b, false, false)] = true;
  return can[0] && can[1] ? Later::open : later_if(can[1]);
}

/// A past operator whose own truth is carried on: constant if no later operands can change it, or if operands decide it
/// whatever came before.
Later carried(Operator op, Later p, Later q, bool here) {
  bool can[2] = {false, false}, any[2] = {false, false};
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      for (const bool before : {false, true}) {
        if (!may_be(p, a) || !may_be(q, b)) continue;
        const bool truth = lang::truth_here(op, a, b, before, false);
        any[truth] = true;
        if (before == here) can[truth] = true;
      }
  if (can[0] != can[1] && can[here]) return later_if(here);
  return any[0] && any[1] ? Later::open : later_if(any[1]);
}

StepTables make_tables() {
  StepTables tables{};
  for (const lang::OperatorFacts& row : lang::all_operators()) {
    if (lang::looks_right(row.op)) continue;
    const auto op = static_cast<std::size_t>(row.op);
    for (const bool p : {false, true})
      for (const bool q : {false, true})
        for (const bool before : {false, true})
          for (const bool first : {false, true})
            tables.truth[op][p][q][before][first] = lang::truth_here(row.op, p, q, before, first);
    for (const Later p : {Later::open, Later::false_, Later::true_})
      for (const Later q : {Later::open, Later::false_, Later::true_})
        for (const bool here : {false, true})
          tables.later[op][static_cast<std::size_t>(p)][static_cast<std::size_t>(q)][here] =
              lang::looks_left(row.op) ? carried(row.op, p, q, here) : connective(row.op, p, q);
  }
  return tables;
}

}  // namespace

const StepTables& step_tables() {
  static const StepTables tables = make_tables();
  return tables;
}

}  // namespace quench::automata
