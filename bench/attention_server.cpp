// Times attention on request, for scripts/bench_peers.py, which interleaves it with peers that run in Python.
//
// A request is one line `WHAT N D MASK THREADS COUNT`: WHAT is `forward`, `both` (forward and backward), `blas` (naive:
// two sgemm around a softmax with the whole n × n matrix) or `sgemm` (the products of attention by themselves as one N
// × N × N product); MASK is `causal` or `full` (blas and sgemm know only `full`). The answer is one line: wall-clock
// and processor seconds of one run, the mean of COUNT. `hello` answers with what BLAS is used, or `none`.
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "attention/kernel/tiled.h"
#include "base/number/random.h"

#ifdef QUENCH_OPENBLAS
#include <cblas.h>
#endif

namespace quench::attention {
namespace {

double seconds(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<float> random_values(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> x(size);
  for (float& value : x) value = static_cast<float>(2 * random.unit() - 1);
  return x;
}

struct Problem {
  std::size_t n, d;
  std::vector<float> q, k, v, g, output, d_q, d_k, d_v, matrix;

  Problem(std::size_t length, std::size_t width)
      : n(length),
        d(width),
        q(random_values(n * d, 1)),
        k(random_values(n * d, 2)),
        v(random_values(n * d, 3)),
        g(random_values(n * d, 4)),
        output(n * d),
        d_q(n * d),
        d_k(n * d),
        d_v(n * d) {}
  Rows<const float> in(const std::vector<float>& x) const { return {x.data(), n, d}; }
  Rows<float> out(std::vector<float>& x) const { return {x.data(), n, d}; }
  float scale() const { return 1 / std::sqrt(static_cast<float>(d)); }
};

void ours(Problem& p, bool causal, bool backward, bool parallel) {
  const TiledAttention head{.scale = static_cast<double>(p.scale()),
                            .mask = causal ? Mask::future : Mask::none,
                            .parallel = parallel,
                            .entropy = false};
  const auto rows = tiled_forward<float>(head, p.in(p.q), p.in(p.k), p.in(p.v), p.out(p.output));
  if (backward)
    tiled_backward<float>(head, p.in(p.q), p.in(p.k), p.in(p.v), p.in(p.output), rows, {p.in(p.g)},
                          {p.out(p.d_q), p.out(p.d_k), p.out(p.d_v), {}});
}

#ifdef QUENCH_OPENBLAS
void blas(Problem& p) {
  const int n = static_cast<int>(p.n), d = static_cast<int>(p.d);
  p.matrix.resize(p.n * p.n);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, p.scale(), p.q.data(), d, p.k.data(), d, 0,
              p.matrix.data(), n);
  for (std::size_t i = 0; i < p.n; ++i) {
    float *row = p.matrix.data() + i * p.n, top = row[0], sum = 0;
    for (std::size_t j = 0; j < p.n; ++j) top = std::max(top, row[j]);
    for (std::size_t j = 0; j < p.n; ++j) sum += row[j] = std::exp(row[j] - top);
    for (std::size_t j = 0; j < p.n; ++j) row[j] /= sum;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, n, 1, p.matrix.data(), n, p.v.data(), d, 0,
              p.output.data(), d);
}

void sgemm(Problem& p) {
  const int n = static_cast<int>(p.n);
  p.matrix.resize(p.n * p.n);
  static std::vector<float> a, b;
  a.resize(p.n * p.n, 0.5f);
  b.resize(p.n * p.n, 0.25f);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, p.matrix.data(), n);
}
#endif

bool run(const std::string& what, Problem& problem, bool causal, std::size_t threads) {
  if (what == "forward" || what == "both") ours(problem, causal, what == "both", threads > 1);
#ifdef QUENCH_OPENBLAS
  else if (what == "blas")
    blas(problem);
  else if (what == "sgemm")
    sgemm(problem);
#endif
  else
    return false;
  return true;
}

void serve(const std::string& line) {
  static std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<Problem>> problems;
  std::string what, mask;
  std::size_t n = 0, d = 0, threads = 1, count = 1;
  std::istringstream(line) >> what >> n >> d >> mask >> threads >> count;
  if (what == "hello") {
#ifdef QUENCH_OPENBLAS
    std::cout << openblas_get_config() << ", running as " << openblas_get_corename() << std::endl;
#else
    std::cout << "none" << std::endl;
#endif
    return;
  }
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  auto& problem = problems[{n, d}];
  if (!problem) problem = std::make_unique<Problem>(n, d);
#ifdef QUENCH_OPENBLAS
  openblas_set_num_threads(static_cast<int>(threads));
#endif
  // A single thread's own time: the threads that OpenBLAS keeps waiting also take some.
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
  const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(clock);
  bool known = true;
  for (std::size_t repeat = 0; known && repeat < count; ++repeat)
    known = run(what, *problem, mask == "causal", threads);
  const double runs = static_cast<double>(std::max<std::size_t>(count, 1));
  if (known)
    std::cout << (seconds(CLOCK_MONOTONIC) - wall) / runs << ' ' << (seconds(clock) - cpu) / runs << std::endl;
  else
    std::cout << "unknown" << std::endl;
}

}  // namespace
}  // namespace quench::attention

int main() {
  std::cout.precision(9);
  for (std::string line; std::getline(std::cin, line);) quench::attention::serve(line);
}
