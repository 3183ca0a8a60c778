// How long compiling takes, and how much memory, against the size of the formula. The rule of thumb to watch: 10,000
// operators in well under 2 s, memory linear.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "base/number/random.h"
#include "driver/compile.h"

namespace quench {
namespace {

/// A random tree of LTL operators over 26 symbols, as text. Many symbols keep it from collapsing to a constant.
std::string random_tree(Random& random, std::uint64_t operators) {
  static const char* binary[] = {" & ", " | ", " S ", " U ", " xor ", " W "};
  if (operators == 0) return std::string("Q_") + static_cast<char>('a' + random.below(26));
  if (random.chance(0.3)) return std::string(random.chance(0.5) ? "Y (" : "X (") + random_tree(random, operators - 1) + ")";
  const std::uint64_t left = random.below(operators);
  return "(" + random_tree(random, left) + ")" + binary[random.below(6)] + "(" +
         random_tree(random, operators - 1 - left) + ")";
}

void compile_random_formula(benchmark::State& state) {
  Random random(1);
  const std::string text = random_tree(random, static_cast<std::uint64_t>(state.range(0)));
  model::Transformer model;
  for (auto _ : state) {
    model = driver::compile(driver::parse(text)).model;
    benchmark::DoNotOptimize(model);
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["layers"] = static_cast<double>(model.layers.size());
  state.counters["heads"] = static_cast<double>(model.head_count());
  state.counters["width"] = static_cast<double>(model.width);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
  state.counters["ns_per_operator"] = benchmark::Counter(static_cast<double>(state.range(0)) * 1e-9,
                                                         benchmark::Counter::kIsIterationInvariantRate |
                                                             benchmark::Counter::kInvert);
}
BENCHMARK(compile_random_formula)->Arg(100)->Arg(1000)->Arg(10'000)->Arg(20'000)->Unit(benchmark::kMillisecond);

void summarise_typical_formula(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(driver::compile(driver::parse("#<[#<[prev Q_1] = #>[Q_1]] = 0")).model.parameter_count());
}
BENCHMARK(summarise_typical_formula)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quench
