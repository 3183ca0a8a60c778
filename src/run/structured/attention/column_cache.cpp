#include "run/structured/attention/column_cache.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number/aligned.h"
#include "run/structured/lane_stretches.h"

namespace quench::run {

namespace {

template <class T>
std::optional<std::size_t> row_of(const SumRows<T>& rows, std::size_t component) {
  const auto row = std::ranges::find(rows.rows, component, &FlatRows::Row::index);
  if (row == rows.rows.end()) return std::nullopt;
  return static_cast<std::size_t>(row - rows.rows.begin());
}

/// Calls take(numbers, how many, word, position of the first): windows of one word have consecutive positions, lanes of
/// several words a word each. `fill` writes a window's numbers.
template <class T, class Fill, class Take>
void for_stretches(const PlanesInLanes<T>& planes, const Fill& fill, const Take& take) {
  AlignedVector<T> numbers, stretch;
  for (const LaneWindow& window : planes.order.windows) {
    numbers.resize(window.size());
    stretch.resize(window.size());
    fill(window, numbers.data());
    const std::size_t group = window.steps * kLanes;
    for (std::size_t g = 0; g < window.groups; ++g) {
      rows_to_stretches(numbers.data() + g * group, window.steps, kLanes, stretch.data());
      if (window.segments)
        take(stretch.data(), window.live, std::size_t{0}, planes.order.position()[window.begin]);
      else
        for (std::size_t s = 0; s < kLanes; ++s)
          take(stretch.data() + s * window.steps, window.steps, g * kLanes + s, std::size_t{0});
    }
  }
}

template <class T>
auto sums_of(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::optional<std::size_t> row) {
  return [&planes, &rows, row](const LaneWindow& window, T* to) {
    if (row)
      sum_row<T>(rows, *row, planes.h.data(), window.begin, window.size(), to);
    else
      std::fill_n(to, window.size(), T{0});
  };
}

template <class T, class Fill>
Column make_column(const PlanesInLanes<T>& planes, const Fill& fill) {
  ColumnMaker<T> maker(planes.n, planes.words);
  for_stretches(planes, fill, [&](const T* x, std::size_t count, std::size_t word, std::size_t first) {
    maker.take(x, count, word, first);
  });
  return maker.made();
}

/// What a row makes of coordinates that are the same at all positions.
template <class T>
double at_constants(const SumRows<T>& rows, std::size_t row, const std::vector<T>& constants, std::size_t width) {
  std::vector<AlignedVector<T>> numbers;
  std::vector<const T*> planes(width);
  for (const T x : constants) numbers.emplace_back(kLanes, x);
  for (std::size_t t = 0; t < constants.size(); ++t)
    planes[rows.terms[rows.rows[row].first + t].column] = numbers[t].data();
  AlignedVector<T> sum(kLanes);
  sum_row<T>(rows, row, planes.data(), 0, kLanes, sum.data());
  return sum[0];
}

template <class T>
std::vector<Term<T>> terms_of(const SumRows<T>& rows, std::optional<std::size_t> row) {
  if (!row) return {};
  return {rows.terms.begin() + rows.rows[*row].first, rows.terms.begin() + rows.rows[*row].last};
}

}  // namespace

template <class T>
typename ColumnCache<T>::Columns ColumnCache<T>::columns(const PlanesInLanes<T>& planes, const SumRows<T>& rows,
                                                         std::size_t components) {
  Columns result;
  for (std::size_t l = 0; l < components; ++l) result.push_back(column(planes, rows, l));
  return result;
}

template <class T>
typename ColumnCache<T>::Columns ColumnCache<T>::columns_of_keys(const PlanesInLanes<T>& planes, const SumRows<T>& rows,
                                                                 const Columns& queries) {
  Columns result;
  for (std::size_t l = 0; l < queries.size(); ++l) {
    const bool steady = !queries[l]->many && queries[l]->low == queries[l]->high && queries[l]->low > 0;
    const std::optional<std::size_t> row = row_of(rows, l);
    std::shared_ptr<const Column> peak = steady && row ? by_peak(planes, rows, *row) : nullptr;
    result.push_back(peak ? std::move(peak) : column(planes, rows, l));
  }
  return result;
}

template <class T>
std::shared_ptr<const Column> ColumnCache<T>::column(const PlanesInLanes<T>& planes, const SumRows<T>& rows,
                                                     std::size_t component) {
  const std::optional<std::size_t> row = row_of(rows, component);
  Terms terms = terms_of(rows, row);
  std::shared_ptr<const Column> column = find(made_, terms);
  if (!column && row) column = by_coordinates(planes, rows, *row);
  return column ? column : keep(made_, std::move(terms), make_column(planes, sums_of(planes, rows, row)));
}

/// Sums of some of the terms are whole numbers of at most as many bits as T has, and so never rounded. A key that
/// misses the greatest value of one term is behind by what that makes.
template <class T>
std::shared_ptr<const Column> ColumnCache<T>::by_peak(const PlanesInLanes<T>& planes, const SumRows<T>& rows,
                                                      std::size_t row) {
  Terms terms = terms_of<T>(rows, row);
  if (std::shared_ptr<const Column> made = find(peaks_, terms)) return made;
  Column result;
  Peak peak{HUGE_VAL, 0, 0, {}};
  for (const auto& [coordinate, weight] : terms) {
    const std::shared_ptr<const Column> column = of_coordinate(planes, coordinate);
    const double low = weight * column->low, high = weight * column->high;
    if (column->many || low != std::floor(low) || high != std::floor(high)) return nullptr;
    result.size += std::fmax(std::fabs(low), std::fabs(high));
    if (low == high) continue;
    Column here = *column;
    if (high < low) here.turn(planes.n);
    peak.apart = here.apart;
    if (peak.bits.empty())
      peak.bits = std::move(here.bits);
    else
      for (std::size_t b = 0; b < peak.bits.size(); ++b) peak.bits[b] &= here.bits[b];
    peak.behind = std::fmin(peak.behind, std::fabs(high - low));
    peak.range += std::fabs(high - low);
  }
  if (peak.range == peak.behind || peak.bits.empty()) return nullptr;  // at most one varies
  if (result.size > std::ldexp(1, std::numeric_limits<T>::digits)) return nullptr;
  result.many = true;
  result.peak = std::make_shared<const Peak>(std::move(peak));
  return keep(peaks_, std::move(terms), std::move(result));
}

template <class T>
std::shared_ptr<const Column> ColumnCache<T>::by_coordinates(const PlanesInLanes<T>& planes, const SumRows<T>& rows,
                                                             std::size_t row) {
  const auto& [index, first, last] = rows.rows[row];
  std::shared_ptr<const Column> varying;
  std::vector<T> low, high;
  for (std::uint32_t t = first; t < last; ++t) {
    const std::shared_ptr<const Column> column = of_coordinate(planes, rows.terms[t].column);
    const bool varies = column->many || column->low != column->high;
    if (column->many || !std::isfinite(column->size) || (varies && varying)) return nullptr;
    if (varies) varying = column;
    low.push_back(static_cast<T>(column->low));
    high.push_back(static_cast<T>(column->high));
  }
  Column result;
  if (varying) result = *varying;
  result.low = at_constants(rows, row, low, planes.h.size());
  result.high = at_constants(rows, row, high, planes.h.size());
  if (!std::isfinite(result.low) || !std::isfinite(result.high)) return nullptr;
  result.size = std::fmax(std::fabs(result.low), std::fabs(result.high));
  if (result.low == result.high) result.bits.clear();
  if (result.low > result.high) result.turn(planes.n);
  return keep(made_, terms_of<T>(rows, row), std::move(result));
}

template <class T>
std::shared_ptr<const Column> ColumnCache<T>::of_coordinate(const PlanesInLanes<T>& planes, std::uint32_t coordinate) {
  Terms itself{{coordinate, T{1}}};
  if (std::shared_ptr<const Column> column = find(made_, itself)) return column;
  return keep(made_, std::move(itself), make_column(planes, [&](const LaneWindow& window, T* to) {
                std::copy_n(planes.h[coordinate] + window.begin, window.size(), to);
              }));
}

template <class T>
std::shared_ptr<const Column> ColumnCache<T>::find(const Made& made, const Terms& terms) const {
  const std::scoped_lock lock(*mutex_);
  const auto found = std::ranges::find(made, terms, &Made::value_type::first);
  return found == made.end() ? nullptr : found->second;
}

template <class T>
std::shared_ptr<const Column> ColumnCache<T>::keep(Made& made, Terms terms, Column column) {
  const std::scoped_lock lock(*mutex_);
  return made.emplace_back(std::move(terms), std::make_shared<const Column>(std::move(column))).second;
}

template <class T>
void ColumnCache<T>::keep_only(const std::vector<bool>& coordinates) {
  for (Made* made : {&made_, &peaks_})
    std::erase_if(*made, [&](const auto& one) {
      return !std::ranges::all_of(one.first, [&](const Term<T>& term) { return coordinates[term.column]; });
    });
}

template <class T>
void plain_row(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::size_t component, std::vector<double>& to) {
  const std::size_t words = planes.words;
  for_stretches(planes, sums_of(planes, rows, row_of(rows, component)),
                [&](const T* x, std::size_t count, std::size_t word, std::size_t first) {
                  double* at = to.data() + first * words + word;
                  if (words == 1)
                    std::copy(x, x + count, at);
                  else
                    for (std::size_t p = 0; p < count; ++p) at[p * words] = x[p];
                });
}

template class ColumnCache<float>;
template class ColumnCache<double>;
template void plain_row(const PlanesInLanes<float>&, const SumRows<float>&, std::size_t, std::vector<double>&);
template void plain_row(const PlanesInLanes<double>&, const SumRows<double>&, std::size_t, std::vector<double>&);

}  // namespace quench::run
