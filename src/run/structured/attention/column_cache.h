// Rows of weights as columns (methods/codes/column.h), for heads on whole words, many of which have rows in common: those of
// one layer, and of coordinates that no layer writes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "run/structured/methods/codes/column.h"
#include "run/structured/order.h"
#include "run/structured/position_wise.h"

namespace quench::run {

/// Where a pass keeps its numbers: planes of the residual stream, in lanes, of words of length n.
template <class T>
struct PlanesInLanes {
  const LaneOrder& order;
  const std::vector<T*>& h;
  std::size_t n, words;
};

template <class T>
class ColumnCache {
 public:
  using Columns = std::vector<std::shared_ptr<const Column>>;
  /// By component; one without a row is 0 everywhere. Threads may ask at the same time.
  Columns columns(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::size_t components);
  /// Those of the keys; where queries are the same everywhere and positive, what matters is where keys are greatest.
  Columns columns_of_keys(const PlanesInLanes<T>& planes, const SumRows<T>& rows, const Columns& queries);
  void clear() { made_.clear(), peaks_.clear(); }
  /// Forgets what reads coordinates other than these.
  void keep_only(const std::vector<bool>& coordinates);

 private:
  using Terms = std::vector<Term<T>>;
  using Made = std::vector<std::pair<Terms, std::shared_ptr<const Column>>>;
  std::shared_ptr<const Column> find(const Made& made, const Terms& terms) const;
  std::shared_ptr<const Column> keep(Made& made, Terms terms, Column column);
  std::shared_ptr<const Column> column(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::size_t component);
  std::shared_ptr<const Column> of_coordinate(const PlanesInLanes<T>& planes, std::uint32_t coordinate);
  /// The row as a function of the one coordinate that is not the same everywhere, if there are no others.
  std::shared_ptr<const Column> by_coordinates(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::size_t row);

  /// The sum of several coordinates of two values each, if it is one of whole numbers that are added exactly.
  std::shared_ptr<const Column> by_peak(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::size_t row);

  Made made_, peaks_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

/// One row at all positions in plain order; zeros, if there is none for the component.
template <class T>
void plain_row(const PlanesInLanes<T>& planes, const SumRows<T>& rows, std::size_t component, std::vector<double>& to);

extern template class ColumnCache<float>;
extern template class ColumnCache<double>;

}  // namespace quench::run
