#include "run/structured/methods/whole_words.h"

#include <fmt/format.h>

#include "base/error.h"
#include "run/structured/methods/head_range.h"

namespace quench::run {

HeadMethod run_whole_words(const HeadPlan& head, const WholeWords& request, const std::string& name, bool in_range,
                           HeadWork& work) {
  const char* by_definition = request.by_definition;
  if (!by_definition && !in_range) by_definition = "numbers near the end of the format's range, so by definition";
  if (by_definition) {
    if (request.exact_sums && head.weighting == Weighting::soft)  // the definition rounds every sum
      throw UserError(fmt::format(
          "head {} cannot be run with exact sums ({}), so the length certified for them does not hold here; use "
          "--dtype f64, or words within the length certified for any engine",
          name, by_definition));
    work.need_all();
    run_by_definition(head, work, request.parallel);
    return {name, Method::dense, by_definition};
  }
  const auto densely = [&](const std::string& reason) -> HeadMethod {
    work.need_all();
    run_densely(work, request.dense && request.single, request.parallel);
    return {name, Method::dense, reason};
  };
  if (request.dense) return densely("asked for");
  if (request.many_short) return densely("short words, all at once");
  const std::optional<std::string> no_candidates = run_by_candidates(work);
  if (no_candidates) {
    const std::optional<std::string> no_address = run_by_address(work);
    if (!no_address) return {name, Method::address, ""};
    const std::optional<std::string> no_code = run_by_nearest_code(work);
    if (!no_code) return {name, Method::address, ""};
    return densely("scores that are no few classes of keys, no parabola and no alternating series; " + *no_candidates +
                   "; " + *no_address + "; " + *no_code);
  }
  drop_subnormal_means(work);
  return {name, Method::candidates, ""};
}

}  // namespace quench::run
