// Formulas on many words at once against the same formulas written by hand for 512 words side by side: one loop over
// the positions, every intermediate in a register. Both read the symbols and hand out the planes by the same functions.
#include <benchmark/benchmark.h>

#include "base/number/random.h"
#include "bits/batch.h"
#include "bits/slice_lanes.h"
#include "driver/compile.h"

namespace quench {
namespace {

using bits::Planes;
using bits::Slice;
using bits::Slices;
using bits::Text;
using bits::Vector;
using bits::vectors;

// Ten operators, all of the past; as in bits.cpp.
constexpr const char* kPast = "(Q_a S (Q_b & prev Q_c)) & !(prev (Q_b S Q_c)) | ((Q_c | Q_b) S prev Q_a)";
constexpr const char* kMajority = "#<[Q_a] > #<[Q_b]";
constexpr const char* kParity = "odd(#<[Q_a])";

/// `count` random words of length n, one after the other.
struct Words {
  Word symbols;
  std::vector<Text> texts;
  Words(std::size_t count, std::size_t n) {
    Random random(n);
    symbols = random_word(random, 3, false, count * n);
    for (std::size_t w = 0; w < count; ++w) texts.emplace_back(symbols.data() + w * n, n);
  }
};

QUENCH_MULTIVERSION void past_by_hand(const Slices* s, std::size_t n, Slice* out) {
  Vector s1{}, s2{}, s3{}, before_a{}, before_c{}, before_s2{};
  for (std::size_t i = 0; i < n; ++i) {
    const Vector a = vectors(s[0].data())[i], b = vectors(s[1].data())[i], c = vectors(s[2].data())[i];
    s1 = (b & before_c) | (a & s1);
    s3 = before_a | ((c | b) & s3);
    vectors(out)[i] = (s1 & ~before_s2) | s3;
    s2 = c | (b & s2);
    before_s2 = s2;
    before_a = a;
    before_c = c;
  }
}

QUENCH_MULTIVERSION void parity_by_hand(const Slices* s, std::size_t n, Slice* out) {
  Vector odd{};
  for (std::size_t i = 0; i < n; ++i) vectors(out)[i] = odd ^= vectors(s[0].data())[i];
}

/// The difference of the counts in two's complement, one digit to a slice; 8 digits for n ≤ 127.
QUENCH_MULTIVERSION void majority_by_hand(const Slices* s, std::size_t n, Slice* out) {
  constexpr int kDigits = 8;
  Vector difference[kDigits];
  for (Vector& digit : difference) digit = ~Vector{};  // −1: the sign of #a − #b − 1
  for (std::size_t i = 0; i < n; ++i) {
    const Vector a = vectors(s[0].data())[i], b = vectors(s[1].data())[i];
    Vector up = a & ~b, down = b & ~a;
    for (Vector& digit : difference) {
      const Vector old = digit;
      digit = old ^ up ^ down;
      up &= old;
      down &= ~old;
    }
    vectors(out)[i] = ~difference[kDigits - 1];
  }
}

using Hand = void (*)(const Slices*, std::size_t, Slice*);

void evaluate_by_hand(Hand hand, std::size_t symbol_count, const std::vector<Text>& texts, Planes& planes) {
  constexpr Symbol kSymbols[] = {0, 1, 2};
  const std::size_t n = texts.front().size(), blocks = bits::words_for(n);
  planes.first.resize(texts.size() + 1);
  for (std::size_t w = 0; w <= texts.size(); ++w) planes.first[w] = w * blocks;
  planes.bits.resize(planes.first.back());
  Slices slices[3] = {Slices(n), Slices(n), Slices(n)}, out(n);
  Slice* const atoms[] = {slices[0].data(), slices[1].data(), slices[2].data()};
  std::vector<bits::Bits*> targets;
  for (std::size_t start = 0; start < texts.size(); start += bits::kGroup) {
    const auto group = std::span(texts).subspan(start, std::min(bits::kGroup, texts.size() - start));
    bits::symbol_slices(group, n, std::span(kSymbols).first(symbol_count), std::span(atoms).first(symbol_count));
    hand(slices, n, out.data());
    targets.clear();
    for (std::size_t w = start; w < start + group.size(); ++w) targets.push_back(planes.bits.data() + w * blocks);
    bits::planes_of(out.data(), group, targets);
  }
}

void batch(benchmark::State& state, const char* text) {
  const lang::Formula formula = driver::parse(text);
  const Words words(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  bits::BatchEvaluator evaluator(formula);
  Planes planes;
  evaluator.evaluate(words.texts, planes);  // memory is there before the clock runs, as below
  for (auto _ : state) {
    evaluator.evaluate(words.texts, planes);
    benchmark::DoNotOptimize(planes.bits.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

void batch_by_hand(benchmark::State& state, const char* text, Hand hand, std::size_t symbol_count) {
  const lang::Formula formula = driver::parse(text);
  const Words words(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  Planes planes, expected;
  bits::BatchEvaluator(formula).evaluate(words.texts, expected);
  evaluate_by_hand(hand, symbol_count, words.texts, planes);
  if (planes.bits != expected.bits) return state.SkipWithError("the two differ");
  for (auto _ : state) {
    evaluate_by_hand(hand, symbol_count, words.texts, planes);
    benchmark::DoNotOptimize(planes.bits.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

/// The evaluator of one word, word after word: what the batch gains.
void batch_one_by_one(benchmark::State& state, const char* text) {
  const lang::Formula formula = driver::parse(text);
  const Words words(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  bits::Evaluator evaluator(formula);
  for (auto _ : state)
    for (const Text word : words.texts) benchmark::DoNotOptimize(evaluator.evaluate(word).data());
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

#define QUENCH_PAIR(name, text, hand, symbols)                                                           \
  BENCHMARK_CAPTURE(batch, name, text)->Args({10'000, 100})->Args({1 << 20, 20});                        \
  BENCHMARK_CAPTURE(batch_by_hand, name, text, hand, symbols)->Args({10'000, 100})->Args({1 << 20, 20}); \
  BENCHMARK_CAPTURE(batch_one_by_one, name, text)->Args({10'000, 100})->Args({1 << 20, 20})
QUENCH_PAIR(past, kPast, past_by_hand, 3);
QUENCH_PAIR(parity, kParity, parity_by_hand, 1);
QUENCH_PAIR(majority, kMajority, majority_by_hand, 2);

}  // namespace
}  // namespace quench
