// Plans for position_wise.h: how the rows of a layer can be worked off.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "run/structured/position_wise.h"

namespace quench::run {

namespace {

/// Whether the numbers of a network are in range, and none that it starts from is so small that half of it could be
/// subnormal. Something is known of a network's rows only if the former is so (foreseen.h). Hard attention needs
/// every bit, however small.
bool is_ordinary(const ReferencePlan& plan, const std::vector<KnownRows>& known) {
  const auto small = [](double x) { return x != 0 && std::fabs(x) < 0x1p-60; };
  const auto all_ordinary = [&](const std::vector<SparseMatrix::Entry>& entries) {
    return std::ranges::none_of(entries, small, &SparseMatrix::Entry::value);
  };
  const auto head_is = [&](const HeadPlan& head) {
    return head.weighting == Weighting::soft && all_ordinary(head.q.entries) && all_ordinary(head.k.entries) &&
           all_ordinary(head.v.entries);
  };
  const auto layer_is = [&](const LayerPlan& layer) {
    return std::ranges::all_of(layer.heads, head_is) && all_ordinary(layer.target_entries) &&
           all_ordinary(layer.w1.entries) && all_ordinary(layer.w2.entries) && std::ranges::none_of(layer.b1, small) &&
           std::ranges::none_of(layer.b2, small);
  };
  const auto encoding_is = [&](const model::PositionEncoding& encoding) {
    return std::ranges::none_of(encoding.formula.table, small);
  };
  const auto says = [](const KnownRows& rows) { return !rows.cleared.empty() || !rows.ramps.empty(); };
  return std::ranges::any_of(known, says) && std::ranges::all_of(plan.embedding, all_ordinary) &&
         std::ranges::all_of(plan.layers, layer_is) && std::ranges::all_of(plan.position_encodings, encoding_is);
}

template <class T>
void find_exact(SumRows<T>& rows, bool ordinary) {
  const auto is_exact = [&](const Term<T>& term) {
    int exponent = 0;
    const bool power_of_two = std::fabs(std::frexp(term.weight, &exponent)) == T{0.5};
    return power_of_two && (exponent == 1 || (ordinary && exponent > -20 && exponent < 20));
  };
  for (const FlatRows::Row& row : rows.rows)
    rows.exact.push_back(std::all_of(rows.terms.begin() + row.first, rows.terms.begin() + row.last, is_exact));
}

template <class T>
SumRows<T> convert(const FlatRows& flat, bool ordinary) {
  SumRows<T> result{flat.rows, {}, {}};
  for (const auto& [column, value] : flat.entries) result.terms.push_back({column, static_cast<T>(value)});
  find_exact(result, ordinary);
  return result;
}

template <class T>
std::vector<T> convert(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

template <class T>
bool same_terms(const SumRows<T>& rows, std::size_t r, std::size_t other) {
  const auto at = [&](std::uint32_t index) { return rows.terms.begin() + index; };
  const auto &a = rows.rows[r], &b = rows.rows[other];
  return std::equal(at(a.first), at(a.last), at(b.first), at(b.last));
}

/// Brings the written rows into an order in which they can be written at once, if there is one: rows whose coordinate
/// is read by no other row that is still to come. Compiled feed-forwards make new coordinates and clear old ones, each
/// from itself, so there is.
template <class T>
void order_in_place(LayerRows<T>& layer) {
  const std::size_t count = layer.written.rows.size();
  std::vector<std::size_t> owner(layer.hidden.rows.size(), count);
  std::map<std::uint32_t, std::vector<std::size_t>> readers;  // of a coordinate: rows
  for (std::size_t r = 0; r < count; ++r)
    for (std::uint32_t t = layer.written.rows[r].first; t < layer.written.rows[r].last; ++t) {
      const std::uint32_t unit = layer.written.terms[t].column;
      if (owner[unit] != count) return;
      owner[unit] = r;
      // Only a unit that comes right after its fellow in the same row finds its sum there.
      layer.repeats[unit] =
          layer.repeats[unit] && t > layer.written.rows[r].first && layer.written.terms[t - 1].column + 1 == unit;
      const FlatRows::Row& row = layer.hidden.rows[unit];
      for (std::uint32_t x = row.first; x < row.last; ++x) readers[layer.hidden.terms[x].column].push_back(r);
    }
  std::vector<std::size_t> awaited(count, 0);  // by row: reads of its coordinate by others still to come
  std::map<std::size_t, std::vector<std::size_t>> awaits;
  for (std::size_t r = 0; r < count; ++r)
    for (const std::size_t reader : readers[layer.written.rows[r].index])
      if (reader != r) {
        ++awaited[r];
        awaits[reader].push_back(r);
      }
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < count; ++r)
    if (awaited[r] == 0) order.push_back(r);
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const std::size_t r : awaits[order[next]])
      if (--awaited[r] == 0) order.push_back(r);
  if (order.size() < count) return;
  const auto in_order = [&](auto& values) {
    auto ordered = values;
    for (std::size_t x = 0; x < count; ++x) ordered[x] = values[order[x]];
    values = std::move(ordered);
  };
  in_order(layer.written.rows);
  in_order(layer.written.exact);
  in_order(layer.written_bias);
  layer.in_place = true;
}

/// Drops those of the rows that clear what is written before it is looked at again; returns their coordinates by layer.
template <class T>
std::vector<std::set<std::uint32_t>> drop_clears(const ReferencePlan& plan, const std::vector<KnownRows>& known,
                                                 std::vector<LayerRows<T>>& layers) {
  std::vector<std::set<std::uint32_t>> dropped(layers.size());
  if (known.empty()) return dropped;
  std::vector<bool> looked_at(plan.width, false);  // what stands there then, from the end to the beginning
  looked_at[plan.output] = true;
  const auto look = [&](const SumRows<T>& rows) {
    for (const Term<T>& term : rows.terms) looked_at[term.column] = true;
  };
  for (std::size_t l = layers.size(); l-- > 0;) {
    LayerRows<T>& layer = layers[l];
    SumRows<T> rows{{}, layer.written.terms, {}};
    std::vector<T> bias;
    for (std::size_t r = 0; r < layer.written.rows.size(); ++r) {
      const std::uint32_t coordinate = layer.written.rows[r].index;
      if (known[l].cleared.contains(coordinate) && !looked_at[coordinate]) {
        dropped[l].insert(coordinate);
        continue;
      }
      rows.rows.push_back(layer.written.rows[r]);
      rows.exact.push_back(layer.written.exact[r]);
      bias.push_back(layer.written_bias[r]);
    }
    for (const FlatRows::Row& row : layer.written.rows) looked_at[row.index] = false;
    layer.written = std::move(rows);
    layer.written_bias = std::move(bias);
    look(layer.hidden);
    for (const auto& target : layer.targets) looked_at[target.coordinate] = false;
    for (const auto& head : layer.heads)
      for (const SumRows<T>* read : {&head.q, &head.k, &head.v}) look(*read);
  }
  return dropped;
}

/// Finds the fresh coordinates of each layer, and what heads can write to them themselves. `dropped`: what
/// drop_clears() did, by layer.
template <class T>
void find_fresh(const ReferencePlan& plan, const std::vector<std::set<std::uint32_t>>& dropped,
                std::vector<LayerRows<T>>& layers) {
  std::set<std::uint32_t> used, again;
  for (const SparseMatrix::Row& row : plan.embedding)
    for (const auto& [column, value] : row) used.insert(column);
  for (const auto& encoding : plan.position_encodings) used.insert(static_cast<std::uint32_t>(encoding.coordinate));
  const auto use = [&](const SumRows<T>& rows) {
    for (const Term<T>& term : rows.terms) used.insert(term.column);
  };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerRows<T>& layer = layers[l];
    const auto is_fresh = [&](std::uint32_t coordinate) {
      const bool first = used.insert(coordinate).second;
      if (first) layer.fresh.push_back(coordinate);
      return again.erase(coordinate) > 0 || first;
    };
    std::map<std::uint32_t, std::uint32_t*> value_of;  // by column of the outputs: where to note that it has a place
    std::uint32_t column = 0;
    for (typename LayerRows<T>::Head& head : layer.heads) {
      for (const SumRows<T>* rows : {&head.q, &head.k, &head.v}) use(*rows);
      for (std::uint32_t& coordinate : head.into) value_of[column++] = &coordinate;
    }
    std::map<std::uint32_t, int> readers;
    for (const Term<T>& term : layer.parts.terms) ++readers[term.column];
    std::erase_if(layer.targets, [&](typename LayerRows<T>::Target& target) {
      target.fresh = is_fresh(target.coordinate);
      const FlatRows::Row& part = layer.parts.rows[target.first];
      const Term<T>& term = layer.parts.terms[part.first];
      const bool is_value = target.fresh && target.last == target.first + 1 && part.last == part.first + 1 &&
                            term.weight == 1 && readers[term.column] == 1;
      if (is_value) *value_of[term.column] = target.coordinate;
      return is_value;
    });
    use(layer.hidden);
    for (const FlatRows::Row& row : layer.written.rows) layer.written_fresh.push_back(is_fresh(row.index));
    again.insert(dropped[l].begin(), dropped[l].end());
  }
}

}  // namespace

template <class T>
std::vector<LayerRows<T>> make_layer_rows(const ReferencePlan& plan, const std::vector<KnownRows>& known) {
  std::vector<LayerRows<T>> layers;
  const bool ordinary = is_ordinary(plan, known);
  for (const LayerPlan& from : plan.layers) {
    LayerRows<T>& layer = layers.emplace_back();
    for (const HeadPlan& head : from.heads)
      layer.heads.push_back({convert<T>(head.q, ordinary), convert<T>(head.k, ordinary), convert<T>(head.v, ordinary),
                             std::vector<std::uint32_t>(head.d_v, LayerRows<T>::kNone)});
    for (const auto& [column, value] : from.target_entries)
      layer.parts.terms.push_back({column, static_cast<T>(value)});
    for (const MixTarget& target : from.targets) {
      const auto first = static_cast<std::uint32_t>(layer.parts.rows.size());
      for (const MixTarget::Part& part : target.parts) layer.parts.rows.push_back({part.head, part.first, part.last});
      layer.targets.push_back({target.coordinate, first, static_cast<std::uint32_t>(layer.parts.rows.size()), false});
    }
    find_exact(layer.parts, ordinary);
    layer.hidden = convert<T>(from.w1, ordinary);
    layer.hidden_bias = convert<T>(from.b1);
    layer.written = convert<T>(from.w2, ordinary);
    layer.written_bias = convert<T>(from.b2);
    for (std::size_t unit = 0; unit < layer.hidden.rows.size(); ++unit)
      layer.repeats.push_back(unit > 0 && same_terms(layer.hidden, unit, unit - 1));
  }
  const std::vector<std::set<std::uint32_t>> dropped = drop_clears(plan, known, layers);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    order_in_place(layers[l]);
    for (const FlatRows::Row& row : layers[l].written.rows)
      layers[l].ramp.push_back(!known.empty() && known[l].ramps.contains(row.index));
  }
  find_fresh(plan, dropped, layers);
  return layers;
}

template std::vector<LayerRows<float>> make_layer_rows(const ReferencePlan&, const std::vector<KnownRows>&);
template std::vector<LayerRows<double>> make_layer_rows(const ReferencePlan&, const std::vector<KnownRows>&);

}  // namespace quench::run
