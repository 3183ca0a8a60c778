#include "run/structured/methods/candidates/candidates.h"
#include "run/structured/methods/linear_method.h"
#include "run/structured/methods/lookup.h"
#include "run/structured/methods/series.h"

namespace quench::run {

namespace {

template <class T, template <class> class M>
MethodRow<T> row(Method method) {
  return {method, [](const MethodSetting<T>& setting) -> std::unique_ptr<LinearMethod<T>> {
            return std::make_unique<M<T>>(setting);
          }};
}

}  // namespace

template <class T>
const std::vector<MethodRow<T>>& linear_methods() {
  static const std::vector<MethodRow<T>> table{
      row<T, LaneLookup>(Method::lookup),
      row<T, LaneSeries>(Method::series),
      row<T, LaneCandidates>(Method::candidates),
  };
  return table;
}

template const std::vector<MethodRow<float>>& linear_methods();
template const std::vector<MethodRow<double>>& linear_methods();

}  // namespace quench::run
