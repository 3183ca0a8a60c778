// What random formulas may contain so that a recipe covers them.
#pragma once

#include "lang/random_formula.h"
#include "lower/recipe.h"

namespace quench::lower {

inline lang::Fragment fragment_for(const Recipe& recipe) {
  using enum Feature;
  lang::Fragment fragment;
  fragment.previous = recipe.covers.has(previous);
  fragment.next = recipe.covers.has(next);
  fragment.since = recipe.covers.has(since);
  fragment.until = recipe.covers.has(until);
  fragment.count_left = recipe.covers.has(count_left);
  fragment.count_right = recipe.covers.has(count_right);
  fragment.count_all = recipe.covers.has(count_all);
  fragment.position_predicate = recipe.covers.has(predicates);
  fragment.count_predicate = recipe.covers.has(predicates) && !(recipe.tight && recipe.decoder);
  return fragment;
}

}  // namespace quench::lower
