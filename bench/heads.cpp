// Each way of running a head, on the heads it is for, against the dense kernel on the same numbers: ns per token.
//   bench_heads --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
//   --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/number/random.h"
#include "run/structured/methods/head_work.h"
#include "run/structured/pass.h"

namespace {

using namespace quench;
using run::HeadWork;
using run::Plane;

enum Pattern { kUniform, kTieBreak, kPerQuery, kLookup, kParity, kSeries };
constexpr const char* kNames[] = {"uniform", "tie-break 1/n",  "tie-break 1/i^2",
                                  "lookup",  "parity classes", "alternating series"};

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
  const auto at = [&](const Plane& values, double i) { return values[static_cast<std::size_t>(i) - 1]; };
  HeadWork work;
  work.mask = Mask::future;
  work.n = n;
  work.precision = 24;
  work.scale = constant(pattern == kTieBreak || pattern == kParity ? length : 1);
  work.v = {pattern == kSeries ? parity : plane(n, [&](double) { return random.chance(0.5) ? 1.0 : 0.0; })};
  work.out = {constant(0)};
  switch (pattern) {
    case kUniform:
      break;
    case kTieBreak:
      work.q = {constant(6)};
      work.k = {plane(n, [&](double j) { return at(chosen, j) + j / (2 * length); })};
      break;
    case kPerQuery:
      work.q = {constant(3)};
      work.k = {plane(n, [&](double j) { return at(chosen, j) - 1 / j; })};
      work.scale = plane(n, [](double i) { return i * i; });
      break;
    case kLookup:
      work.q = {plane(n, [](double i) { return 6 * std::floor(i / 3); }), constant(3)};
      work.k = {plane(n, [](double j) { return j; }), plane(n, [](double j) { return -j * j; })};
      break;
    case kParity:
      work.q = {plane(n, [&](double i) { return -3 * at(parity, i); }), constant(3)};
      work.k = {parity, plane(n, [&](double j) { return j / length; })};
      break;
    case kSeries:
      work.q = {plane(n, [&](double) { return (random.unit() - 0.5) / 64; })};
      work.k = {plane(n, [&](double j) { return j * at(parity, j); })};
      break;
  }
  return work;
}

/// The same head in float, window by window in lanes, as passes feed it.
class InLanes {
 public:
  explicit InLanes(const HeadWork& work) : work_(work) {
    order_.take_segments(work.n, 0, work.n, kWindow, false);
    const auto in_lanes = [&](const std::vector<Plane>& planes) {
      run::Planes<float> result;
      for (const Plane& natural : planes) {
        AlignedVector<float>& plane = result.emplace_back(order_.size());
        order_.for_places(
            [&](std::size_t index, std::size_t place) { plane[index] = static_cast<float>(natural[place]); });
      }
      return result;
    };
    q_ = in_lanes(work.q);
    k_ = in_lanes(work.k);
    v_ = in_lanes(work.v);
    steady_ = std::adjacent_find(work.scale.begin(), work.scale.end(), std::not_equal_to<>()) == work.scale.end();
    out_.resize(order_.size());
    plan_.mask = work.mask;
    plan_.components = work.q.size();
    plan_.d_v = 1;
  }

  bool run() {
    run::LaneHead<float> head(plan_, work_.mask, run::negligible(work_), work_.n);
    for (const run::LaneWindow& window : order_.windows) {
      const auto view = [&](const run::Planes<float>& planes, std::vector<const float*>& views) {
        views.clear();
        for (const AlignedVector<float>& one : planes) views.push_back(one.data() + window.begin);
      };
      view(q_, space_.q_view);
      view(k_, space_.k_view);
      view(v_, space_.v_view);
      const std::uint32_t* position = order_.position() + window.begin;
      if (!steady_) head.set_scale(window, position, work_.scale, 1.0, space_.scale);
      if (!head.feed(window, position, space_, work_.scale[0], {out_.data() + window.begin}, run::LanePhase::both))
        return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kWindow = 120 * run::kLanes;
  const HeadWork& work_;
  run::LaneOrder order_;
  run::Planes<float> q_, k_, v_;
  bool steady_ = true;
  AlignedVector<float> out_;
  run::HeadPlan plan_;
  run::HeadSpace<float> space_;
};

void structured(benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  const HeadWork work = make(pattern, static_cast<std::size_t>(state.range(1)));
  InLanes lanes(work);
  for (auto _ : state)
    if (!lanes.run()) state.SkipWithError("not run in linear time");
  state.SetLabel(kNames[pattern]);
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

void dense(benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  HeadWork work = make(pattern, static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    run::run_densely(work, /*single=*/true, /*parallel=*/false);
    benchmark::DoNotOptimize(work.out[0].data());
  }
  state.SetLabel(kNames[pattern]);
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

const std::vector<std::int64_t> kPatterns = {kUniform, kTieBreak, kPerQuery, kLookup, kParity, kSeries};
BENCHMARK(structured)->ArgsProduct({kPatterns, {16'384, 1'000'000}});
BENCHMARK(dense)->ArgsProduct({kPatterns, {16'384}})->Unit(benchmark::kMillisecond);

}  // namespace
