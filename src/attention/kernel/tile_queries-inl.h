// A block of queries in lanes: the forward pass.
// Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_QUERIES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_QUERIES_INL_H
#undef QUENCH_TILE_QUERIES_INL_H
#else
#define QUENCH_TILE_QUERIES_INL_H
#endif

#include <memory>
#include <utility>
#include <vector>

#include "attention/kernel/tile_blocks.h"
#include "attention/kernel/tile_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// A block's memory, taken at once instead of in eleven pieces. Together with dividing in `finish` while transposing, no
// rescaling before there is a sum, and one exp_scale for equal temperatures: 1 % at n = 1,024, d = 64, causal, one
// core, 8 % at d = 4.
template <class T>
struct LaneSpace {
  Buffer<T> memory;
  T* next;

  explicit LaneSpace(std::size_t size) : memory(scratch<T>(size)), next(memory.get()) {}
  T* take(std::size_t size) { return std::exchange(next, next + size); }
  T* take(std::size_t size, T value) {
    std::fill_n(next, size, value);
    return take(size);
  }
};

// A block of queries in lanes, R registers of them, and the key tiles they look at.
template <class T, std::size_t R>
struct QueryBlock {
  const TileProblem<T>& problem;
  std::size_t begin, count, w;
  T* scores;  ///< kTileRows × w
  T *packed_q, *exp_high, *exp_low, *exp_lowest, *inverse_tau, *first, *last, *top;
  std::size_t keys_begin, keys_end;  ///< what some query sees
  std::size_t all_begin, all_end;    ///< what every query sees
  std::size_t register_end[R] = {};  ///< beyond what the queries of a register see, or of one before it

  /// Numbers of LaneSpace that it takes.
  static std::size_t size(const TileProblem<T>& p, std::size_t w) { return (p.q.cols + 7) * w; }

  QueryBlock(const TileProblem<T>& p, std::size_t b, std::size_t n, T* shared, LaneSpace<T>& space)
      : problem(p),
        begin(b),
        count(n),
        w(R * hn::Lanes(Tag<T>())),
        scores(shared),
        packed_q(n == w ? space.take(p.q.cols * w) : space.take(p.q.cols * w, 0)),
        exp_high(space.take(w)),
        exp_low(space.take(w)),
        exp_lowest(space.take(w)),
        inverse_tau(space.take(w)),
        first(space.take(w, 0)),
        last(space.take(w, 0)),
        top(space.take(w)),
        keys_begin(std::numeric_limits<std::size_t>::max()),
        keys_end(0),
        all_begin(0),
        all_end(std::numeric_limits<std::size_t>::max()) {
    pack(p.q, b, n, p.scale, w, packed_q);
    copy_lanes<T>(p.exp_high, b, n, 1, w, exp_high);
    copy_lanes<T>(p.exp_low, b, n, 0, w, exp_low);
    copy_lanes<T>(p.exp_lowest, b, n, 0, w, exp_lowest);
    copy_lanes<T>(p.inverse_tau, b, n, 1, w, inverse_tau);
    for (std::size_t i = b; i < b + n; ++i) {
      all_begin = std::max(all_begin, p.first[i]);
      all_end = std::min(all_end, p.last[i]);
      if (p.first[i] >= p.last[i]) continue;
      keys_begin = std::min(keys_begin, p.first[i]);
      keys_end = std::max(keys_end, p.last[i]);
      register_end[(i - b) / hn::Lanes(Tag<T>())] = keys_end;
    }
    for (std::size_t x = 1; x < R; ++x) register_end[x] = std::max(register_end[x], register_end[x - 1]);
  }

  // How many of the tile's rows each register needs.
  Stairs<R> stairs(std::size_t key, std::size_t rows) const {
    Stairs<R> result;
    for (std::size_t x = 0; x < R; ++x)
      result.ends[x] = std::min(rows, register_end[x] > key ? register_end[x] - key : 0);
    return result;
  }

  // scores[key][query] of the tile: products, terms, −∞ where masked; and their largest per query, in `top`.
  void score(std::size_t key, std::size_t rows, const Stairs<R>& stairs) {
    const Tag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto highest = hn::Set(d, std::numeric_limits<T>::max());
    std::fill_n(top, w, -std::numeric_limits<T>::infinity());
    multiply_stairs<T, R>(problem.k.data + key * problem.k.stride, problem.k.stride, stairs, problem.k.cols, w,
                          packed_q, scores, top);
    // The first rows need no correction if every query sees them (n = 1,024, causal, one core: 2 % at d = 4).
    std::size_t plain = problem.term || key < all_begin || key >= all_end ? 0 : std::min(rows, all_end - key);
    for (std::size_t x = 0; x < w; x += lanes)
      if (!hn::AllTrue(d, hn::Le(hn::Load(d, top + x), highest))) plain = 0;
    if (plain < rows) correct(key, rows, plain, stairs);
  }

  // What the products alone do not say: terms, the mask, and a clamp to the largest finite number, since ∞ − ∞ has no
  // value.
  void correct(std::size_t key, std::size_t rows, std::size_t plain, const Stairs<R>& stairs) {
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
      const auto from = hn::Load(d, first + x), to = hn::Load(d, last + x);
      auto tops = masked;
      for (std::size_t r = 0; r < plain; ++r) tops = hn::Max(tops, hn::Load(d, scores + r * w + x));
      for (std::size_t r = plain, end = stairs.ends[x / lanes]; r < end; ++r) {
        T* at = scores + r * w + x;
        const auto row = hn::Set(d, static_cast<T>(r));
        const auto seen = hn::And(hn::Ge(row, from), hn::Lt(row, to));
        const auto s = hn::IfThenElse(seen, hn::Min(highest, hn::Load(d, at)), masked);
        tops = hn::Max(tops, s);
        hn::Store(s, d, at);
      }
      hn::Store(tops, d, top + x);
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
  T *max, *sum, *moment, *totals;

  static std::size_t size(const TileProblem<T>& p, std::size_t w) { return (p.v.cols + 3) * w; }

  Online(QueryBlock<T, R>& b, LaneSpace<T>& space)
      : block(b),
        max(space.take(b.w, std::numeric_limits<T>::lowest())),
        sum(space.take(b.w, 0)),
        moment(space.take(b.w, 0)),
        totals(space.take(b.problem.v.cols * b.w, 0)) {}

  // Turns the block's scores into e^x in place, raising the maximum first where the tile has a larger score.
  void absorb(const Stairs<R>& stairs) {
    const Tag<T> d;
    const std::size_t w = block.w, lanes = hn::Lanes(d);
    for (std::size_t x = 0; x < w; x += lanes) {
      const auto load = [&](const T* from) { return hn::Load(d, from + x); };
      const auto high = load(block.exp_high), low = load(block.exp_low), lowest = load(block.exp_lowest),
                 it = load(block.inverse_tau), old_max = load(max), top = hn::Max(load(block.top), old_max);
      if (!hn::AllTrue(d, hn::Eq(top, old_max))) {
        const auto fall = hn::Sub(old_max, top);
        if (!hn::AllTrue(d,
                         hn::Eq(old_max, hn::Set(d, std::numeric_limits<T>::lowest()))))  // else there is nothing yet
          rescale(x, exp_scaled<T>(fall, high, low, lowest), hn::Mul(fall, it));
        hn::Store(top, d, max + x);
      }
      auto tile_sum = hn::Zero(d), tile_moment = hn::Zero(d);
      T* HWY_RESTRICT at = block.scores + x;
      for (std::size_t r = 0, end = stairs.ends[x / lanes]; r < end; ++r, at += w) {
        const auto y = hn::Sub(hn::Load(d, at), top), e = exp_scaled<T>(y, high, low, lowest);
        tile_sum = hn::Add(tile_sum, e);
        // Where e is 0 the exponent may be −∞, and 0·∞ is not 0.
        if constexpr (kEntropy)
          tile_moment = hn::Add(tile_moment, hn::IfThenZeroElse(hn::Eq(e, hn::Zero(d)), hn::Mul(e, hn::Mul(y, it))));
        hn::Store(e, d, at);
      }
      hn::Store(hn::Add(load(sum), tile_sum), d, sum + x);
      if constexpr (kEntropy) hn::Store(hn::Add(load(moment), tile_moment), d, moment + x);
    }
  }

  // The maximum rose: every earlier x falls by `fall` ≤ 0, and `factor` is its exponential.
  void rescale(std::size_t x, Vec<T> factor, Vec<T> fall) {
    const Tag<T> d;
    const auto s = hn::Load(d, sum + x), m = hn::Load(d, moment + x);
    const auto moved = hn::IfThenZeroElse(hn::Eq(factor, hn::Zero(d)), hn::Mul(factor, hn::MulAdd(fall, s, m)));
    hn::Store(moved, d, moment + x);
    hn::Store(hn::Mul(s, factor), d, sum + x);
    T* HWY_RESTRICT column = totals + x;
    const std::size_t w = block.w, end = w * block.problem.v.cols;
    for (std::size_t c = 0; c < end; c += w) hn::Store(hn::Mul(hn::Load(d, column + c), factor), d, column + c);
  }

  void finish(Rows<T> output) {
    // Divided while they are put in place: the divisions take most of the time.
    transpose(totals, block.w, block.problem.v.cols, block.count, output.data + block.begin * output.stride,
              output.stride, [this](auto d, std::size_t lane, auto total) HWY_ATTR {
                const auto s = hn::LoadU(d, sum + lane);
                return hn::IfThenZeroElse(hn::Eq(s, hn::Zero(d)), hn::Div(total, s));
              });
    const TileProblem<T>& p = block.problem;
    std::copy_n(max, block.count, p.max.data() + block.begin);
    std::copy_n(sum, block.count, p.sum.data() + block.begin);
    if constexpr (kEntropy)
      for (std::size_t lane = 0; lane < block.count; ++lane)  // H = −Σ α ln α = ln Σ − (Σ x e^x)/Σ
        p.entropy[block.begin + lane] =
            sum[lane] == 0 ? 0 : std::max(T{0}, std::log(sum[lane]) - moment[lane] / sum[lane]);
  }
};

// One block on its way through the keys.
template <class T, std::size_t R, bool kEntropy>
struct ForwardPass {
  LaneSpace<T> space;
  QueryBlock<T, R> block;
  Online<T, R, kEntropy> online;

  static std::size_t size(const TileProblem<T>& p) {
    const std::size_t w = R * hn::Lanes(Tag<T>());
    return QueryBlock<T, R>::size(p, w) + Online<T, R, kEntropy>::size(p, w);
  }
  ForwardPass(const TileProblem<T>& p, std::size_t begin, std::size_t count, T* shared)
      : space(size(p)), block(p, begin, count, shared, space), online(block, space) {}
  ForwardPass(const ForwardPass&) = delete;

  // The part of the tile that begins at `tile` which some query sees.
  HWY_NOINLINE void absorb_tile(std::size_t tile) {
    const Rows<const T>& v = block.problem.v;
    const std::size_t key = std::max(tile, block.keys_begin), end = std::min(tile + kTileRows, block.keys_end);
    if (key >= end) return;
    const Stairs<R> stairs = block.stairs(key, end - key);
    block.score(key, end - key, stairs);
    online.absorb(stairs);
    block.apply_dropout(key, end - key);
    accumulate_stairs<T, R>(v.data + key * v.stride, v.stride, stairs, v.cols, block.w, block.scores, online.totals);
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
