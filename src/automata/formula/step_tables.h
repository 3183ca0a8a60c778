// What operators are worth from one position to the next, as tables: their truth, and whether it is constant from the
// next position on, whatever the rest of the word. That allows to forget the numbers of a word that is lost or won.
#pragma once

#include <cstdint>

#include "lang/formula.h"

namespace quench::automata {

enum class Later : std::int8_t { false_, true_, open };
inline Later later_if(bool value) { return value ? Later::true_ : Later::false_; }

/// Of connectives and operators of the past; see truth_here for the arguments. A unary operator has its operand twice.
struct StepTables {
  static constexpr std::size_t kOperators = 64;
  bool truth[kOperators][2][2][2][2];  ///< by p, q, what was before, whether there is nothing before
  Later later[kOperators][3][3][2];    ///< by what is known of later p and q, and the truth here; not of `prev` and `Z`
};
const StepTables& step_tables();

}  // namespace quench::automata
