// Which constructs a formula uses: what decides which recipes cover it, and what its logic is called.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "lang/formula.h"

namespace quench::lower {

enum class Feature : std::uint8_t { previous, next, since, until, count_left, count_right, count_all, predicates };
inline constexpr int kFeatureCount = static_cast<int>(Feature::predicates) + 1;

/// A set of features.
struct Features {
  unsigned bits = 0;
  constexpr Features() = default;
  constexpr Features(std::initializer_list<Feature> list) {
    for (const Feature f : list) bits |= 1u << static_cast<int>(f);
  }
  constexpr bool has(Feature f) const { return bits >> static_cast<int>(f) & 1u; }
  constexpr bool covers(Features other) const { return (other.bits & ~bits) == 0; }
  friend constexpr Features operator|(Features a, Features b) {
    a.bits |= b.bits;
    return a;
  }
};

/// For every feature, the first subformula that uses it (derived operators use their core operator's).
struct Fragment {
  Features features;
  std::array<std::optional<lang::FormulaId>, kFeatureCount> where;

  /// The paper's name for the smallest such logic: "TL[⊖]", "LTL", "TL[#←, +, Mon]", …
  std::string logic() const;
};

Fragment fragment_of(const lang::Formula& formula);

}  // namespace quench::lower
