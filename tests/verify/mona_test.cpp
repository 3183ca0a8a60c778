// A second opinion from a program that shares nothing with ours: MONA decides monadic second-order logic on strings. A
// random formula without counts is written out by the definitions of its operators, quantifiers over positions and all;
// MONA's automaton for it must be ours, and the oracle and the compiled network must answer as it does on all short
// words.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "automata/formula/formula_automaton.h"
#include "automata/machine/boolean.h"
#include "automata/machine/minimise.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "run/executor.h"
#include "support/all_words.h"
#include "support/shell.h"

namespace quench {
namespace {

using lang::Operator;

/// The text of a formula at a position, which is a variable of MONA's. The symbols are the sets S0, S1, …
class MonaText {
 public:
  explicit MonaText(const lang::Formula& formula) : formula_(formula) {}

  std::string whole() {
    std::string text = "m2l-str;\nvar2 ";
    for (std::size_t s = 0; s < symbols(); ++s) text += (s > 0 ? ", S" : "S") + std::to_string(s);
    text += ";\nex1 e: e = max($) & " + at("e", formula_.root);
    for (std::size_t s = 0; s < symbols(); ++s)
      for (std::size_t t = 0; t < s; ++t)
        text += " & S" + std::to_string(t) + " inter S" + std::to_string(s) + " = empty";
    return text + ";\n";
  }
  /// MONA wants a variable at least.
  std::size_t symbols() const { return std::max<std::size_t>(formula_.alphabet.size(), 1); }

 private:
  std::string fresh() { return "x" + std::to_string(next_++); }

  std::string at(const std::string& i, lang::FormulaId id) {
    const lang::Node& node = formula_[id];
    if (const auto* constant = std::get_if<lang::Constant>(&node)) return constant->value ? "true" : "false";
    if (const auto* atom = std::get_if<lang::SymbolAtom>(&node))
      return "(" + i + " in S" + std::to_string(atom->symbol) + ")";
    if (const auto* unary = std::get_if<lang::Unary>(&node)) return "(" + of(i, *unary) + ")";
    return "(" + of(i, std::get<lang::Binary>(node)) + ")";
  }
  /// Some (every) j in the range has p.
  std::string some(const std::string& range, const std::string& j, const std::string& p) {
    return "ex1 " + j + ": " + range + " & " + p;
  }
  std::string every(const std::string& range, const std::string& j, const std::string& p) {
    return "all1 " + j + ": (" + range + ") => " + p;
  }

  std::string of(const std::string& i, const lang::Unary& node) {
    const std::string j = fresh();
    const auto p = [&](const std::string& x) { return at(x, node.arg); };
    switch (node.op) {
      case Operator::not_:
        return "~" + p(i);
      case Operator::previous:
        return some(i + " = " + j + " + 1 & " + j + " < " + i, j, p(j));
      case Operator::next:
        return some(j + " = " + i + " + 1 & " + i + " < " + j, j, p(j));
      case Operator::weak_previous:
        return every(i + " = " + j + " + 1 & " + j + " < " + i, j, p(j));
      case Operator::weak_next:
        return every(j + " = " + i + " + 1 & " + i + " < " + j, j, p(j));
      case Operator::once:
        return some(j + " <= " + i, j, p(j));
      case Operator::historically:
        return every(j + " <= " + i, j, p(j));
      case Operator::eventually:
        return some(j + " >= " + i, j, p(j));
      case Operator::always:
        return every(j + " >= " + i, j, p(j));
        QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
        break;
    }
    throw std::logic_error("not unary");
  }

  /// q at some j to the left (right) of i, and p at the positions between: `low` … `high` are relations to j and i.
  std::string reaching(const std::string& i, const lang::Binary& node, bool left, bool with_j) {
    const std::string j = fresh(), k = fresh(), strict = with_j ? " <= " : " < ";
    const std::string between =
        left ? j + strict + k + " & " + k + " <= " + i : i + " <= " + k + " & " + k + strict + j;
    return some(left ? j + " <= " + i : i + " <= " + j, j,
                at(j, node.right) + " & (" + every(between, k, at(k, node.left)) + ")");
  }

  std::string of(const std::string& i, const lang::Binary& node) {
    const std::string p = at(i, node.left), q = at(i, node.right);
    switch (node.op) {
      case Operator::and_:
        return p + " & " + q;
      case Operator::or_:
        return p + " | " + q;
      case Operator::implies:
        return p + " => " + q;
      case Operator::iff:
        return p + " <=> " + q;
      case Operator::xor_:
        return "~(" + p + " <=> " + q + ")";
      case Operator::since:
        return reaching(i, node, true, true);
      case Operator::until:
        return reaching(i, node, false, true);
      case Operator::standard_since:
        return reaching(i, node, true, false);
      case Operator::standard_until:
        return reaching(i, node, false, false);
      case Operator::weak_until: {
        const std::string j = fresh();
        return "(" + reaching(i, node, false, false) + ") | (" + every(j + " >= " + i, j, at(j, node.left)) + ")";
      }
      case Operator::release: {  // every j ≥ i has q, or some k before it, from i on, has p
        const std::string j = fresh(), k = fresh();
        return every(j + " >= " + i, j,
                     "(" + at(j, node.right) + " | (" +
                         some(i + " <= " + k + " & " + k + " < " + j, k, at(k, node.left)) + "))");
      }
        QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
        break;
    }
    throw std::logic_error("not binary");
  }

  const lang::Formula& formula_;
  int next_ = 0;
};

/// What `mona -w` prints. Its first step reads nothing of the word; a letter is the vector with one 1, or none.
lang::Dfa read_automaton(const std::string& output, const Alphabet& alphabet, std::size_t symbols) {
  lang::Dfa dfa(alphabet);
  std::istringstream lines(output);
  std::vector<std::uint32_t> accepting;
  std::uint32_t start = 0;
  std::size_t states = 0;
  const auto state = [&](std::uint32_t s) {
    for (; states <= s; ++states) dfa.add_state(false);
    return s;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Accepting states:")) {
      std::istringstream numbers(line.substr(17));
      for (std::uint32_t s; numbers >> s;) accepting.push_back(s);
    }
    std::uint32_t from = 0, to = 0;
    char bits[64];
    if (std::sscanf(line.c_str(), "State %u: %63s -> state %u", &from, bits, &to) != 3) continue;
    if (from == 0) start = to;
    state(std::max(from, to));
    for (lang::Letter letter = 0; letter <= alphabet.size(); ++letter) {
      bool fits = true;
      for (std::size_t s = 0; s < symbols; ++s)
        fits = fits && bits[s] != (s == letter && letter < alphabet.size() ? '0' : '1');
      if (fits) dfa.connect(from, letter, to);
    }
  }
  for (const std::uint32_t s : accepting) dfa.accept(state(s), true);
  dfa.initial = start;
  return dfa;
}

class MonaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::shell("command -v mona", folder_.path()).exit_code != 0) GTEST_SKIP() << "mona is not installed";
  }

  void agree(int count, std::uint64_t seed) {
    Random random(seed);
    lang::RandomFormulaOptions options;
    options.fragment.previous = options.fragment.next = options.fragment.since = options.fragment.until = true;
    int suffices = 0;
    std::uint64_t words = 0;
    for (int k = 0; k < count && !HasFailure(); ++k) {
      options.operators = 1 + static_cast<int>(random.below(8));
      options.symbols = 1 + static_cast<int>(random.below(2));
      const lang::Formula formula = lang::random_formula(random, options);
      SCOPED_TRACE(lang::print(formula));
      MonaText text(formula);
      std::ofstream(folder_.path() / "f.mona") << text.whole();
      const test::Finished mona = test::shell("mona -w -q f.mona", folder_.path());
      ASSERT_EQ(mona.exit_code, 0) << mona.out << mona.err;
      const lang::Dfa theirs = automata::minimise(read_automaton(mona.out, formula.alphabet, text.symbols()));
      const lang::Dfa ours = automata::automaton_of(formula);
      const auto difference = automata::difference(ours, theirs);
      ASSERT_TRUE(!difference || difference->word.empty()) << formula.alphabet.print(difference->word);
      const std::size_t enough = ours.size() + theirs.size() + 1, length = std::min<std::size_t>(enough, 6);
      suffices += length == enough;
      words += compare(formula, theirs, length);
    }
    std::printf(
        "%d formulas: MONA's automata are ours; oracle and networks agree on %llu words, for %d formulas enough to "
        "tell any "
        "two automata of that size apart\n",
        count, static_cast<unsigned long long>(words), suffices);
  }

 private:
  static std::uint64_t compare(const lang::Formula& formula, const lang::Dfa& mona, std::size_t length) {
    const model::Transformer model = driver::compile(formula).model;
    const run::Executor executor(model, {}, run::Engine::structured, false);
    run::Executor::Workspace workspace;
    std::vector<double> outputs;
    std::uint64_t words = 0;
    test::for_all_words(formula.alphabet.size(), true, length, [&](const Word& word) {
      ++words;
      const bool theirs = mona.accepts(word);
      EXPECT_EQ(oracle::evaluate(formula, word).back() != 0, theirs) << formula.alphabet.print(word);
      Word own;
      for (const Symbol s : word)
        own.push_back(s == kUnmentioned ? s
                                        : model.alphabet.find(formula.alphabet.symbols()[static_cast<std::size_t>(s)]));
      executor.outputs(own, workspace, outputs);
      EXPECT_EQ(run::booleans(outputs).back() != 0, theirs) << formula.alphabet.print(word);
    });
    return words;
  }

  const test::TemporaryDirectory folder_;
};

TEST_F(MonaTest, AgreesOnRandomFormulas) { agree(100, 31); }
TEST_F(MonaTest, SlowAgreesOnTwoThousandFormulas) { agree(2000, 2026); }

}  // namespace
}  // namespace quench
