#include "soften/numbers/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/tied_keys.h"
#include "model/position.h"
#include "soften/hard_model.h"
#include "soften/numbers/boxes.h"

namespace quench::soften {
namespace {

/// A position, or a range of them that is treated alike.
struct Place {
  Box encoding;       ///< what position encodings add
  bool many = false;  ///< stands for several positions
};

std::vector<SparseMatrix::Row> different_embeddings(const model::Transformer& model) {
  std::vector<SparseMatrix::Row> rows;
  for (std::size_t row = 0; row <= model.alphabet.size(); ++row)
    if (std::find(rows.begin(), rows.end(), model.embedding.rows[row]) == rows.end())
      rows.push_back(model.embedding.rows[row]);
  return rows;
}

constexpr std::size_t kMostCombined = 20'000;  // boxes times results, where gaps are proved

class Analysis {
 public:
  /// `proved`: gaps are known otherwise, so scores are not looked at.
  Analysis(const Network& network, std::size_t n, std::vector<Place> places, bool proved)
      : network_(network),
        n_(n),
        places_(std::move(places)),
        proved_(proved),
        facts_(no_facts(network, n)),
        booleans_(places_.size()) {}

  LengthFacts run() {
    embed();
    for (std::size_t l = 0; l < network_.model.layers.size(); ++l) {
      record(facts_.layers[l].in);
      attend(l);
      use_claims(static_cast<int>(2 * l + 1));
      record(facts_.layers[l].middle);
      feed_forward_all(l);
      use_claims(static_cast<int>(2 * l + 2));
    }
    record(facts_.out);
    outputs();
    return std::move(facts_);
  }

 private:
  void embed() {
    const std::vector<SparseMatrix::Row> rows = different_embeddings(network_.model);
    for (const Place& place : places_) {
      std::vector<Box>& here = boxes_.emplace_back();
      for (const SparseMatrix::Row& row : rows) {
        Box box = place.encoding;
        for (const auto& [column, value] : row) box[column] = box[column] + Interval{value, value};
        here.push_back(std::move(box));
      }
    }
  }

  /// What the compiler proves about the coordinates of its constructions: ranges, and which are exactly 0 or 1.
  void use_claims(int sublayer) {
    if (!proved_) return;
    booleans_.assign(boxes_.size(), {});
    for (const model::Tenant& tenant : network_.model.tenants)
      if (sublayer >= tenant.from && sublayer <= tenant.to)
        for (std::size_t p = 0; p < boxes_.size(); ++p) {
          const bool narrowed = narrow(tenant, boxes_[p]), decided = decide(tenant, boxes_[p], booleans_[p]);
          if ((narrowed || decided) && boxes_[p].size() > 64) join_alike(boxes_[p]);
        }
  }

  /// Whether a range says something new.
  static bool narrow(const model::Tenant& tenant, std::vector<Box>& here) {
    bool changed = false;
    for (Box& box : here) {
      Interval& x = box[tenant.coordinate];
      const Interval before = x;
      if (tenant.low && x.low < *tenant.low && *tenant.low <= x.high) x.low = *tenant.low;
      if (tenant.high && x.high > *tenant.high && *tenant.high >= x.low) x.high = *tenant.high;
      changed = changed || x != before;
    }
    return changed;
  }

  /// Every box once with 0 and once with 1; if these are too many, the coordinate becomes one of `booleans`. Whether
  /// there are more boxes now.
  static bool decide(const model::Tenant& tenant, std::vector<Box>& here, Booleans& booleans) {
    const auto open = [&](const Box& box) { return !box[tenant.coordinate].is_point(); };
    const auto undecided = static_cast<std::size_t>(std::count_if(here.begin(), here.end(), open));
    if (!tenant.boolean || undecided == 0) return false;
    if (here.size() + undecided > kMostBoxes) {
      for (Box& box : here)
        if (open(box)) box[tenant.coordinate] = {0, 1};
      booleans.insert(tenant.coordinate);
      return false;
    }
    for (std::size_t b = 0, count = here.size(); b < count; ++b) {
      if (!open(here[b])) continue;
      Box other = here[b];
      here[b][tenant.coordinate] = {0, 0};
      other[tenant.coordinate] = {1, 1};
      here.push_back(std::move(other));
    }
    return true;
  }

  void record(std::vector<double>& greatest) const {
    for (const std::vector<Box>& here : boxes_)
      for (const Box& box : here)
        for (std::size_t c = 0; c < box.size(); ++c) {
          greatest[c] = std::max(greatest[c], box[c].magnitude());
          if (!std::isfinite(box[c].magnitude()))
            throw Refusal(fmt::format("values of length {} overflow doubles", n_));
        }
  }

  /// Which places query place p sees, 0-based. Places 1, 2, … are in the order of positions.
  KeyRange keys_of(Mask mask, std::size_t p) const {
    KeyRange range = visible(mask, p + 1, places_.size());
    if (places_[p].many) {  // the positions of one place see each other
      if (mask == Mask::strict_future) range.last = p + 1;
      if (mask == Mask::strict_past) range.first = p + 1;
    }
    return {range.first - 1, range.last};  // first … last − 1
  }

  struct Projected {
    std::vector<std::vector<Box>> q, k, v;  // by place and box
  };

  void attend(std::size_t l) {
    const std::vector<model::Head>& heads = network_.model.layers[l].heads;
    std::vector<Projected> projected;
    for (std::size_t h = 0; h < heads.size(); ++h)
      projected.push_back(project_all(heads[h], facts_.layers[l].heads[h]));
    std::vector<std::vector<Box>> next(places_.size());
    for (std::size_t p = 0; p < places_.size(); ++p) {
      if (proved_) {  // what a head returns does not depend on the box
        next[p] = boxes_[p];
        for (std::size_t h = 0; h < heads.size(); ++h) add_results(l, h, result_of(l, h, projected[h], p, 0), next[p]);
        continue;
      }
      for (std::size_t a = 0; a < boxes_[p].size(); ++a) {
        std::vector<Box> here{boxes_[p][a]};
        for (std::size_t h = 0; h < heads.size(); ++h) add_results(l, h, result_of(l, h, projected[h], p, a), here);
        next[p].insert(next[p].end(), here.begin(), here.end());
        if (next[p].size() > 2 * kMostBoxes) limit(next[p], l, 0);
      }
      limit(next[p], l, 0);
    }
    boxes_ = std::move(next);
  }

  /// Every box with every result that its head may return; none: the row is empty, and nothing is added.
  void add_results(std::size_t l, std::size_t h, const std::vector<Box>& results, std::vector<Box>& here) const {
    if (results.empty()) return;
    if (proved_ && here.size() * results.size() > kMostCombined && results.size() > 1)
      return add_results(l, h, {join(results)}, here);
    std::vector<Box> combined;
    for (const Box& box : here)
      for (const Box& result : results) combined.push_back(with_result(network_.model.layers[l].heads[h], box, result));
    here = std::move(combined);
    limit(here, l, h);
  }

  static Box with_result(const model::Head& head, const Box& box, const Box& result) {
    Box sum = box;
    for (std::size_t c = 0; c < head.o.rows.size(); ++c)
      if (!head.o.rows[c].empty()) sum[c] = sum[c] + dot(head.o.rows[c], result);
    return sum;
  }

  void limit(std::vector<Box>& boxes, std::size_t l, std::size_t h) const {
    if (proved_ && boxes.size() > 64) {
      join_alike(boxes);
      if (boxes.size() > kMostBoxes) boxes = {join(boxes)};
      return;
    }
    keep_distinct(boxes);
    if (boxes.size() > kMostBoxes)
      throw Refusal(
          fmt::format("interval analysis of length {} has more than {} kinds of vectors at one position after head {}; "
                      "try --gap exhaustive, or a smaller --length",
                      n_, kMostBoxes, head_name(network_.model, l, h)));
  }

  Projected project_all(const model::Head& head, HeadFacts& facts) const {
    Projected result;
    for (const std::vector<Box>& here : boxes_) {
      auto &q = result.q.emplace_back(), &k = result.k.emplace_back(), &v = result.v.emplace_back();
      for (const Box& box : here) {
        q.push_back(project(head.q, box));
        k.push_back(project(head.k, box));
        v.push_back(project(head.v, box));
        for (std::size_t row = 0; row < facts.q.size(); ++row) {
          facts.q[row] = std::max(facts.q[row], q.back()[row].magnitude());
          facts.k[row] = std::max(facts.k[row], k.back()[row].magnitude());
        }
        for (std::size_t row = 0; row < facts.v.size(); ++row)
          facts.v[row] = {std::min(facts.v[row].low, v.back()[row].low),
                          std::max(facts.v[row].high, v.back()[row].high)};
      }
    }
    return result;
  }

  /// What the head can return to box a of place p; none if it sees no key.
  std::vector<Box> result_of(std::size_t l, std::size_t h, const Projected& x, std::size_t p, std::size_t a) {
    const model::Head& head = network_.model.layers[l].heads[h];
    const KeyRange keys = keys_of(head.mask, p);
    if (keys.first >= keys.last) return {};
    if (is_uniform(head)) return means(x, keys, p, a);
    if (proved_) return any_of(x, keys);
    return winners(l, h, x, keys, p, a);
  }

  /// The means that words can have, one by one while they are few: counts over i are of this kind.
  std::vector<Box> means(const Projected& x, const KeyRange& keys, std::size_t p, std::size_t a) const {
    constexpr std::size_t kMostMeans = 200;
    if (proved_) return {mean(x, keys, p, a)};
    std::vector<Box> sums{Box(x.v[p][a].size())};
    for (std::size_t j = keys.first; j < keys.last; ++j) {
      std::vector<Box> here = j == p ? std::vector<Box>{x.v[p][a]} : x.v[j];
      keep_distinct(here);
      std::vector<Box> next;
      for (const Box& sum : sums)
        for (const Box& value : here) {
          next.push_back(sum);
          for (std::size_t m = 0; m < value.size(); ++m) next.back()[m] = next.back()[m] + value[m];
        }
      keep_distinct(next);
      if (next.size() > kMostMeans) return {mean(x, keys, p, a)};
      sums = std::move(next);
    }
    for (Box& sum : sums)
      for (Interval& one : sum) one = divide(one, static_cast<double>(keys.last - keys.first));
    return sums;
  }

  Box mean(const Projected& x, const KeyRange& keys, std::size_t p, std::size_t a) const {
    Box total(x.v[p][a].size());
    bool many = false;
    Box all;
    for (std::size_t j = keys.first; j < keys.last; ++j) {
      const Box here = j == p && !proved_ ? x.v[p][a] : join(x.v[j]);
      for (std::size_t m = 0; m < total.size(); ++m) total[m] = total[m] + here[m];
      all = all.empty() ? here : join({all, here});
      many = many || places_[j].many;
    }
    if (many) return all;
    for (Interval& sum : total) sum = divide(sum, static_cast<double>(keys.last - keys.first));
    return total;
  }

  static std::vector<Box> any_of(const Projected& x, const KeyRange& keys) {
    std::vector<Box> results;
    for (std::size_t j = keys.first; j < keys.last; ++j) results.insert(results.end(), x.v[j].begin(), x.v[j].end());
    if (results.size() > 64) join_alike(results);
    keep_distinct(results);
    return results;
  }

  struct Score {
    Interval value;
    std::size_t place, box;
  };

  std::vector<Box> winners(std::size_t l, std::size_t h, const Projected& x, const KeyRange& keys, std::size_t p,
                           std::size_t a) {
    std::vector<Score> scores;
    double least_maximum = -kInfinity;  // some score is at least this
    for (std::size_t j = keys.first; j < keys.last; ++j) {
      double least = kInfinity;
      for (std::size_t b = 0; b < x.k[j].size(); ++b) {
        if (j == p && b != a) continue;
        Interval score;
        for (std::size_t row = 0; row < x.q[p][a].size(); ++row) score = score + x.q[p][a][row] * x.k[j][b][row];
        if (!std::isfinite(score.magnitude()))
          throw Refusal(fmt::format("head {}: scores overflow doubles", head_name(network_.model, l, h)));
        scores.push_back({score, j, b});
        least = std::min(least, score.low);
      }
      least_maximum = std::max(least_maximum, least);
    }
    std::sort(scores.begin(), scores.end(), [](const Score& s, const Score& t) { return s.value.high > t.value.high; });
    const bool ties = measure(l, h, scores, least_maximum, p);
    std::vector<Box> results;
    for (const Score& score : scores) {
      if (score.value.high < least_maximum) break;
      results.push_back(x.v[score.place][score.box]);
    }
    if (ties && !takes_one_key(network_.model.layers[l].heads[h].weighting)) return {join(results)};
    keep_distinct(results);
    return results;
  }

  /// The gap of a row: whichever score is the maximum, the next one below it at another position. Sorted by upper ends,
  /// the first different one bounds all the rest. Returns whether maxima can tie.
  bool measure(std::size_t l, std::size_t h, const std::vector<Score>& scores, double least_maximum, std::size_t p) {
    HeadFacts& facts = facts_.layers[l].heads[h];
    bool ties = false;
    for (std::size_t s = 0; s < scores.size() && scores[s].value.high >= least_maximum; ++s)
      for (std::size_t t = s + 1; t < scores.size(); ++t) {
        const Interval &top = scores[s].value, &next = scores[t].value;
        if (scores[t].place == scores[s].place) continue;
        if (top == next && top.is_point()) {
          ties = true;
          continue;
        }
        if (next.high >= top.low)
          throw Refusal(fmt::format(
              "head {}: at position {} of words of length {} the scores {:.17g} and {:.17g} of two keys can neither be "
              "told apart nor be shown equal by interval analysis; try --gap exhaustive",
              head_name(network_.model, l, h), p + 1, n_, top.high, next.high));
        note_gap(facts, Outward::add_down(top.low, -next.high), l, h, p);
        break;
      }
    facts.ties = facts.ties || ties;
    return ties;
  }

  void note_gap(HeadFacts& facts, double gap, std::size_t l, std::size_t h, std::size_t p) const {
    const auto d_k = static_cast<double>(network_.model.layers[l].heads[h].q.rows.size());
    const double scaled = gap / std::sqrt(d_k) * (1 - 0x1p-50);
    if (scaled >= facts.gap) return;
    facts.gap = scaled;
    facts.where = fmt::format("position {}", p + 1);
  }

  void feed_forward_all(std::size_t l) {
    const std::vector<ParallelUnits>& units = network_.units[l];
    for (std::size_t p = 0; p < boxes_.size(); ++p) {
      for (Box& box : boxes_[p]) {
        for (std::size_t g = 0; g < units.size(); ++g)
          for_each_choice(box, booleans_in(units[g].direction, booleans_[p]),
                          [&](const Box& chosen) { note_cells(units[g], dot(units[g].direction, chosen), l, g); });
        box = feed_forward(units, network_.model.layers[l].ffn.b2, box, booleans_[p]);
      }
      limit(boxes_[p], l, 0);
    }
  }

  void note_cells(const ParallelUnits& group, const Interval& z, std::size_t l, std::size_t g) {
    for (std::size_t cell = group.cell(z.low); cell <= group.cell(z.high); ++cell) {
      const double low = cell == 0 ? -kInfinity : group.breakpoints[cell - 1];
      const double high = cell == group.breakpoints.size() ? kInfinity : group.breakpoints[cell];
      Interval& where = facts_.layers[l].groups[g][cell];
      where = {std::min(where.low, std::max(low, z.low)), std::max(where.high, std::min(high, z.high))};
    }
  }

  void outputs() {
    for (const std::vector<Box>& here : boxes_)
      for (const Box& box : here)
        for (const std::uint32_t c : network_.outputs) {
          const Interval& y = box[c];
          if (y != Interval{0, 0} && y != Interval{1, 1}) facts_.boolean_outputs = false;
          const double distance = y.low > 0.5 ? y.low - 0.5 : y.high < 0.5 ? 0.5 - y.high : 0;
          facts_.half_distance = std::min(facts_.half_distance, distance * (1 - 0x1p-50));
        }
  }

  const Network& network_;
  const std::size_t n_;
  const std::vector<Place> places_;
  const bool proved_;
  LengthFacts facts_;
  std::vector<std::vector<Box>> boxes_;  // by place
  std::vector<Booleans> booleans_;       // by place, where gaps are proved
};

Box encoding_at(const model::Transformer& model, std::size_t i, std::size_t n) {
  Box box(model.width);
  for (const auto& [coordinate, formula] : model.position_encodings)
    box[coordinate] = box[coordinate] + enclose(formula, i, n);
  return box;
}

/// The same a little wider and much faster: doubles are within one unit in the last place of the exact value.
Box roughly_encoding_at(const model::Transformer& model, std::size_t i, std::size_t n) {
  Box box(model.width);
  for (const auto& [coordinate, formula] : model.position_encodings) {
    const double value = model::position_value(formula, i, n);
    const bool whole = value == std::rint(value) || formula.kind == PositionFormula::Kind::table;
    box[coordinate] =
        box[coordinate] + (whole ? Interval{value, value}
                                 : Interval{std::nextafter(value, -kInfinity), std::nextafter(value, kInfinity)});
  }
  return box;
}

}  // namespace

LengthFacts analyse(const Network& network, std::size_t n) {
  std::vector<Place> places;
  for (std::size_t i = 1; i <= n; ++i) places.push_back({encoding_at(network.model, i, n), false});
  return Analysis(network, n, std::move(places), false).run();
}

LengthFacts analyse_all(const Network& network, std::size_t longest) {
  std::vector<Place> places;
  for (std::size_t n = 2; n <= longest; ++n)
    for (std::size_t i = 1; i <= n; ++i) {
      const std::size_t place = std::min<std::size_t>(i, 3) - 1;
      const Box box = roughly_encoding_at(network.model, i, n);
      if (place == places.size())
        places.push_back({box, place == 2});
      else
        places[place].encoding = join({places[place].encoding, box});
    }
  return Analysis(network, longest, std::move(places), true).run();
}

}  // namespace quench::soften
