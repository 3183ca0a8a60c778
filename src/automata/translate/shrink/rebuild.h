// A formula put together again with some of its nodes replaced, and simplified on the way.
#pragma once

#include <functional>

#include "automata/translate/logic.h"
#include "lang/formula.h"

namespace quench::automata {

class Rebuilder {
 public:
  explicit Rebuilder(const lang::Formula& formula);

  /// A node of the old formula in the new one, given what its children have become.
  lang::FormulaId rebuilt(lang::FormulaId id, const std::function<lang::FormulaId(lang::FormulaId)>& made);
  Logic& logic() { return logic_; }
  /// The new formula, renumbered.
  lang::Formula finish(lang::FormulaId root);

 private:
  const lang::Formula& old_;
  lang::Formula result_;
  Logic logic_;
};

}  // namespace quench::automata
