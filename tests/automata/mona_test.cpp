// A second opinion on regular expressions, automata and the shortest words on which they differ, from a program that
// shares nothing with ours. An expression is written out as monadic second-order logic by its definition: a part
// matches between two positions, a star where a set of cuts leads from one to the other. An automaton is: there are
// sets of positions, one for each state, that are a run.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <optional>

#include "automata/machine/boolean.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"
#include "support/shell.h"

namespace quench::automata {
namespace {

/// A random expression over a and b, as our text and as predicates of MONA's; both come from one walk, no parser
/// between. The word is the positions before e; those of b's are the set B.
class TwoTexts {
 public:
  explicit TwoTexts(Random& random) : random_(random) {}

  struct Part {
    std::string ours;
    int predicate;  ///< p…(x, y): the part matches from x up to y
  };
  Part make(int size) {
    if (size <= 1) return leaf();
    const auto kind = random_.below(9);
    if (kind >= 5) return unary(static_cast<int>(kind) - 5, make(size - 1));
    const int left = 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(size - 1)));
    const Part first = make(left), second = make(size - left);
    const std::string p = call(first, "x", "y"), q = call(second, "x", "y");
    if (kind == 0) return define(first.ours + "|" + second.ours, p + " | " + q);
    if (kind == 1) return define(first.ours + "&" + second.ours, p + " & " + q);
    return define(first.ours + second.ours,
                  "ex1 z: x <= z & z <= y & " + call(first, "x", "z") + " & " + call(second, "z", "y"));
  }
  const std::string& predicates() const { return predicates_; }
  static std::string call(const Part& part, const std::string& x, const std::string& y) {
    return "p" + std::to_string(part.predicate) + "(" + x + "," + y + ")";
  }

 private:
  Part leaf() {
    switch (random_.below(8)) {
      case 0:
        return define("()", "x = y");
      case 1:
        return define(".", "y = x + 1");
      case 2:
        return define("[^a]", "y = x + 1 & x in B");
      default:
        return random_.chance(0.5) ? define("a", "y = x + 1 & x notin B") : define("b", "y = x + 1 & x in B");
    }
  }
  Part unary(int kind, const Part& part) {
    if (kind == 0) return define("~" + part.ours, "~" + call(part, "x", "y"));
    if (kind == 1) return define(part.ours + "?", "x = y | " + call(part, "x", "y"));
    if (kind == 2)  // twice
      return define(part.ours + "{2}",
                    "ex1 z: x <= z & z <= y & " + call(part, "x", "z") + " & " + call(part, "z", "y"));
    return define(part.ours + "*",
                  "ex2 C: x in C & y in C & (all1 u: (u in C & x <= u & u < y) => (ex1 v: u < v & v <= y & v in C & "
                  "(all1 w: (u < w & w < v) => w notin C) & " +
                      call(part, "u", "v") + "))");
  }
  Part define(const std::string& ours, const std::string& body) {
    predicates_ += "pred p" + std::to_string(next_) + "(var1 x, var1 y) = " + body + ";\n";
    return {"(" + ours + ")", next_++};
  }

  Random& random_;
  std::string predicates_;
  int next_ = 0;
};

std::string state_set(lang::State s) { return "Q" + std::to_string(s); }

/// Whether the automaton accepts the word before e. States that nothing leads to a word from are in no run.
std::string run_of(const lang::Dfa& dfa) {
  std::string sets, one, steps, accepted = "(false";
  for (lang::State s = 0; s < dfa.size(); ++s) {
    sets += (s > 0 ? ", " : "") + state_set(s);
    one += " & (" + state_set(s) + " sub {0,...,e})";
    for (lang::State t = 0; t < s; ++t) one += " & (" + state_set(s) + " inter " + state_set(t) + " = empty)";
    for (const lang::Letter a : {0u, 1u})
      if (const lang::State to = dfa.next(s, a); to != lang::kNoState)
        steps +=
            " | (p in " + state_set(s) + " & p " + (a == 1 ? "in" : "notin") + " B & p + 1 in " + state_set(to) + ")";
    if (dfa.accepting(s)) accepted += " | e in " + state_set(s);
  }
  return "(ex2 " + sets + ": 0 in " + state_set(dfa.initial) + one + " & (all1 p: p < e => (false" + steps + ")) & " +
         accepted + "))";
}

class MonaRegexTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::shell("command -v mona", folder_.path()).exit_code != 0) GTEST_SKIP() << "mona is not installed";
  }

  struct Answer {
    bool valid = false;
    std::optional<std::size_t> shortest;  ///< the length of a shortest word on which the formula is false
  };
  Answer mona(const std::string& predicates, const std::string& formula) {
    std::ofstream(folder_.path() / "r.mona") << "ws1s;\nvar1 e;\nvar2 B;\n" << predicates << formula << ";\n";
    const test::Finished finished = test::shell("timeout 20 mona -q r.mona", folder_.path());
    Answer answer;
    answer.valid = finished.out.find("Formula is valid") != std::string::npos;
    const std::size_t at = finished.out.find("counter-example"), e = finished.out.find("e = ", at);
    if (at != std::string::npos && e != std::string::npos) answer.shortest = std::stoul(finished.out.substr(e + 4));
    if (finished.out.find("unsatisfiable") != std::string::npos) answer.shortest = 0;  // false of every word
    return answer;
  }

  /// Our automaton of an expression is what MONA says the expression is; an automaton with one thing changed differs
  /// from it on shortest words of the same length.
  void agree(int count, std::uint64_t seed) {
    Random random(seed);
    int equal = 0, differ = 0, left_out = 0;
    for (int k = 0; k < count && !HasFailure(); ++k) {
      TwoTexts texts(random);
      const TwoTexts::Part root = texts.make(2 + static_cast<int>(random.below(7)));
      SCOPED_TRACE(root.ours);
      lang::Dfa dfa = dfa_over("ab", root.ours);
      if (dfa.size() > 8) {
        ++left_out;  // as many sets of positions are too many for MONA
        continue;
      }
      const std::string expression = TwoTexts::call(root, "0", "e");
      const Answer same = mona(texts.predicates(), expression + " <=> " + run_of(dfa));
      EXPECT_TRUE(same.valid);
      equal += same.valid;
      const auto changed = static_cast<lang::State>(random.below(dfa.size()));
      lang::Dfa other = dfa;
      other.accept(changed, !dfa.accepting(changed));
      const auto difference = automata::difference(dfa, minimise(other));
      ASSERT_TRUE(difference);
      const Answer different = mona(texts.predicates(), expression + " <=> " + run_of(other));
      EXPECT_FALSE(different.valid);
      ASSERT_TRUE(different.shortest);
      EXPECT_EQ(*different.shortest, difference->word.size());
      ++differ;
    }
    std::printf("MONA: %d automata are their expressions, %d differ from them on words of our length; %d left out\n",
                equal, differ, left_out);
    EXPECT_GE(equal, count * 3 / 4);
  }

  const test::TemporaryDirectory folder_;
};

TEST_F(MonaRegexTest, AgreesOnRandomExpressions) { agree(60, 41); }
TEST_F(MonaRegexTest, SlowAgreesOnThousandExpressions) { agree(1000, 42); }

}  // namespace
}  // namespace quench::automata
