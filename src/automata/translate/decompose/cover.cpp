// Sets of points are bit sets, one for each value of each feature, so that a cube meets 64 points at a time: the points
// in it are the intersection, over the features, of the unions over the values that it allows.
#include "automata/translate/decompose/cover.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace quench::automata {
namespace {

using Cube = std::vector<ValueSet>;  // by feature: the values it allows
using PointSet = std::vector<std::uint64_t>;

/// Which points have which value.
class Columns {
 public:
  Columns(const std::vector<Feature>& features, const std::vector<Point>& points)
      : words_((points.size() + 63) / 64), all_(words_, ~std::uint64_t{0}) {
    if (points.size() % 64 != 0) all_.back() = (std::uint64_t{1} << points.size() % 64) - 1;
    for (const Feature& feature : features) {
      begin_.push_back(column_.size());
      column_.resize(column_.size() + feature.values + 1, PointSet(words_));
    }
    for (std::size_t k = 0; k < points.size(); ++k)
      for (std::size_t f = 0; f < features.size(); ++f) {
        const std::int16_t value = points[k][f];
        const std::size_t at = value == kAnyValue ? features[f].values : static_cast<std::size_t>(value);
        column_[begin_[f] + at][k / 64] |= std::uint64_t{1} << k % 64;
      }
    begin_.push_back(column_.size());
  }

  std::size_t words() const { return words_; }
  const PointSet& all() const { return all_; }
  const PointSet& with(std::size_t feature, std::size_t value) const { return column_[begin_[feature] + value]; }
  /// Points whose value is not known.
  const PointSet& open(std::size_t feature) const { return column_[begin_[feature + 1] - 1]; }

 private:
  std::size_t words_;
  PointSet all_;
  std::vector<std::size_t> begin_;
  std::vector<PointSet> column_;
};

void unite(PointSet& set, const PointSet& with) {
  for (std::size_t w = 0; w < set.size(); ++w) set[w] |= with[w];
}
void intersect(PointSet& set, const PointSet& with) {
  for (std::size_t w = 0; w < set.size(); ++w) set[w] &= with[w];
}
bool meet(const PointSet& a, const PointSet& b) {
  for (std::size_t w = 0; w < a.size(); ++w)
    if ((a[w] & b[w]) != 0) return true;
  return false;
}

class Covering {
 public:
  Covering(const std::vector<Feature>& features, const std::vector<Point>& yes, const std::vector<Point>& no,
           Budget& budget)
      : features_(features),
        yes_(yes),
        in_(features, yes),
        out_(features, no),
        order_(features.size()),
        budget_(budget) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return features[a].cost > features[b].cost; });
  }

  std::vector<Cube> run() {
    std::vector<Cube> cubes;
    std::vector<PointSet> covered;  // by cube
    PointSet open = in_.all();
    for (std::size_t k = 0; k < yes_.size(); ++k) {
      if ((open[k / 64] >> k % 64 & 1) == 0) continue;
      cubes.push_back(expanded(yes_[k]));
      covered.push_back(surely_in(cubes.back()));
      for (std::size_t w = 0; w < open.size(); ++w) open[w] &= ~covered.back()[w];
    }
    remove_superfluous(cubes, covered);
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
  /// Later cubes may have made earlier ones superfluous: those whose points all lie in others, too.
  void remove_superfluous(std::vector<Cube>& cubes, std::vector<PointSet>& covered) {
    for (std::size_t c = 0; c < cubes.size();) {
      PointSet alone = covered[c];
      for (std::size_t d = 0; d < cubes.size(); ++d)
        if (d != c)
          for (std::size_t w = 0; w < alone.size(); ++w) alone[w] &= ~covered[d][w];
      budget_.spend(cubes.size() * alone.size() + 1);
      if (std::any_of(alone.begin(), alone.end(), [](std::uint64_t word) { return word != 0; })) {
        ++c;
        continue;
      }
      cubes.erase(cubes.begin() + static_cast<std::ptrdiff_t>(c));
      covered.erase(covered.begin() + static_cast<std::ptrdiff_t>(c));
    }
  }

  /// Of the values that a condition allows only some are needed; these alone, if they are fewer than those it forbids.
  void simplify(Cube& cube) const {
    const PointSet inside = surely_in(cube);
    for (std::size_t f = 0; f < cube.size(); ++f) {
      ValueSet needed;
      for (std::size_t v = 0; v < features_[f].values; ++v)
        if (meet(inside, in_.with(f, v))) needed.set(v);
      if (cube[f] != full(f) && needed.count() <= features_[f].values - cube[f].count()) cube[f] = needed;
    }
  }

  /// The points of `yes` that are in the cube whatever their unknown values are.
  PointSet surely_in(const Cube& cube) const {
    PointSet result = in_.all();
    for (std::size_t f = 0; f < cube.size(); ++f) {
      if (cube[f] == full(f)) continue;
      PointSet allowed(in_.words());
      for (std::size_t v = 0; v < features_[f].values; ++v)
        if (cube[f][v]) unite(allowed, in_.with(f, v));
      intersect(result, allowed);
    }
    budget_.spend(cube.size() * in_.words() + 1);
    return result;
  }

  /// The point made larger as long as no point of `no` could be in it: features left out, dear ones first, then values
  /// added.
  Cube expanded(const Point& point) const {
    Cube cube(features_.size());
    std::vector<PointSet> allowed;  // by feature: the points of `no` that it does not exclude
    for (std::size_t f = 0; f < cube.size(); ++f) {
      if (point[f] == kAnyValue) {
        cube[f] = full(f);
        allowed.push_back(out_.all());
      } else {
        cube[f].set(static_cast<std::size_t>(point[f]));
        allowed.push_back(out_.open(f));
        unite(allowed.back(), out_.with(f, static_cast<std::size_t>(point[f])));
      }
    }
    const auto others = [&](std::size_t f) {
      PointSet result = out_.all();
      for (std::size_t g = 0; g < cube.size(); ++g)
        if (g != f) intersect(result, allowed[g]);
      budget_.spend(cube.size() * out_.words() + 1);
      return result;
    };
    if (const PointSet rest = others(0); meet(rest, allowed[0]))
      throw UserError("two positions that have to be told apart look the same");
    for (const std::size_t f : order_) {
      const PointSet rest = others(f);
      if (std::any_of(rest.begin(), rest.end(), [](std::uint64_t word) { return word != 0; })) continue;
      cube[f] = full(f);
      allowed[f] = out_.all();
    }
    for (const std::size_t f : order_) {
      if (cube[f] == full(f)) continue;
      const PointSet rest = others(f);
      for (std::size_t v = 0; v < features_[f].values; ++v)
        if (!cube[f][v] && !meet(rest, out_.with(f, v))) {
          cube[f].set(v);
          unite(allowed[f], out_.with(f, v));
        }
      budget_.spend(features_[f].values * out_.words() + 1);
    }
    return cube;
  }

  const std::vector<Feature>& features_;
  const std::vector<Point>& yes_;
  Columns in_, out_;
  std::vector<std::size_t> order_;
  Budget& budget_;
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

lang::FormulaId cover(Logic& logic, const std::vector<Feature>& features, std::vector<Point> yes, std::vector<Point> no,
                      Budget& budget) {
  for (std::vector<Point>* points : {&yes, &no}) {
    budget.spend(points->size() * features.size());
    std::sort(points->begin(), points->end());
    points->erase(std::unique(points->begin(), points->end()), points->end());
  }
  if (yes.empty()) return logic.constant(false);
  if (no.empty()) return logic.constant(true);
  Covering positive(features, yes, no, budget), negative(features, no, yes, budget);
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
