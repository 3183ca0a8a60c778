// Random formulas for cross-checking, by fragment.
#pragma once

#include "base/number/random.h"
#include "lang/formula.h"

namespace quench::lang {

/// Which constructs may occur. Boolean connectives and symbols always may.
struct Fragment {
  bool previous = false, next = false, since = false, until = false;  // derived operators follow their core operator
  bool count_left = false, count_right = false, count_all = false;    // in comparisons
  bool position_predicate = false, count_predicate = false;
  bool length_predicate = false;  // predicates may also depend on n
};

struct RandomFormulaOptions {
  Fragment fragment;
  int operators = 8;  ///< number of operator nodes, about
  int symbols = 2;    ///< the alphabet a, b, c, …
  int max_coefficient = 2;
};

/// Canonical (lang/canonical.h): symbols that the formula happens not to mention are not in its alphabet.
Formula random_formula(Random& random, const RandomFormulaOptions& options);

}  // namespace quench::lang
