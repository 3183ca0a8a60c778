#include "run/scan_steps.h"

#include <algorithm>

#include "base/lanes.h"
#include "run/head_work.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

QUENCH_LANES void copy_rows(const float* from, const std::uint32_t* row, std::size_t rows, float* to) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) to[t * kLanes + s] = from[row[t] * kLanes + s];
}
QUENCH_LANES void copy_rows(const double* from, const std::uint32_t* row, std::size_t rows, double* to) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) to[t * kLanes + s] = from[row[t] * kLanes + s];
}

/// The keys of a class so far: Σ weights = 1 + rest, relative to the greatest, which stands in `row`.
struct Class {
  double max = kNoMax, total = 0, rest = 0;
  std::uint32_t row = 0;
};

}  // namespace

template <class T>
ScanSteps<T>::ScanSteps(const StepScores& scores, Mask mask) : classes_(scores.offset.size() + 1) {
  const ScanOrder order(mask);
  const std::size_t count = scores.class_of.size();
  const double lowest = sizeof(T) == 4 ? -120 : -350;            // as in lane_math-inl.h
  const double negligible = sizeof(T) == 4 ? 0x1p-27 : 0x1p-56;  // an eighth of the rounding unit
  const auto weight = [&](double x) { return x > lowest ? lane_exp(x) : 0.0; };
  std::vector<Class> classes(classes_);
  bool copies = true;
  steps_.resize(count);
  only_.resize(count);
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t row = order.at(t, count);
    ScanStep& step = steps_[t];
    step.into = scores.class_of[row];
    Class& mine = classes[step.into];
    const double kappa = scores.kappa.empty() ? 0.0 : scores.kappa[row], higher = std::max(mine.max, kappa);
    step.keep = weight(mine.max - higher);
    step.add = weight(kappa - higher);
    const auto add_key = [&] {
      if (kappa > mine.max) {
        mine.row = static_cast<std::uint32_t>(row);
        mine.rest = mine.total * step.keep;
      } else {
        mine.rest += step.add;
      }
      mine.max = higher;
      mine.total = mine.total * step.keep + step.add;
    };
    if (!order.strict) add_key();
    std::size_t best = 0;
    const auto score = [&](std::size_t c) { return classes[c].max + (c == 0 ? 0.0 : scores.offset[c - 1][row]); };
    for (std::size_t c = 1; c < classes_; ++c)
      if (score(c) > score(best)) best = c;
    double others = classes[best].rest;
    for (std::size_t c = 0; c < classes_; ++c) {
      step.weight[c] = weight(score(c) - score(best));
      step.total += step.weight[c] * classes[c].total;
      if (c != best) others += step.weight[c] * classes[c].total;
    }
    only_[row] = classes[best].row;
    copies = copies && step.total > 0 && others <= negligible;
    if (order.strict) add_key();
  }
  if (!copies) only_.clear();
}

template <class T>
void ScanSteps<T>::run(const ScanRows<T>& rows) const {
  if (only_.empty()) return follow_steps(rows, std::span(steps_), classes_);
  for (std::size_t x = 0; x < rows.v.size(); ++x) copy_rows(rows.v[x], only_.data(), only_.size(), rows.out[x]);
}

template class ScanSteps<float>;
template class ScanSteps<double>;

}  // namespace quench::run
