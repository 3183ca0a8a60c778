#include "lang/print/print.h"

#include <fmt/format.h>

#include "lang/print/predicate_text.h"
#include "lang/print/writer.h"
#include "lang/sharing.h"

namespace quench::lang {

std::string print(const Formula& formula) {
  std::string text;
  const auto statement = [&](const std::string& line) {
    // A line that begins with a minus would continue the one before.
    if (!text.empty()) text += line.front() == '-' ? ";\n" : "\n";
    text += line;
  };
  for (const PredicateId id : used_predicates(formula))
    if (is_user_defined(formula[id])) statement(definition(formula[id]));

  const Sharing sharing = choose_names(formula, "f", "t");
  Writer writer(formula, Notation::source, sharing.names);
  for (const Named& named : sharing.order) {
    const auto& names = named.is_term ? sharing.names.terms : sharing.names.formulas;
    const std::string body = named.is_term ? writer.term(TermId(named.id)) : writer.formula(FormulaId(named.id));
    statement(fmt::format("let {} = {}", names[named.id], body));
  }
  statement(writer.formula(formula.root));
  return text + "\n";
}

std::string print_node(const Formula& formula, FormulaId id, std::size_t limit) {
  const Names none;
  return Writer(formula, Notation::source, none, limit).formula(id);
}

std::string print_latex(const Formula& formula) {
  const Sharing sharing = choose_names(formula, "f", "t");
  const auto latex_name = [](const std::string& name) {
    return (name[0] == 'f' ? "\\varphi_{" : "t_{") + name.substr(1) + "}";
  };
  Names names = sharing.names;
  for (auto* list : {&names.formulas, &names.terms})
    for (std::string& name : *list)
      if (!name.empty()) name = latex_name(name);

  Writer writer(formula, Notation::latex, names);
  if (sharing.order.empty()) return writer.formula(formula.root) + "\n";
  std::string text = "\\begin{aligned}\n";
  for (const Named& named : sharing.order) {
    text += (named.is_term ? names.terms : names.formulas)[named.id] + " &= ";
    text += (named.is_term ? writer.term(TermId(named.id)) : writer.formula(FormulaId(named.id))) + " \\\\\n";
  }
  return text + "\\varphi &= " + writer.formula(formula.root) + "\n\\end{aligned}\n";
}

}  // namespace quench::lang
