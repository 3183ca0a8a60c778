// One pass in topological order: every old node gets a value in the new graph, an affine form over new nodes (for a
// Boolean: its literal). Rules:
//   attention to a value that is constant   Σ_j α_ij c = c, since weights sum to 1 and no mask of ours leaves a row empty
//   Threshold, IsZero of a constant         true or false
//   And of tests of the symbol              one test: the sets are intersected
//   And inside And, used once               flattened (collected at the topmost, so long chains stay linear)
//   x ∧ ¬(x ∧ y)                            x ∧ ¬y, where comparisons are joined: they are best not negated
#include "opt/simplify.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/overloaded.h"
#include "ir/affine_sum.h"

namespace quench::opt {
namespace {

using namespace ir;

/// A set of symbols, or the complement of one (then it holds the symbols no rule mentions).
struct SymbolSet {
  std::vector<Symbol> symbols;  // sorted, distinct
  bool complement = false;
};

/// What all of some sets have in common. Sets are gathered and merged once, so that a long conjunction is linear.
class Intersection {
 public:
  void add(const std::vector<Symbol>& symbols, bool complement) {
    std::vector<Symbol>& side = complement ? excluded_ : included_;
    side.insert(side.end(), symbols.begin(), symbols.end());
    (complement ? excluding_ : including_) += 1;
  }
  bool empty() const { return including_ + excluding_ == 0; }

  /// A symbol is in it if it is in every set and in no set whose complement was added.
  SymbolSet take() {
    std::sort(excluded_.begin(), excluded_.end());
    excluded_.erase(std::unique(excluded_.begin(), excluded_.end()), excluded_.end());
    if (including_ == 0) return {std::move(excluded_), true};
    std::sort(included_.begin(), included_.end());
    SymbolSet result;
    for (auto at = included_.begin(); at != included_.end();) {
      const auto next = std::upper_bound(at, included_.end(), *at);
      if (static_cast<std::size_t>(next - at) == including_ &&
          !std::binary_search(excluded_.begin(), excluded_.end(), *at))
        result.symbols.push_back(*at);
      at = next;
    }
    return result;
  }

 private:
  std::vector<Symbol> included_, excluded_;       // of all sets, one after the other
  std::size_t including_ = 0, excluding_ = 0;  // how many sets
};

class Simplifier {
 public:
  explicit Simplifier(const Graph& old)
      : old_(old), needed_(old.size()), absorbed_(old.size()), values_(old.size()), heads_(old.head_count()) {
    result_.alphabet = old.alphabet;
    result_.joins_comparisons = old.joins_comparisons;
  }

  Graph run() {
    find_needed();
    for (std::size_t k = 0; k < old_.size(); ++k)
      if (needed_[k] && !absorbed_[k]) values_[k] = rebuild(NodeId(k));
    result_.output = output(old_.output);
    result_.cases = old_.cases;
    result_.number = old_.number;
    result_.whole = old_.whole;
    result_.scores = old_.scores;
    result_.shares_units = old_.shares_units;
    for (OutputCase& one : result_.cases) one.holds = output(one.holds);
    return std::move(result_);
  }

 private:
  /// A real output that became something else than one node is written as one.
  Literal output(Literal old) {
    const Affine& value = values_[old.node.index];
    if (old_.boolean(old.node) || value == Affine(value.terms.empty() ? NodeId() : value.terms[0].node))
      return literal(old);
    const Range range = result_.range(value);
    return {result_.add(Piecewise{{}, value, range.low, range.high}, old_.label(old.node)), false};
  }

  /// Marks what the output depends on, and conjunctions whose one use is inside another conjunction.
  void find_needed() {
    std::vector<int> uses(old_.size()), conjunct_uses(old_.size());
    for_each_output(old_, [&](Literal output) {
      needed_[output.node.index] = true;
      ++uses[output.node.index];
    });
    for (std::size_t k = old_.size(); k-- > 0;) {
      if (!needed_[k]) continue;
      for_each_operand(old_, NodeId(k), [&](NodeId operand) {
        needed_[operand.index] = true;
        ++uses[operand.index];
      });
      if (const auto* conjunction = std::get_if<And>(&old_[NodeId(k)]))
        for (const Literal l : conjunction->literals) conjunct_uses[l.node.index] += !l.negated;
    }
    for (std::size_t k = 0; k < old_.size(); ++k)
      absorbed_[k] = std::holds_alternative<And>(old_[NodeId(k)]) && uses[k] == 1 && conjunct_uses[k] == 1;
  }

  Affine rebuild(NodeId id) {
    const std::string& label = old_.label(id);
    return std::visit(Overloaded{[&](const SymbolIn& in) { return Affine(result_.add(in, label)); },
                                 [&](const Position& position) { return Affine(result_.add(position, label)); },
                                 [&](const And&) { return Affine(conjunction(id)); },
                                 [&](const Threshold& t) {
                                   Threshold moved = t;
                                   moved.x = affine(t.x);
                                   if (moved.x.is_constant()) return Affine(result_.truth(moved.x.constant >= t.yes));
                                   return Affine(result_.add(moved, label));
                                 },
                                 [&](const IsZero& zero) {
                                   const Affine x = affine(zero.x);
                                   if (x.is_constant()) return Affine(result_.truth(std::fabs(x.constant) < 0.5));
                                   return Affine(result_.add(IsZero{x}, label));
                                 },
                                 [&](const Piecewise& p) {
                                   Piecewise moved{p.units, affine(p.rest), p.low, p.high, p.boolean};
                                   for (Piecewise::Unit& unit : moved.units) unit.x = affine(unit.x);
                                   return Affine(result_.add(moved, label));
                                 },
                                 [&](const Attend& attend) {
                                   return attended(attend, label);
                                 }},
                      old_[id]);
  }

  Affine attended(const Attend& attend, const std::string& label) {
    Affine constant;
    std::vector<Attend::Part> parts;
    for (const Attend::Part& part : attend.parts) {
      const Affine value = affine(part.value);
      if (value.is_constant())
        constant += part.factor * value;
      else
        parts.push_back({head(part.head), value, part.factor});
    }
    return parts.empty() ? constant : constant + Affine(result_.add(Attend(std::move(parts)), label));
  }

  Literal conjunction(NodeId top) {
    std::vector<Literal> flat;
    Intersection symbols;
    std::vector<NodeId> pending{top};
    while (!pending.empty()) {
      const NodeId id = pending.back();
      pending.pop_back();
      for (const Literal old : std::get<And>(old_[id]).literals) {
        if (absorbed_[old.node.index]) {
          pending.push_back(old.node);
          continue;
        }
        const Literal moved = literal(old);
        if (const auto* in = std::get_if<SymbolIn>(&result_[moved.node]))
          symbols.add(in->symbols, moved.negated);
        else
          flat.push_back(moved);
      }
    }
    if (!symbols.empty()) flat.push_back(symbol_test(symbols.take(), flat.empty() ? old_.label(top) : ""));
    if (result_.joins_comparisons) flat = given_each_other(std::move(flat));
    return result_.conjunction(std::move(flat), old_.label(top));
  }

  /// x ∧ ¬(x ∧ y) is x ∧ ¬y.
  std::vector<Literal> given_each_other(std::vector<Literal> flat) {
    const std::set<Literal> given(flat.begin(), flat.end());
    for (Literal& literal : flat) {
      const auto* inner = std::get_if<And>(&result_[literal.node]);
      if (!inner || !literal.negated) continue;
      std::vector<Literal> open;
      std::copy_if(inner->literals.begin(), inner->literals.end(), std::back_inserter(open),
                   [&](Literal x) { return !given.contains(x); });
      if (open.size() < inner->literals.size()) literal = !result_.conjunction(std::move(open));
    }
    return flat;
  }

  /// `label` is what the test is called, if it has a name.
  Literal symbol_test(const SymbolSet& set, const std::string& label) {
    if (set.symbols.empty()) return result_.truth(set.complement);
    return {result_.add(SymbolIn{set.symbols}, set.complement ? negation_of(label) : label), set.complement};
  }

  HeadId head(HeadId old) {
    if (!heads_[old.index].valid()) {
      Head moved = old_[old];
      for (Head::Product& product : moved.score) product = {affine(product.query), affine(product.key)};
      heads_[old.index] = result_.add(moved, old_.name(old));
    }
    return heads_[old.index];
  }

  Affine affine(const Affine& old) const {
    AffineSum sum;
    sum.add(old.constant);
    for (const Affine::Term& term : old.terms) sum.add(values_[term.node.index], term.coefficient);
    return fold_truth(sum.take());
  }

  /// The node `true` is the constant 1.
  Affine fold_truth(const Affine& x) const {
    Affine folded = x.constant;
    for (const Affine::Term& term : x.terms) {
      if (result_.is_true({term.node, false}))
        folded.constant += term.coefficient;
      else
        folded.terms.push_back(term);
    }
    return folded;
  }

  /// The value of an old Boolean is a new literal written as an affine form: x or 1 − x.
  Literal literal(Literal old) const {
    const Affine& value = values_[old.node.index];
    QUENCH_ASSERT(value.terms.size() == 1);
    return {value.terms[0].node, (value.terms[0].coefficient < 0) != old.negated};
  }

  const Graph& old_;
  Graph result_;
  std::vector<bool> needed_, absorbed_;
  std::vector<Affine> values_;
  std::vector<HeadId> heads_;
};

Piecewise opposite(Piecewise p) {
  for (Piecewise::Unit& unit : p.units) unit.factor = -unit.factor;
  p.rest = 1 - p.rest;
  return p;
}

/// The output is to be read off a coordinate, so a negation or an exact test gets a conjunction of its own.
void make_output_a_value(Graph& graph) {
  for_each_output(graph, [&](Literal& output) {
    const auto* piecewise = std::get_if<Piecewise>(&graph[output.node]);
    if (output.negated && piecewise) {
      output = {graph.add(opposite(*piecewise), "output"), false};
      return;
    }
    const auto* threshold = std::get_if<Threshold>(&graph[output.node]);
    if (!output.negated && !(threshold && threshold->exact())) return;
    output = {graph.add(And{{output}}, "output"), false};
  });
  if (!graph.cases.empty() && !graph.ratios()) graph.output = graph.cases.front().holds;
}

/// Of several cases that hold the first is put out, so a case may take for granted that none before it holds.
void relax_cases(Graph& graph) {
  std::set<Literal> known;
  for (OutputCase& one : graph.cases) {
    const auto* all = std::get_if<And>(&graph[one.holds.node]);
    if (all && !one.holds.negated) {
      std::vector<Literal> open;
      std::copy_if(all->literals.begin(), all->literals.end(), std::back_inserter(open),
                   [&](Literal literal) { return !known.contains(literal); });
      const std::string label = graph.label(one.holds.node);  // a copy: the graph grows
      if (open.size() < all->literals.size()) one.holds = graph.conjunction(open, label);
    }
    known.insert(!one.holds);
  }
}

}  // namespace

/// Until nothing more disappears: a rule that cuts an operand off can make others dead or constant.
Graph simplify(const Graph& graph) {
  Graph result = Simplifier(graph).run();
  for (std::size_t before = graph.size(); result.size() < before;) {
    before = result.size();
    result = Simplifier(result).run();
  }
  if (result.joins_comparisons && !result.scores) relax_cases(result);
  make_output_a_value(result);
  return result;
}

}  // namespace quench::opt
