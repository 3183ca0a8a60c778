// One attention head at work: its projections as planes, and the methods that turn them into outputs.
//
// A plane holds one number for every position of every word of a batch: word w (of `words`, all of length n) has
// its position i at index i·words + w, i from 0 (the plain order of run/README.md). One long word is a batch of one.
// Loops over words vectorise.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/attention_kind.h"
#include "run/structured/methods/codes/column.h"

namespace quench::run {

using Plane = std::vector<double>;

struct HeadWork {
  Mask mask = Mask::none;
  Weighting weighting = Weighting::soft;
  std::size_t n = 0, words = 1;
  int precision = 53;         ///< bits of the format the outputs are rounded to
  std::vector<Plane> q, k;    ///< by component of the dot product,
  std::vector<Plane> v;       ///< and by value; planes that are not there yet are empty
  std::vector<double> scale;  ///< by position i: (1/√d_k)·(1/τ(i, n)); one number, if it is the same for all
  std::vector<Plane> out;     ///< by value: Σ_j α_ij v_j

  /// By component and by value, if they are given: what is known without the planes.
  using PackedComponents = std::vector<std::shared_ptr<const Column>>;
  PackedComponents q_columns, k_columns, v_columns;
  /// Make a plane that is not there.
  std::function<Plane(std::size_t)> make_q, make_k, make_v;
  std::function<Plane()> make_out;
  /// Where to put a word's means of one value from a position on, if not into `out`.
  std::function<void(std::size_t value, std::size_t word, std::size_t first, const std::vector<double>& means)> put;

  const Plane& need_q(std::size_t l) { return need(q[l], make_q, l); }
  const Plane& need_k(std::size_t l) { return need(k[l], make_k, l); }
  const Plane& need_v(std::size_t x) { return need(v[x], make_v, x); }
  void need_all() {
    for (std::size_t l = 0; l < q.size(); ++l) need_q(l), need_k(l);
    for (std::size_t x = 0; x < v.size(); ++x) need_v(x);
    need_out();
  }
  void need_out() {
    for (Plane& plane : out)
      if (plane.empty() && make_out) plane = make_out();
  }

  double scale_at(std::size_t i) const { return scale.size() == 1 ? scale[0] : scale[i]; }
  std::size_t size() const { return n * words; }

 private:
  static const Plane& need(Plane& plane, const std::function<Plane(std::size_t)>& make, std::size_t l) {
    return plane.empty() && make ? plane = make(l) : plane;
  }
};

/// The order in which a masked head meets its keys: query i sees exactly the keys met so far (its own included unless
/// the mask is strict).
struct ScanOrder {
  bool masked, backwards, strict;
  explicit ScanOrder(Mask mask)
      : masked(mask != Mask::none),
        backwards(mask == Mask::past || mask == Mask::strict_past),
        strict(mask == Mask::strict_future || mask == Mask::strict_past) {}
  std::size_t at(std::size_t step, std::size_t n) const { return backwards ? n - 1 - step : step; }
  /// Whether the last positions come before others.
  bool last_before_others() const { return backwards || !masked; }
};

/// x[p] *= by[p]
void multiply(const double* by, std::size_t count, double* x);

/// Weights below e^{−cutoff} of the greatest may be left out: n of them sum to at most n·e^{−cutoff} ≤
/// 2^{−precision−3}, an eighth of the format's rounding unit, in the row's total as in its mean.
double negligible(int precision, std::size_t n);
inline double negligible(const HeadWork& work) { return negligible(work.precision, work.n); }
/// Means below the format's least normal number become 0: with subnormal numbers arithmetic is many times slower.
void drop_subnormal_means(HeadWork& work);
/// The greatest |x|, infinite if one is infinite or NaN.
double greatest_size(const double* x, std::size_t count);
double greatest_size(const float* x, std::size_t count);
bool all_finite(const Plane& plane);
bool values_are_finite(HeadWork& work);

// Each method either fills work.out and returns nothing, or leaves it alone and returns why it does not apply. Those
// that are quadratic want all planes to be there.

/// candidates_of_a_word.cpp: t_i·κ_j with t_i ≥ 0 not falling in the order of the scan, or without a mask. Linear while
/// few keys compete.
std::optional<std::string> run_by_candidates(HeadWork& work);

/// address.cpp: keys that are found by the values that queries ask for, all others far behind. Linear.
std::optional<std::string> run_by_address(HeadWork& work);
/// nearest_code.cpp: the nearest of the keys with a code that was computed. Linear where codes that are asked for are
/// there, or nearly.
std::optional<std::string> run_by_nearest_code(HeadWork& work);

/// dense.cpp: any soft head in range (methods/head_range.h), quadratic time, linear memory. `single` forms scores and
/// sums in float.
void run_densely(HeadWork& work, bool single, bool parallel);

struct HeadPlan;
/// definition.cpp: any head, to the bit as the reference runs it; quadratic time, linear memory.
void run_by_definition(const HeadPlan& head, HeadWork& work, bool parallel);

}  // namespace quench::run
