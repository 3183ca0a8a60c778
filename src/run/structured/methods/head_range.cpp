#include "run/structured/methods/head_range.h"

#include <algorithm>

#include "model/position.h"

namespace quench::run {

template <class T>
bool far_from_the_end(const HeadPlan& head, std::size_t n, const HeadSizes& sizes) {
  constexpr double kGreatestMix = 0x1p60;
  const double sharpest =
      std::max(model::inverse_temperature(head.temperature, 1, n), model::inverse_temperature(head.temperature, n, n));
  const double scale = std::max(1.0, head.score_scale * sharpest);
  // Infinities and NaN make every comparison false that they take part in.
  bool far = head.greatest_mix <= kGreatestMix &&
             static_cast<double>(n) * sizes.v * std::max(1.0, head.greatest_mix) <= kFar<T>;
  double score = 0;
  for (std::size_t l = 0; l < sizes.q.size(); ++l) {
    far = far && sizes.q[l] * scale <= kFar<T> && sizes.k[l] <= kFar<T>;
    score += sizes.q[l] * sizes.k[l];
  }
  return far && score * scale <= kFar<T>;
}

template bool far_from_the_end<float>(const HeadPlan&, std::size_t, const HeadSizes&);
template bool far_from_the_end<double>(const HeadPlan&, std::size_t, const HeadSizes&);

template <class T>
bool HeadRange<T>::take(const std::vector<const T*>& q, const std::vector<const T*>& k, const std::vector<const T*>& v,
                        std::size_t count) {
  const auto raise = [&](double& size, const T* plane) { size = std::max(size, greatest_size(plane, count)); };
  for (std::size_t l = 0; l < q.size(); ++l) {
    raise(sizes_.q[l], q[l]);
    raise(sizes_.k[l], k[l]);
  }
  for (const T* plane : v) raise(sizes_.v, plane);
  return far_from_the_end<T>(*head_, n_, sizes_);
}

template class HeadRange<float>;
template class HeadRange<double>;

}  // namespace quench::run
