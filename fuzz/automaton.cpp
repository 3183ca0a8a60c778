// A byte for the kind, then text → regular expression or automaton, or a refusal; printed in our own format, it is the
// same automaton again.
#include "automata/formats/formats.h"
#include "automata/machine/minimise.h"
#include "automata/rule/read_rule.h"
#include "base/error.h"
#include "base/text/diagnostic.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  if (size == 0) return 0;
  automata::Limits limits;
  limits.states = 200;
  const auto kind = all_of<lang::AutomatonText>()[data[0] % 4];
  try {
    const lang::Automaton automaton = automata::read_rule(fuzz::text_of(data + 1, size - 1), kind, limits);
    const std::string printed = automata::print_automaton(automaton.dfa);
    const lang::Automaton again = automata::read_rule(printed, lang::AutomatonText::dfa, limits);
    fuzz::expect(again.dfa == automaton.dfa, "printed as\n" + printed + "\nit is another automaton");
  } catch (const DiagnosticError&) {
  } catch (const UserError&) {
  }
  return 0;
}
