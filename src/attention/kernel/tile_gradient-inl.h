// The backward pass on cells of kTileRows queries × kTileRows keys, keys in lanes: every score and every gradient of a
// weight is computed once and serves queries, keys and values alike. Included by tile_blocks.cpp once per target.
//
// Five products per pair of positions: s = q·k, g = ∂L/∂o·v, and the sums into ∂v, ∂k, ∂q. Two passes, one for queries
// and one for keys, need seven and two exponentials (measured in bench/README.md).
#if defined(QUENCH_TILE_GRADIENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_GRADIENT_INL_H
#undef QUENCH_TILE_GRADIENT_INL_H
#else
#define QUENCH_TILE_GRADIENT_INL_H
#endif

#include "attention/kernel/tile_blocks.h"
#include "attention/kernel/tile_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// How many rows of a cell the last product below touches: a multiple of all its numbers of rows at once.
inline constexpr std::size_t kRowsTogether = 12;
inline std::size_t rounded_up(std::size_t rows) { return (rows + kRowsTogether - 1) / kRowsTogether * kRowsTogether; }

// out[r][c] += Σ_key a[key / w][r][key mod w]·rows[key][c] for kRows rows and C registers of columns.
template <class T, std::size_t kRows, std::size_t C>
HWY_INLINE void add_few_rows(const T* HWY_RESTRICT a, std::size_t w, std::size_t keys, const T* HWY_RESTRICT rows,
                             std::size_t pitch, T* HWY_RESTRICT out) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  Vec<T> sums[kRows][C];
  QUENCH_UNROLL(16)
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t x = 0; x < C; ++x) sums[r][x] = hn::Zero(d);
  for (std::size_t begin = 0; begin < keys; begin += w, a += kTileRows * w) {
    QUENCH_UNROLL(4)
    for (std::size_t key = 0, end = std::min(w, keys - begin); key < end; ++key) {
      Vec<T> side[C];
      for (std::size_t x = 0; x < C; ++x) side[x] = hn::Load(d, rows + (begin + key) * pitch + x * lanes);
      QUENCH_UNROLL(16)
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto one = hn::Set(d, a[r * w + key]);
        for (std::size_t x = 0; x < C; ++x) sums[r][x] = hn::MulAdd(one, side[x], sums[r][x]);
      }
    }
  }
  QUENCH_UNROLL(16)
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t x = 0; x < C; ++x) {
      T* at = out + r * pitch + x * lanes;
      hn::Store(hn::Add(hn::Load(d, at), sums[r][x]), d, at);
    }
}

template <class T, std::size_t kRows, std::size_t C>
HWY_INLINE void add_row_strip(const T* a, std::size_t w, std::size_t count, std::size_t keys, const T* rows,
                              std::size_t pitch, T* out) {
  static_assert(kTileRows % kRows == 0 && kRowsTogether % kRows == 0);
  for (std::size_t r = 0; r < count; r += kRows)
    add_few_rows<T, kRows, C>(a + r * w, w, keys, rows, pitch, out + r * pitch);
}

// The same for `count` rows (rounded up: rows beyond must be there) and `cols` columns.
template <class T>
void add_row_products(const T* a, std::size_t w, std::size_t count, std::size_t keys, const T* rows, std::size_t cols,
                      std::size_t pitch, T* out) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  std::size_t c = 0;
  const auto left = [&] { return c < cols ? (cols - c + lanes - 1) / lanes : 0; };
  if constexpr (kAtOnce > 4)
    for (; left() >= 4; c += 4 * lanes) add_row_strip<T, 6, 4>(a, w, count, keys, rows + c, pitch, out + c);
  for (; left() >= 2; c += 2 * lanes) add_row_strip<T, 6, 2>(a, w, count, keys, rows + c, pitch, out + c);
  for (; left() >= 1; c += lanes) add_row_strip<T, 12, 1>(a, w, count, keys, rows + c, pitch, out + c);
}

// Cells of one task, which share their scratch memory. kFull: with the gradients of entropy and temperature.
template <class T, bool kFull>
struct Cells {
  static constexpr std::size_t kColumns = 16;  ///< of `cooling`: at least the lanes of every target
  const TileProblem<T>& p;
  const GradientSpace<T>& space;
  std::size_t w = width<T>();
  Buffer<T> weights, d_scores, cooling;

  Cells(const TileProblem<T>& problem, const GradientSpace<T>& s)
      : p(problem),
        space(s),
        weights(scratch<T>(kTileRows * w)),
        d_scores(scratch<T>(kTileRows * kTileRows)),
        cooling(buffer<T>(kFull ? kTileRows * kColumns : 0)) {}

  void run(std::size_t tile, std::size_t group) {
    const std::size_t query = tile * kTileRows, rows = std::min(kTileRows, p.q.rows - query);
    const std::size_t keys = std::min(kTileRows, p.k.rows - group * kTileRows);
    if constexpr (kFull) std::fill_n(cooling.get(), kTileRows * kColumns, T{0});
    bool any = false;
    for (std::size_t b = 0; b * w < keys; ++b) any = any_block(query, rows, group, b) || any;
    if (!any) return;
    add_row_products(d_scores.get(), w, rows, keys, space.k_rows + group * kTileRows * space.pitch, p.k.cols,
                     space.pitch, space.d_q + query * space.pitch);
    if constexpr (kFull)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < kColumns; ++c) space.d_inverse_tau[query + r] += cooling[r * kColumns + c];
  }

  // The last block of a word uses as many registers as it fills (n = 1,024, d = 128, unmasked, forward and backward: 1
  // and 6 % in two rounds).
  bool any_block(std::size_t query, std::size_t rows, std::size_t group, std::size_t b) {
    const std::size_t lanes = hn::Lanes(Tag<T>()), left = p.k.rows - (group * kTileRows + b * w);
    if (left <= lanes) return block<1>(query, rows, group, b);
    if (left <= 2 * lanes) return block<2>(query, rows, group, b);
    return block<3>(query, rows, group, b);
  }

  // Keys in lanes: block b of the group. Returns whether some query sees one of them; d_scores is written in any case.
  template <std::size_t R>
  bool block(std::size_t query, std::size_t rows, std::size_t group, std::size_t b) {
    const std::size_t key = group * kTileRows + b * w, last = std::min(key + w, p.k.rows);
    T* d_panel = d_scores.get() + b * kTileRows * w;
    const auto sees = [&](std::size_t i) { return p.first[i] < std::min(last, p.last[i]) && p.last[i] > key; };
    std::size_t from = 0, to = rows;
    while (from < to && !sees(query + from)) ++from;
    while (from < to && !sees(query + to - 1)) --to;
    std::fill_n(d_panel, from * w, T{0});
    std::fill(d_panel + to * w, d_panel + rounded_up(rows) * w, T{0});
    if (from == to) return false;
    const T *q = p.q.data + (query + from) * p.q.stride, *g = p.d_output.data + (query + from) * p.d_output.stride;
    T *panel = weights.get() + from * w, *d_part = d_panel + from * w;
    const std::size_t at = group * kTileRows + b * w;
    multiply_rows<T, R>(q, p.q.stride, to - from, p.q.cols, w, space.k_packed + at * p.k.cols, panel);
    multiply_rows<T, R>(g, p.d_output.stride, to - from, p.v.cols, w, space.v_packed + at * p.v.cols, d_part);
    for (std::size_t r = from; r < to; ++r) row<R>(query + r, key, last, b, r, d_panel + r * w);
    accumulate_rows<T, R>(g, p.d_output.stride, to - from, p.v.cols, w, panel, space.d_v + at * p.v.cols);
    accumulate_rows<T, R>(q, p.q.stride, to - from, p.q.cols, w, d_part, space.d_k + at * p.k.cols);
    return true;
  }

  // weights: scores → α times dropout; d_row: ∂L/∂(dropped α) → ∂L/∂s = α (g − Σ α g)/τ, masked keys 0.
  template <std::size_t R>
  void row(std::size_t i, std::size_t key, std::size_t last, std::size_t b, std::size_t r, T* d_row) {
    const Tag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    T* row = weights.get() + r * w;
    if (p.term)
      for (std::size_t j = key; j < last; ++j) row[j - key] += static_cast<T>(p.term(i, j));
    if (p.keep)
      for (std::size_t j = key; j < last; ++j) d_row[j - key] *= static_cast<T>(p.keep(i, j));
    const auto set = [&](const auto& values) { return hn::Set(d, values[i]); };
    const auto high = set(p.exp_high), low = set(p.exp_low), lowest = set(p.exp_lowest), max = set(p.max),
               inverse_sum = set(p.inverse_sum), it = set(p.inverse_tau), mean = set(p.output_gradient);
    const auto highest = hn::Set(d, std::numeric_limits<T>::max());
    const bool partial = p.first[i] > key || p.last[i] < key + w || last < key + w;
    const auto in_block = [&](std::size_t x) { return static_cast<T>(x > key ? std::min(x - key, w) : 0); };
    const auto from = hn::Set(d, in_block(p.first[i])), to = hn::Set(d, in_block(std::min(last, p.last[i])));
    for (std::size_t x = 0; x < R * lanes; x += lanes) {
      const auto y = hn::Sub(hn::Min(highest, hn::Load(d, row + x)), max);
      auto e = exp_scaled<T>(y, high, low, lowest);
      if (partial) {
        const auto lane = hn::Iota(d, static_cast<T>(x));
        e = hn::IfThenElseZero(hn::And(hn::Ge(lane, from), hn::Lt(lane, to)), e);
      }
      const auto alpha = hn::Mul(e, inverse_sum);
      auto inside = hn::Sub(hn::Load(d, d_row + x), mean);
      if constexpr (kFull) {
        // − ∂L/∂H·(ln α + H), and ∂L/∂(1/τ) = Σ ∂L/∂x·(s − max).
        const auto log_alpha = hn::Sub(hn::Mul(y, it), set(p.log_sum));
        inside = hn::NegMulAdd(set(p.d_entropy), hn::Add(log_alpha, set(p.entropy)), inside);
        const auto gone = hn::Eq(alpha, hn::Zero(d));
        const auto d_x = hn::IfThenZeroElse(gone, hn::Mul(alpha, inside));
        T* column = cooling.get() + r * kColumns + (b * w + x) % kColumns;
        hn::Store(hn::Add(hn::Load(d, column), hn::IfThenZeroElse(gone, hn::Mul(d_x, y))), d, column);
        hn::Store(hn::Mul(d_x, it), d, d_row + x);
      } else {
        hn::Store(hn::Mul(alpha, hn::Mul(inside, it)), d, d_row + x);
      }
      hn::Store(alpha, d, row + x);
    }
    if (p.keep)
      for (std::size_t j = key; j < last; ++j) row[j - key] *= static_cast<T>(p.keep(i, j));
  }
};

template <class T>
void GradientCells(const TileProblem<T>& p, const GradientSpace<T>& space, CellRange range) {
  const auto run = [&](auto cells) {
    for (std::size_t group = range.group_begin; group < range.group_end; ++group)
      for (std::size_t tile = range.tile_begin; tile < range.tile_end; ++tile) cells.run(tile, group);
  };
  if (space.d_inverse_tau)
    run(Cells<T, true>(p, space));
  else
    run(Cells<T, false>(p, space));
}

// Brings keys and values of one group into lanes, and sets what is added up to 0.
template <class T>
void PackGroup(const TileProblem<T>& p, const GradientSpace<T>& space, std::size_t group) {
  const std::size_t w = width<T>(), begin = group * kTileRows, end = std::min(begin + kTileRows, p.k.rows);
  const auto clear = [&](T* data, std::size_t cols) { std::fill_n(data + begin * cols, kTileRows * cols, T{0}); };
  if (end < begin + kTileRows) {
    clear(space.k_packed, p.k.cols);
    clear(space.v_packed, p.v.cols);
  }
  clear(space.d_k, p.k.cols);
  clear(space.d_v, p.v.cols);
  for (std::size_t key = begin; key < end; key += w) {
    pack(p.k, key, std::min(w, end - key), p.scale, w, space.k_packed + key * p.k.cols);
    pack(p.v, key, std::min(w, end - key), T{1}, w, space.v_packed + key * p.v.cols);
  }
  for (std::size_t key = begin; key < end; ++key) {
    T* row = space.k_rows + key * space.pitch;
    std::copy_n(p.k.data + key * p.k.stride, p.k.cols, row);
    std::fill(row + p.k.cols, row + space.pitch, T{0});
  }
}

template <class T>
void UnpackGroup(const TileProblem<T>& p, const GradientSpace<T>& space, std::size_t group, Rows<T> d_k, Rows<T> d_v) {
  const std::size_t w = width<T>(), begin = group * kTileRows, end = std::min(begin + kTileRows, p.k.rows);
  for (std::size_t key = begin; key < end; key += w) {
    unpack(space.d_k + key * p.k.cols, key, std::min(w, end - key), p.scale, w, d_k);
    unpack(space.d_v + key * p.v.cols, key, std::min(w, end - key), T{1}, w, d_v);
  }
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
