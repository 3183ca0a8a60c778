// A block of queries in lanes: the forward pass, and the gradient to the queries.
// Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_QUERIES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_QUERIES_INL_H
#undef QUENCH_TILE_QUERIES_INL_H
#else
#define QUENCH_TILE_QUERIES_INL_H
#endif

#include "attention/tile_blocks.h"
#include "attention/tile_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// A block of queries in lanes, and the key tiles they look at.
template <class T>
struct QueryBlock {
  const TileProblem<T>& problem;
  std::size_t begin, count;
  Buffer<T> packed_q, inverse_tau, scores, first, last;
  std::size_t keys_begin, keys_end;

  QueryBlock(const TileProblem<T>& p, std::size_t b, std::size_t n)
      : problem(p),
        begin(b),
        count(n),
        packed_q(pack(p.q, b, n, p.scale)),
        inverse_tau(lanes_of<T>(p.inverse_tau, b, n, 1)),
        scores(buffer<T>(kTileRows)),
        first(buffer<T>(1)),
        last(buffer<T>(1)),
        keys_begin(std::numeric_limits<std::size_t>::max()),
        keys_end(0) {
    for (std::size_t i = b; i < b + n; ++i) {
      if (p.first[i] >= p.last[i]) continue;
      keys_begin = std::min(keys_begin, p.first[i]);
      keys_end = std::max(keys_end, p.last[i]);
    }
  }

  // scores[key][query] of the tile: products, terms, −∞ where masked. Clamped to the largest finite number, since
  // ∞ − ∞ has no value.
  void score(std::size_t key, std::size_t rows) {
    const Tag<T> d;
    const std::size_t w = width<T>(), lanes = hn::Lanes(d);
    multiply_rows(problem.k.data + key * problem.k.stride, problem.k.stride, rows, problem.k.cols, packed_q.get(),
                  scores.get());
    if (problem.term)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t lane = 0; lane < count; ++lane)
          scores[r * w + lane] += static_cast<T>(problem.term(begin + lane, key + r));
    const bool partial = cut(key, rows);
    const auto highest = hn::Set(d, std::numeric_limits<T>::max());
    const auto masked = hn::Set(d, -std::numeric_limits<T>::infinity());
    for (std::size_t x = 0; x < w; x += lanes) {
      const auto from = hn::Load(d, first.get() + x), to = hn::Load(d, last.get() + x);
      for (std::size_t r = 0; r < rows; ++r) {
        T* at = scores.get() + r * w + x;
        auto s = hn::Min(highest, hn::Load(d, at));
        const auto row = hn::Set(d, static_cast<T>(r));
        if (partial) s = hn::IfThenElse(hn::And(hn::Ge(row, from), hn::Lt(row, to)), s, masked);
        hn::Store(s, d, at);
      }
    }
  }

  // Each lane's visible part of the tile; whether some lane does not see all of it.
  bool cut(std::size_t key, std::size_t rows) {
    bool partial = false;
    for (std::size_t lane = 0; lane < count; ++lane) {
      first[lane] = in_tile<T>(problem.first[begin + lane], key);
      last[lane] = in_tile<T>(problem.last[begin + lane], key);
      partial = partial || first[lane] > 0 || last[lane] < static_cast<T>(rows);
    }
    return partial;
  }

  template <class Visit>
  void for_each_tile(Visit&& visit) {
    for (std::size_t key = keys_begin; key < keys_end; key += kTileRows) {
      const std::size_t rows = std::min(kTileRows, keys_end - key);
      score(key, rows);
      visit(key, rows);
    }
  }

  void apply_dropout(std::size_t key, std::size_t rows, T* tile) const {
    if (!problem.keep) return;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t lane = 0; lane < count; ++lane)
        tile[r * width<T>() + lane] *= static_cast<T>(problem.keep(begin + lane, key + r));
  }
};

// The running state of the online softmax: per lane the maximum so far, Σ e^x and Σ x e^x with x = (s − max)/τ.
template <class T>
struct Online {
  Buffer<T> max = buffer<T>(1, std::numeric_limits<T>::lowest()), sum = buffer<T>(1), moment = buffer<T>(1);

  // Turns scores into e^x in place, raising the maximum first where the tile has a larger score.
  void absorb(T* scores, std::size_t rows, const T* inverse_tau, T* totals, std::size_t columns) {
    const Tag<T> d;
    const std::size_t w = width<T>(), lanes = hn::Lanes(d);
    for (std::size_t x = 0; x < w; x += lanes) {
      const auto old_max = hn::Load(d, max.get() + x), it = hn::Load(d, inverse_tau + x);
      auto top = old_max;
      for (std::size_t r = 0; r < rows; ++r) top = hn::Max(hn::Load(d, scores + r * w + x), top);
      if (!hn::AllTrue(d, hn::Eq(top, old_max))) rescale(x, hn::Mul(hn::Sub(old_max, top), it), totals, columns);
      hn::Store(top, d, max.get() + x);
      auto tile_sum = hn::Zero(d), tile_moment = hn::Zero(d);
      for (std::size_t r = 0; r < rows; ++r) {
        const auto exponent = hn::Mul(hn::Sub(hn::Load(d, scores + r * w + x), top), it);
        const auto e = exp_nonpositive<T>(exponent);
        tile_sum = hn::Add(tile_sum, e);
        // Where e is 0 the exponent may be −∞, and 0·∞ is not 0.
        tile_moment = hn::Add(tile_moment, hn::IfThenZeroElse(hn::Eq(e, hn::Zero(d)), hn::Mul(e, exponent)));
        hn::Store(e, d, scores + r * w + x);
      }
      hn::Store(hn::Add(hn::Load(d, sum.get() + x), tile_sum), d, sum.get() + x);
      hn::Store(hn::Add(hn::Load(d, moment.get() + x), tile_moment), d, moment.get() + x);
    }
  }

  // The maximum rose: every earlier x falls by `fall` ≤ 0.
  void rescale(std::size_t x, Vec<T> fall, T* totals, std::size_t columns) {
    const Tag<T> d;
    const std::size_t w = width<T>();
    const auto factor = exp_nonpositive<T>(fall);
    const auto s = hn::Load(d, sum.get() + x), m = hn::Load(d, moment.get() + x);
    const auto moved = hn::IfThenZeroElse(hn::Eq(factor, hn::Zero(d)), hn::Mul(factor, hn::MulAdd(fall, s, m)));
    hn::Store(moved, d, moment.get() + x);
    hn::Store(hn::Mul(s, factor), d, sum.get() + x);
    for (std::size_t c = 0; c < columns; ++c)
      hn::Store(hn::Mul(hn::Load(d, totals + c * w + x), factor), d, totals + c * w + x);
  }
};

template <class T>
void ForwardBlock(const TileProblem<T>& p, std::size_t begin, std::size_t count, Rows<T> output) {
  QueryBlock<T> block(p, begin, count);
  Online<T> online;
  Buffer<T> totals = buffer<T>(p.v.cols);
  block.for_each_tile([&](std::size_t key, std::size_t rows) {
    online.absorb(block.scores.get(), rows, block.inverse_tau.get(), totals.get(), p.v.cols);
    block.apply_dropout(key, rows, block.scores.get());
    accumulate_rows(p.v.data + key * p.v.stride, p.v.stride, rows, p.v.cols, block.scores.get(), totals.get());
  });
  for (std::size_t lane = 0; lane < count; ++lane) {
    const T sum = online.sum[lane];
    p.max[begin + lane] = online.max[lane];
    p.sum[begin + lane] = sum;
    // H = −Σ α ln α = ln Σ − (Σ x e^x)/Σ.
    p.entropy[begin + lane] = sum == 0 ? 0 : std::max(T{0}, std::log(sum) - online.moment[lane] / sum);
    for (std::size_t c = 0; c < p.v.cols; ++c)
      output(begin + lane, c) = sum == 0 ? 0 : totals[c * width<T>() + lane] / sum;
  }
}

// The facts of queries begin … in lanes.
template <class T>
struct FactLanes {
  Buffer<T> max, inverse_sum, mean, d_entropy, entropy, log_sum;

  FactLanes(const TileProblem<T>& p, std::size_t begin, std::size_t count)
      : max(lanes_of<T>(p.max, begin, count, 0)),
        inverse_sum(lanes_of<T>(p.inverse_sum, begin, count, 0)),
        mean(lanes_of<T>(p.output_gradient, begin, count, 0)),
        d_entropy(lanes_of<T>(p.d_entropy, begin, count, 0)),
        entropy(lanes_of<T>(p.entropy, begin, count, 0)),
        log_sum(lanes_of<T>(p.log_sum, begin, count, 0)) {}
  QueryFacts<T> at(std::size_t x, const T* inverse_tau) const {
    const Tag<T> d;
    const auto load = [&](const Buffer<T>& b) { return hn::Load(d, b.get() + x); };
    return {load(max),    hn::Load(d, inverse_tau + x), load(inverse_sum), load(mean), load(d_entropy), load(entropy),
            load(log_sum)};
  }
};

template <class T>
void QueryGradientBlock(const TileProblem<T>& p, std::size_t begin, std::size_t count, Rows<T> d_q,
                        std::span<T> d_inverse_tau) {
  const Tag<T> d;
  const std::size_t w = width<T>(), lanes = hn::Lanes(d);
  QueryBlock<T> block(p, begin, count);
  const FactLanes<T> facts(p, begin, count);
  const Buffer<T> packed_d = pack(p.d_output, begin, count, T{1});
  Buffer<T> d_alpha = buffer<T>(kTileRows), totals = buffer<T>(p.q.cols), cooling = buffer<T>(1);
  block.for_each_tile([&](std::size_t key, std::size_t rows) {
    multiply_rows(p.v.data + key * p.v.stride, p.v.stride, rows, p.v.cols, packed_d.get(), d_alpha.get());
    block.apply_dropout(key, rows, d_alpha.get());
    for (std::size_t x = 0; x < w; x += lanes) {
      const QueryFacts<T> f = facts.at(x, block.inverse_tau.get());
      auto cool = hn::Load(d, cooling.get() + x);
      for (std::size_t r = 0; r < rows; ++r) {
        T* at = block.scores.get() + r * w + x;
        const auto s = hn::Load(d, at), alpha = weight_of(s, f);
        const auto d_x = exponent_gradient(s, alpha, hn::Load(d, d_alpha.get() + r * w + x), f);
        cool = hn::Add(cool, hn::IfThenZeroElse(hn::Eq(d_x, hn::Zero(d)), hn::Mul(d_x, hn::Sub(s, f.max))));
        hn::Store(hn::Mul(d_x, f.inverse_tau), d, at);
      }
      hn::Store(cool, d, cooling.get() + x);
    }
    accumulate_rows(p.k.data + key * p.k.stride, p.k.stride, rows, p.k.cols, block.scores.get(), totals.get());
  });
  unpack(totals.get(), begin, count, p.scale, d_q);
  std::copy_n(cooling.get(), count, d_inverse_tau.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
