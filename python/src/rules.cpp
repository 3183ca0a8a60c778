#include <quench/decide.h>
#include <quench/rule.h>
#include <quench/translate.h>

#include "answers.h"
#include "bindings.h"
#include "names.h"
#include "value.h"

namespace quench::python {
namespace {

Rule parse(const std::string& text, const std::string& kind, const std::string& name) {
  nb::gil_scoped_release release;
  if (kind == "formula") return parse_formula(text);
  if (kind == "program") return parse_program(text);
  if (kind == "regex") return parse_regex(text);
  if (kind == "auto") return parse_rule(text, name);
  throw UserError("a rule is a formula, a program or a regex, or of the kind auto");
}

Answer evaluated(const Rule& rule, const std::string& word) {
  nb::gil_scoped_release release;
  return evaluate(rule, word);
}

Answer evaluated_symbols(const Rule& rule, const std::vector<std::string>& symbols) {
  nb::gil_scoped_release release;
  return evaluate_symbols(rule, symbols);
}

void bind_decisions(nb::module_& module) {
  Value<Architecture>(module, "Architecture", "Whether an architecture has a language.")
      .field("name", &Architecture::name, "Such as hard attention.")
      .field("possible", &Architecture::possible, "Whether there is such a transformer.")
      .field("kind", &Architecture::kind, "network, theorem; unconditional, unless TC0 = NC1")
      .field("reason", &Architecture::reason, "Whose theorem it is, or why there is no network of ours.")
      .field("certified", &Architecture::certified, "Of a network of ours: the certified length.")
      .field("formula", &Architecture::formula, "It was made from; proved to be the language.")
      .shown();
  Value<Decision>(module, "Decision", "Which transformers there are for a regular language.")
      .field("states", &Decision::states, "Of the minimal automaton.")
      .field("monoid", &Decision::monoid, "Elements of its transition monoid.")
      .field("language_class", &Decision::language_class, "Such as star-free.")
      .field("logic", &Decision::logic, "That defines the class.")
      .field("aperiodic", &Decision::aperiodic, "Whether it is star-free.")
      .field("quasi_aperiodic", &Decision::quasi_aperiodic, "Whether it is star-free with positions mod s.")
      .field("solvable", &Decision::solvable, "Whether all groups in it are solvable.")
      .field("modulus", &Decision::modulus, "Of positions, if it is quasi-aperiodic.")
      .field("architectures", &Decision::architectures, "One row each.")
      .shown();
  module.def(
      "decide",
      [](const Rule& rule, const std::string& format, bool networks) {
        nb::gil_scoped_release release;
        return decide(rule, {format_named(format), networks});
      },
      nb::arg("rule"), nb::arg("format"), nb::arg("networks"));
}

}  // namespace

void bind_rules(nb::module_& module) {
  nb::class_<Rule>(module, "Rule")
      .def("text", &Rule::text)
      .def("symbols", &Rule::symbols)
      .def("is_program", &Rule::is_program)
      .def("is_automaton", &Rule::is_automaton)
      .def("answers", [](const Rule& rule) { return std::string(name_of(rule.answers())); })
      .def("warnings", &Rule::warnings);
  module.def("parse", &parse, nb::arg("text"), nb::arg("kind"), nb::arg("name"));
  module.def("read_rule", &read_rule, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def read_rule(path: str) -> Rule"));
  module.def(
      "evaluate", [](const Rule& rule, const std::string& word) { return to_python(evaluated(rule, word)); },
      nb::arg("rule"), nb::arg("word"),
      nb::sig("def evaluate(rule: Rule, word: str) -> tuple[str, object, list[str]]"));
  module.def(
      "evaluate_symbols",
      [](const Rule& rule, const std::vector<std::string>& symbols) {
        return to_python(evaluated_symbols(rule, symbols));
      },
      nb::arg("rule"), nb::arg("symbols"),
      nb::sig("def evaluate_symbols(rule: Rule, symbols: list[str]) -> tuple[str, object, list[str]]"));
  module.def("translate", &translate, nb::arg("rule"), nb::arg("to"), nb::call_guard<nb::gil_scoped_release>());
  bind_decisions(module);
}

}  // namespace quench::python
