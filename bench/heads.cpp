// Each way of running a head, on the heads it is for, against the dense kernel on the same numbers: ns per token.
//   bench_heads --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
//   --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <cmath>

#include "base/random.h"
#include "run/head_work.h"

namespace {

using namespace quench;
using run::HeadWork;
using run::Plane;

enum Pattern { kUniform, kTieBreak, kPerQuery, kLookup, kParity };
constexpr const char* kNames[] = {"uniform", "tie-break 1/n", "tie-break 1/i^2", "lookup", "parity classes"};

Plane plane(std::size_t n, auto value) {
  Plane result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = value(static_cast<double>(i + 1));
  return result;
}

HeadWork make(Pattern pattern, std::size_t n) {
  const auto length = static_cast<double>(n);
  Random random(n);
  const Plane chosen = plane(n, [&](double) { return random.chance(0.3) ? 1.0 : 0.0; });
  const Plane parity = plane(n, [](double i) { return std::fmod(i, 2) == 0 ? 1.0 : -1.0; });
  const auto constant = [&](double x) { return Plane(n, x); };
  const auto at = [&](double i) { return chosen[static_cast<std::size_t>(i) - 1]; };
  HeadWork work;
  work.mask = Mask::future;
  work.n = n;
  work.scale = constant(pattern == kTieBreak || pattern == kParity ? length : 1);
  work.v = {plane(n, [&](double) { return random.chance(0.5) ? 1.0 : 0.0; })};
  work.out = {constant(0)};
  switch (pattern) {
    case kUniform:
      break;
    case kTieBreak:
      work.q = {constant(6)};
      work.k = {plane(n, [&](double j) { return at(j) + j / (2 * length); })};
      break;
    case kPerQuery:
      work.q = {constant(3)};
      work.k = {plane(n, [&](double j) { return at(j) - 1 / j; })};
      work.scale = plane(n, [](double i) { return i * i; });
      break;
    case kLookup:
      work.q = {plane(n, [](double i) { return 6 * std::floor(i / 3); }), constant(3)};
      work.k = {plane(n, [](double j) { return j; }), plane(n, [](double j) { return -j * j; })};
      break;
    case kParity:
      work.q = {plane(n, [&](double i) { return -3 * parity[static_cast<std::size_t>(i) - 1]; }), constant(3)};
      work.k = {parity, plane(n, [&](double j) { return j / length; })};
      break;
  }
  return work;
}

void structured(benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  HeadWork work = make(pattern, static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    const auto refusal = pattern == kLookup     ? run::run_by_lookup(work)
                         : pattern == kPerQuery ? run::run_by_candidates(work)
                                                : run::run_by_classes(work);
    if (refusal) state.SkipWithError(refusal->c_str());
    benchmark::DoNotOptimize(work.out[0].data());
  }
  state.SetLabel(kNames[pattern]);
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

void dense(benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  HeadWork work = make(pattern, static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    run::run_densely(work, /*single=*/false, /*parallel=*/false);
    benchmark::DoNotOptimize(work.out[0].data());
  }
  state.SetLabel(kNames[pattern]);
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

const std::vector<std::int64_t> kPatterns = {kUniform, kTieBreak, kPerQuery, kLookup, kParity};
BENCHMARK(structured)->ArgsProduct({kPatterns, {16'384, 1'000'000}});
BENCHMARK(dense)->ArgsProduct({kPatterns, {16'384}})->Unit(benchmark::kMillisecond);

}  // namespace
