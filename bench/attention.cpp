// How fast attention is here: the tiled kernel forward and backward, the row-by-row path beside it, linear attention,
// and the weighting functions by themselves. Counters: pairs (i, j) per second, and multiply-adds of the products.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numeric>

#include "attention/attention.h"
#include "attention/kernel/tiled.h"
#include "attention/variants/linear_attention.h"
#include "base/number/random.h"

namespace quench::attention {
namespace {

template <class T>
std::vector<T> random_values(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> x(size);
  for (T& value : x) value = static_cast<T>(2 * random.unit() - 1);
  return x;
}

template <class T>
struct Problem {
  std::size_t n, d;
  std::vector<T> q, k, v, g, output, d_q, d_k, d_v, d_tau;

  explicit Problem(const benchmark::State& state)
      : n(static_cast<std::size_t>(state.range(0))),
        d(static_cast<std::size_t>(state.range(1))),
        q(random_values<T>(n * d, 1)),
        k(random_values<T>(n * d, 2)),
        v(random_values<T>(n * d, 3)),
        g(random_values<T>(n * d, 4)),
        output(n * d),
        d_q(n * d),
        d_k(n * d),
        d_v(n * d),
        d_tau(n) {}
  Rows<const T> in(const std::vector<T>& x) const { return {x.data(), n, d}; }
  Rows<T> out(std::vector<T>& x) const { return {x.data(), n, d}; }
};

// Causal: n(n+1)/2 pairs, `products` products of width d each.
void count(benchmark::State& state, std::size_t n, std::size_t d, double products) {
  const double pairs = static_cast<double>(n) * static_cast<double>(n + 1) / 2;
  state.counters["pairs"] = benchmark::Counter(pairs, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["flop"] =
      benchmark::Counter(2 * products * pairs * static_cast<double>(d), benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void tiled_causal_forward(benchmark::State& state) {
  Problem<T> p(state);
  const TiledAttention head{
      .scale = 1 / std::sqrt(static_cast<double>(p.d)), .mask = Mask::future, .parallel = state.range(2) != 0};
  for (auto _ : state)
    benchmark::DoNotOptimize(tiled_forward<T>(head, p.in(p.q), p.in(p.k), p.in(p.v), p.out(p.output)));
  count(state, p.n, p.d, 2);
}

template <class T>
void tiled_causal_backward(benchmark::State& state) {
  Problem<T> p(state);
  const TiledAttention head{
      .scale = 1 / std::sqrt(static_cast<double>(p.d)), .mask = Mask::future, .parallel = state.range(2) != 0};
  const RowStatistics<T> rows = tiled_forward<T>(head, p.in(p.q), p.in(p.k), p.in(p.v), p.out(p.output));
  for (auto _ : state)
    tiled_backward<T>(head, p.in(p.q), p.in(p.k), p.in(p.v), p.in(p.output), rows, {p.in(p.g)},
                      {p.out(p.d_q), p.out(p.d_k), p.out(p.d_v), p.d_tau});
  count(state, p.n, p.d, 5);
}

void rows_causal_forward(benchmark::State& state) {
  Problem<double> p(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(attend_by_rows({.mask = Mask::future}, p.in(p.q), p.in(p.k), p.in(p.v)));
  count(state, p.n, p.d, 2);
}

void linear_causal_forward(benchmark::State& state) {
  Problem<double> p(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(linear_attention({.mask = Mask::future}, p.in(p.q), p.in(p.k), p.in(p.v)));
  state.counters["tokens"] =
      benchmark::Counter(static_cast<double>(p.n), benchmark::Counter::kIsIterationInvariantRate);
}

void weighting(benchmark::State& state, const WeightingFunction& function) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<double> scores = random_values<double>(n, 5);
  std::vector<double> weights(n), previous(n, 1 / static_cast<double>(n));
  std::vector<std::size_t> keys(n);
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  for (auto _ : state) {
    weigh(function, {n / 2, n, keys, previous}, scores, weights);
    benchmark::DoNotOptimize(weights.data());
  }
  state.counters["keys"] = benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  for (const int d : {4, 16, 64})
    for (const int threads : {0, 1}) benchmark->Args({16384, d, threads});
  benchmark->ArgNames({"n", "d", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(tiled_causal_forward<float>)->Apply(shapes);
BENCHMARK(tiled_causal_forward<double>)->Apply(shapes);
BENCHMARK(tiled_causal_backward<float>)->Apply(shapes);
BENCHMARK(tiled_causal_backward<double>)->Apply(shapes);
BENCHMARK(rows_causal_forward)->Args({2048, 16})->Unit(benchmark::kMillisecond);
BENCHMARK(linear_causal_forward)->Args({16384, 16})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(weighting, softmax, Softmax{})->Arg(4096);
BENCHMARK_CAPTURE(weighting, ahardmax, Hardmax{})->Arg(4096);
BENCHMARK_CAPTURE(weighting, sparsemax, Sparsemax{})->Arg(4096);
BENCHMARK_CAPTURE(weighting, entmax15, Entmax{1.5})->Arg(4096);
BENCHMARK_CAPTURE(weighting, entmax_bisected, Entmax{1.3})->Arg(4096);
BENCHMARK_CAPTURE(weighting, stick_breaking, StickBreaking{})->Arg(4096);
BENCHMARK_CAPTURE(weighting, geometric, GeometricAttention{})->Arg(4096);
BENCHMARK_CAPTURE(weighting, monotonic, MonotonicAttention{})->Arg(4096);
BENCHMARK_CAPTURE(weighting, gumbel, GumbelSoftmax{})->Arg(4096);

}  // namespace
}  // namespace quench::attention
