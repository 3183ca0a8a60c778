#include "lang/sharing.h"

#include <algorithm>
#include <unordered_set>

#include "lang/print/predicate_text.h"
#include "lang/print/print.h"

namespace quench::lang {
namespace {

using Length = double;  // of a text: may be beyond all integers, and need not be exact

constexpr Length kOperatorLength = 8;
constexpr Length kNameWorthLength = 24;  // a shorter atom is as good as its name

/// How long the texts of the nodes are, with everything below written out that has no name, and how often each is used.
struct Measure {
  explicit Measure(const Formula& of) : formula(of), reachable(of.reachable()), length(of.size()), uses(of.size()) {
    for (std::size_t k = 0; k < formula.size(); ++k)
      if (reachable[k]) measure(FormulaId(k));
  }

  void measure(FormulaId id) {
    Length own = kOperatorLength;
    const Node& node = formula[id];
    if (const auto* atom = std::get_if<SymbolAtom>(&node))
      own += static_cast<Length>(formula.alphabet.symbols()[static_cast<std::size_t>(atom->symbol)].size());
    if (const auto* theta = std::get_if<PositionPredicate>(&node))
      own += static_cast<Length>(formula[theta->predicate].name.size());
    if (const auto* theta = std::get_if<CountPredicate>(&node))
      own += static_cast<Length>(formula[theta->predicate].name.size());
    const auto* congruence = std::get_if<Congruence>(&node);
    if (congruence) own += static_cast<Length>(formula[congruence->predicate].name.size());
    shared_total += own;
    length[id.index] = own;
    if (const auto* comparison = std::get_if<Comparison>(&node)) {
      for (const TermId term : {comparison->left, comparison->right}) length[id.index] += use(term);
    } else if (congruence) {
      length[id.index] += use(congruence->term);
    } else {
      formula.for_each_child(id, [&](FormulaId child) { length[id.index] += use(child); });
    }
    if (id == formula.root || !formula.names.of(id).empty()) written += length[id.index];
  }

  Length use(FormulaId id) {
    ++uses[id.index];
    const std::string& name = formula.names.of(id);
    return name.empty() ? length[id.index] : static_cast<Length>(name.size());
  }

  /// The counts of a term are uses of their formulas once, however often the term itself is used.
  Length use(TermId id) {
    if (id.index >= term_uses.size()) {
      term_uses.resize(id.index + std::size_t{1});
      term_length.resize(id.index + std::size_t{1});
    }
    if (term_uses[id.index]++ > 0) return term_length[id.index];
    Length total = kOperatorLength;
    for (const Term::Part& part : formula[id].parts) {
      shared_total += kOperatorLength;
      total += kOperatorLength + use(part.count.of);
    }
    if (const std::string& name = formula.names.of(id); !name.empty()) {
      written += total;
      total = static_cast<Length>(name.size());
    }
    return term_length[id.index] = total;
  }

  const Formula& formula;
  std::vector<bool> reachable;
  std::vector<Length> length, term_length;
  std::vector<std::size_t> uses, term_uses;
  Length shared_total = 0;  // every node once
  Length written = 0;       // the rule and what its names stand for
};

bool is_atom(const Node& node) {
  return std::holds_alternative<Constant>(node) || std::holds_alternative<SymbolAtom>(node) ||
         std::holds_alternative<PositionPredicate>(node);
}

class NameChooser {
 public:
  explicit NameChooser(const Formula& formula) {
    for (const Predicate& predicate : formula.predicates()) taken_.insert(predicate.name);
    for (const std::string& name : formula.names.formulas) taken_.insert(name);
    for (const std::string& name : formula.names.terms) taken_.insert(name);
  }

  std::string next(const std::string& prefix, std::size_t& number) {
    std::string name;
    do {
      name = prefix + std::to_string(++number);
    } while (taken_.count(name) > 0);
    return name;
  }

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace

Sharing choose_names(const Formula& formula) {
  const Measure measure(formula);
  Sharing sharing;
  const bool share = measure.written > 3 * measure.shared_total + 200;

  // Ids of formulas are in topological order; a term belongs right after the last formula it counts.
  std::vector<std::pair<std::size_t, Named>> places;
  for (std::uint32_t k = 0; k < formula.size(); ++k) {
    const bool short_atom = is_atom(formula[FormulaId(k)]) && measure.length[k] <= kNameWorthLength;
    const bool wanted = !formula.names.of(FormulaId(k)).empty() || (share && measure.uses[k] > 1 && !short_atom);
    if (measure.reachable[k] && wanted) places.push_back({2 * std::size_t{k}, {false, k}});
  }
  for (std::uint32_t k = 0; k < measure.term_uses.size(); ++k) {
    const bool wanted = !formula.names.of(TermId(k)).empty() || (share && measure.term_uses[k] > 1);
    if (!wanted || measure.term_uses[k] == 0 || formula[TermId(k)].parts.empty()) continue;
    std::size_t last = 0;
    for (const Term::Part& part : formula[TermId(k)].parts) last = std::max<std::size_t>(last, part.count.of.index);
    places.push_back({2 * last + 1, {true, k}});
  }
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  NameChooser chooser(formula);
  std::size_t formulas = 0, terms = 0;
  sharing.names = formula.names;
  for (const auto& [place, named] : places) {
    sharing.order.push_back(named);
    if (named.is_term) {
      if (const TermId id(named.id); formula.names.of(id).empty()) sharing.names.give(id, chooser.next("t", terms));
    } else if (const FormulaId id(named.id); formula.names.of(id).empty()) {
      sharing.names.give(id, chooser.next("f", formulas));
    }
  }
  return sharing;
}

std::size_t longest_label(const Formula& formula) {
  return std::clamp<std::size_t>(1'000'000 / std::max<std::size_t>(formula.size(), 1), 80, 1000);
}

namespace {

/// Names what is too long for a label, operands first, so that each text that is looked at is short. Whether there was
/// anything to name.
bool name_long_parts(Formula& formula) {
  const std::size_t longest = longest_label(formula);
  NameChooser chooser(formula);
  std::size_t number = 0;
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const FormulaId id(k);
    if (!reachable[k] || !formula.names.of(id).empty()) continue;
    // A text that is cut has at least the limit's length but for a part of a character, so some room is left for that.
    if (print_node(formula, id, longest + 4).size() <= longest) continue;
    formula.names.give(id, chooser.next("f", number));
  }
  return number > 0;
}

}  // namespace

Names names_for_labels(Formula formula) {
  do {
    formula.names = choose_names(formula).names;
  } while (name_long_parts(formula));
  return std::move(formula.names);
}

std::vector<PredicateId> used_predicates(const Formula& formula) {
  std::vector<bool> used(formula.predicates().size());
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!reachable[k]) continue;
    if (const auto* theta = std::get_if<PositionPredicate>(&formula[FormulaId(k)])) used[theta->predicate.index] = true;
    if (const auto* theta = std::get_if<CountPredicate>(&formula[FormulaId(k)])) used[theta->predicate.index] = true;
    if (const auto* theta = std::get_if<Congruence>(&formula[FormulaId(k)])) used[theta->predicate.index] = true;
  }
  std::vector<PredicateId> ids;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k]) ids.push_back(PredicateId(k));
  return ids;
}

}  // namespace quench::lang
