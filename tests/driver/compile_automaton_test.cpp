// Automata as networks: right at every position of all short words and of long random ones, the same bytes again from
// the source in the model, and a reason where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "automata/classify/decision.h"
#include "automata/every_word.h"
#include "automata/machine/minimise.h"
#include "automata/rule/read_rule.h"
#include "automata/samples/random_languages.h"
#include "base/error.h"
#include "certify/certify.h"
#include "driver/compile_automaton.h"
#include "lang/print/print_rule.h"
#include "model/file.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "support/automata.h"

namespace quench {
namespace {

using testing::HasSubstr;

/// Network and automaton at every position; symbols that the automaton does not list are among the words.
class Agreement {
 public:
  Agreement(const model::Transformer& model, const lang::Dfa& dfa)
      : model_(model), dfa_(dfa), executor_(model, {}, run::Engine::automatic, false) {}

  void on(const Word& word) {
    Word own;
    for (const Symbol s : word)
      own.push_back(s == kUnmentioned ? kUnmentioned
                                      : model_.alphabet.find(dfa_.alphabet.symbols()[static_cast<std::size_t>(s)]));
    const std::vector<std::int64_t> got = run::answers(model_, executor_, own, workspace_);
    lang::State state = dfa_.initial;
    for (std::size_t i = 0; i < word.size(); ++i) {
      state = dfa_.next(state, dfa_.letter(word[i]));
      ASSERT_EQ(got[i] != 0, dfa_.accepting(state)) << dfa_.alphabet.print(word) << " at " << i + 1 << "\n"
                                                    << model_.source;
    }
  }

  void everywhere(std::size_t longest, Random& random) {
    automata::for_every_word(dfa_.alphabet.size(), true, longest, [&](const Word& word) {
      if (!word.empty()) on(word);
    });
    for (int k = 0; k < 6; ++k) on(random_word(random, dfa_.alphabet.size(), k == 0, 1 + random.below(300)));
  }

 private:
  const model::Transformer& model_;
  const lang::Dfa& dfa_;
  run::Executor executor_;
  run::Executor::Workspace workspace_;
};

class CompiledAutomata : public testing::TestWithParam<test::AutomatonExample> {};

TEST_P(CompiledAutomata, AreRightAtEveryPosition) {
  const lang::Automaton& rule = GetParam().rule;
  Random random(7);
  for (const bool decoder : {false, true}) {
    lower::RecipeOptions options;
    options.decoder = decoder;
    std::optional<driver::Compilation> c;
    try {
      c = driver::compile(rule, options);
    } catch (const DiagnosticError& error) {
      ASSERT_TRUE(decoder) << error.what();  // counts modulo m take a temperature
      continue;
    }
    EXPECT_FALSE(c->strategy.empty());
    Agreement(c->model, rule.dfa).everywhere(rule.dfa.alphabet.size() > 3 ? 4 : 6, random);
  }
}

TEST_P(CompiledAutomata, AreTheSameBytesFromTheirSource) {
  for (const char* recipe : {"auto", "paper"}) {
    if (recipe == std::string("paper") && !GetParam().solvable()) continue;  // by scan alone
    lower::RecipeOptions options;
    options.recipe = recipe;
    const model::Transformer model = driver::compile(GetParam().rule, options).model;
    const lang::Rule again = driver::parse_rule(model.source);
    ASSERT_TRUE(std::holds_alternative<lang::Automaton>(again)) << model.source;
    EXPECT_EQ(std::get<lang::Automaton>(again).dfa, GetParam().rule.dfa);
    const driver::Compilation second = driver::compile(again, options);
    EXPECT_EQ(model::fingerprint(second.model), model::fingerprint(model)) << model.source;
    EXPECT_EQ(second.strategy.empty(), GetParam().solvable());  // the formula is in the source
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, CompiledAutomata, testing::ValuesIn(test::automaton_examples()),
                         [](const auto& example) { return example.param.file.name; });

/// The network of a random language, or that it has a group which is not solvable; whether there is one.
bool right_or_refused(const lang::Automaton& rule, Random& random) {
  driver::RegularOptions quick;
  quick.limits.shrinking = 200'000;
  try {
    const driver::Compilation c = driver::compile(rule, {}, quick);
    const std::size_t letters = rule.dfa.alphabet.size();
    Agreement(c.model, rule.dfa).everywhere(letters <= 1 ? 8 : letters == 2 ? 5 : 4, random);
    return true;
  } catch (const DiagnosticError& error) {
    EXPECT_FALSE(automata::decide(rule.dfa).solvable) << error.what();
    return false;
  }
}

TEST(CompileAutomaton, RandomAutomataAreRightAtEveryPosition) {
  Random random(11);
  int compiled = 0;
  for (int k = 0; k < 100; ++k) {
    lang::Automaton rule;
    rule.kind = lang::AutomatonText::dfa;
    const std::size_t letters = 1 + random.below(3), states = 2 + random.below(4);
    rule.dfa = automata::minimise(k % 3 == 0 ? automata::random_permutation_reset_dfa(random, states, letters, 0.4)
                                             : automata::random_dfa(random, states, letters, 0.2));
    compiled += right_or_refused(rule, random);
  }
  EXPECT_GE(compiled, 80);
}

TEST(CompileAutomaton, RandomExpressionsAreRightAtEveryPosition) {
  Random random(12);
  int compiled = 0;
  for (int k = 0; k < 60; ++k)
    compiled += right_or_refused(test::regex_rule(automata::random_regex(random, 6, 2)), random);
  EXPECT_EQ(compiled, 60);
}

TEST(CompileAutomaton, TakesTheFormulaThatIsCertifiedFurthest) {
  const lang::Automaton rule = test::regex_rule("('(' ('(' ('(' ')')* ')')* ')')*");
  for (const NumberFormat format : {NumberFormat::f32, NumberFormat::bf16}) {
    const automata::Translation all = driver::formulas_of(rule);
    ASSERT_GE(all.candidates.size(), 2u);
    const auto length = [&](const model::Transformer& model) {
      return driver::comparable(
          certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length);
    };
    const driver::Compilation best = driver::compile(rule, {}, {{}, format});
    for (const automata::Candidate& candidate : all.candidates) {
      const model::Transformer other = driver::compile(candidate.formula).model;
      EXPECT_GE(length(best.model), length(other));
      if (length(best.model) == length(other)) {
        EXPECT_LE(best.model.layers.size(), other.layers.size());
      }
    }
  }
}

TEST(CompileAutomaton, LengthsAreComparedByTheirLeadingBits) {
  EXPECT_EQ(driver::comparable(7'228'324), driver::comparable(7'228'325));
  EXPECT_LT(driver::comparable(4'194'304), driver::comparable(7'228'325));
  for (std::uint64_t length = 0; length < 64; ++length) EXPECT_EQ(driver::comparable(length), length);
  EXPECT_EQ(driver::comparable(UINT64_MAX), 0xfc00000000000000u);
}

TEST(CompileAutomaton, SettledRulesCompileToTheSameNetwork) {
  const lang::Rule rule = test::regex_rule("(..)*&.*ab.*");
  const lang::Rule settled = driver::settled(rule, {});
  ASSERT_TRUE(std::get<lang::Automaton>(settled).formula);
  EXPECT_EQ(model::fingerprint(driver::compile(settled).model), model::fingerprint(driver::compile(rule).model));
}

/// A count modulo m by `tight` ends at 1,364 in float32, so that recipes which are exact up to a length reach further; in
/// half formats they do so for all of temporal logic, and where counts are compared only the scan does.
TEST(CompileAutomaton, TakesTheRecipeThatIsCertifiedFurthest) {
  const auto chosen = [](const char* regex, NumberFormat format) {
    const lang::Rule rule = test::regex_rule(regex);
    const driver::Compilation c = driver::compile(rule, {}, {{}, format});
    const auto length = [&](const model::Transformer& model) {
      return driver::comparable(
          certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length);
    };
    const driver::RuleCompiler by(rule, {{}, format});
    for (const char* recipe : {"tight", "exact", "scan"}) {
      lower::RecipeOptions options;
      options.recipe = recipe;
      EXPECT_GE(length(c.model), length(by(options).model)) << recipe;
    }
    EXPECT_EQ(c.choice.empty(), c.model.recipe == "tight") << c.choice;
    return c.model.recipe;
  };
  EXPECT_EQ(chosen("(ab)*", NumberFormat::f32), "tight");
  EXPECT_EQ(chosen("(b*ab*a)*b*", NumberFormat::f32), "exact");
  EXPECT_EQ(chosen("(ab)*", NumberFormat::bf16), "exact");
  lower::RecipeOptions tight;
  tight.recipe = "tight";
  EXPECT_EQ(driver::compile(test::regex_rule("(b*ab*a)*b*"), tight).model.recipe, "tight");
}

/// Where there is no formula the automaton itself is compiled, and the compilation says why.
TEST(CompileAutomaton, IsCompiledByScanWhereThereIsNoFormula) {
  driver::RegularOptions few;
  few.limits.configurations = 1;
  const driver::Compilation limited = driver::compile(test::regex_rule("(ab)*"), {}, few);
  EXPECT_EQ(limited.model.recipe, "scan");
  EXPECT_THAT(limited.strategy, HasSubstr("since no strategy gives a formula"));
  for (const test::AutomatonExample& example : test::automaton_examples()) {
    const driver::Compilation compilation = driver::compile(example.rule);
    EXPECT_EQ(compilation.model.recipe == "scan", !example.solvable());
    const lang::Rule source = automata::read_description(compilation.model.source);
    lower::RecipeOptions again;
    again.recipe = compilation.model.recipe;
    EXPECT_EQ(model::fingerprint(driver::compile(source, again).model), model::fingerprint(compilation.model));
  }
}

std::string refusal(const lang::Automaton& rule, const lower::RecipeOptions& options = {},
                    const driver::RegularOptions& regular = {}) {
  try {
    driver::compile(rule, options, regular);
  } catch (const DiagnosticError& error) {
    std::string text = error.diagnostics.at(0).code + " " + error.what();
    for (const std::string& note : error.diagnostics.at(0).notes) text += "\n" + note;
    return text;
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CompileAutomaton, RefusalsNameTheReasonAndTheLimit) {
  lower::RecipeOptions options;
  options.recipe = "tight";
  for (const test::AutomatonExample& example : test::automaton_examples())
    if (!example.solvable()) {
      EXPECT_THAT(refusal(example.rule, options), HasSubstr("E110 no formula defines this language"));
      EXPECT_THAT(refusal(example.rule, options), HasSubstr("permutes 5 states, and these words generate it"));
    }
  driver::RegularOptions few;
  few.limits.monoid = 2;
  EXPECT_EQ(refusal(test::regex_rule("(ab)*"), options, few), "");  // a formula is a formula, whatever its class
  few.limits.configurations = 1;
  EXPECT_THAT(refusal(test::regex_rule("(ab)*"), options, few), HasSubstr("--limit monoid=N"));
  few.limits.monoid = automata::Limits{}.monoid;
  EXPECT_THAT(refusal(test::regex_rule("(ab)*"), options, few), HasSubstr("E110 no strategy gives a formula"));
  EXPECT_THAT(refusal(test::regex_rule("(ab)*"), options, few), HasSubstr("--limit configurations=N"));
  options.recipe = "13a";
  EXPECT_THAT(refusal(test::regex_rule(".*a.*"), options), HasSubstr("E101"));
  options.recipe = "no such";
  EXPECT_THAT(refusal(test::regex_rule(".*a.*"), options), HasSubstr("E105"));
}

}  // namespace
}  // namespace quench
