// A block of queries in lanes: the forward pass.
// Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_QUERIES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_QUERIES_INL_H
#undef QUENCH_TILE_QUERIES_INL_H
#else
#define QUENCH_TILE_QUERIES_INL_H
#endif

#include <memory>
#include <vector>

#include "attention/tile_blocks.h"
#include "attention/tile_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// A block of queries in lanes, R registers of them, and the key tiles they look at.
template <class T, std::size_t R>
struct QueryBlock {
  const TileProblem<T>& problem;
  std::size_t begin, count, w;
  T* scores;  ///< kTileRows × w
  Buffer<T> packed_q, exp_high, exp_low, exp_lowest, inverse_tau, first, last, top;
  std::size_t keys_begin, keys_end;  ///< what some query sees
  std::size_t all_begin, all_end;    ///< what every query sees

  QueryBlock(const TileProblem<T>& p, std::size_t b, std::size_t n, T* shared)
      : problem(p),
        begin(b),
        count(n),
        w(R * hn::Lanes(Tag<T>())),
        scores(shared),
        packed_q(buffer<T>(p.q.cols * w)),
        exp_high(lanes_of<T>(p.exp_high, b, n, 1, w)),
        exp_low(lanes_of<T>(p.exp_low, b, n, 0, w)),
        exp_lowest(lanes_of<T>(p.exp_lowest, b, n, 0, w)),
        inverse_tau(lanes_of<T>(p.inverse_tau, b, n, 1, w)),
        first(buffer<T>(w)),
        last(buffer<T>(w)),
        top(buffer<T>(w)),
        keys_begin(std::numeric_limits<std::size_t>::max()),
        keys_end(0),
        all_begin(0),
        all_end(std::numeric_limits<std::size_t>::max()) {
    pack(p.q, b, n, p.scale, w, packed_q.get());
    for (std::size_t i = b; i < b + n; ++i) {
      all_begin = std::max(all_begin, p.first[i]);
      all_end = std::min(all_end, p.last[i]);
      if (p.first[i] >= p.last[i]) continue;
      keys_begin = std::min(keys_begin, p.first[i]);
      keys_end = std::max(keys_end, p.last[i]);
    }
  }

  // scores[key][query] of the tile: products, terms, −∞ where masked; and their largest per query, in `top`.
  void score(std::size_t key, std::size_t rows) {
    const Tag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto highest = hn::Set(d, std::numeric_limits<T>::max());
    std::fill_n(top.get(), w, -std::numeric_limits<T>::infinity());
    multiply_rows<T, R>(problem.k.data + key * problem.k.stride, problem.k.stride, rows, problem.k.cols, w,
                        packed_q.get(), scores, top.get());
    bool again = key < all_begin || key + rows > all_end || problem.term;
    for (std::size_t x = 0; x < w; x += lanes)
      again = again || !hn::AllTrue(d, hn::Le(hn::Load(d, top.get() + x), highest));
    if (again) correct(key, rows);
  }

  // What the products alone do not say: terms, the mask, and a clamp to the largest finite number, since ∞ − ∞ has no
  // value.
  void correct(std::size_t key, std::size_t rows) {
    const Tag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    cut(key);
    if (problem.term)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t lane = 0; lane < count; ++lane)
          scores[r * w + lane] += static_cast<T>(problem.term(begin + lane, key + r));
    const auto highest = hn::Set(d, std::numeric_limits<T>::max());
    const auto masked = hn::Set(d, -std::numeric_limits<T>::infinity());
    for (std::size_t x = 0; x < w; x += lanes) {
      const auto from = hn::Load(d, first.get() + x), to = hn::Load(d, last.get() + x);
      auto tops = masked;
      for (std::size_t r = 0; r < rows; ++r) {
        T* at = scores + r * w + x;
        const auto row = hn::Set(d, static_cast<T>(r));
        const auto seen = hn::And(hn::Ge(row, from), hn::Lt(row, to));
        const auto s = hn::IfThenElse(seen, hn::Min(highest, hn::Load(d, at)), masked);
        tops = hn::Max(tops, s);
        hn::Store(s, d, at);
      }
      hn::Store(tops, d, top.get() + x);
    }
  }

  // Each lane's visible part of the tile.
  void cut(std::size_t key) {
    for (std::size_t lane = 0; lane < count; ++lane) {
      first[lane] = in_tile<T>(problem.first[begin + lane], key);
      last[lane] = in_tile<T>(problem.last[begin + lane], key);
    }
  }

  void apply_dropout(std::size_t key, std::size_t rows) {
    if (!problem.keep) return;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t lane = 0; lane < count; ++lane)
        scores[r * w + lane] *= static_cast<T>(problem.keep(begin + lane, key + r));
  }
};

// The running state of the online softmax: per lane the maximum so far, Σ e^x and, where the entropy is wanted, Σ x e^x
// with x = (s − max)/τ.
template <class T, std::size_t R, bool kEntropy>
struct Online {
  QueryBlock<T, R>& block;
  Buffer<T> max, sum, moment, totals;

  explicit Online(QueryBlock<T, R>& b)
      : block(b),
        max(buffer<T>(b.w, std::numeric_limits<T>::lowest())),
        sum(buffer<T>(b.w)),
        moment(buffer<T>(b.w)),
        totals(buffer<T>(b.problem.v.cols * b.w)) {}

  // Turns the block's scores into e^x in place, raising the maximum first where the tile has a larger score.
  void absorb(std::size_t rows) {
    const Tag<T> d;
    const std::size_t w = block.w, lanes = hn::Lanes(d);
    for (std::size_t x = 0; x < w; x += lanes) {
      const auto load = [&](const Buffer<T>& from) { return hn::Load(d, from.get() + x); };
      const auto high = load(block.exp_high), low = load(block.exp_low), lowest = load(block.exp_lowest),
                 it = load(block.inverse_tau), old_max = load(max), top = hn::Max(load(block.top), old_max);
      if (!hn::AllTrue(d, hn::Eq(top, old_max))) {
        const auto fall = hn::Sub(old_max, top);
        rescale(x, exp_scaled<T>(fall, high, low, lowest), hn::Mul(fall, it));
        hn::Store(top, d, max.get() + x);
      }
      auto tile_sum = hn::Zero(d), tile_moment = hn::Zero(d);
      T* HWY_RESTRICT at = block.scores + x;
      for (std::size_t r = 0; r < rows; ++r, at += w) {
        const auto y = hn::Sub(hn::Load(d, at), top), e = exp_scaled<T>(y, high, low, lowest);
        tile_sum = hn::Add(tile_sum, e);
        // Where e is 0 the exponent may be −∞, and 0·∞ is not 0.
        if constexpr (kEntropy)
          tile_moment = hn::Add(tile_moment, hn::IfThenZeroElse(hn::Eq(e, hn::Zero(d)), hn::Mul(e, hn::Mul(y, it))));
        hn::Store(e, d, at);
      }
      hn::Store(hn::Add(load(sum), tile_sum), d, sum.get() + x);
      if constexpr (kEntropy) hn::Store(hn::Add(load(moment), tile_moment), d, moment.get() + x);
    }
  }

  // The maximum rose: every earlier x falls by `fall` ≤ 0, and `factor` is its exponential.
  void rescale(std::size_t x, Vec<T> factor, Vec<T> fall) {
    const Tag<T> d;
    const auto s = hn::Load(d, sum.get() + x), m = hn::Load(d, moment.get() + x);
    const auto moved = hn::IfThenZeroElse(hn::Eq(factor, hn::Zero(d)), hn::Mul(factor, hn::MulAdd(fall, s, m)));
    hn::Store(moved, d, moment.get() + x);
    hn::Store(hn::Mul(s, factor), d, sum.get() + x);
    T* HWY_RESTRICT column = totals.get() + x;
    const std::size_t w = block.w, end = w * block.problem.v.cols;
    for (std::size_t c = 0; c < end; c += w) hn::Store(hn::Mul(hn::Load(d, column + c), factor), d, column + c);
  }

  void finish(Rows<T> output) {
    const Tag<T> d;
    const std::size_t w = block.w, lanes = hn::Lanes(d), cols = block.problem.v.cols;
    for (std::size_t x = 0; x < w; x += lanes) {
      const auto s = hn::Load(d, sum.get() + x), zero = hn::Zero(d);
      const auto nothing = hn::Eq(s, zero);
      for (std::size_t c = 0; c < cols; ++c) {
        T* total = totals.get() + c * w + x;
        hn::Store(hn::IfThenZeroElse(nothing, hn::Div(hn::Load(d, total), s)), d, total);
      }
    }
    unpack(totals.get(), block.begin, block.count, T{1}, w, output);
    const TileProblem<T>& p = block.problem;
    std::copy_n(max.get(), block.count, p.max.data() + block.begin);
    std::copy_n(sum.get(), block.count, p.sum.data() + block.begin);
    if constexpr (kEntropy)
      for (std::size_t lane = 0; lane < block.count; ++lane)  // H = −Σ α ln α = ln Σ − (Σ x e^x)/Σ
        p.entropy[block.begin + lane] =
            sum[lane] == 0 ? 0 : std::max(T{0}, std::log(sum[lane]) - moment[lane] / sum[lane]);
  }
};

// One block on its way through the keys.
template <class T, std::size_t R, bool kEntropy>
struct ForwardPass {
  QueryBlock<T, R> block;
  Online<T, R, kEntropy> online;

  ForwardPass(const TileProblem<T>& p, std::size_t begin, std::size_t count, T* shared)
      : block(p, begin, count, shared), online(block) {}
  ForwardPass(const ForwardPass&) = delete;

  // The part of the tile that begins at `tile` which some query sees.
  HWY_NOINLINE void absorb_tile(std::size_t tile) {
    const Rows<const T>& v = block.problem.v;
    const std::size_t key = std::max(tile, block.keys_begin), end = std::min(tile + kTileRows, block.keys_end);
    if (key >= end) return;
    block.score(key, end - key);
    online.absorb(end - key);
    block.apply_dropout(key, end - key);
    accumulate_rows<T, R>(v.data + key * v.stride, v.stride, end - key, v.cols, block.w, block.scores,
                          online.totals.get());
  }
};

// Blocks of a group meet each tile of keys one after the other, while it is in the cache: 5 % at n = 4,096, d = 128,
// unmasked, for four blocks against one; two, three and four differ by less than the noise. Tiles begin at multiples of
// kTileRows wherever the queries do, so that sums do not depend on a query's neighbours.
template <class T, bool kEntropy>
void forward_group(const TileProblem<T>& p, std::size_t begin, std::size_t count, Rows<T> output) {
  const std::size_t w = width<T>(), lanes = hn::Lanes(Tag<T>());
  const Buffer<T> scores = scratch<T>(kTileRows * w);
  std::vector<std::unique_ptr<ForwardPass<T, 3, kEntropy>>> whole;
  std::unique_ptr<ForwardPass<T, 2, kEntropy>> two;
  std::unique_ptr<ForwardPass<T, 1, kEntropy>> one;
  // The last block of a word uses as many registers as it fills.
  for (std::size_t b = begin, end = begin + count; b < end; b += w) {
    const std::size_t queries = std::min(w, end - b);
    if (queries > 2 * lanes)
      whole.push_back(std::make_unique<ForwardPass<T, 3, kEntropy>>(p, b, queries, scores.get()));
    else if (queries > lanes)
      two = std::make_unique<ForwardPass<T, 2, kEntropy>>(p, b, queries, scores.get());
    else
      one = std::make_unique<ForwardPass<T, 1, kEntropy>>(p, b, queries, scores.get());
  }
  const auto for_each_pass = [&](auto&& visit) {
    for (auto& pass : whole) visit(*pass);
    if (two) visit(*two);
    if (one) visit(*one);
  };
  std::size_t first = p.k.rows, last = 0;
  for_each_pass([&](auto& pass) {
    first = std::min(first, pass.block.keys_begin);
    last = std::max(last, pass.block.keys_end);
  });
  for (std::size_t tile = first / kTileRows * kTileRows; tile < last; tile += kTileRows)
    for_each_pass([&](auto& pass) { pass.absorb_tile(tile); });
  for_each_pass([&](auto& pass) { pass.online.finish(output); });
}

template <class T>
void ForwardBlocks(const TileProblem<T>& p, std::size_t begin, std::size_t count, Rows<T> output) {
  if (p.entropy.empty())
    forward_group<T, false>(p, begin, count, output);
  else
    forward_group<T, true>(p, begin, count, output);
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
