#include "run/structured/attention/head.h"

#include <algorithm>

#include "base/number/multiversion.h"
#include "run/structured/lane_stretches.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void take(const double* by_position, const std::uint32_t* position, std::size_t count,
                              double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = by_position[position[p]];
}
QUENCH_MULTIVERSION void multiply(double factor, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] *= factor;
}

}  // namespace

template <class T>
LaneHead<T>::LaneHead(const HeadPlan& head, Mask in_order, double cutoff, std::size_t n,
                      const ForeseenHead<T>* foreseen, bool exact_sums)
    : setting_{head.components, head.d_v, head.mask,  in_order,
               cutoff,          n,        exact_sums, foreseen && foreseen->scan ? foreseen : nullptr},
      range_(head, n),
      scan_(std::make_unique<LaneScan<T>>(setting_)) {}

template <class T>
void LaneHead<T>::make_others() {
  for (const MethodRow<T>& row : linear_methods<T>()) {
    others_.push_back(row.make(setting_));
    others_.back()->introduce(first_key_);
  }
}

template <class T>
void LaneHead<T>::introduce(const Views& k) {
  first_key_.clear();
  for (const T* component : k) first_key_.push_back(static_cast<double>(component[0]));
  others_.clear();
}

template <class T>
void LaneHead<T>::set_scale(const LaneWindow& window, const std::uint32_t* position,
                            const std::vector<double>& by_position, double factor, LaneScale& scale) const {
  const bool one_stretch = window.is_one_stretch(position);
  scale.clear();
  scale.factor = factor;
  if (one_stretch && chosen_ && chosen_->takes_stretches()) {
    scale.stretch = by_position.data() + position[0];
    return;
  }
  scale.rows.resize(window.size());
  if (one_stretch)
    stretches_to_rows(by_position.data() + position[0], window.steps, kLanes, scale.rows.data());
  else
    take(by_position.data(), position, window.size(), scale.rows.data());
  if (factor != 1) multiply(factor, window.size(), scale.rows.data());
}

template <class T>
bool LaneHead<T>::feed(const LaneWindow& window, const std::uint32_t* position, const HeadSpace<T>& space,
                       double steady, const std::vector<T*>& out, LanePhase phase) {
  const HeadWindow<T> head{window, position, space.q_view, space.k_view, space.v_view, space.scale, steady, out, phase};
  if (!setting_.foreseen && phase != LanePhase::queries && !range_.take(head.q, head.k, head.v, window.size()))
    return false;
  if (chosen_) return chosen_->feed(head);
  const auto choose = [&](LinearMethod<T>& method) {
    if (!method.feed(head)) return false;
    chosen_ = &method;
    return true;
  };
  if (!no_scan_ && choose(*scan_)) return true;
  if (setting_.foreseen) return false;  // the others would look at queries that are not there
  if (others_.empty()) make_others();
  return std::ranges::any_of(others_, [&](const auto& method) { return choose(*method); });
}

template <class T>
bool LaneHead<T>::restart() {
  if (chosen_ != scan_.get()) return false;
  chosen_ = nullptr;
  others_.clear();
  no_scan_ = !scan_->restart();  // a few keys were few classes, but all are not
  return true;
}

template <class T>
Method LaneHead<T>::method() const {
  if (chosen_ == scan_.get()) return scan_->looks_back() ? Method::copy : Method::scan;
  for (std::size_t m = 0; m < others_.size(); ++m)
    if (others_[m].get() == chosen_) return linear_methods<T>()[m].method;
  return Method::dense;
}

template class LaneHead<float>;
template class LaneHead<double>;

}  // namespace quench::run
