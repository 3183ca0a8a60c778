// The recipe `scan` against the automaton itself: exhaustively on short words, at random on longer ones, at the corners
// of bits, in every format; certified, checked, and wrong beyond its length.
#include "lower/scan/scan.h"

#include <gtest/gtest.h>

#include <set>

#include "certify/certify.h"
#include "check/check.h"
#include "lower/scan/factors.h"
#include "lower/scan/scan_check.h"
#include "run/structured/structured_executor.h"
#include "support/all_words.h"

namespace quench {
namespace {

using test::kA5;
using test::kS5;
using test::random_dfa;
using test::ScanCheck;

const std::vector<NumberFormat> kFormats{NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16};
constexpr std::size_t kMillion = std::size_t{1} << 20;

void check_short_and_long(ScanCheck& check, std::size_t symbols, std::size_t shortest, std::uint64_t seed) {
  test::for_all_words(symbols, false, shortest, [&](const Word& word) { check.expect_right_on(word); });
  Random random(seed);
  for (const std::size_t n :
       {std::size_t{40}, std::size_t{63}, std::size_t{64}, std::size_t{65}, 1 + random.below(300)})
    check.expect_right_on(random_word(random, symbols, true, n));
}

TEST(Scan, IsTheAutomatonForRandomAutomata) {
  Random random(1);
  for (int k = 0; k < 28; ++k) {
    ScanCheck check(random_dfa(random, 2 + static_cast<std::size_t>(k) % 7, k % 3 == 0), kMillion, kFormats);
    check_short_and_long(check, 2, k < 7 ? 8 : 4, static_cast<std::uint64_t>(k));
    if (HasFailure()) return;
  }
}

TEST(Scan, FollowsPointsUnderPermutations) {
  for (const auto& letters : {kA5, kS5}) {
    ScanCheck check(test::moving_point(letters), kMillion, kFormats);
    check_short_and_long(check, 2, 8, 5);
  }
}

/// 60 and 120 states, in factors of 5 (and 2).
TEST(Scan, SolvesTheWordProblem) {
  for (const auto& letters : {kA5, kS5}) {
    ScanCheck check(test::word_problem(letters), kMillion, kFormats);
    check_short_and_long(check, 2, 6, 60);
    // A word and its inverse: the identity at the end.
    Random random(120);
    Word word = random_word(random, 2, false, 40);
    const std::vector<std::size_t> orders{5, letters == kA5 ? 3u : 2u};
    for (std::size_t k = 40; k-- > 0;)
      for (std::size_t times = 1; times < orders[static_cast<std::size_t>(word[k])]; ++times) word.push_back(word[k]);
    EXPECT_EQ(ScanCheck::expected(test::word_problem(letters), word).back(), 1);
    check.expect_right_on(word);
  }
}

/// As long as they may be, powers of two and their neighbours; letters that the alphabet does not list.
TEST(Scan, ReachesTheLengthAskedFor) {
  Random random(2);
  for (const std::size_t length : {std::size_t{1}, std::size_t{4}, std::size_t{16}, std::size_t{128}})
    for (int k = 0; k < 8; ++k) {
      ScanCheck check(random_dfa(random, 2 + static_cast<std::size_t>(k), k % 2 == 0), length, kFormats);
      for (std::size_t n = 1; n <= length; n = n < 4 ? n + 1 : 2 * n)
        for (const std::size_t near : {n - 1, n, n + 1})
          if (near >= 1 && near <= length) check.expect_right_on(random_word(random, 2, true, near));
      if (HasFailure()) return;
    }
}

TEST(Scan, EndsAtTheLengthAskedFor) {
  ScanCheck check(test::moving_point(kA5), 16, {NumberFormat::f64});
  Random random(3);
  bool wrong = false;
  for (int k = 0; k < 50 && !wrong; ++k) wrong = !check.right_on(random_word(random, 2, false, 17));
  EXPECT_TRUE(wrong);
}

TEST(Scan, TakesAutomataThatAreHardlyAny) {
  Alphabet alphabet({"a"});
  lang::Dfa empty(alphabet), all(alphabet), last(alphabet), two(alphabet), none{Alphabet()};
  all.add_state(true);
  for (const lang::Letter letter : {0, 1}) all.connect(0, letter, 0);
  for (lang::Dfa* dfa : {&last, &two, &none}) dfa->add_state(false), dfa->add_state(true);
  for (const lang::State s : {0, 1}) last.connect(s, 0, 1), last.connect(s, 1, 0);
  two.add_state(true);
  for (const lang::Letter letter : {0, 1})
    two.connect(0, letter, 2), two.connect(1, letter, 1), two.connect(2, letter, 0);
  none.connect(0, 0, 1);
  none.connect(1, 0, 0);
  for (const lang::Dfa* dfa : {&empty, &all, &last, &two, &none}) {
    ScanCheck check(*dfa, 1024, kFormats);
    test::for_all_words(dfa->alphabet.size(), true, 6, [&](const Word& word) { check.expect_right_on(word); });
  }
  // What the last letter alone decides takes no head.
  EXPECT_EQ(ScanCheck(last, kMillion, {}).model().head_count(), 0u);
}

TEST(Scan, IsCertifiedToItsLengthInEveryFormat) {
  Random random(4);
  std::vector<lang::Dfa> all{test::moving_point(kA5), test::word_problem(kS5)};
  for (int k = 0; k < 4; ++k) all.push_back(random_dfa(random, 2 + 2 * static_cast<std::size_t>(k), k % 2 == 0));
  for (const lang::Dfa& dfa : all) {
    const model::Transformer model = driver::compile(dfa, ScanCheck::options(kMillion)).model;
    if (model.head_count() == 0) continue;  // right at every length
    for (const NumberFormat format : kFormats) {
      model::Entry entry{format, certify::Summation::any,
                         certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any)};
      EXPECT_EQ(entry.finding.length, kMillion) << to_string(format) << ": " << entry.finding.reason;
      EXPECT_EQ(check::objection(entry, model), std::nullopt);
      entry.finding.length += 1;
      EXPECT_NE(check::objection(entry, model), std::nullopt);
    }
  }
}

struct ScanSize {
  lang::Dfa dfa;
  std::size_t length, layers, heads, width;
};

/// What docs/theory-exact.md says of sizes.
TEST(Scan, HasTheseSizes) {
  lang::Dfa parity(Alphabet({"a"}));
  for (const bool odd : {false, true}) parity.add_state(odd);
  for (const lang::State s : {0, 1}) parity.connect(s, 0, 1 - s), parity.connect(s, 1, s);
  for (const ScanSize& size : std::vector<ScanSize>{{parity, kMillion, 20, 20, 25},
                                                    {test::moving_point(kA5), 1024, 10, 10, 57},
                                                    {test::moving_point(kA5), kMillion, 20, 20, 67},
                                                    {test::word_problem(kA5), kMillion, 21, 20, 67},
                                                    {test::word_problem(kS5), kMillion, 21, 20, 70}}) {
    const model::Transformer model = driver::compile(size.dfa, ScanCheck::options(size.length)).model;
    EXPECT_EQ(model.layers.size(), size.layers) << size.dfa.size();
    EXPECT_EQ(model.head_count(), size.heads) << size.dfa.size();
    EXPECT_EQ(model.width, size.width) << size.dfa.size();
    for (const model::Layer& layer : model.layers)
      for (const model::Head& head : layer.heads) EXPECT_EQ(head.mask, Mask::future);
  }
}

TEST(Scan, FactorsKnowTheState) {
  Random random(6);
  for (int k = 0; k < 60; ++k) {
    const lang::Dfa dfa = k < 2 ? test::word_problem(k ? kS5 : kA5) : random_dfa(random, 9 + random.below(8), k % 2);
    const lower::Machine machine = lower::minimal_machine(dfa).machine;
    const lower::Factors factors = lower::factors_of(machine);
    std::set<std::vector<std::size_t>> states;
    for (std::size_t s = 0; s < machine.size(); ++s) {
      std::vector<std::size_t> parts;
      for (const auto& run : factors.runs) {
        parts.push_back(run.state[s]);
        for (std::size_t letter = 0; letter < machine.letters(); ++letter)
          EXPECT_EQ(factors.machines[run.machine].next[run.state[s]][letter], run.state[machine.next[s][letter]]);
      }
      states.insert(parts);
    }
    EXPECT_EQ(states.size(), machine.size());
    std::vector<std::size_t> sizes;
    for (const lower::Machine& one : factors.machines) sizes.push_back(one.size());
    std::sort(sizes.begin(), sizes.end());
    if (k == 0) {
      EXPECT_EQ(sizes, std::vector<std::size_t>{5});
    }
    if (k == 1) {
      EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 5}));  // the sign, and points
    }
  }
}

TEST(Scan, RefusesWhatItDoesNotHave) {
  const auto code = [](const lang::Dfa& dfa, const lower::RecipeOptions& options) -> std::string {
    try {
      driver::compile(dfa, options);
    } catch (const DiagnosticError& error) {
      return error.diagnostics.front().code;
    }
    return "";
  };
  const lang::Dfa dfa = test::moving_point(kA5);
  lower::RecipeOptions options;
  EXPECT_EQ(code(dfa, options), "");
  options.recipe = "12a";
  EXPECT_EQ(code(dfa, options), "E123");
  options.recipe = "no such";
  EXPECT_EQ(code(dfa, options), "E105");
  options.recipe = "scan";
  options.gamma = 3;
  EXPECT_EQ(code(dfa, options), "E102");
  options = ScanCheck::options(lower::kLongestExact + 1);
  EXPECT_EQ(code(dfa, options), "E107");
  Random random(7);
  EXPECT_EQ(code(random_dfa(random, 2000, false), ScanCheck::options(16)), "E127");
}

/// A million letters in one word.
TEST(ScanSlow, IsTheAutomatonOnAMillionLetters) {
  Random random(8);
  for (const lang::Dfa& dfa : {test::moving_point(kA5), random_dfa(random, 6, false)}) {
    const model::Transformer model = driver::compile(dfa, ScanCheck::options(kMillion)).model;
    const Word word = random_word(random, 2, false, 1'000'000);
    const std::vector<double> expected = ScanCheck::expected(dfa, word);
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
      const run::StructuredExecutor executor(model, {{format, false}});
      run::StructuredExecutor::Workspace workspace;
      std::vector<double> outputs;
      executor.outputs(run::Batch::of(word), workspace, outputs);
      EXPECT_EQ(outputs, expected);
      for (const auto& layer : workspace.methods)
        for (const run::HeadMethod& head : layer) EXPECT_NE(head.method, run::Method::dense) << head.reason;
    }
  }
}

}  // namespace
}  // namespace quench
