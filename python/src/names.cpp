#include "names.h"

#include <array>
#include <string_view>
#include <utility>

namespace quench::python {
namespace {

template <class Enum, std::size_t count>
Enum named(const std::string& name, const char* what, const std::array<std::pair<std::string_view, Enum>, count>& all) {
  std::string known;
  for (const auto& [text, value] : all) {
    if (text == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw UserError("there is no " + std::string(what) + " of this name; there are " + known);
}

}  // namespace

Format format_named(const std::string& name) {
  if (const auto format = format_from(name)) return *format;
  std::string known;
  for (const Format format : all_formats()) known += (known.empty() ? "" : ", ") + std::string(name_of(format));
  throw UserError("there is no number format of this name; there are " + known);
}

Engine engine_named(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, Engine>, 5> kEngines{{{"auto", Engine::automatic},
                                                                                {"reference", Engine::reference},
                                                                                {"dense", Engine::dense},
                                                                                {"structured", Engine::structured},
                                                                                {"bits", Engine::bits}}};
  return named(name, "engine", kEngines);
}

Summation summation_named(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, Summation>, 3> kSummations{
      {{"any", Summation::any},
       {"normalise-last", Summation::normalise_last},
       {"exact-count", Summation::exact_count}}};
  return named(name, "way to sum", kSummations);
}

Mask mask_named(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, Mask>, 5> kMasks{{{"none", Mask::none},
                                                                            {"future", Mask::future},
                                                                            {"past", Mask::past},
                                                                            {"strict_future", Mask::strict_future},
                                                                            {"strict_past", Mask::strict_past}}};
  return named(name, "mask", kMasks);
}

Weighting weighting_named(const std::string& name) {
  using enum Weighting;
  static constexpr std::array<std::pair<std::string_view, Weighting>, 15> kWeightings{
      {{"softmax", softmax},
       {"leftmost", leftmost},
       {"rightmost", rightmost},
       {"average", average},
       {"log_softmax", log_softmax},
       {"scalable_softmax", scalable_softmax},
       {"sparsemax", sparsemax},
       {"entmax", entmax},
       {"stick_breaking", stick_breaking},
       {"geometric", geometric},
       {"monotonic", monotonic},
       {"entropy_adaptive", entropy_adaptive},
       {"gap_adaptive", gap_adaptive},
       {"gumbel_softmax", gumbel_softmax},
       {"straight_through", straight_through}}};
  return named(name, "weighting", kWeightings);
}

}  // namespace quench::python
