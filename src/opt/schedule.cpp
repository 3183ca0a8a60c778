// ASAP, in one pass over the nodes in topological order; with shared units (recipes whose sums have many heads)
// attention then waits for a later one with the same heads, where that makes no layer more: heads of one layer with
// equal scores are one.
//
// An attention of layer l may read what is ready after sublayer 2l−2; a feed-forward of layer l, what is ready after
// 2l−1. A conjunction is expanded into a cover over earlier values if that saves a sublayer: its own operands then need
// not be stored first. Approximate values are rounded and combined in the same sublayer where their errors allow it,
// and comparisons of whole numbers are joined with Booleans where they are made (opt/gate.h).
#include "opt/schedule.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/overloaded.h"
#include "ir/affine_sum.h"
#include "opt/gate.h"

namespace quench::opt {
namespace {

using namespace ir;

/// Covers with more literals than this are stored rather than expanded into their users.
constexpr std::size_t kMaxExpandedLiterals = 64;
/// Beyond, attention does not wait for others: each that might is a pass over all nodes.
constexpr std::size_t kMostNodesToGather = 2000;

bool is_exact_threshold(const Graph& graph, NodeId id) {
  const auto* threshold = std::get_if<Threshold>(&graph[id]);
  return threshold && threshold->exact();
}

int next_attention_layer(int ready) { return (ready + 1) / 2 + 1; }
int next_feed_forward_layer(int ready) { return ready / 2 + 1; }

class Scheduler {
 public:
  explicit Scheduler(const Graph& graph)
      : graph_(graph), ready_(graph.size(), 0), wait_(graph.size(), 0), covers_(graph.size()), plans_(graph.size()) {
    if (graph.joins_comparisons) possible_ = [&](const Cube& cube) { return has_symbol(graph_, cube); };
  }

  Schedule run() {
    place_all();
    if (graph_.shares_units && graph_.size() <= kMostNodesToGather) gather();
    return collect();
  }

 private:
  struct Plan {
    int layer = 0;
    std::vector<Cube> cubes;
    bool complemented = false;
    std::size_t literals() const {
      std::size_t sum = 0;
      for (const Cube& cube : cubes) sum += cube.size();
      return sum;
    }
  };

  void place_all() {
    for (std::size_t k = 0; k < graph_.size(); ++k) ready_[k] = place(NodeId(k));
  }

  /// The sublayer after which all outputs can be read.
  int depth() const {
    int result = 0;
    for_each_output(graph_, [&](Literal output) { result = std::max(result, ready_[output.node.index]); });
    return result;
  }

  std::size_t head_count() const {
    std::set<std::pair<int, HeadId>> heads;
    for (std::size_t k = 0; k < graph_.size(); ++k)
      if (const auto* attend = std::get_if<Attend>(&graph_[NodeId(k)]))
        for (const Attend::Part& part : attend->parts) heads.emplace(ready_[k], part.head);
    return heads.size();
  }

  /// Attention waits for a later one with the same heads.
  void gather() {
    std::map<std::vector<HeadId>, std::vector<std::size_t>> by_heads;
    for (std::size_t k = 0; k < graph_.size(); ++k)
      if (const auto* attend = std::get_if<Attend>(&graph_[NodeId(k)])) {
        std::vector<HeadId> heads;
        for (const Attend::Part& part : attend->parts) heads.push_back(part.head);
        std::sort(heads.begin(), heads.end());
        by_heads[std::move(heads)].push_back(k);
      }
    for (const auto& [heads, nodes] : by_heads)
      for (const std::size_t node : nodes) wait_for_others(node, nodes);
  }

  void wait_for_others(std::size_t node, const std::vector<std::size_t>& others) {
    std::set<int, std::greater<>> later;
    for (const std::size_t other : others)
      if (ready_[other] > ready_[node]) later.insert(ready_[other]);
    const auto cost = [&] { return std::pair(depth(), head_count()); };
    const auto before = cost();
    const int waited = wait_[node];
    for (const int sublayer : later) {
      wait_[node] = sublayer;
      place_all();
      if (const auto now = cost(); now.first <= before.first && now.second <= before.second) return;
    }
    wait_[node] = waited;
    if (!later.empty()) place_all();
  }

  /// The sublayer after which the node can be read.
  int place(NodeId id) {
    return std::visit(
        Overloaded{[&](const SymbolIn&) { return 0; }, [&](const Position&) { return 0; },
                   [&](const And& conjunction) { return 2 * plan(id, conjunction).layer; },
                   [&](const Threshold& t) {
                     if (t.exact()) return latest(id);
                     return 2 * next_feed_forward_layer(latest(id));
                   },
                   [&](const IsZero&) { return 2 * next_feed_forward_layer(latest(id)); },
                   [&](const Piecewise&) { return 2 * next_feed_forward_layer(latest(id)); },
                   [&](const Attend&) { return std::max(wait_[id.index], 2 * next_attention_layer(latest(id)) - 1); }},
        graph_[id]);
  }

  int latest(NodeId id) const {
    int result = 0;
    for_each_operand(graph_, id, [&](NodeId operand) { result = std::max(result, ready_[operand.index]); });
    return result;
  }

  bool can_be_raw(NodeId id) const {
    return std::holds_alternative<IsZero>(graph_[id]) || is_comparison(graph_, id) ||
           (std::holds_alternative<Threshold>(graph_[id]) && !is_exact_threshold(graph_, id));
  }

  /// The first feed-forward layer that can read a leaf of a cube.
  int leaf_layer(NodeId leaf) const {
    const int ready = ready_[leaf.index];
    return can_be_raw(leaf) ? ready / 2 : next_feed_forward_layer(ready);
  }

  const Plan& plan(NodeId id, const And& conjunction_node) {
    Cube leaves;
    std::vector<Literal> conjunctions;
    int critical = 0;  // the last layer that stores one of the inner conjunctions
    for (const Literal literal : conjunction_node.literals) {
      const bool inner = std::holds_alternative<And>(graph_[literal.node]);
      (inner ? conjunctions : leaves).push_back(literal);
      if (inner) critical = std::max(critical, ready_[literal.node.index] / 2);
    }
    // Store every inner conjunction; or expand the ones that finish last; or expand all.
    std::optional<std::pair<Plan, Cover>> best;
    for (const int expand_from : {critical + 1, critical, 0}) {
      Cube literals = leaves;
      std::vector<Cover> expanded;
      for (const Literal inner : conjunctions) {
        const Cover& cover = covers_[inner.node.index];
        const bool small = plans_[inner.node.index].literals() <= kMaxExpandedLiterals;
        if (ready_[inner.node.index] / 2 >= expand_from && small)
          expanded.push_back(inner.negated ? cover.negated() : cover);
        else
          literals.push_back(inner);
      }
      const Cover cover = conjunction(in_order(std::move(literals)), expanded, possible_);
      for (Plan& candidate : realisations(cover))
        if (!best || better(candidate, best->first)) best = {std::move(candidate), cover};
      if (conjunctions.empty()) break;
    }
    covers_[id.index] = std::move(best->second);
    return plans_[id.index] = std::move(best->first);
  }

  static bool better(const Plan& a, const Plan& b) {
    const auto cost = [](const Plan& plan) { return std::tuple(plan.layer, plan.cubes.size(), plan.literals()); };
    return cost(a) < cost(b);
  }

  std::vector<Plan> realisations(const Cover& cover) const {
    std::vector<Plan> plans;
    for (const auto& [side, complemented] : {std::pair{&cover.on, false}, std::pair{&cover.off, true}}) {
      if (!*side) continue;
      std::vector<Cube> cubes = graph_.joins_comparisons ? without_idle_tests(graph_, **side) : **side;
      const int layer = layer_for(cubes);
      plans.push_back({layer, std::move(cubes), complemented});
    }
    return plans;
  }

  /// A comparison that is made on the way is best not negated, so the latest comes last: then it stands in one cube of
  /// the negation.
  Cube in_order(Cube literals) const {
    std::sort(literals.begin(), literals.end());
    const auto ready = [&](Literal literal) {
      return is_comparison(graph_, literal.node) ? ready_[literal.node.index] : -1;
    };
    std::stable_sort(literals.begin(), literals.end(), [&](Literal a, Literal b) { return ready(a) < ready(b); });
    return literals;
  }

  /// The first layer that can compute these cubes; one later if approximate literals cannot be rounded on the way.
  int layer_for(const std::vector<Cube>& cubes) const {
    int layer = 1;
    for (const Cube& cube : cubes)
      for (const Literal literal : cube) layer = std::max(layer, leaf_layer(literal.node));
    const bool fits = std::all_of(cubes.begin(), cubes.end(), [&](const Cube& cube) { return fusable(cube, layer); });
    return fits ? layer : layer + 1;
  }

  bool fusable(const Cube& cube, int layer) const {
    std::vector<Approximation> raw;
    std::vector<Literal> exact, comparisons;
    for (const Literal literal : cube) {
      if (!can_be_raw(literal.node) || ready_[literal.node.index] / 2 != layer) {
        exact.push_back(literal);
        continue;
      }
      if (std::holds_alternative<IsZero>(graph_[literal.node])) return cube.size() == 1;
      if (is_comparison(graph_, literal.node))
        comparisons.push_back(literal);
      else
        raw.push_back(approximation(graph_, literal));
    }
    if (!comparisons.empty())
      return raw.empty() && comparisons.size() == 1 && joined(graph_, comparisons[0], exact).has_value();
    return raw.empty() || find_ramp(exact.size(), raw).has_value();
  }

  /// Walks back from the output: only what is read gets stored.
  Schedule collect() {
    Schedule result;
    result.ready.assign(graph_.size(), -1);
    std::vector<bool> needed(graph_.size());
    for_each_output(graph_, [&](Literal output) { needed[output.node.index] = true; });
    const auto need = [&](const Affine& affine) {
      for (const Affine::Term& term : stored_form(graph_, affine).terms) needed[term.node.index] = true;
    };
    for (std::size_t k = graph_.size(); k-- > 0;) {
      if (!needed[k]) continue;
      const NodeId id(k);
      result.ready[k] = ready_[k];
      const std::size_t layer = static_cast<std::size_t>(ready_[k] + 1) / 2;
      if (layer > result.layers.size()) result.layers.resize(layer);
      if (const auto* attend = std::get_if<Attend>(&graph_[id])) {
        for (std::size_t part = attend->parts.size(); part-- > 0;) {
          const auto& [head, value, factor] = attend->parts[part];
          need(value);
          for (const Head::Product& product : graph_[head].score) need(product.query), need(product.key);
          place_in_head(result.layers, layer - 1, head, {id, part});
        }
      } else if (ready_[k] > 0) {
        if (const auto* piecewise = std::get_if<Piecewise>(&graph_[id])) need_arguments(*piecewise, need);
        const ScheduledFunction function = function_of(id);
        for (const Cube& cube : function.cubes)
          for (const Literal literal : cube) need_leaf(literal.node, static_cast<int>(layer), need);
        result.layers[layer - 1].functions.push_back(function);
      }
    }
    for (ScheduledLayer& layer : result.layers) {
      std::reverse(layer.functions.begin(), layer.functions.end());
      std::reverse(layer.heads.begin(), layer.heads.end());
      for (ScheduledHead& head : layer.heads) std::reverse(head.values.begin(), head.values.end());
    }
    return result;
  }

  ScheduledFunction function_of(NodeId id) const {
    if (std::holds_alternative<Piecewise>(graph_[id])) return {id, {}, false};
    if (!std::holds_alternative<And>(graph_[id])) return {id, {{Literal{id, false}}}, false};
    return {id, plans_[id.index].cubes, plans_[id.index].complemented};
  }

  static void need_arguments(const Piecewise& piecewise, const auto& need) {
    for (const Piecewise::Unit& unit : piecewise.units) need(unit.x);
    need(piecewise.rest);
  }

  void need_leaf(NodeId leaf, int layer, const auto& need) const {
    if (!can_be_raw(leaf) || ready_[leaf.index] / 2 != layer)
      need(Affine(leaf));
    else if (const auto* threshold = std::get_if<Threshold>(&graph_[leaf]))
      need(threshold->x);
    else if (const auto* piecewise = std::get_if<Piecewise>(&graph_[leaf]))
      need_arguments(*piecewise, need);
    else
      need(std::get<IsZero>(graph_[leaf]).x);
  }

  /// Parts of one layer that share their head are one head with several values.
  void place_in_head(std::vector<ScheduledLayer>& layers, std::size_t layer, HeadId head, ScheduledHead::Value value) {
    std::vector<ScheduledHead>& heads = layers[layer].heads;
    const auto [slot, added] = head_slots_.try_emplace({layer, head}, heads.size());
    if (added) heads.push_back({head, {}});
    heads[slot->second].values.push_back(value);
  }

  const Graph& graph_;
  std::vector<int> ready_;
  std::vector<int> wait_;  ///< no attention is ready before
  std::vector<Cover> covers_;
  std::vector<Plan> plans_;
  std::map<std::pair<std::size_t, HeadId>, std::size_t> head_slots_;
  Possible possible_;
};

}  // namespace

Affine stored_form(const Graph& graph, const Affine& affine) {
  Affine result = affine.constant;
  AffineSum thresholds;
  for (const Affine::Term& term : affine.terms) {
    if (is_exact_threshold(graph, term.node))
      thresholds.add(std::get<Threshold>(graph[term.node]).x, term.coefficient);
    else
      result.terms.push_back(term);
  }
  const Affine resolved = thresholds.take();
  return resolved.terms.empty() && resolved.constant == 0 ? result : result + resolved;
}

bool read_raw(const Graph& graph, const Schedule& schedule, NodeId leaf, int layer) {
  if (is_exact_threshold(graph, leaf)) return false;
  if (!std::holds_alternative<Threshold>(graph[leaf]) && !std::holds_alternative<IsZero>(graph[leaf]) &&
      !is_comparison(graph, leaf))
    return false;
  const int ready = schedule.ready[leaf.index];
  return ready < 0 || ready >= 2 * layer;
}

Approximation approximation(const Graph& graph, Literal raw) {
  const Threshold& t = std::get<Threshold>(graph[raw.node]);
  const Approximation positive{t.low, t.no, t.yes, t.high};
  return raw.negated ? positive.negated() : positive;
}

Schedule schedule(const Graph& graph) { return Scheduler(graph).run(); }

}  // namespace quench::opt
