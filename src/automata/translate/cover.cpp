#include "automata/translate/cover.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace quench::automata {
namespace {

using Cube = std::vector<ValueSet>;  // by feature: the values it allows

class Covering {
 public:
  Covering(const std::vector<Feature>& features, const std::vector<Point>& yes, const std::vector<Point>& no)
      : features_(features), yes_(yes), no_(no), order_(features.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return features[a].cost > features[b].cost; });
  }

  std::vector<Cube> run() {
    std::vector<Cube> cubes;
    std::vector<int> times(yes_.size(), 0);
    for (std::size_t k = 0; k < yes_.size(); ++k) {
      if (times[k] > 0) continue;
      cubes.push_back(expanded(yes_[k]));
      for (std::size_t j = 0; j < yes_.size(); ++j) times[j] += holds_surely(cubes.back(), yes_[j]);
    }
    // Later cubes may have made earlier ones superfluous.
    for (std::size_t c = 0; c < cubes.size();) {
      const Cube& cube = cubes[c];
      bool superfluous = true;
      for (std::size_t j = 0; j < yes_.size() && superfluous; ++j)
        superfluous = !holds_surely(cube, yes_[j]) || times[j] > 1;
      if (!superfluous) {
        ++c;
        continue;
      }
      for (std::size_t j = 0; j < yes_.size(); ++j) times[j] -= holds_surely(cube, yes_[j]);
      cubes.erase(cubes.begin() + static_cast<std::ptrdiff_t>(c));
    }
    for (Cube& cube : cubes) simplify(cube);
    return cubes;
  }

  ValueSet full(std::size_t f) const {
    ValueSet set;
    for (std::size_t v = 0; v < features_[f].values; ++v) set.set(v);
    return set;
  }
  /// Conditions, and what their features cost.
  std::size_t cost(const std::vector<Cube>& cubes) const {
    std::size_t sum = 0;
    for (const Cube& cube : cubes)
      for (std::size_t f = 0; f < cube.size(); ++f)
        if (cube[f] != full(f)) sum += 2 + static_cast<std::size_t>(features_[f].cost);
    return sum + cubes.size();
  }

 private:
  /// Of the values that a condition allows only some are needed; these alone, if they are fewer than those it forbids.
  void simplify(Cube& cube) const {
    Cube needed(cube.size());
    for (const Point& point : yes_)
      if (holds_surely(cube, point))
        for (std::size_t f = 0; f < cube.size(); ++f)
          if (point[f] != kAnyValue) needed[f].set(static_cast<std::size_t>(point[f]));
    for (std::size_t f = 0; f < cube.size(); ++f)
      if (cube[f] != full(f) && needed[f].count() <= features_[f].values - cube[f].count()) cube[f] = needed[f];
  }

  bool holds_surely(const Cube& cube, const Point& point) const {
    for (std::size_t f = 0; f < cube.size(); ++f)
      if (point[f] == kAnyValue ? cube[f] != full(f) : !cube[f][static_cast<std::size_t>(point[f])]) return false;
    return true;
  }
  static bool excludes(const ValueSet& set, std::int16_t value) {
    return value != kAnyValue && !set[static_cast<std::size_t>(value)];
  }

  /// The point made larger as long as no point of `no` could be in it: features left out, dear ones first, then values
  /// added.
  Cube expanded(const Point& point) const {
    Cube cube(features_.size());
    for (std::size_t f = 0; f < cube.size(); ++f)
      point[f] == kAnyValue ? cube[f] = full(f) : cube[f].set(static_cast<std::size_t>(point[f]));
    std::vector<int> excluded(no_.size(), 0);  // by how many features
    for (std::size_t j = 0; j < no_.size(); ++j) {
      for (std::size_t f = 0; f < cube.size(); ++f) excluded[j] += excludes(cube[f], no_[j][f]);
      if (excluded[j] == 0) throw UserError("two positions that have to be told apart look the same");
    }
    const auto widen = [&](std::size_t f, const ValueSet& wider) {
      const auto loses = [&](std::size_t j) { return excludes(cube[f], no_[j][f]) && !excludes(wider, no_[j][f]); };
      for (std::size_t j = 0; j < no_.size(); ++j)
        if (excluded[j] == 1 && loses(j)) return;
      for (std::size_t j = 0; j < no_.size(); ++j) excluded[j] -= loses(j);
      cube[f] = wider;
    };
    for (const std::size_t f : order_) widen(f, full(f));
    for (const std::size_t f : order_)
      for (std::size_t v = 0; v < features_[f].values; ++v)
        if (!cube[f][v]) widen(f, ValueSet(cube[f]).set(v));
    return cube;
  }

  const std::vector<Feature>& features_;
  const std::vector<Point>&yes_, &no_;
  std::vector<std::size_t> order_;
};

}  // namespace

Feature feature_of(Logic& logic, std::vector<lang::FormulaId> values, int cost) {
  if (values.size() > kMostValues) throw UserError("a variable with more than 256 values");
  Feature feature;
  feature.values = values.size();
  feature.cost = cost;
  // One of those in the set, or none of the others, whichever is shorter.
  feature.is_in = [&logic, values = std::move(values)](const ValueSet& set) {
    std::vector<lang::FormulaId> in, out;
    for (std::size_t v = 0; v < values.size(); ++v) (set[v] ? in : out).push_back(values[v]);
    return in.size() <= out.size() ? logic.any_of(in) : logic.negation(logic.any_of(out));
  };
  return feature;
}

lang::FormulaId cover(Logic& logic, const std::vector<Feature>& features, std::vector<Point> yes,
                      std::vector<Point> no) {
  for (std::vector<Point>* points : {&yes, &no}) {
    std::sort(points->begin(), points->end());
    points->erase(std::unique(points->begin(), points->end()), points->end());
  }
  if (yes.empty()) return logic.constant(false);
  if (no.empty()) return logic.constant(true);
  Covering positive(features, yes, no), negative(features, no, yes);
  const std::vector<Cube> cubes = positive.run(), others = negative.run();
  const bool negate = negative.cost(others) + 1 < positive.cost(cubes);
  std::vector<lang::FormulaId> sum;
  for (const Cube& cube : negate ? others : cubes) {
    std::vector<lang::FormulaId> product;
    for (std::size_t f = 0; f < cube.size(); ++f)
      if (cube[f] != positive.full(f)) product.push_back(features[f].is_in(cube[f]));
    sum.push_back(logic.all_of(std::move(product)));
  }
  const lang::FormulaId result = logic.any_of(std::move(sum));
  return negate ? logic.negation(result) : result;
}

}  // namespace quench::automata
