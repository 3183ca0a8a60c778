#include "run/structured/methods/candidates.h"
#include "run/structured/methods/lookup.h"
#include "run/structured/methods/method.h"
#include "run/structured/methods/series.h"

namespace quench::run {

namespace {

template <class T, template <class> class M>
MethodRow<T> row(const char* name) {
  return {name, [](const MethodSetting<T>& setting) -> std::unique_ptr<Method<T>> {
            return std::make_unique<M<T>>(setting);
          }};
}

}  // namespace

template <class T>
const std::vector<MethodRow<T>>& linear_methods() {
  static const std::vector<MethodRow<T>> table{
      row<T, LaneLookup>("lookup"),
      row<T, LaneSeries>("series"),
      row<T, LaneCandidates>("candidates"),
  };
  return table;
}

template const std::vector<MethodRow<float>>& linear_methods();
template const std::vector<MethodRow<double>>& linear_methods();

}  // namespace quench::run
