#include "opt/carry.h"

#include <algorithm>

namespace quench::opt {
namespace {

using namespace ir;

std::optional<double> coefficient(const Affine& affine, NodeId node) {
  for (const Affine::Term& term : affine.terms)
    if (term.node == node) return term.coefficient;
  return std::nullopt;
}

class Carriers {
 public:
  Carriers(const Graph& graph, const Schedule& schedule, const std::vector<Read>& reads)
      : graph_(graph), schedule_(schedule), reads_of_(graph.size()), result_(graph.size()), taken_(graph.size()) {
    for (const Read& read : reads)
      for (const Affine::Term& term : read.of.terms) reads_of_[term.node.index].push_back(&read);
  }

  std::vector<std::optional<Carry>> run() {
    for (std::size_t k = 0; k < graph_.size(); ++k) {
      if (schedule_.ready[k] < 1) continue;
      if (std::holds_alternative<Attend>(graph_[NodeId(k)])) add_to_another(NodeId(k));
      if (const auto* piecewise = std::get_if<Piecewise>(&graph_[NodeId(k)])) make_of_another(NodeId(k), *piecewise);
    }
    return std::move(result_);
  }

 private:
  int ready(NodeId node) const { return schedule_.ready[node.index]; }
  /// Born in a sublayer before this one's, and nobody's yet. (Symbols and positions stay what they are.)
  bool can_go_on(NodeId node, NodeId as) const {
    return ready(node) >= 1 && ready(node) < ready(as) && !taken_[node.index];
  }

  void add_to_another(NodeId sum) {
    if (reads_of_[sum.index].empty()) return;
    for (const Affine::Term& term : reads_of_[sum.index].front()->of.terms) {
      if (term.node == sum || !can_go_on(term.node, sum) || adds_to_another(term.node) || !read_together(sum, term.node))
        continue;
      take(term.node, sum, {term.node, Affine(term.node) + Affine(sum), 0});
      return;
    }
  }
  bool adds_to_another(NodeId node) const {
    return result_[node.index] && std::holds_alternative<Attend>(graph_[node]);
  }
  bool read_together(NodeId sum, NodeId other) const {
    const auto together = [&](const Read* read) { return coefficient(read->of, sum) == coefficient(read->of, other); };
    return std::ranges::all_of(reads_of_[sum.index], together) &&
           std::ranges::all_of(reads_of_[other.index],
                               [&](const Read* read) { return read->sublayer <= ready(sum) || together(read); });
  }

  void make_of_another(NodeId function, const Piecewise& piecewise) {
    if (!piecewise.rest.is_constant()) return;
    for (std::size_t u = 0; u < piecewise.units.size(); ++u) {
      const auto& [x, factor] = piecewise.units[u];
      const Affine z = stored_form(graph_, x);
      if (factor != 1 || z.constant != 0 || z.terms.empty() || graph_.range(z).low < 0) continue;
      const NodeId last = z.terms.back().node;
      const Affine held = result_[last.index] ? result_[last.index]->content : Affine(last);
      const auto over = [&](const Affine::Term& term) {
        return std::ranges::all_of(reads_of_[term.node.index],
                                   [&](const Read* read) { return read->sublayer <= ready(function); });
      };
      if (z != held || !can_go_on(last, function) ||
          !std::ranges::all_of(z.terms, over) || !is_function_of(z, piecewise))
        continue;
      take(last, function, {last, Affine(function), u});
      return;
    }
  }

  /// Whether all units are ReLU(±z + b): then a proof has one function of one number to look at.
  bool is_function_of(const Affine& z, const Piecewise& piecewise) const {
    return std::ranges::all_of(piecewise.units, [&](const Piecewise::Unit& unit) {
      Affine x = stored_form(graph_, unit.x);
      x.constant = 0;
      return x == z || -1 * x == z;
    });
  }

  void take(NodeId from, NodeId by, Carry carry) {
    taken_[from.index] = true;
    result_[by.index] = std::move(carry);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<std::vector<const Read*>> reads_of_;  ///< by node
  std::vector<std::optional<Carry>> result_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<std::optional<Carry>> carries(const Graph& graph, const Schedule& schedule,
                                          const std::vector<Read>& reads) {
  return Carriers(graph, schedule, reads).run();
}

}  // namespace quench::opt
