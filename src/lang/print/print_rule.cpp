#include "lang/print/print_rule.h"

#include <algorithm>

#include "lang/print/print.h"
#include "lang/print/print_program.h"

namespace quench::lang {

std::string print(const Automaton& automaton) {
  std::string text = std::string(kDescription) + std::string(name_of(automaton.kind)) + "\n";
  const std::size_t end = automaton.text.find_last_not_of('\n') + 1;
  for (std::size_t begin = 0; begin < end;) {
    const std::size_t line = std::min(automaton.text.find('\n', begin), end);
    text += std::string(kDescription) + automaton.text.substr(begin, line - begin) + "\n";
    begin = line + 1;
  }
  if (automaton.formula) text += print(*automaton.formula);
  return text;
}

std::string print(const Rule& rule) {
  return std::visit([](const auto& one) { return print(one); }, rule);
}

}  // namespace quench::lang
