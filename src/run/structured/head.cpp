#include "run/structured/head.h"

#include "base/number/lanes.h"
#include "run/structured/lane_stretches.h"

namespace quench::run {

namespace {

QUENCH_LANES void take(const double* by_position, const std::uint32_t* position, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = by_position[position[p]];
}
QUENCH_LANES void multiply(double factor, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] *= factor;
}

}  // namespace

template <class T>
void LaneHead<T>::set_scale(const LaneWindow& window, const std::uint32_t* position,
                            const std::vector<double>& by_position, double factor, LaneScale& scale) const {
  const bool runs = window.runs_on(position);
  scale.clear();
  scale.factor = factor;
  if (runs && way_ == Way::candidates) {
    scale.run = by_position.data() + position[0];
    return;
  }
  scale.rows.resize(window.size());
  if (runs)
    runs_to_rows(by_position.data() + position[0], window.steps, kLanes, scale.rows.data());
  else
    take(by_position.data(), position, window.size(), scale.rows.data());
  if (factor != 1) multiply(factor, window.size(), scale.rows.data());
}

template <class T>
bool LaneHead<T>::feed(const LaneWindow& window, const std::uint32_t* position, const HeadSpace<T>& space,
                       double steady, const std::vector<T*>& out, LanePhase phase) {
  const std::vector<const T*>&q = space.q_view, &k = space.k_view, &v = space.v_view;
  if (!foreseen_ && phase != LanePhase::queries && !range_.take(q, k, v, window.size())) return false;
  const auto goes = [&](Way way) {
    if ((way_ != Way::unknown && way_ != way) || (way == Way::scan && no_scan_)) return false;
    const auto went = [&] {
      switch (way) {
        case Way::scan:
          return scan_.feed(window, q, k, v, space.scale.rows, steady, out, phase);
        case Way::lookup:
          return others_.lookup.feed(window, position, q, k, v, space.scale.rows, steady, out, phase);
        case Way::series:
          return others_.series.feed(window, position, q, k, v, space.scale.rows, steady, out);
        case Way::candidates:
          return others_.candidates.feed(window, q, k, v, space.scale, steady, out);
        case Way::unknown:
          break;
      }
      return false;
    }();
    if (went) way_ = way;
    return went;
  };
  if (foreseen_) return goes(Way::scan);  // the others would look at queries that are not there
  return goes(Way::scan) || goes(Way::lookup) || goes(Way::series) || goes(Way::candidates);
}

template <class T>
bool LaneHead<T>::restart() {
  if (way_ != Way::scan) return false;
  way_ = Way::unknown;
  others_ = as_new_;
  no_scan_ = !scan_.restart();  // a few keys were few classes, but all are not
  return true;
}

template <class T>
Method LaneHead<T>::method() const {
  switch (way_) {
    case Way::scan:
      return scan_.looks_back() ? Method::copy : Method::scan;
    case Way::lookup:
      return Method::lookup;
    case Way::series:
      return Method::series;
    case Way::candidates:
      return Method::candidates;
    case Way::unknown:
      break;
  }
  return Method::dense;
}

template class LaneHead<float>;
template class LaneHead<double>;

}  // namespace quench::run
