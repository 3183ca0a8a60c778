// Heads that no linear method in lanes takes: on whole words, in plain order.
#pragma once

#include <string>

#include "run/reference/plan.h"
#include "run/structured/methods/head_work.h"
#include "run/structured/structured_executor.h"

namespace quench::run {

/// What decides how such a head is run.
struct WholeWords {
  const char* by_definition = nullptr;  ///< why it must be run as the reference runs it, whatever its numbers are
  bool single = false;                  ///< the run's format is f32
  bool dense = false;                   ///< the user asked for the quadratic way
  bool exact_sums = false;              ///< see StructuredOptions
  bool many_short = false;              ///< many short words at once, for which the quadratic way is the fastest
  bool parallel = false;
};

/// Fills work.out by the definition (hard attention, numbers near the end of the format's range), by candidates, or
/// densely. Throws UserError where sums cannot be formed exactly although that was asked for.
/// `in_range`: what HeadRange says of its numbers.
HeadMethod run_whole_words(const HeadPlan& head, const WholeWords& request, const std::string& name, bool in_range,
                           HeadWork& work);

}  // namespace quench::run
