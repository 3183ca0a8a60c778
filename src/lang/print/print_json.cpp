#include <nlohmann/json.hpp>

#include "base/overloaded.h"
#include "lang/operators.h"
#include "lang/print/predicate_text.h"
#include "lang/print/print.h"

namespace quench::lang {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Count& count) { return {{"count", facts(count.scope).symbol}, {"of", count.of.index}}; }

Json json_of(const Term& term) {
  Json parts = Json::array();
  for (const Term::Part& part : term.parts) {
    Json entry = json_of(part.count);
    entry["coefficient"] = part.coefficient;
    parts.push_back(std::move(entry));
  }
  return {{"parts", std::move(parts)}, {"constant", term.constant}};
}

Json json_of(const Predicate& predicate) {
  Json entry = {{"name", predicate.name}, {"user_defined", is_user_defined(predicate)}};
  if (is_user_defined(predicate)) entry["definition"] = definition(predicate);
  return entry;
}

void describe(const Formula& formula, const Node& node, Json& entry) {
  std::visit(Overloaded{
                 [&](const Constant& constant) { entry["kind"] = "constant", entry["value"] = constant.value; },
                 [&](const SymbolAtom& atom) { entry["kind"] = "symbol", entry["symbol"] = atom.symbol; },
                 [&](const Unary& unary) { entry["kind"] = "unary", entry["operator"] = facts(unary.op).symbol; },
                 [&](const Binary& binary) { entry["kind"] = "binary", entry["operator"] = facts(binary.op).symbol; },
                 [&](const Comparison& comparison) {
                   entry["kind"] = "comparison";
                   entry["relation"] = facts(comparison.relation).symbol;
                   entry["left"] = json_of(formula[comparison.left]);
                   entry["right"] = json_of(formula[comparison.right]);
                 },
                 [&](const PositionPredicate& theta) {
                   entry["kind"] = "position_predicate";
                   entry["predicate"] = theta.predicate.index;
                 },
                 [&](const CountPredicate& theta) {
                   entry["kind"] = "count_predicate";
                   entry["predicate"] = theta.predicate.index;
                   entry["of"] = json_of(theta.count);
                 },
                 [&](const Congruence& theta) {
                   entry["kind"] = "congruence";
                   entry["predicate"] = theta.predicate.index;
                   entry["of"] = json_of(formula[theta.term]);
                 },
             },
             node);
}

}  // namespace

std::string print_json(const Formula& formula) {
  Json document;
  document["symbols"] = formula.alphabet.symbols();
  document["predicates"] = Json::array();
  for (const Predicate& predicate : formula.predicates()) document["predicates"].push_back(json_of(predicate));
  Json nodes = Json::array();
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!reachable[k]) continue;
    Json entry = {{"id", k}};
    describe(formula, formula[FormulaId(k)], entry);
    Json args = Json::array();
    formula.for_each_child(FormulaId(k), [&](FormulaId child) { args.push_back(child.index); });
    entry["args"] = std::move(args);
    nodes.push_back(std::move(entry));
  }
  document["nodes"] = std::move(nodes);
  document["root"] = formula.root.index;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quench::lang
