// The rules in examples/automata, and automata that tests read.
#pragma once

#include "automata/rule/read_rule.h"
#include "support/examples.h"

namespace quench::test {

struct AutomatonExample {
  ExampleFile file;
  lang::Automaton rule;
  bool solvable() const { return file.name != "alternating_group_5"; }
};

/// So that a failing test names the example instead of dumping its bytes.
inline std::ostream& operator<<(std::ostream& out, const AutomatonExample& example) { return out << example.file.name; }

/// All of them, by name.
inline const std::vector<AutomatonExample>& automaton_examples() {
  static const std::vector<AutomatonExample> examples = [] {
    std::vector<AutomatonExample> found;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("examples/automata")))
      if (const auto kind = automata::kind_of_file(entry.path().string())) {
        ExampleFile file = read_example(entry.path());
        lang::Automaton rule = automata::read_rule(file.text, *kind);
        found.push_back({std::move(file), std::move(rule)});
      }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.file.name < b.file.name; });
    return found;
  }();
  return examples;
}

inline lang::Automaton regex_rule(std::string_view text) {
  return automata::read_rule(text, lang::AutomatonText::regex);
}
inline lang::Automaton dfa_rule(std::string_view text) { return automata::read_rule(text, lang::AutomatonText::dfa); }

}  // namespace quench::test
