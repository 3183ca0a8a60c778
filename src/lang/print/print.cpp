#include "lang/print/print.h"

#include <fmt/format.h>

#include "lang/print/predicate_text.h"
#include "lang/print/print_program.h"
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
  if (formula.closed) statement(alphabet_text(formula.alphabet));
  for (const PredicateId id : used_predicates(formula))
    if (is_user_defined(formula[id])) statement(definition(formula[id]));

  const Sharing sharing = choose_names(formula);
  Writer writer(formula, Notation::source, sharing.names);
  for (const Named& named : sharing.order) {
    const auto& names = named.is_term ? sharing.names.terms : sharing.names.formulas;
    const std::string body = named.is_term ? writer.term(TermId(named.id)) : writer.formula(FormulaId(named.id));
    statement(fmt::format("let {} = {}", names[named.id], body));
  }
  const std::string& name = sharing.names.of(formula.root);
  statement(name.empty() ? writer.formula(formula.root) : name);
  return text + "\n";
}

std::string print_node(const Formula& formula, FormulaId id, std::size_t limit) {
  const std::string& name = formula.names.of(id);
  if (!name.empty()) return name;
  return Writer(formula, Notation::source, formula.names, limit).formula(id);
}

std::string print_latex(const Formula& formula) {
  const Sharing sharing = choose_names(formula);
  Names names = sharing.names;
  for (const Named& named : sharing.order) {
    const bool given =
        !(named.is_term ? formula.names.of(TermId(named.id)) : formula.names.of(FormulaId(named.id))).empty();
    std::string& name = (named.is_term ? names.terms : names.formulas)[named.id];
    name =
        given ? "\\mathit{" + latex_escaped(name) + "}" : (named.is_term ? "t_{" : "\\varphi_{") + name.substr(1) + "}";
  }

  Writer writer(formula, Notation::latex, names);
  if (sharing.order.empty()) return writer.formula(formula.root) + "\n";
  std::string text = "\\begin{aligned}\n";
  for (const Named& named : sharing.order) {
    text += (named.is_term ? names.terms : names.formulas)[named.id] + " &= ";
    text += (named.is_term ? writer.term(TermId(named.id)) : writer.formula(FormulaId(named.id))) + " \\\\\n";
  }
  const std::string& name = names.of(formula.root);
  return text + "\\varphi &= " + (name.empty() ? writer.formula(formula.root) : name) + "\n\\end{aligned}\n";
}

}  // namespace quench::lang
