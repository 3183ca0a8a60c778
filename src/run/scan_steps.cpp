#include "run/scan_steps.h"

#include <algorithm>

#include "run/head_work.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

/// The keys of a class so far: Σ weights = 1 + rest, relative to the greatest, which stands in `row`.
struct Class {
  double max = kNoMax, total = 0, rest = 0;
  std::size_t row = 0;
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
  std::vector<std::size_t> only(count);  // by row: the key that outweighs all others
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
        mine.row = row;
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
    only[row] = classes[best].row;
    copies = copies && step.total > 0 && others <= negligible;
    if (order.strict) add_key();
  }
  for (std::size_t row = 0; copies && row < count; ++row) {
    const bool goes_on = row > 0 && only[row] == only[row - 1] + 1;
    if (!goes_on) copies_.push_back({only[row], row, 0});
    ++copies_.back().rows;
  }
}

template <class T>
void ScanSteps<T>::run(const ScanRows<T>& rows) const {
  if (copies_.empty()) return follow_steps(rows, std::span(steps_), classes_);
  for (std::size_t x = 0; x < rows.v.size(); ++x)
    for (const auto& [from, to, count] : copies_)
      std::copy_n(rows.v[x] + from * kLanes, count * kLanes, rows.out[x] + to * kLanes);
}

template class ScanSteps<float>;
template class ScanSteps<double>;

}  // namespace quench::run
