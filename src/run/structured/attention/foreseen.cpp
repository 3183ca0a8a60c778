#include "run/structured/attention/foreseen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "model/position.h"
#include "run/structured/attention/rank_slope.h"
#include "run/structured/methods/head_range.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

template <class T>
class Forecast {
 public:
  using Of = typename Coordinate<T>::Of;

  Forecast(std::size_t n, bool many, std::vector<Coordinate<T>> coordinates)
      : n_(n), many_(many), coordinates_(std::move(coordinates)), slopes_(n) {}

  ForeseenHead<T> head(const HeadPlan& plan, const typename LayerRows<T>::Head& rows) {
    ForeseenHead<T> head;
    head.values.assign(plan.d_v, 0.0);
    std::vector<T> low(plan.d_v);
    for (std::size_t r = 0; r < rows.v.rows.size(); ++r) {
      head.values[rows.v.rows[r].index] = size_of(rows.v, r);
      low[rows.v.rows[r].index] = least(rows.v, r);
    }
    outputs_.insert(outputs_.end(), head.values.begin(), head.values.end());
    outputs_low_.insert(outputs_low_.end(), low.begin(), low.end());
    head.query.resize(plan.components);
    std::vector<std::span<const Term<T>>> others;  // keys
    HeadSizes sizes;
    for (const double size : head.values) sizes.v = std::max(sizes.v, size);
    for (std::size_t l = 0; l < plan.components; ++l) {
      const std::size_t q = row_of(rows.q, l), k = row_of(rows.k, l);
      sizes.q.push_back(size_of(rows.q, q));
      sizes.k.push_back(size_of(rows.k, k));
      head.query[l] = constant(rows.q, q);
      if (!head.query[l]) others.push_back(terms(rows.k, k));
    }
    const double sharpest = std::max(model::inverse_temperature(plan.temperature, 1, n_),
                                     model::inverse_temperature(plan.temperature, n_, n_));
    const bool steady = model::inverse_temperature(plan.temperature, 1, n_) == sharpest;
    finite_ = finite_ && far_from_the_end<T>(plan, n_, sizes);  // scores that overflow make what is put out no number
    head.scan = finite_ && plan.weighting == Weighting::soft && steady && others.size() < 2;
    if (head.scan && others.size() == 1) {
      head.keys = few_sums(others[0]);
      head.scan = !head.keys.empty();
    }
    head.by_position = of_position(rows.q) && of_position(rows.k);
    head.looks_back = head.scan && head.by_position && head.keys.size() == 2 &&
                      looks_back(plan, rows, head, plan.score_scale * sharpest);
    if (head.scan && others.empty() && n_ < kMostCounted && rank_coordinate(rows, head)) {
      const double scale = plan.score_scale * sharpest;
      if (!many_)
        find_slope(plan, rows, scale, head);
      else if (plan.mask != Mask::none)
        find_ranks(plan, rows, scale, head);
    }
    return head;
  }

  /// After all heads of a layer.
  void add_outputs(const LayerRows<T>& layer) {
    std::size_t column = 0;
    for (const auto& head : layer.heads)
      for (const std::uint32_t coordinate : head.into) {
        if (coordinate != LayerRows<T>::kNone)
          write(coordinate, {outputs_[column], outputs_low_[column] >= 0 ? T{0} : -kInfinity, kInfinity});
        ++column;
      }
    for (const auto& target : layer.targets) {
      double size = 0;
      bool rises = coordinates_[target.coordinate].low >= 0;
      for (std::uint32_t r = target.first; r < target.last; ++r)
        for (const Term<T>& term : terms(layer.parts, r)) {
          size += std::fabs(term.weight) * outputs_[term.column];
          rises = rises && term.weight >= 0 && outputs_low_[term.column] >= 0;
        }
      write(target.coordinate, {coordinates_[target.coordinate].size + size, rises ? T{0} : -kInfinity, kInfinity});
    }
    outputs_.clear();
    outputs_low_.clear();
  }

  void add_feed_forward(const LayerRows<T>& layer) {
    std::vector<double> sums;
    for (std::size_t unit = 0; unit < layer.hidden.rows.size(); ++unit) {
      sums.push_back(size_of(layer.hidden, unit) + std::fabs(layer.hidden_bias[unit]));
      note(sums.back());
    }
    std::vector<Written> written;
    rows_.emplace_back();
    for (std::size_t r = 0; r < layer.written.rows.size(); ++r) written.push_back(written_row(layer, r, sums));
    for (std::size_t r = 0; r < written.size(); ++r) write(layer.written.rows[r].index, written[r]);
  }

  std::vector<KnownRows> take_rows() {
    if (!finite_) rows_.assign(rows_.size(), {});
    return std::move(rows_);
  }

 private:
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();
  struct Written {
    double size = 0;
    T low = 0, high = 0;
  };

  /// A coordinate after row r of a feed-forward, whose units' sums are at most `sums`.
  Written written_row(const LayerRows<T>& layer, std::size_t r, const std::vector<double>& sums) {
    const std::uint32_t coordinate = layer.written.rows[r].index;
    const Coordinate<T>& before = coordinates_[coordinate];
    if (clears(layer, r)) {
      if (before.low >= 0) rows_.back().cleared.insert(coordinate);
      return before.low >= 0 ? Written{} : Written{before.size, -kInfinity, T{0}};
    }
    const std::span<const Term<T>> units = terms(layer.written, r);
    Written after{before.size + std::fabs(layer.written_bias[r]), T{0}, kInfinity};
    bool rises = before.low >= 0 && layer.written_bias[r] >= 0;
    for (std::size_t x = 0; x < units.size(); ++x) {
      const auto [unit, weight] = units[x];
      const bool ramp = x + 1 < units.size() && units[x + 1].column == unit + 1 && units[x + 1].weight == -weight &&
                        same_sum(layer.hidden, unit, unit + 1);
      if (!ramp) {
        after.size += std::fabs(weight) * sums[unit];
        rises = rises && weight >= 0;
        continue;
      }
      const T height = layer.hidden_bias[unit] - layer.hidden_bias[unit + 1];
      const double steepness = std::fabs(weight), most = std::max(sums[unit], sums[unit + 1]);
      note(steepness * most);
      after.size += steepness * (std::fabs(height) + 2 * std::numeric_limits<T>::epsilon() * most);
      rises = rises && x == 0 && weight >= 0 && height >= 0;
      ++x;
      if (units.size() == 2 && is_ordinary_power_of_two(weight) && height > 0 && most < 0x1p20 &&
          in_quarters(layer.hidden_bias[unit]) && in_quarters(layer.hidden_bias[unit + 1])) {
        rows_.back().ramps.insert(coordinate);
        if (rises && layer.written_bias[r] == 0 && before.size == 0) after.high = weight * height;
      }
    }
    if (!rises) after.low = -kInfinity;
    return after;
  }

  /// Empty if the row does not exist.
  static std::span<const Term<T>> terms(const SumRows<T>& rows, std::size_t r) {
    if (r >= rows.rows.size()) return {};
    return {rows.terms.data() + rows.rows[r].first, rows.terms.data() + rows.rows[r].last};
  }
  /// A sum of coordinates that do not depend on the word, but for those that are taken to be `word`, from position
  /// `from` on.
  void sum_by_position(const SumRows<T>& rows, std::size_t r, std::size_t from, std::vector<T>& sum, T word = 0) const {
    std::fill(sum.begin(), sum.end(), T{0});
    for (const Term<T>& term : terms(rows, r)) {
      const Coordinate<T>& c = coordinates_[term.column];
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += term.weight * (c.of == Of::word ? word : c.constant + (c.added ? c.added[from + i] : T{0}));
    }
  }

  /// What a row of which one term varies can be, summed in the row's order; none if these are many.
  std::vector<T> few_sums(std::span<const Term<T>> terms) const {
    std::vector<T> sums{T{0}};
    for (const auto& [column, weight] : terms) {
      const std::vector<T>& values = coordinates_[column].values;
      if (values.empty() || (values.size() > 1 && sums.size() > 1)) return {};
      std::vector<T> longer;
      for (const T sum : sums)
        for (const T value : values) longer.push_back(sum + weight * value);
      sums = std::move(longer);
    }
    std::ranges::sort(sums);
    sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
    return sums;
  }

  /// Whether one coordinate that depends on the word decides the scores of keys.
  bool rank_coordinate(const typename LayerRows<T>::Head& rows, ForeseenHead<T>& head) const {
    std::size_t words = 0;
    for (const Term<T>& term : rows.k.terms)
      if (coordinates_[term.column].of == Of::word) head.rank_of = term.column, ++words;
    return words == 1;
  }

  void find_slope(const HeadPlan& plan, const typename LayerRows<T>::Head& rows, double scale, ForeseenHead<T>& head) {
    std::vector<KeyComponent<T>> keys;
    for (std::size_t l = 0; l < head.query.size(); ++l)
      keys.push_back({scale * static_cast<double>(*head.query[l]), terms(rows.k, row_of(rows.k, l))});
    head.slope = slopes_.find(keys, coordinates_, ScanOrder(plan.mask).backwards);
  }

  void find_ranks(const HeadPlan& plan, const typename LayerRows<T>::Head& rows, double scale, ForeseenHead<T>& head) {
    const ScanOrder order(plan.mask);
    std::vector<T> sum(n_);
    const auto scores = [&](T word) {
      std::vector<double> kappa(n_);
      for (std::size_t l = 0; l < head.query.size(); ++l) {
        sum_by_position(rows.k, row_of(rows.k, l), 0, sum, word);
        for (std::size_t t = 0; t < n_; ++t)
          kappa[t] += scale * static_cast<double>(*head.query[l]) * static_cast<double>(sum[order.at(t, n_)]);
      }
      return kappa;
    };
    head.ranks = make_ranks<T>(scores(0), scores(1));
  }

  bool looks_back(const HeadPlan& plan, const typename LayerRows<T>::Head& rows, const ForeseenHead<T>& head,
                  double scale) {
    if (plan.mask != Mask::future && plan.mask != Mask::past) return false;
    for (const Known& known : known_)
      if (known.mask == plan.mask && known.scale == scale && known.rows->q == rows.q && known.rows->k == rows.k)
        return known.looks_back;
    constexpr std::size_t kBlock = 4096;  // what is needed stays in the cache; two positions belong to two blocks
    bool all = true;
    for (std::size_t from = 0; all && from < n_; from += kBlock - 2)
      all = looks_back(rows, head, scale, plan.mask == Mask::past, from, std::min(kBlock, n_ - from));
    known_.push_back({plan.mask, scale, &rows, all});
    return all;
  }

  bool looks_back(const typename LayerRows<T>::Head& rows, const ForeseenHead<T>& head, double scale, bool backwards,
                  std::size_t from, std::size_t count) const {
    std::vector<T> sum(count), query(count), key(count);
    std::vector<double> kappa(count);
    for (std::size_t l = 0; l < head.query.size(); ++l) {
      sum_by_position(rows.k, row_of(rows.k, l), from, head.query[l] ? sum : key);
      if (!head.query[l]) {
        sum_by_position(rows.q, row_of(rows.q, l), from, query);
        continue;
      }
      const double factor = scale * static_cast<double>(*head.query[l]);
      for (std::size_t i = 0; i < count; ++i) kappa[i] += factor * static_cast<double>(sum[i]);
    }
    const double cutoff = ((sizeof(T) == 4 ? 24 : 53) + 4.1) * std::log(2.0);
    const auto at = [&](std::size_t step) { return backwards ? count - 1 - step : step; };
    bool all = true;
    for (std::size_t step = 1; step < count; ++step) {
      const std::size_t own = at(step), before = at(step - 1);
      const double kinds = static_cast<double>(key[before]) - static_cast<double>(key[own]);
      all = all && kinds != 0 &&
            kappa[before] - kappa[own] + scale * static_cast<double>(query[own]) * kinds >= cutoff &&
            (step < 2 || kappa[own] - kappa[at(step - 2)] >= cutoff);
    }
    return all;
  }

  static std::size_t row_of(const SumRows<T>& rows, std::size_t index) {
    const auto found =
        std::find_if(rows.rows.begin(), rows.rows.end(), [&](const FlatRows::Row& row) { return row.index == index; });
    return static_cast<std::size_t>(found - rows.rows.begin());
  }
  static bool same_sum(const SumRows<T>& rows, std::size_t a, std::size_t b) {
    return std::ranges::equal(terms(rows, a), terms(rows, b));
  }
  T least(const SumRows<T>& rows, std::size_t r) const {
    T sum = 0;
    for (const auto& [column, weight] : terms(rows, r))
      sum += weight * (weight < 0 ? coordinates_[column].high : coordinates_[column].low);
    return sum;
  }

  double size_of(const SumRows<T>& rows, std::size_t r) {
    double size = 0;
    for (const Term<T>& term : terms(rows, r)) size += std::fabs(term.weight) * coordinates_[term.column].size;
    return note(size);
  }
  /// Far from the end of the range, so that the rounding of these sums does not matter.
  double note(double size) {
    finite_ = finite_ && size < kFar<T>;
    return size;
  }
  static bool in_quarters(T bias) { return bias <= 0 && 4 * bias == std::trunc(4 * bias); }
  void write(std::uint32_t coordinate, const Written& written) {
    coordinates_[coordinate] = {};
    coordinates_[coordinate].of = Of::word;
    coordinates_[coordinate].size = note(written.size);
    coordinates_[coordinate].low = written.low;
    coordinates_[coordinate].high = written.high;
  }

  std::optional<T> constant(const SumRows<T>& rows, std::size_t r) const {
    T sum = 0;
    for (const Term<T>& term : terms(rows, r)) {
      const Coordinate<T>& coordinate = coordinates_[term.column];
      if (coordinate.of != Of::nothing) return std::nullopt;
      sum += term.weight * coordinate.values[0];
    }
    return sum;
  }
  bool of_position(const SumRows<T>& rows) const {
    return std::ranges::all_of(rows.terms,
                               [&](const Term<T>& term) { return coordinates_[term.column].of != Of::word; });
  }

  static constexpr std::size_t kMostCounted = std::size_t{1} << 24;  // exactly, in float

  std::size_t n_;
  bool many_;
  std::vector<Coordinate<T>> coordinates_;
  SlopeFinder<T> slopes_;
  std::vector<double> outputs_;  ///< of a layer's heads so far: sizes,
  std::vector<T> outputs_low_;   ///< and what their values are not below
  bool finite_ = true;
  std::vector<KnownRows> rows_;
  struct Known {
    Mask mask;
    double scale;
    const typename LayerRows<T>::Head* rows;
    bool looks_back;
  };
  std::vector<Known> known_;  ///< of heads so far
};

}  // namespace

template <class T>
ForeseenRun<T> foresee(const ReferencePlan& plan, const std::vector<LayerRows<T>>& layers, std::size_t n, bool many,
                       std::vector<Coordinate<T>> coordinates) {
  Forecast<T> forecast(n, many, std::move(coordinates));
  ForeseenRun<T> run;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    run.heads.emplace_back();
    for (std::size_t h = 0; h < layers[l].heads.size(); ++h)
      run.heads.back().push_back(forecast.head(plan.layers[l].heads[h], layers[l].heads[h]));
    forecast.add_outputs(layers[l]);
    forecast.add_feed_forward(layers[l]);
  }
  run.rows = forecast.take_rows();
  return run;
}

template ForeseenRun<float> foresee(const ReferencePlan&, const std::vector<LayerRows<float>>&, std::size_t, bool,
                                    std::vector<Coordinate<float>>);
template ForeseenRun<double> foresee(const ReferencePlan&, const std::vector<LayerRows<double>>&, std::size_t, bool,
                                     std::vector<Coordinate<double>>);

}  // namespace quench::run
