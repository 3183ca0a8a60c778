#include "automata/formats/dot.h"

#include <fmt/format.h>

#include <map>

#include "base/text/utf8.h"

namespace quench::automata {
namespace {

/// Inside double quotes of Graphviz.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string print_dot(const lang::Dfa& dfa) {
  std::string text = "digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n";
  for (lang::State s = 0; s < dfa.size(); ++s)
    if (dfa.accepting(s)) text += fmt::format("  {} [shape=doublecircle];\n", s);
  text += fmt::format("  start -> {};\n", dfa.initial);
  for (lang::State s = 0; s < dfa.size(); ++s) {
    std::map<lang::State, std::string> labels;
    for (lang::Letter a = 0; a < dfa.letters(); ++a) {
      const lang::State to = dfa.next(s, a);
      if (to == lang::kNoState) continue;
      std::string& label = labels[to];
      if (!label.empty()) label += ", ";
      label += a == dfa.other() ? "other" : escaped(dfa.alphabet.symbols()[a]);
    }
    for (const auto& [to, label] : labels) text += fmt::format("  {} -> {} [label=\"{}\"];\n", s, to, label);
  }
  return text + "}\n";
}

}  // namespace quench::automata
