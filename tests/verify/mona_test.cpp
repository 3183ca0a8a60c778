// A second opinion from a program that shares nothing with ours: MONA decides monadic second-order logic on strings. A
// random formula without counts is written out by the definitions of its operators, quantifiers over positions and all.
// MONA makes the automaton of the words in which one position is marked and the formula holds there: it says what the
// formula is worth at every position of every word. Ours, of the last position, must be the same; the oracle and the
// compiled network must answer as MONA's does, at every position of
//
//   - all words up to a length: 2k − 2 if these are not too many, which tells any two automata with k states apart, k
//     being the number of states of MONA's; otherwise the greatest with no more words than are allowed;
//   - beyond that the words of test_suite.h, marks left out.
//
// A network is no automaton, and no finite number of words makes sure of it; what is made sure of is that, if the network
// differs from the formula, the marked words it answers 1 to are no language with k states or fewer.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "automata/formula/formula_automaton.h"
#include "automata/machine/boolean.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "run/executor.h"
#include "support/all_words.h"
#include "support/shell.h"
#include "verify/mona_automaton.h"
#include "verify/mona_text.h"
#include "verify/test_suite.h"

namespace quench {
namespace {

class MonaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::shell("command -v mona", folder_.path()).exit_code != 0) GTEST_SKIP() << "mona is not installed";
  }

  void agree(int count, std::size_t most_words, std::uint64_t seed) {
    most_words_ = most_words;
    Random random(seed);
    lang::RandomFormulaOptions options;
    options.fragment.previous = options.fragment.next = options.fragment.since = options.fragment.until = true;
    for (int k = 0; k < count && !HasFailure(); ++k) {
      options.operators = 1 + static_cast<int>(random.below(8));
      options.symbols = 1 + static_cast<int>(random.below(2));
      const lang::Formula formula = lang::random_formula(random, options);
      SCOPED_TRACE(lang::print(formula));
      test::MonaText text(formula);
      std::ofstream(folder_.path() / "f.mona") << text.whole();
      const test::Finished mona = test::shell("mona -w -q f.mona", folder_.path());
      ASSERT_EQ(mona.exit_code, 0) << mona.out << mona.err;
      const test::Marked theirs = test::read_automaton(mona.out, formula.alphabet, text.symbols());
      const auto difference =
          automata::difference(automata::automaton_of(formula), theirs.at_the_end(formula.alphabet));
      ASSERT_TRUE(!difference || difference->word.empty()) << formula.alphabet.print(difference->word);
      compare(formula, theirs);
    }
    std::printf(
        "%d formulas: MONA's automata are ours; oracle and networks agree at all positions of %zu words, for %d "
        "formulas all words that tell automata of that size apart, for the others test suites (%zu of their "
        "words are longer than the words that were all tried); up to %zu states, words of up to %zu symbols\n",
        count, words_, by_all_words_, suite_words_, most_states_, longest_);
    EXPECT_GT(by_all_words_, count / 2);
  }

 private:
  void compare(const lang::Formula& formula, const test::Marked& theirs) {
    const model::Transformer model = driver::compile(formula).model;
    const run::Executor executor(model, {}, run::Engine::structured, false);
    const test::TestSuite suite(theirs.dfa, 2 * theirs.letters);
    const std::size_t enough = std::max<std::size_t>(2 * suite.states(), 3) - 2;
    std::size_t length = 0;
    for (std::size_t all = 0, power = theirs.letters; length < enough && all + power <= most_words_; ++length) {
      all += power;
      power *= theirs.letters;
    }
    test::for_all_words(formula.alphabet.size(), true, length,
                        [&](const Word& word) { compare(formula, theirs, model, executor, word); });
    most_states_ = std::max(most_states_, suite.states());
    if (length == enough) {
      ++by_all_words_;
      return;
    }
    std::set<Word> longer;
    for (const test::TestSuite::Letters& letters : suite.words()) {
      Word word;
      for (const lang::Letter letter : letters) {
        const lang::Letter plain = letter % theirs.letters;
        word.push_back(plain + 1 == theirs.letters ? kUnmentioned : static_cast<Symbol>(plain));
      }
      if (word.size() > length) longer.insert(std::move(word));
    }
    for (const Word& word : longer) compare(formula, theirs, model, executor, word);
    suite_words_ += longer.size();
  }

  void compare(const lang::Formula& formula, const test::Marked& theirs, const model::Transformer& model,
               const run::Executor& executor, const Word& word) {
    ++words_;
    longest_ = std::max(longest_, word.size());
    const std::vector<bool> truth = theirs.truth(word);
    const auto values = oracle::evaluate(formula, word);
    Word own;
    for (const Symbol s : word)
      own.push_back(s == kUnmentioned ? s
                                      : model.alphabet.find(formula.alphabet.symbols()[static_cast<std::size_t>(s)]));
    executor.outputs(own, workspace_, outputs_);
    const auto answers = run::booleans(outputs_);
    for (std::size_t i = 0; i < word.size(); ++i) {
      EXPECT_EQ(values[i] != 0, truth[i]) << formula.alphabet.print(word) << " at " << i + 1;
      EXPECT_EQ(answers[i] != 0, truth[i]) << formula.alphabet.print(word) << " at " << i + 1;
    }
  }

  const test::TemporaryDirectory folder_;
  std::size_t most_words_ = 0, words_ = 0, suite_words_ = 0, most_states_ = 0, longest_ = 0;
  int by_all_words_ = 0;
  run::Executor::Workspace workspace_;
  std::vector<double> outputs_;
};

TEST_F(MonaTest, AgreesOnRandomFormulas) { agree(100, 1'200, 31); }
TEST_F(MonaTest, SlowAgreesOnTwoThousandFormulas) { agree(2000, 30'000, 2026); }

}  // namespace
}  // namespace quench
