#include "run/structured/position_wise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/position_wise.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of positions that go together: the terms are decoded once for all of them, and their sums stay in registers.
constexpr std::size_t kTogether = HWY_MAX_BYTES >= 64 ? 10 : 4;
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
    const Term<T>*term = rows.terms.data() + row.first, *last = rows.terms.data() + row.last;
    if (term != last && term->weight == 1) {  // most rows begin with a copy
      const T* from = source(term->column);
      for (std::size_t x = 0; x < kVectors; ++x) part[x] = hn::LoadU(d, from + x * hn::Lanes(d));
      ++term;
    }
    for (; term != last; ++term) {
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
        hn::StoreU(target.fresh ? total.part[x] : hn::Add(hn::LoadU(d, to), total.part[x]), d, to);
    }
  });
}

/// ReLU; a NaN stays (of two operands one of which is NaN, the second is the result on x86, NaN elsewhere).
template <class V>
HWY_INLINE V rectified(V y) {
  return hn::Max(hn::Zero(hn::DFromV<V>()), y);
}

template <class T, std::size_t kVectors>
HWY_INLINE void add_to(T* h, const Sum<T, kVectors>& sum, T bias, bool fresh) {
  const Tag<T> d;
  if (fresh && bias == 0) {
    for (std::size_t x = 0; x < kVectors; ++x, h += hn::Lanes(d)) hn::StoreU(sum.part[x], d, h);
    return;
  }
  for (std::size_t x = 0; x < kVectors; ++x, h += hn::Lanes(d)) {
    const auto added = hn::Add(sum.part[x], hn::Set(d, bias));
    hn::StoreU(fresh ? added : hn::Add(hn::LoadU(d, h), added), d, h);
  }
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
      if (layer.ramp[r]) {
        const auto& [unit, w] = layer.written.terms[row.first];
        const T* b = layer.hidden_bias.data() + unit;
        const auto bias = hn::Set(d, b[0]), height = hn::Set(d, b[0] - b[1]), weight = hn::Set(d, w);
        outer = Sum<T, kVectors>(layer.hidden, unit, read);
        for (auto& y : outer.part) y = hn::Mul(weight, hn::Min(rectified(hn::Add(y, bias)), height));
        add_to(h[row.index] + p, outer, layer.written_bias[r], layer.written_fresh[r]);
        continue;
      }
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
      add_to(h[row.index] + p, outer, layer.written_bias[r], layer.written_fresh[r]);
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
      add_to(h[layer.written.rows[r].index] + p, Sum<T, kVectors>(layer.written, r, unit), layer.written_bias[r],
             layer.written_fresh[r]);
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

}  // namespace quench::run
#endif  // HWY_ONCE
