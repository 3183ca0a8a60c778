// What ≤ and its relatives say of two numbers.
#pragma once

#include "lang/formula.h"

namespace quench::oracle {

template <class Number>
bool compare(lang::Relation relation, Number a, Number b) {
  switch (relation) {
    case lang::Relation::less_equal:
      return a <= b;
    case lang::Relation::less:
      return a < b;
    case lang::Relation::greater_equal:
      return a >= b;
    case lang::Relation::greater:
      return a > b;
    case lang::Relation::equal:
      return a == b;
    case lang::Relation::not_equal:
      return a != b;
  }
  return false;
}

}  // namespace quench::oracle
