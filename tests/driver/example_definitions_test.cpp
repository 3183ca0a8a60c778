// The example formulas that are regular are what their definitions say, on all words, by proof. Definitions are regular
// expressions or automata written without regard to the formulas.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "automata/formats/formats.h"
#include "automata/regex_text.h"
#include "automata/samples/known.h"
#include "base/error.h"
#include "driver/compile.h"
#include "driver/exact_difference.h"
#include "driver/language_of.h"
#include "support/automata.h"

namespace quench {
namespace {

/// Words have the listed symbols only.
lang::Rule closed(const lang::Dfa& dfa) { return test::dfa_rule(automata::print_automaton(dfa)); }
lang::Rule over(const char* letters, const char* regex) { return closed(automata::dfa_over(letters, regex)); }
lang::Rule regex(const char* text) { return test::regex_rule(text); }

/// A walk round a cycle, which symbols push forward or back and all others leave alone; accepted where it began.
lang::Rule walk(std::uint32_t places, const char* forward, const char* back) {
  lang::Dfa dfa(Alphabet({forward, back}));
  for (std::uint32_t p = 0; p < places; ++p) dfa.add_state(p == 0);
  for (std::uint32_t p = 0; p < places; ++p) {
    dfa.connect(p, 0, (p + 1) % places);
    dfa.connect(p, 1, (p + places - 1) % places);
    dfa.connect(p, dfa.other(), p);
  }
  return closed(dfa);
}

std::map<std::string, lang::Rule> definitions() {
  const lang::Rule even_pairs = over("01", "0|1|0.*0|1.*1"), somewhere = regex(".*110.*");
  return {
      {"a_to_e", regex("aa*bb*cc*dd*ee*")},
      {"aa_star", regex("(aa)*")},
      {"ab_d_bc", regex("[ab]*d[bc]*")},
      {"ab_star", regex("(ab)*")},
      {"abab_star", regex("(abab)*")},
      {"c_ab_abd", regex("c(a|b)*abd(a|b|d)*")},
      {"contains_ab", regex(".*ab.*")},
      {"cycle_navigation", walk(5, "+", "-")},
      {"d_2", regex("(a(ab)*b)*")},
      {"dyck_1_depth_2", regex("('(' ('(' ')')* ')')*")},
      {"dyck_2_depth_2", regex("('(' ('(' ')' | '[' ']')* ')' | '[' ('(' ')' | '[' ']')* ']')*")},
      {"even_pairs", even_pairs},
      {"even_pairs_counting", even_pairs},
      {"first", regex("1.*")},
      {"flip_flop", closed(automata::flip_flop())},
      {"gram_110_anywhere", somewhere},
      {"gram_110_end", regex(".*110")},
      {"gram_110_here", regex("~(.*)")},
      {"gram_110_past", somewhere},
      {"last", regex(".*1")},
      {"modular_counting", regex("([^1]*1[^1]*1[^1]*1)*[^1]*")},
      {"parity_odd", regex("[^1]*1([^1]*1[^1]*1)*[^1]*")},
      {"request_grant", regex("~(.* 'request' ~(.* 'grant' .*))")},
      {"tomita_1", regex("1*")},
      {"tomita_2", regex("(10)*")},
      {"tomita_3", over("01", "~((.*0)?(11)*1(0.*1)?(00)*0(1.*)?)")},
      {"tomita_4", regex("~(.*000.*)")},
      {"tomita_5", over("01", "(00|11|(01|10)(00|11)*(01|10))*")},
      {"tomita_6", walk(3, "0", "1")},
      {"tomita_7", over("01", "0*1*0*1*")},
      {"zero_then_twos", regex("[012]*02*")},
  };
}

TEST(ExampleDefinitions, AreWhatTheFormulasSay) {
  const std::map<std::string, lang::Rule> all = definitions();
  std::size_t met = 0;
  for (const test::ExampleFile& example : test::formula_examples()) {
    const auto found = all.find(example.name);
    if (found == all.end()) continue;
    ++met;
    const auto difference = driver::exact_difference(driver::parse_rule(example.text), found->second);
    EXPECT_FALSE(difference) << example.name << ": " << difference->symbols.print(difference->word);
  }
  EXPECT_EQ(met, all.size());
}

/// What is left out is not regular as it is written, or looks up what stands elsewhere, which is no language.
TEST(ExampleDefinitions, LeaveOutNothingRegular) {
  const std::map<std::string, lang::Rule> all = definitions();
  const std::set<std::string> lookups = {"induction_head", "k_hop_2"};
  for (const test::ExampleFile& example : test::formula_examples()) {
    if (all.contains(example.name) || lookups.contains(example.name)) continue;
    const lang::Rule rule = driver::parse_rule(example.text);
    bool regular = true;
    try {
      driver::language_of(rule);
    } catch (const UserError&) {
      regular = false;
    } catch (const DiagnosticError&) {
      regular = false;
    }
    EXPECT_FALSE(regular) << example.name;
  }
}

}  // namespace
}  // namespace quench
