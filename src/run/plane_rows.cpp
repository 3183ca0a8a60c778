#include "run/plane_rows.h"

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

constexpr std::size_t kTogether = 4;  // vectors of positions: the terms are decoded once for all of them
constexpr std::size_t kMostLanes = 16;

template <class T>
using Tag = hn::CappedTag<T, kMostLanes>;

/// Σ terms, from left to right.
template <class T, std::size_t kVectors>
struct Sum {
  hn::Vec<Tag<T>> part[kVectors];

  template <class Source>
  HWY_INLINE Sum(const Term<T>* term, const Term<T>* last, const Source& source) {
    const Tag<T> d;
    for (auto& x : part) x = hn::Zero(d);
    for (; term != last; ++term) {
      const T* from = source(term->column);
      const auto weight = hn::Set(d, term->weight);
      for (std::size_t x = 0; x < kVectors; ++x)
        part[x] = hn::Add(part[x], hn::Mul(weight, hn::LoadU(d, from + x * hn::Lanes(d))));
    }
  }
};

template <class T>
const Term<T>* begin(const SumRows<T>& rows, const FlatRows::Row& row) {
  return rows.terms.data() + row.first;
}
template <class T>
const Term<T>* end(const SumRows<T>& rows, const FlatRows::Row& row) {
  return rows.terms.data() + row.last;
}

/// Calls work.operator()<vectors>(p) for all positions.
template <class T, class Work>
HWY_INLINE void for_vectors(std::size_t first, std::size_t count, const Work& work) {
  const std::size_t lanes = hn::Lanes(Tag<T>()), last = first + count;
  std::size_t p = first;
  for (; p + kTogether * lanes <= last; p += kTogether * lanes) work.template operator()<kTogether>(p);
  for (; p + lanes <= last; p += lanes) work.template operator()<1>(p);
}

template <class T>
void row_sum(const SumRows<T>& rows, std::size_t r, const T* const* in, std::size_t first, std::size_t count, T* out) {
  const Tag<T> d;
  const FlatRows::Row& row = rows.rows[r];
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    const Sum<T, kVectors> sum(begin(rows, row), end(rows, row), [&](std::uint32_t c) { return in[c] + p; });
    for (std::size_t x = 0; x < kVectors; ++x) hn::StoreU(sum.part[x], d, out + p + x * hn::Lanes(d));
  });
}

template <class T>
void outputs(const LayerRows<T>& layer, const T* const* heads, std::size_t first, std::size_t count, T* const* h) {
  const Tag<T> d;
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    for (const auto& target : layer.targets) {
      const auto part = [&](std::uint32_t r) {
        const FlatRows::Row& row = layer.parts.rows[r];
        return Sum<T, kVectors>(begin(layer.parts, row), end(layer.parts, row),
                                [&](std::uint32_t c) { return heads[c] + p; });
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

template <class T>
void feed_forward(const LayerRows<T>& layer, std::size_t first, std::size_t count, T* const* h) {
  const Tag<T> d;
  static thread_local std::vector<T> units;
  units.resize(layer.hidden.rows.size() * kTogether * kMostLanes);
  const auto unit = [&](std::uint32_t u) { return units.data() + u * kTogether * kMostLanes; };
  for_vectors<T>(first, count, [&]<std::size_t kVectors>(std::size_t p) {
    for (std::size_t u = 0; u < layer.hidden.rows.size(); ++u) {
      const FlatRows::Row& row = layer.hidden.rows[u];
      const Sum<T, kVectors> sum(begin(layer.hidden, row), end(layer.hidden, row),
                                 [&](std::uint32_t c) { return h[c] + p; });
      const auto bias = hn::Set(d, layer.hidden_bias[u]);
      for (std::size_t x = 0; x < kVectors; ++x) {
        const auto y = hn::Add(sum.part[x], bias);
        hn::StoreU(hn::IfThenZeroElse(hn::Le(y, hn::Zero(d)), y), d,  // a NaN stays
                   unit(static_cast<std::uint32_t>(u)) + x * hn::Lanes(d));
      }
    }
    for (std::size_t r = 0; r < layer.written.rows.size(); ++r) {
      const FlatRows::Row& row = layer.written.rows[r];
      const Sum<T, kVectors> sum(begin(layer.written, row), end(layer.written, row), unit);
      const auto bias = hn::Set(d, layer.written_bias[r]);
      T* to = h[row.index] + p;
      for (std::size_t x = 0; x < kVectors; ++x, to += hn::Lanes(d))
        hn::StoreU(hn::Add(hn::LoadU(d, to), hn::Add(sum.part[x], bias)), d, to);
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
SumRows<T> convert(const FlatRows& flat) {
  SumRows<T> result{flat.rows, {}};
  for (const auto& [column, value] : flat.entries) result.terms.push_back({column, static_cast<T>(value)});
  return result;
}

template <class T>
std::vector<T> convert(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
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
    layer.hidden = convert<T>(from.w1);
    layer.hidden_bias = convert<T>(from.b1);
    layer.written = convert<T>(from.w2);
    layer.written_bias = convert<T>(from.b2);
  }
  return layers;
}

template std::vector<LayerRows<float>> make_layer_rows(const ReferencePlan&);
template std::vector<LayerRows<double>> make_layer_rows(const ReferencePlan&);

}  // namespace quench::run
#endif  // HWY_ONCE
