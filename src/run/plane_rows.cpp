#include "run/plane_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/plane_rows.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of positions that go together: the terms are decoded once for all of them, and their sums stay in registers.
constexpr std::size_t kTogether = HWY_MAX_BYTES >= 64 ? 8 : 4;
constexpr std::size_t kMostLanes = 16;

template <class T>
using Tag = hn::CappedTag<T, kMostLanes>;

/// Σ terms, from left to right.
template <class T, std::size_t kVectors>
struct Sum {
  hn::Vec<Tag<T>> part[kVectors];

  HWY_INLINE Sum() {
    for (auto& x : part) x = hn::Zero(Tag<T>());
  }
  template <class Source>
  HWY_INLINE Sum(const SumRows<T>& rows, std::size_t r, const Source& source) : Sum() {
    const Tag<T> d;
    const FlatRows::Row& row = rows.rows[r];
    for (const Term<T>*term = rows.terms.data() + row.first, *last = rows.terms.data() + row.last; term != last;
         ++term) {
      const T* from = source(term->column);
      const auto weight = hn::Set(d, term->weight);
      if (rows.exact[r])
        for (std::size_t x = 0; x < kVectors; ++x)
          part[x] = hn::MulAdd(weight, hn::LoadU(d, from + x * hn::Lanes(d)), part[x]);
      else
        for (std::size_t x = 0; x < kVectors; ++x)
          part[x] = hn::Add(part[x], hn::Mul(weight, hn::LoadU(d, from + x * hn::Lanes(d))));
    }
  }
};

/// Calls work.operator()<vectors>(p) for all positions.
template <class T, class Work>
HWY_INLINE void for_vectors(std::size_t first, std::size_t count, const Work& work) {
  const std::size_t lanes = hn::Lanes(Tag<T>()), last = first + count;
  std::size_t p = first;
  for (; p + kTogether * lanes <= last; p += kTogether * lanes) work.template operator()<kTogether>(p);
  for (; p + kTogether / 2 * lanes <= last; p += kTogether / 2 * lanes) work.template operator()<kTogether / 2>(p);
  for (; p + lanes <= last; p += lanes) work.template operator()<1>(p);
}

template <class T>
void row_sum(const SumRows<T>& rows, std::size_t r, const T* const* in, std::size_t first, std::size_t count, T* out) {
  const Tag<T> d;
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    const Sum<T, kVectors> sum(rows, r, [&](std::uint32_t c) { return in[c] + p; });
    for (std::size_t x = 0; x < kVectors; ++x) hn::StoreU(sum.part[x], d, out + (p - first) + x * hn::Lanes(d));
  });
}

template <class T>
void outputs(const LayerRows<T>& layer, const T* const* heads, std::size_t first, std::size_t count, T* const* h) {
  const Tag<T> d;
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    for (const auto& target : layer.targets) {
      const auto part = [&](std::uint32_t r) {
        return Sum<T, kVectors>(layer.parts, r, [&](std::uint32_t c) { return heads[c] + p; });
      };
      Sum<T, kVectors> total = part(target.first);
      for (std::uint32_t r = target.first + 1; r < target.last; ++r) {
        const Sum<T, kVectors> more = part(r);
        for (std::size_t x = 0; x < kVectors; ++x) total.part[x] = hn::Add(total.part[x], more.part[x]);
      }
      T* to = h[target.coordinate] + p;
      for (std::size_t x = 0; x < kVectors; ++x, to += hn::Lanes(d))
        hn::StoreU(hn::Add(hn::LoadU(d, to), total.part[x]), d, to);
    }
  });
}

/// ReLU; a NaN stays (of two operands one of which is NaN, the second is the result on x86, NaN elsewhere).
template <class V>
HWY_INLINE V rectified(V y) {
  return hn::Max(hn::Zero(hn::DFromV<V>()), y);
}

template <class T, std::size_t kVectors>
HWY_INLINE void add_to(T* h, const Sum<T, kVectors>& sum, T bias) {
  const Tag<T> d;
  for (std::size_t x = 0; x < kVectors; ++x, h += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::LoadU(d, h), hn::Add(sum.part[x], hn::Set(d, bias))), d, h);
}

/// See LayerRows::in_place.
template <class T>
void feed_forward_in_place(const LayerRows<T>& layer, std::size_t first, std::size_t count, T* const* h) {
  const Tag<T> d;
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    for (std::size_t r = 0; r < layer.written.rows.size(); ++r) {
      const FlatRows::Row& row = layer.written.rows[r];
      const auto read = [&](std::uint32_t c) { return h[c] + p; };
      Sum<T, kVectors> inner, outer;
      for (std::uint32_t t = row.first; t < row.last; ++t) {
        const auto& [unit, w] = layer.written.terms[t];
        if (!layer.repeats[unit]) inner = Sum<T, kVectors>(layer.hidden, unit, read);
        const auto bias = hn::Set(d, layer.hidden_bias[unit]), weight = hn::Set(d, w);
        for (std::size_t x = 0; x < kVectors; ++x) {
          const auto y = rectified(hn::Add(inner.part[x], bias));
          outer.part[x] = layer.written.exact[r] ? hn::MulAdd(weight, y, outer.part[x])
                                                 : hn::Add(outer.part[x], hn::Mul(weight, y));
        }
      }
      add_to(h[row.index] + p, outer, layer.written_bias[r]);
    }
  });
}

template <class T>
void feed_forward(const LayerRows<T>& layer, std::size_t first, std::size_t count, T* const* h) {
  if (layer.in_place) return feed_forward_in_place(layer, first, count, h);
  const Tag<T> d;
  static thread_local std::vector<T> units;
  units.resize(layer.hidden.rows.size() * kTogether * kMostLanes);
  const auto unit = [&](std::uint32_t u) { return units.data() + u * kTogether * kMostLanes; };
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    for (const FlatRows::Row& row : layer.hidden.rows) {
      const Sum<T, kVectors> sum(layer.hidden, row.index, [&](std::uint32_t c) { return h[c] + p; });
      const auto bias = hn::Set(d, layer.hidden_bias[row.index]);
      for (std::size_t x = 0; x < kVectors; ++x)
        hn::StoreU(rectified(hn::Add(sum.part[x], bias)), d, unit(row.index) + x * hn::Lanes(d));
    }
    for (std::size_t r = 0; r < layer.written.rows.size(); ++r) {
      add_to(h[layer.written.rows[r].index] + p, Sum<T, kVectors>(layer.written, r, unit), layer.written_bias[r]);
    }
  });
}

}  // namespace

// Highway dispatches plain functions, not templates.
#define QUENCH_ROW_KERNELS(T, Bits)                                                                               \
  void Row##Bits(const SumRows<T>& rows, std::size_t r, const T* const* in, std::size_t first, std::size_t count, \
                 T* out) {                                                                                        \
    row_sum(rows, r, in, first, count, out);                                                                      \
  }                                                                                                               \
  void Outputs##Bits(const LayerRows<T>& layer, const T* const* heads, std::size_t first, std::size_t count,      \
                     T* const* h) {                                                                               \
    outputs(layer, heads, first, count, h);                                                                       \
  }                                                                                                               \
  void FeedForward##Bits(const LayerRows<T>& layer, std::size_t first, std::size_t count, T* const* h) {          \
    feed_forward(layer, first, count, h);                                                                         \
  }

QUENCH_ROW_KERNELS(float, 32)
QUENCH_ROW_KERNELS(double, 64)
#undef QUENCH_ROW_KERNELS

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

#define QUENCH_ROW_EXPORTS(T, Bits)                                                                             \
  HWY_EXPORT(Row##Bits);                                                                                        \
  HWY_EXPORT(Outputs##Bits);                                                                                    \
  HWY_EXPORT(FeedForward##Bits);                                                                                \
  template <>                                                                                                   \
  void sum_row(const SumRows<T>& rows, std::size_t r, const T* const* in, std::size_t first, std::size_t count, \
               T* out) {                                                                                        \
    HWY_DYNAMIC_DISPATCH(Row##Bits)(rows, r, in, first, count, out);                                            \
  }                                                                                                             \
  template <>                                                                                                   \
  void add_outputs(const LayerRows<T>& layer, const T* const* heads, std::size_t first, std::size_t count,      \
                   T* const* h) {                                                                               \
    HWY_DYNAMIC_DISPATCH(Outputs##Bits)(layer, heads, first, count, h);                                         \
  }                                                                                                             \
  template <>                                                                                                   \
  void add_feed_forward(const LayerRows<T>& layer, std::size_t first, std::size_t count, T* const* h) {         \
    HWY_DYNAMIC_DISPATCH(FeedForward##Bits)(layer, first, count, h);                                            \
  }

QUENCH_ROW_EXPORTS(float, 32)
QUENCH_ROW_EXPORTS(double, 64)
#undef QUENCH_ROW_EXPORTS

namespace {

template <class T>
void find_exact(SumRows<T>& rows) {
  for (const FlatRows::Row& row : rows.rows)
    rows.exact.push_back(
        std::all_of(rows.terms.begin() + row.first, rows.terms.begin() + row.last, [](const Term<T>& term) {
          int exponent = 0;
          return std::fabs(std::frexp(term.weight, &exponent)) == T{0.5};
        }));
}

template <class T>
SumRows<T> convert(const FlatRows& flat) {
  SumRows<T> result{flat.rows, {}, {}};
  for (const auto& [column, value] : flat.entries) result.terms.push_back({column, static_cast<T>(value)});
  find_exact(result);
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

}  // namespace

template <class T>
std::vector<LayerRows<T>> make_layer_rows(const ReferencePlan& plan) {
  std::vector<LayerRows<T>> layers;
  for (const LayerPlan& from : plan.layers) {
    LayerRows<T>& layer = layers.emplace_back();
    for (const HeadPlan& head : from.heads)
      layer.heads.push_back({convert<T>(head.q), convert<T>(head.k), convert<T>(head.v)});
    for (const auto& [column, value] : from.target_entries)
      layer.parts.terms.push_back({column, static_cast<T>(value)});
    for (const MixTarget& target : from.targets) {
      const auto first = static_cast<std::uint32_t>(layer.parts.rows.size());
      for (const MixTarget::Part& part : target.parts) layer.parts.rows.push_back({part.head, part.first, part.last});
      layer.targets.push_back({target.coordinate, first, static_cast<std::uint32_t>(layer.parts.rows.size())});
    }
    find_exact(layer.parts);
    layer.hidden = convert<T>(from.w1);
    layer.hidden_bias = convert<T>(from.b1);
    layer.written = convert<T>(from.w2);
    layer.written_bias = convert<T>(from.b2);
    for (std::size_t unit = 0; unit < layer.hidden.rows.size(); ++unit)
      layer.repeats.push_back(unit > 0 && same_terms(layer.hidden, unit, unit - 1));
    order_in_place(layer);
  }
  return layers;
}

template std::vector<LayerRows<float>> make_layer_rows(const ReferencePlan&);
template std::vector<LayerRows<double>> make_layer_rows(const ReferencePlan&);

}  // namespace quench::run
#endif  // HWY_ONCE
