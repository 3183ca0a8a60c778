#include "base/position_formula.h"

#include <array>
#include <string_view>
#include <utility>

namespace quench {

namespace {

using Kind = PositionFormula::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 24> kSpellings{{
    {Kind::index, "i"},
    {Kind::index_sq, "i^2"},
    {Kind::length, "n"},
    {Kind::index_length, "i*n"},
    {Kind::index_sq_length, "i^2*n"},
    {Kind::index_over_length, "i/n"},
    {Kind::index_over_length_sq, "(i/n)^2"},
    {Kind::inverse_index, "1/i"},
    {Kind::inverse_remaining, "1/(n-i+1)"},
    {Kind::alternating, "(-1)^i"},
    {Kind::index_over_power, "i/N"},
    {Kind::inverse_length, "1/n"},
    {Kind::log_index, "log(i)"},
    {Kind::log_remaining, "log(n-i+1)"},
    {Kind::index_alternating, "i*(-1)^i"},
    {Kind::digit_0, "d0"},
    {Kind::digit_1, "d1"},
    {Kind::digit_2, "256*d2"},
    {Kind::digit_0_over_power, "d0/N"},
    {Kind::digit_1_over_power, "256*d1/N"},
    {Kind::digit_2_over_power, "65536*d2/N"},
    {Kind::table, "table"},
    {Kind::predicate, "predicate"},
    {Kind::predicate_at_zero, "predicate_at_zero"},
}};

}  // namespace

std::string to_string(const PositionFormula& formula) {
  const std::string name = formula.predicate ? formula.predicate->name : "?";
  if (formula.kind == Kind::predicate) return name + "(i)";
  if (formula.kind == Kind::predicate_at_zero) return name + "(0)";
  return std::string(to_string(formula.kind));
}

std::string_view to_string(PositionFormula::Kind kind) {
  for (const auto& [value, text] : kSpellings)
    if (value == kind) return text;
  return "?";
}

std::optional<PositionFormula::Kind> position_kind_from(std::string_view text) {
  for (const auto& [value, spelled] : kSpellings)
    if (spelled == text) return value;
  return std::nullopt;
}

}  // namespace quench
