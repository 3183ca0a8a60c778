#include "campaign/random_rule.h"

#include "automata/formats/formats.h"
#include "automata/rule/read_rule.h"
#include "driver/compile.h"
#include "lang/random_formula.h"
#include "lang/random_program.h"
#include "lower/recipe_fragment.h"

namespace quench::campaign {
namespace {

std::string letter(std::uint64_t number) { return {static_cast<char>('a' + number)}; }

lang::Fragment everything() {
  lang::Fragment fragment;
  fragment.previous = fragment.next = fragment.since = fragment.until = true;
  fragment.count_left = fragment.count_right = fragment.count_all = true;
  fragment.position_predicate = fragment.count_predicate = true;
  return fragment;
}

}  // namespace

std::string random_regex(Random& random, std::uint64_t operators, std::uint64_t symbols) {
  if (operators == 0) return random.chance(0.1) ? "." : letter(random.below(symbols));
  const std::uint64_t left = random.below(operators);
  switch (random.below(6)) {
    case 0:
      return "(" + random_regex(random, operators - 1, symbols) + ")*";
    case 1:
      return "(" + random_regex(random, operators - 1, symbols) + ")+";
    case 2:
      return "(" + random_regex(random, operators - 1, symbols) + ")?";
    case 3:
      return "(" + random_regex(random, left, symbols) + "|" + random_regex(random, operators - 1 - left, symbols) +
             ")";
    default:
      return random_regex(random, left, symbols) + random_regex(random, operators - 1 - left, symbols);
  }
}

lang::Dfa random_dfa(Random& random, std::uint64_t states, std::uint64_t symbols) {
  Alphabet alphabet;
  for (std::uint64_t s = 0; s < symbols; ++s) alphabet.intern(letter(s));
  lang::Dfa dfa(std::move(alphabet));
  for (std::uint64_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.5));
  for (lang::State s = 0; s < states; ++s)
    for (lang::Letter l = 0; l < symbols; ++l) dfa.connect(s, l, static_cast<lang::State>(random.below(states)));
  return dfa;
}

lang::Rule random_rule(Random& random, const RandomRules& rules, const lower::Recipe* recipe) {
  const auto size = static_cast<std::uint64_t>(
      random.between(static_cast<std::int64_t>(rules.least_size), static_cast<std::int64_t>(rules.most_size)));
  switch (rules.kind) {
    case RuleKind::formulas: {
      lang::RandomFormulaOptions options;
      options.fragment = recipe ? lower::fragment_for(*recipe) : everything();
      options.operators = static_cast<int>(size);
      options.symbols = static_cast<int>(rules.symbols);
      return lang::random_formula(random, options);
    }
    case RuleKind::brasp:
      return driver::parse_program(lang::RandomProgram(random, lang::RandomProgram::Class::brasp).text());
    case RuleKind::srasp:
      for (;;)  // many of them have no number in them
        if (lang::Program drawn =
                driver::parse_program(lang::RandomProgram(random, lang::RandomProgram::Class::srasp).text());
            !drawn.is_brasp())
          return drawn;
    case RuleKind::automata:
      return automata::read_rule(automata::print_automaton(random_dfa(random, size, rules.symbols)),
                                 lang::AutomatonText::dfa);
    case RuleKind::regexes:
      return automata::read_rule(random_regex(random, size, rules.symbols), lang::AutomatonText::regex);
  }
  throw InternalError("a kind of rule without rules");
}

}  // namespace quench::campaign
