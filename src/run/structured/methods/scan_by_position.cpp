#include "run/structured/methods/scan_by_position.h"

#include <algorithm>

#include "run/structured/kernels/lane_exp.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

/// The keys of a class so far.
struct Class {
  double max = kNoMax, total = 0;
};

}  // namespace

template <class T>
ScanSteps<T>::ScanSteps(const StepScores& scores, Mask mask) : classes_(scores.offset.size() + 1) {
  const ScanOrder order(mask);
  const std::size_t count = scores.class_of.size();
  const auto weight = [](double x) { return x > kLowest<T> ? lane_exp(x) : 0.0; };
  std::vector<Class> classes(classes_);
  steps_.resize(count);
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t row = order.at(t, count);
    ScanStep& step = steps_[t];
    step.into = scores.class_of[row];
    Class& mine = classes[step.into];
    const double kappa = scores.kappa.empty() ? 0.0 : scores.kappa[row], higher = std::max(mine.max, kappa);
    step.keep = weight(mine.max - higher);
    step.add = weight(kappa - higher);
    const auto add_key = [&] {
      mine.max = higher;
      mine.total = mine.total * step.keep + step.add;
    };
    if (!order.strict) add_key();
    const auto score = [&](std::size_t c) { return classes[c].max + (c == 0 ? 0.0 : scores.offset[c - 1][row]); };
    double best = score(0);
    for (std::size_t c = 1; c < classes_; ++c) best = std::max(best, score(c));
    for (std::size_t c = 0; c < classes_; ++c) {
      step.weight[c] = weight(score(c) - best);
      step.total += step.weight[c] * classes[c].total;
    }
    if (order.strict) add_key();
  }
}

template <class T>
void ScanSteps<T>::run(const ScanRows<T>& rows) const {
  follow_steps(rows, std::span(steps_), classes_);
}

template class ScanSteps<float>;
template class ScanSteps<double>;

}  // namespace quench::run
