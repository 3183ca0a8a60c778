// Per-instruction-set arithmetic of kernels/candidate_kernel.cpp: weights, means, lanes that move. Included once per
// target (Highway's foreach_target), hence the unusual include guard.
#if defined(QUENCH_CANDIDATE_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_CANDIDATE_MATH_INL_H
#undef QUENCH_CANDIDATE_MATH_INL_H
#else
#define QUENCH_CANDIDATE_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "run/structured/kernels/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {

template <class L>
using Tag = hn::CappedTag<L, kLanes>;
using F = Tag<float>;
template <class Lanes>
using Lookup = decltype(hn::IndicesFromVec(Lanes(), hn::Zero(hn::RebindToSigned<Lanes>())));

/// Lane l takes lane max(l − distance, 0).
template <class Lanes>
HWY_INLINE Lookup<Lanes> from_before(Lanes d, int distance) {
  const hn::RebindToSigned<Lanes> index;
  const auto lane = hn::Sub(hn::Iota(index, 0), hn::Set(index, static_cast<hn::TFromD<decltype(index)>>(distance)));
  return hn::IndicesFromVec(d, hn::Max(lane, hn::Zero(index)));
}

/// All lanes take the last.
template <class Lanes>
HWY_INLINE Lookup<Lanes> from_last(Lanes d) {
  const hn::RebindToSigned<Lanes> index;
  return hn::IndicesFromVec(d, hn::Set(index, static_cast<hn::TFromD<decltype(index)>>(hn::MaxLanes(d) - 1)));
}

/// e^x for x ≤ 0. Below the cutoff the result is some number that is negligible too.
template <class T>
HWY_INLINE V weight_of(V x) {
  const Reduced<T> reduced(hn::Max(x, hn::Set(D(), kLowest<T>)));
  return reduced.times_power(exponential_of_rest<T>(reduced.r));
}

/// 2^y for y ≤ 0, in float lanes; below the cutoff, some number that is negligible too. y = k + r with 0 ≤ r < 1, and a
/// polynomial of degree 6 within 6.8e−9 < 2^−27.1 of 2^r relative, with 2^0 = 1 (sollya: fpminimax of (2^r − 1)/r); as
/// floats evaluate it within 2^−24 (looked at for every float r from 2^−26 on). AVX-512 has instructions for r and
/// for times 2^k.
template <class T>
HWY_INLINE hn::Vec<F> weight_of(hn::Vec<F> y) {
  const F d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86_64
  const hn::Vec<F> r{_mm512_reduce_ps(y.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};  // y − ⌊y⌋
#else
  y = hn::Max(y, hn::Set(d, -120.0F));
  const auto k = hn::Floor(y);
  const auto r = hn::Sub(y, k);
#endif
  auto sum = hn::MulAdd(hn::Set(d, 0x1.b0c82ap-13F), r, hn::Set(d, 0x1.4df594p-10F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.3c2348p-7F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.c6a352p-5F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.ebfc18p-3F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.62e43p-1F));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0F));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86_64
  return hn::Vec<F>{_mm512_scalef_ps(sum.raw, y.raw)};  // times 2^⌊y⌋
#else
  const hn::RebindToSigned<F> whole;
  return hn::BitCast(d, hn::Add(hn::BitCast(whole, sum), hn::ShiftLeft<23>(hn::ConvertTo(whole, k))));
#endif
}

HWY_INLINE void store_means(V sum, V total, double* out) { store_mean(sum, total, out); }
HWY_INLINE void store_means(V sum, V total, float* out) { store_mean(sum, total, out); }
HWY_INLINE void store_means(hn::Vec<F> sum, hn::Vec<F> total, float* out) { store_quotient(F(), sum, total, out); }

/// The chosen lanes to the front of to[0, size of a vector), anything after them. Not by Highway's Compress, which
/// copies a table each time, nor its CompressStore, which is slow with AVX2 (measured in bench/README.md).
template <class Lanes>
HWY_INLINE void store_chosen(Lanes d, hn::Vec<Lanes> x, hn::Mask<Lanes> chosen, hn::TFromD<Lanes>* to) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86_64
  if constexpr (sizeof(*to) == 4)
    hn::StoreU(hn::Vec<Lanes>{_mm512_maskz_compress_ps(chosen.raw, x.raw)}, d, to);
  else
    hn::StoreU(hn::Vec<Lanes>{_mm512_maskz_compress_pd(chosen.raw, x.raw)}, d, to);
#else
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, chosen, bits);
  hn::TFromD<Lanes> lanes[hn::MaxLanes(d)];
  hn::StoreU(x, d, lanes);
  for (std::size_t l = 0; l < hn::MaxLanes(d); ++l) {
    *to = lanes[l];
    to += bits[l / 8] >> l % 8 & 1;
  }
#endif
}

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
