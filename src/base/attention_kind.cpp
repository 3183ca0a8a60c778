#include "base/attention_kind.h"

#include <array>
#include <bit>
#include <utility>

namespace quench {

namespace {

template <class Kind, std::size_t size>
using Spellings = std::array<std::pair<Kind, std::string_view>, size>;

constexpr Spellings<Mask, 5> kMasks{{{Mask::none, "none"},
                                     {Mask::future, "future"},
                                     {Mask::past, "past"},
                                     {Mask::strict_future, "strict_future"},
                                     {Mask::strict_past, "strict_past"}}};
constexpr Spellings<Weighting, 4> kWeightings{{{Weighting::soft, "soft"},
                                               {Weighting::lhardmax, "lhardmax"},
                                               {Weighting::rhardmax, "rhardmax"},
                                               {Weighting::ahardmax, "ahardmax"}}};
constexpr Spellings<Temperature, 9> kTemperatures{{{Temperature::one, "1"},
                                                   {Temperature::inverse_n, "1/n"},
                                                   {Temperature::inverse_i, "1/i"},
                                                   {Temperature::inverse_i_sq, "1/i^2"},
                                                   {Temperature::inverse_power, "1/N"},
                                                   {Temperature::inverse_n_cubed_log, "1/(n^3 ln(n+1))"},
                                                   {Temperature::inverse_log, "1/ln(n+1)"},
                                                   {Temperature::inverse_n_log, "1/(n ln(n+1))"},
                                                   {Temperature::inverse_n_sq_log, "1/(n^2 ln(n+1))"}}};

template <class Kind, std::size_t size>
std::string_view spelling(const Spellings<Kind, size>& table, Kind kind) {
  for (const auto& [value, text] : table)
    if (value == kind) return text;
  return "?";
}

template <class Kind, std::size_t size>
std::optional<Kind> kind_from(const Spellings<Kind, size>& table, std::string_view text) {
  for (const auto& [value, spelled] : table)
    if (spelled == text) return value;
  return std::nullopt;
}

}  // namespace

bool depends_on_length(Temperature temperature) {
  return temperature != Temperature::one && temperature != Temperature::inverse_i &&
         temperature != Temperature::inverse_i_sq;
}

std::string_view to_string(Mask mask) { return spelling(kMasks, mask); }
std::string_view to_string(Weighting weighting) { return spelling(kWeightings, weighting); }
std::string_view to_string(Temperature temperature) { return spelling(kTemperatures, temperature); }

std::optional<Mask> mask_from(std::string_view text) { return kind_from(kMasks, text); }
std::optional<Weighting> weighting_from(std::string_view text) { return kind_from(kWeightings, text); }
std::optional<Temperature> temperature_from(std::string_view text) { return kind_from(kTemperatures, text); }

KeyRange visible(Mask mask, std::size_t i, std::size_t n) {
  switch (mask) {
    case Mask::none:
      return {1, n};
    case Mask::future:
      return {1, i};
    case Mask::past:
      return {i, n};
    case Mask::strict_future:
      return {1, i - 1};
    case Mask::strict_past:
      return {i + 1, n};
  }
  return {1, 0};
}

std::size_t power_above(std::size_t n) { return std::bit_ceil(n); }

}  // namespace quench
