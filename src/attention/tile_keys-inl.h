// A block of keys in lanes: the gradient to keys and values.
// Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_KEYS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_KEYS_INL_H
#undef QUENCH_TILE_KEYS_INL_H
#else
#define QUENCH_TILE_KEYS_INL_H
#endif

#include "attention/tile_blocks.h"
#include "attention/tile_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// A block of keys in lanes, and the query tiles that look at it.
template <class T>
struct KeyBlock {
  const TileProblem<T>& problem;
  std::size_t begin, count;
  Buffer<T> packed_k, packed_v, alpha, d_alpha;

  KeyBlock(const TileProblem<T>& p, std::size_t b, std::size_t n)
      : problem(p),
        begin(b),
        count(n),
        packed_k(pack(p.k, b, n, p.scale)),
        packed_v(pack(p.v, b, n, T{1})),
        alpha(buffer<T>(kTileRows)),
        d_alpha(buffer<T>(kTileRows)) {}

  bool looked_at_by(std::size_t query, std::size_t rows) const {
    for (std::size_t i = query; i < query + rows; ++i)
      if (problem.first[i] < begin + count && problem.last[i] > begin && problem.first[i] < problem.last[i])
        return true;
    return false;
  }

  // alpha[query][key] := scores, d_alpha[query][key] := ∂L/∂α, masked keys −∞.
  void score(std::size_t query, std::size_t rows) {
    const TileProblem<T>& p = problem;
    const std::size_t w = width<T>();
    multiply_rows(p.q.data + query * p.q.stride, p.q.stride, rows, p.q.cols, packed_k.get(), alpha.get());
    multiply_rows(p.d_output.data + query * p.d_output.stride, p.d_output.stride, rows, p.v.cols, packed_v.get(),
                  d_alpha.get());
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = query + r;
      if (p.term)
        for (std::size_t lane = 0; lane < count; ++lane) alpha[r * w + lane] += static_cast<T>(p.term(i, begin + lane));
      if (p.first[i] > begin || p.last[i] < begin + count)
        for (std::size_t lane = 0; lane < count; ++lane)
          if (begin + lane < p.first[i] || begin + lane >= p.last[i])
            alpha[r * w + lane] = -std::numeric_limits<T>::infinity();
      if (p.keep)
        for (std::size_t lane = 0; lane < count; ++lane)
          d_alpha[r * w + lane] *= static_cast<T>(p.keep(i, begin + lane));
    }
  }

  // alpha: scores → weights times dropout; d_alpha: ∂L/∂α → ∂L/∂s.
  void differentiate(std::size_t query, std::size_t rows) {
    const Tag<T> d;
    const TileProblem<T>& p = problem;
    const std::size_t w = width<T>(), lanes = hn::Lanes(d);
    const auto highest = hn::Set(d, std::numeric_limits<T>::max());
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = query + r;
      const auto set = [&](T value) { return hn::Set(d, value); };
      const QueryFacts<T> f{
          set(p.max[i]),       set(p.inverse_tau[i]), set(p.inverse_sum[i]), set(p.output_gradient[i]),
          set(p.d_entropy[i]), set(p.entropy[i]),     set(p.log_sum[i])};
      for (std::size_t x = 0; x < w; x += lanes) {
        T *at = alpha.get() + r * w + x, *d_at = d_alpha.get() + r * w + x;
        const auto s = hn::Min(highest, hn::Load(d, at)), weight = weight_of(s, f);
        hn::Store(hn::Mul(exponent_gradient(s, weight, hn::Load(d, d_at), f), f.inverse_tau), d, d_at);
        hn::Store(weight, d, at);
      }
      if (p.keep)
        for (std::size_t lane = 0; lane < count; ++lane) alpha[r * w + lane] *= static_cast<T>(p.keep(i, begin + lane));
    }
  }
};

template <class T>
void KeyGradientBlock(const TileProblem<T>& p, std::size_t begin, std::size_t count, Rows<T> d_k, Rows<T> d_v) {
  KeyBlock<T> block(p, begin, count);
  Buffer<T> k_totals = buffer<T>(p.k.cols), v_totals = buffer<T>(p.v.cols);
  for (std::size_t query = 0; query < p.q.rows; query += kTileRows) {
    const std::size_t rows = std::min(kTileRows, p.q.rows - query);
    if (!block.looked_at_by(query, rows)) continue;
    block.score(query, rows);
    block.differentiate(query, rows);
    accumulate_rows(p.d_output.data + query * p.d_output.stride, p.d_output.stride, rows, p.v.cols, block.alpha.get(),
                    v_totals.get());
    accumulate_rows(p.q.data + query * p.q.stride, p.q.stride, rows, p.q.cols, block.d_alpha.get(), k_totals.get());
  }
  unpack(k_totals.get(), begin, count, p.scale, d_k);
  unpack(v_totals.get(), begin, count, T{1}, d_v);
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
