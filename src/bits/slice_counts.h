// Comparisons of counts and predicates of counts, on slices: a number per word, one slice per binary digit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits/slice.h"
#include "lang/formula.h"

namespace quench::bits {

/// coefficient · (number of positions in scope where `of` holds)
struct CountedSlices {
  std::int64_t coefficient;
  lang::Scope scope;
  const Slice* of;
};

/// out(i) = [Σ counts + constant  relation  0]. Needs fits() of counts.h at the longest length.
void compare(std::span<const CountedSlices> counts, std::int64_t constant, lang::Relation relation,
             const Extent& extent, Slice* out);

/// out(i) = [Σ counts + constant lies in the residue class], for moduli up to kMostRests.
inline constexpr std::int64_t kMostRests = 64;
void congruent(std::span<const CountedSlices> counts, std::int64_t constant, const ResidueClass& residues,
               const Extent& extent, Slice* out);

/// θ(0), θ(1), …, θ(n) as a diagram of decisions on the binary digits of x, equal parts once. For `odd` that is one
/// decision, for mod(m, r) at most m for each digit.
class Diagram {
 public:
  explicit Diagram(const std::vector<bool>& table);

  struct Decision {
    std::uint32_t digit, if_0, if_1;
  };
  /// Value 0 is false, 1 true, k + 2 what decision k gives; the last one is the answer.
  const std::vector<Decision>& decisions() const { return decisions_; }
  std::uint32_t answer() const { return answer_; }
  std::size_t digits() const { return digits_; }

 private:
  std::vector<Decision> decisions_;
  std::uint32_t answer_ = 0;
  std::size_t digits_ = 0;
};

/// out(i) = θ(count at i)
void look_up(const Slice* of, lang::Scope scope, const Diagram& diagram, const Extent& extent, Slice* out);

}  // namespace quench::bits
