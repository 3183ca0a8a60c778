#include "run/lane_head.h"

namespace quench::run {

template <class T>
bool LaneHead<T>::feed(const LaneWindow& window, const std::uint32_t* position, const HeadSpace<T>& space,
                       double steady, const std::vector<T*>& out, LanePhase phase) {
  const std::vector<const T*>&q = space.q_view, &k = space.k_view, &v = space.v_view;
  const auto goes = [&](Way way) {
    if ((way_ != Way::unknown && way_ != way) || (way == Way::scan && no_scan_)) return false;
    const auto went = [&] {
      switch (way) {
        case Way::scan:
          return scan_.feed(window, q, k, v, space.scale, steady, out, phase);
        case Way::lookup:
          return others_.lookup.feed(window, position, q, k, v, space.scale, steady, out, phase);
        case Way::series:
          return others_.series.feed(window, position, q, k, v, space.scale, steady, out);
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
const char* LaneHead<T>::method() const {
  constexpr const char* kNames[] = {"", "scan", "lookup", "series", "candidates"};
  if (way_ == Way::scan && scan_.looks_back()) return "copy";
  return kNames[static_cast<std::size_t>(way_)];
}

template class LaneHead<float>;
template class LaneHead<double>;

}  // namespace quench::run
