// Formulas on bit planes against the same formulas written by hand: one loop over 64 positions at a time, every
// intermediate in a register. Both read the word's symbols themselves.
#include <benchmark/benchmark.h>

#include "base/number/random.h"
#include "bits/evaluator.h"
#include "driver/compile.h"

namespace quench {
namespace {

using bits::Bits;
using bits::Plane;

// Ten operators, all of the past.
constexpr const char* kPast = "(Q_a S (Q_b & prev Q_c)) & !(prev (Q_b S Q_c)) | ((Q_c | Q_b) S prev Q_a)";
constexpr const char* kMajority = "#<[Q_a] > #<[Q_b]";
constexpr const char* kParity = "odd(#<[Q_a])";

Word word_of(std::size_t n) {
  Random random(n);
  return random_word(random, 3, false, n);
}

struct Carry {
  Bits value = 0;
  Bits since(Bits p, Bits q) {
    const Bits a = p | q, partial = a + q, sum = partial + value;
    value = (partial < a) | (sum < partial);
    return q | (a & ~sum);
  }
  Bits previous(Bits p) { return p << 1 | std::exchange(value, p >> 63); }
};

/// The planes of the first `count` symbols.
struct Symbols {
  Plane a, b, c;
  Symbols(const Word& word, std::size_t count) {
    const Symbol symbols[] = {0, 1, 2};
    Plane* const planes[] = {&a, &b, &c};
    bits::symbol_planes(word, std::span(symbols).first(count), std::span(planes).first(count));
  }
};

Plane past_by_hand(const Word& word) {
  const Symbols s(word, 3);
  Plane out(s.a.size());
  Carry s1, s2, s3, y1, y2, y3;
  for (std::size_t w = 0; w < out.size(); ++w) {
    const Bits a = s.a[w], b = s.b[w], c = s.c[w];
    out[w] = (s1.since(a, b & y1.previous(c)) & ~y2.previous(s2.since(b, c))) | s3.since(c | b, y3.previous(a));
  }
  out.back() &= bits::last_mask(word.size());
  return out;
}

Plane parity_by_hand(const Word& word) {
  const Symbols s(word, 1);
  Plane out(s.a.size());
  Bits odd = 0;
  for (std::size_t w = 0; w < out.size(); ++w) {
    Bits x = s.a[w];
    for (int k = 1; k < 64; k *= 2) x ^= x << k;
    out[w] = x ^ odd;
    odd = Bits{0} - (out[w] >> 63);
  }
  out.back() &= bits::last_mask(word.size());
  return out;
}

Plane majority_by_hand(const Word& word) {
  const Symbols s(word, 2);
  Plane out(s.a.size());
  std::int64_t difference = 0;
  for (std::size_t w = 0; w < out.size(); ++w) {
    const Bits a = s.a[w], b = s.b[w];
    if (difference > 64 || difference <= -64) {
      out[w] = difference > 0 ? bits::kAll : 0;
      difference += std::popcount(a) - std::popcount(b);
      continue;
    }
    Bits bits = 0;
    for (std::size_t k = 0; k < 64; ++k) {
      difference += static_cast<std::int64_t>(a >> k & 1) - static_cast<std::int64_t>(b >> k & 1);
      bits |= static_cast<Bits>(difference > 0 ? 1 : 0) << k;
    }
    out[w] = bits;
  }
  out.back() &= bits::last_mask(word.size());
  return out;
}

void by_planes(benchmark::State& state, const char* text) {
  const lang::Formula formula = driver::parse(text);
  const Word word = word_of(static_cast<std::size_t>(state.range(0)));
  bits::Evaluator evaluator(formula);
  for (auto _ : state) benchmark::DoNotOptimize(evaluator.evaluate(word).data());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void by_hand(benchmark::State& state, const char* text, Plane (*hand)(const Word&)) {
  const lang::Formula formula = driver::parse(text);
  const Word word = word_of(static_cast<std::size_t>(state.range(0)));
  if (hand(word) != bits::Evaluator(formula).evaluate(word)) return state.SkipWithError("the two differ");
  for (auto _ : state) benchmark::DoNotOptimize(hand(word).data());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

#define QUENCH_PAIR(name, text, hand)                                    \
  BENCHMARK_CAPTURE(by_planes, name, text)->Arg(10'000)->Arg(1'000'000); \
  BENCHMARK_CAPTURE(by_hand, name, text, hand)->Arg(10'000)->Arg(1'000'000)
QUENCH_PAIR(past, kPast, past_by_hand);
QUENCH_PAIR(parity, kParity, parity_by_hand);
QUENCH_PAIR(majority, kMajority, majority_by_hand);

}  // namespace
}  // namespace quench
