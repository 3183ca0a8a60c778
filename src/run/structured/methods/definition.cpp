// A head as the definition has it, operation by operation (run/reference/arithmetic.h), so that the results are the
// reference's to the bit: for hard attention, which rounding can turn to another key, and for numbers near the end of
// the format's range.
#include <tbb/parallel_for.h>

#include <vector>

#include "model/position.h"
#include "run/reference/arithmetic.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

/// One word of the batch, laid out as the arithmetic wants it.
struct WordOfHead {
  std::vector<double> keys;    ///< components × n
  std::vector<double> values;  ///< n × d_v

  WordOfHead(const HeadWork& work, std::size_t word) : keys(work.k.size() * work.n), values(work.n * work.v.size()) {
    for (std::size_t j = 0; j < work.n; ++j) {
      for (std::size_t l = 0; l < work.k.size(); ++l) keys[l * work.n + j] = work.k[l][j * work.words + word];
      for (std::size_t x = 0; x < work.v.size(); ++x) values[j * work.v.size() + x] = work.v[x][j * work.words + word];
    }
  }
};

template <class Arithmetic>
void answer(const HeadPlan& head, const WordOfHead& word, std::size_t i, std::size_t p, const Arithmetic& arithmetic,
            HeadWork& work) {
  const KeyRange range = visible(head.mask, i + 1, work.n);
  std::vector<double> means(work.v.size(), 0.0);
  if (range.first <= range.last) {
    const std::size_t first = range.first - 1, count = range.last + 1 - range.first;
    std::vector<double> query, weights(count);
    for (const Plane& plane : work.q) query.push_back(plane[p]);
    arithmetic.score(head, query.data(), word.keys.empty() ? nullptr : word.keys.data() + first, work.n, count,
                     model::inverse_temperature(head.temperature, i + 1, work.n), weights.data());
    const double total = arithmetic.weigh(head.weighting, weights.data(), count);
    arithmetic.retrieve(head, weights.data(), total, word.values.data() + first * head.d_v, count, means.data());
  }
  for (std::size_t x = 0; x < means.size(); ++x) work.out[x][p] = means[x];
}

template <const FloatFormat& format>
void run_in(const HeadPlan& head, HeadWork& work, bool parallel) {
  const ReferenceArithmetic<FixedRounding<format>, FixedRounding<format>> arithmetic;
  for (std::size_t w = 0; w < work.words; ++w) {
    const WordOfHead word(work, w);
    const auto row = [&](std::size_t i) { answer(head, word, i, i * work.words + w, arithmetic, work); };
    if (parallel)
      tbb::parallel_for(std::size_t{0}, work.n, row);
    else
      for (std::size_t i = 0; i < work.n; ++i) row(i);
  }
}

}  // namespace

void run_by_definition(const HeadPlan& head, HeadWork& work, bool parallel) {
  work.precision == 24 ? run_in<kSingle>(head, work, parallel) : run_in<kDouble>(head, work, parallel);
}

}  // namespace quench::run
