#include "run/structured/plain_rows.h"

#include <algorithm>

#include "run/structured/lane_stretches.h"

namespace quench::run {

namespace {

/// Calls take(numbers, how many, word, position of the first): windows of one word have consecutive positions, lanes of
/// several words a word each.
template <class T, class Take>
void for_stretches(const LanePart<T>& part, const SumRows<T>& rows, std::size_t component, const Take& take) {
  const auto row = std::ranges::find(rows.rows, component, &FlatRows::Row::index);
  AlignedVector<T> sum, stretch;
  for (const LaneWindow& window : part.order.windows) {
    sum.resize(window.size());
    stretch.resize(window.size());
    if (row == rows.rows.end())
      std::ranges::fill(sum, T{0});
    else
      sum_row<T>(rows, static_cast<std::size_t>(row - rows.rows.begin()), part.h.data(), window.begin, window.size(),
                 sum.data());
    const std::size_t group = window.steps * kLanes;
    for (std::size_t g = 0; g < window.groups; ++g) {
      rows_to_stretches(sum.data() + g * group, window.steps, kLanes, stretch.data());
      if (window.segments)
        take(stretch.data(), window.live, std::size_t{0}, part.order.position()[window.begin]);
      else
        for (std::size_t s = 0; s < kLanes; ++s)
          take(stretch.data() + s * window.steps, window.steps, g * kLanes + s, std::size_t{0});
    }
  }
}

}  // namespace

template <class T>
void plain_row(const LanePart<T>& part, const SumRows<T>& rows, std::size_t component, std::size_t words, Plane& to) {
  for_stretches(part, rows, component, [&](const T* x, std::size_t count, std::size_t word, std::size_t first) {
    double* at = to.data() + first * words + word;
    if (words == 1)
      std::copy(x, x + count, at);
    else
      for (std::size_t p = 0; p < count; ++p) at[p * words] = x[p];
  });
}

template <class T>
Column column_of_row(const LanePart<T>& part, const SumRows<T>& rows, std::size_t component, std::size_t n,
                     std::size_t words) {
  ColumnMaker<T> maker(n, words);
  for_stretches(part, rows, component, [&](const T* x, std::size_t count, std::size_t word, std::size_t first) {
    maker.take(x, count, word, first);
  });
  return maker.made();
}

template void plain_row(const LanePart<float>&, const SumRows<float>&, std::size_t, std::size_t, Plane&);
template void plain_row(const LanePart<double>&, const SumRows<double>&, std::size_t, std::size_t, Plane&);
template Column column_of_row(const LanePart<float>&, const SumRows<float>&, std::size_t, std::size_t, std::size_t);
template Column column_of_row(const LanePart<double>&, const SumRows<double>&, std::size_t, std::size_t, std::size_t);

}  // namespace quench::run
