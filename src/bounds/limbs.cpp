// Where position i itself does not count, what it adds is taken off again: limbs have room for N + 2 positions.
// Clipping to 0 … n+1 compares a sum with n + 1, whose bits and 1 add up to at most 2N: every sum has 2N to spare
// below.
#include "bounds/limbs.h"

#include <algorithm>
#include <cmath>

#include "bounds/exact.h"

namespace quench::bounds {
namespace {

/// What the digits of one limb add up to at one position, at most and at least.
struct Span {
  double above = 0, below = 0;
};

std::vector<Span> spans(const LimbPlan& plan, const std::vector<double>& coefficients) {
  std::vector<Span> result(plan.count);
  for (std::size_t k = 0; k < plan.count; ++k)
    for (const double c : coefficients) {
      const double digit = plan.digit(c, k);
      (digit > 0 ? result[k].above : result[k].below) += std::fabs(digit);
    }
  return result;
}

/// S_k ≥ 0: where one of them exceeds its share of N + 1, so does the sum, whatever the others are.
bool cut_off(LimbPlan& plan, const std::vector<Span>& limbs, double length, int p) {
  double total = 0;
  for (std::size_t k = 0; k < plan.count; ++k) {
    const double place = std::exp2(plan.width * static_cast<double>(k)), sum = (length + 2) * limbs[k].above;
    if (!count_is_exact(length + 2, limbs[k].above, p)) return false;
    plan.above.push_back(std::fmin(sum, std::ceil((length + 2) / place)));
    plan.below.push_back(0);
    plan.weight.push_back(std::fmin(place, length + 2));
    total += plan.weight[k] * plan.above[k];
  }
  return std::fmax(total, 2 * length) <= std::exp2(p);
}

/// What is beyond `above` or `below` stays beyond, whatever the lower limbs are: 2^r·above_{k+1} − N·b_k ≥ above_k.
bool carry(LimbPlan& plan, const std::vector<Span>& limbs, double length, int p, bool has_signs) {
  const double base = std::exp2(plan.width), most = std::exp2(p);
  std::vector<double> above{length + 1}, below{0};
  for (std::size_t k = 0; k + 1 < plan.count; ++k) {
    above.push_back(std::ceil((above[k] + length * limbs[k].below) / base));
    below.push_back(has_signs ? std::ceil((below[k] + length * limbs[k].above) / base) : 0);
  }
  for (std::size_t k = 0; k < plan.count; ++k) {
    const bool top = k + 1 == plan.count;
    const double higher = top ? 0 : base * above[k + 1], lower = top ? 0 : base * below[k + 1];
    const double greatest = higher + (length + 2) * limbs[k].above, least = lower + (length + 2) * limbs[k].below;
    const double compared = k == 0 ? 2 * length : above[k];
    if (greatest + below[k] > most || least + compared > most) return false;
  }
  plan.above = std::move(above);
  plan.below = std::move(below);
  plan.weight.assign(plan.count, base);
  return true;
}

}  // namespace

double LimbPlan::digit(double coefficient, std::size_t limb) const {
  const double place = std::exp2(width * static_cast<double>(limb));
  const double rest = std::floor(std::fabs(coefficient) / place);
  return std::copysign(count == 1 ? rest : std::fmod(rest, std::exp2(width)), coefficient);
}

std::optional<LimbPlan> limb_plan(const std::vector<double>& coefficients, double length, int p) {
  constexpr int kWidest = 24;
  double greatest = 0;
  bool has_signs = false;
  for (const double c : coefficients) {
    greatest = std::fmax(greatest, std::fabs(c));
    has_signs = has_signs || c < 0;
  }
  int bits = 1;
  while (std::exp2(bits) <= greatest) ++bits;
  for (const bool from_the_top : {false, true})
    for (int width = std::max(bits, kWidest); width >= 1; --width) {
      if (has_signs && !from_the_top) break;
      LimbPlan plan{width, static_cast<std::size_t>((bits + width - 1) / width), from_the_top, {}, {}, {}};
      const std::vector<Span> limbs = spans(plan, coefficients);
      if (from_the_top ? carry(plan, limbs, length, p, has_signs) : cut_off(plan, limbs, length, p)) return plan;
    }
  return std::nullopt;
}

}  // namespace quench::bounds
