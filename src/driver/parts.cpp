#include "driver/parts.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/overloaded.h"
#include "lang/canonical.h"
#include "lang/operators.h"
#include "lang/print/print.h"
#include "lang/sharing.h"

namespace quench::driver {
namespace {

std::string operation_of(const lang::Node& node) {
  return std::visit(Overloaded{[](const lang::Constant& x) { return std::string(x.value ? "true" : "false"); },
                               [](const lang::SymbolAtom&) { return std::string("symbol"); },
                               [](const lang::Unary& x) { return std::string(lang::facts(x.op).symbol); },
                               [](const lang::Binary& x) { return std::string(lang::facts(x.op).symbol); },
                               [](const lang::Comparison& x) { return std::string(lang::facts(x.relation).symbol); },
                               [](const lang::PositionPredicate&) { return std::string("predicate"); },
                               [](const lang::CountPredicate&) { return std::string("predicate"); },
                               [](const lang::Congruence&) { return std::string("congruence"); }},
                    node);
}

std::string operation_of(const lang::Definition& definition) {
  return std::visit(Overloaded{[](const lang::Pointwise&) { return std::string("pointwise"); },
                               [](const lang::Attention& x) {
                                 return std::string(x.side == lang::Side::leftmost ? "leftmost" : "rightmost");
                               },
                               [](const lang::SumOver&) { return std::string("sum"); },
                               [](const lang::Mean&) { return std::string("mean"); }},
                    definition);
}

/// The counts that a node compares or tests.
std::vector<lang::Count> counts_of(const lang::Formula& formula, const lang::Node& node) {
  std::vector<lang::Count> counts;
  const auto of_term = [&](lang::TermId term) {
    for (const lang::Term::Part& part : formula[term].parts) counts.push_back(part.count);
  };
  if (const auto* comparison = std::get_if<lang::Comparison>(&node))
    of_term(comparison->left), of_term(comparison->right);
  if (const auto* congruence = std::get_if<lang::Congruence>(&node)) of_term(congruence->term);
  if (const auto* predicate = std::get_if<lang::CountPredicate>(&node)) counts.push_back(predicate->count);
  return counts;
}

/// From a vector's name to the end of its definition, as far as that is known. An expression that occurred before has
/// its place there, so only those behind the name and before the next one count.
Span span_of(const lang::Program& program, std::size_t vector, std::size_t next) {
  Span span = program[lang::VectorId(vector)].span;
  for (const lang::ExpressionId root : lang::roots(program[lang::VectorId(vector)])) {
    const Span one = program.span(root);
    if (one.begin >= span.begin && one.end <= next) span.end = std::max(span.end, one.end);
  }
  return span;
}

std::string_view without_number(std::string_view name) {
  const std::size_t open = name.rfind(" (");
  if (open == std::string_view::npos || !name.ends_with(')')) return name;
  const std::string_view number = name.substr(open + 2, name.size() - open - 3);
  const bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? name.substr(0, open) : name;
}

/// One layer of what the lowering puts around the name of a part; the same name if there is none.
std::string_view unwrapped(std::string_view name) {
  if (const std::string_view shorter = without_number(name); shorter.size() < name.size()) return shorter;
  if (name.starts_with("!(") && name.ends_with(')')) return name.substr(2, name.size() - 3);
  static constexpr std::array<std::string_view, 4> kBefore{"mean in ", "sign of ", "lookup in ", "!"};
  for (const std::string_view before : kBefore)
    if (name.starts_with(before)) return name.substr(before.size());
  if (const std::size_t comma = name.rfind(", "); comma != std::string_view::npos) return name.substr(0, comma);
  if (const std::size_t over = name.rfind('/'); over != std::string_view::npos) return name.substr(0, over);
  return name;
}

constexpr std::size_t kMostParts = 4;  // whatever serves more of them serves the whole

}  // namespace

Parts::Parts(const lang::Rule& rule) {
  std::visit(Overloaded{[&](const lang::Formula& formula) { add_formula(formula, true); },
                        [&](const lang::Program& program) { add_program(program); },
                        [&](const lang::Automaton& automaton) {
                          if (automaton.formula) add_formula(*automaton.formula, false);
                        }},
             rule);
}

void Parts::add_formula(const lang::Formula& rule, bool in_text) {
  lang::Formula formula = lang::canonical(rule);  // as it is compiled
  const lang::Names given = formula.names;
  formula.names = lang::names_for_labels(formula);
  const std::size_t longest = lang::longest_label(formula);
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const lang::FormulaId id(k);
    Part part{operation_of(formula[id]),
              lang::print_node(formula, id, longest),
              given.of(id),
              in_text ? formula.span(id) : Span{},
              {}};
    formula.for_each_child(id, [&](lang::FormulaId child) { part.operands.push_back(child.index); });
    named_.try_emplace(part.text, k);
    list_.push_back(std::move(part));
  }
  for (std::size_t k = 0; k < formula.size(); ++k)
    for (const lang::Count& count : counts_of(formula, formula[lang::FormulaId(k)]))
      named_.try_emplace(std::string(lang::facts(count.scope).symbol) + "[" + list_[count.of.index].text + "]", k);
}

void Parts::add_program(const lang::Program& program) {
  for (std::size_t k = 0; k < program.vector_count(); ++k) {
    const lang::Vector& vector = program[lang::VectorId(k)];
    const std::size_t next =
        k + 1 < program.vector_count() ? program[lang::VectorId(k + 1)].span.begin : std::string::npos;
    Part part{operation_of(vector.definition), vector.name, vector.name, span_of(program, k, next), {}};
    for (const lang::ExpressionId id : lang::expressions_of(program, lang::roots(vector)))
      if (const auto* at = std::get_if<lang::VectorAt>(&program[id])) part.operands.push_back(at->vector.index);
    std::sort(part.operands.begin(), part.operands.end());
    part.operands.erase(std::unique(part.operands.begin(), part.operands.end()), part.operands.end());
    named_.try_emplace(part.text, k);
    list_.push_back(std::move(part));
  }
}

std::optional<std::size_t> Parts::named(std::string_view name) const {
  static constexpr std::string_view kBy = ", attended by ";
  if (const std::size_t by = name.find(kBy); by != std::string_view::npos) {
    const std::string_view head = name.substr(by + kBy.size());
    if (const auto found = named_.find(std::string(head.substr(0, head.find(", ")))); found != named_.end())
      return found->second;
  }
  while (true) {
    if (const auto found = named_.find(std::string(name)); found != named_.end()) return found->second;
    const std::string_view shorter = unwrapped(name);
    if (shorter.size() == name.size()) return std::nullopt;
    name = shorter;
  }
}

std::vector<std::size_t> parts_of(const Parts& parts, const TenantParts& of_tenants,
                                  const std::vector<model::Access>& writes, std::string_view name) {
  std::set<std::size_t> told, used_for;
  if (const auto part = parts.named(name)) told.insert(*part);
  for (const model::Access& access : writes)
    if (access.tenant) {
      const std::vector<std::size_t>& of_tenant = of_tenants.parts[*access.tenant];
      (of_tenants.named[*access.tenant] ? told : used_for).insert(of_tenant.begin(), of_tenant.end());
    }
  const std::set<std::size_t>& found = told.empty() ? used_for : told;
  return {found.begin(), found.end()};
}

TenantParts parts_of_tenants(const Parts& parts, const model::Transformer& model,
                             const std::vector<model::LayerWiring>& wiring) {
  const std::size_t tenants = model.tenants.size();
  TenantParts result{std::vector<std::vector<std::size_t>>(tenants), std::vector<bool>(tenants)};
  std::vector<bool> settled(tenants);
  for (std::size_t t = 0; t < tenants; ++t) {
    const model::Tenant& tenant = model.tenants[t];
    if (const auto part = parts.named(tenant.name)) result.parts[t] = {*part};
    result.named[t] = !result.parts[t].empty();
    const bool encodes = std::any_of(model.position_encodings.begin(), model.position_encodings.end(),
                                     [&](const auto& pe) { return pe.coordinate == tenant.coordinate; });
    settled[t] = result.named[t] || (tenant.from == 0 && (encodes || tenant.name == "1"));
  }
  // From the last layer to the first: what reads a tenant writes to tenants that are born later.
  const auto pass_on = [&](const std::vector<model::Access>& reads, const std::vector<std::size_t>& used_for) {
    for (const model::Access& access : reads)
      if (access.tenant && !settled[*access.tenant]) {
        std::vector<std::size_t>& known = result.parts[*access.tenant];
        std::vector<std::size_t> both;
        std::set_union(known.begin(), known.end(), used_for.begin(), used_for.end(), std::back_inserter(both));
        known = std::move(both);
      }
  };
  for (std::size_t l = wiring.size(); l-- > 0;) {
    for (const model::UnitWiring& unit : wiring[l].units) pass_on(unit.reads, parts_of(parts, result, unit.writes));
    for (std::size_t h = 0; h < wiring[l].heads.size(); ++h) {
      const model::HeadWiring& head = wiring[l].heads[h];
      const auto used_for = parts_of(parts, result, head.writes, model.layers[l].heads[h].name);
      for (const auto* reads : {&head.queries, &head.keys, &head.values}) pass_on(*reads, used_for);
    }
  }
  for (std::size_t t = 0; t < tenants; ++t)
    if (!settled[t] && result.parts[t].size() > kMostParts) result.parts[t].clear();
  return result;
}

}  // namespace quench::driver
