// P(i) = rightmost j [M, S(i,j)] V : D. With S(i,j) = Σ_a x_a(i)·y_a(j), the x_a mutually exclusive
// (lower/program/partition.h),
//
//     s_ij = 2γn(S(i,j) + j/2n)      [P-L8b]; leftmost: − j/2n  [P-L8c]
//
// is a dot product. If some visible j has S = 1, the rightmost such j* wins: another one at distance d is γd behind,
// and a j with S = 0 at least 2γn − γ|j−j*| ≥ γ|j−j*| behind. So ‖hard − soft‖₁ ≤ 4e^{−γ}/(1+e^{−γ}) by [P-L6]. If none
// has, the head finds something with S = 0. The head carries the y_a(j) and what V needs of j; then found = ⋁_a x_a(i)
// ∧ y_a(j*).
//
// Strict masks: the y_a and values are first copied from the predecessor (successor), false where there is none, and
// then attended to under j ≤ i (j ≥ i). A softmax over no positions is never formed.
//
// With τ = 1 the factor n has to be a coordinate of the query; n·x_a(i) is not a sum of coordinates, so there the
// classes have a head each, 2γn(y_a(j) ± j/2n), and the x_a choose among what they find.
#include "lower/program/brasp.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bounds/lemmas.h"
#include "lower/gamma.h"
#include "lower/paper/paper.h"
#include "lower/program/ir_elaboration.h"

namespace quench::lower {
namespace {

using Kind = PositionFormula::Kind;
using ir::Literal;
using lang::Reach;
using lang::Side;

class BraspLowering : public IrElaboration {
 public:
  BraspLowering(const lang::Program& program, const Recipe& recipe, double gamma)
      : IrElaboration(program),
        recipe_(recipe),
        gamma_(gamma),
        build_(graph_, recipe, gamma),
        delta_(bounds::boolean_error(gamma)) {
    QUENCH_ASSERT(delta_ <= 0.25);
  }

  ir::Graph lower() {
    run();
    set_output();
    return std::move(graph_);
  }

 protected:
  Retrieved attend(const lang::Attention& attention, const Terms& score, const std::vector<Bit>& values,
                   const std::string& name) override {
    const bool strict = attention.reach == Reach::before || attention.reach == Reach::after;
    const bool past = attention.reach == Reach::before || attention.reach == Reach::up_to;
    const auto key = [&](Bit one) {
      return strict ? neighbour(past ? Direction::past : Direction::future, literal(one)) : literal(one);
    };
    if (nearest(attention, score)) {
      Retrieved there{bit(key(truth(true))), {}};
      for (const Bit value : values) there.values.push_back(bit(key(value)));
      return there;
    }
    std::vector<Match> matches;
    for (const Partitions::Term& term : score) matches.push_back({literal(term.x), key(term.y)});
    std::vector<Literal> wanted;
    for (const Bit value : values) wanted.push_back(key(value));
    if (recipe_.by_position) return attend_by_class(attention, matches, wanted, name);
    const ir::HeadId head = this->head(attention, matches, name);
    Retrieved retrieved{found(head, matches), {}};
    for (const Literal value : wanted) retrieved.values.push_back(bit(retrieve(head, value)));
    return retrieved;
  }

 private:
  struct Match {
    Literal x, y;
  };

  ir::HeadId head(const lang::Attention& attention, const std::vector<Match>& matches, const std::string& name) {
    const bool rightmost = attention.side == Side::rightmost;
    ir::Head head;
    head.mask = attention.reach == Reach::all                                         ? Mask::none
                : attention.reach == Reach::before || attention.reach == Reach::up_to ? Mask::future
                                                                                      : Mask::past;
    head.temperature = recipe_.temperature;
    head.intended = rightmost ? Weighting::rhardmax : Weighting::lhardmax;
    head.structure = HeadStructure::tie_break;
    head.lemma = rightmost ? Lemma::p_l8b : Lemma::p_l8c;
    head.gamma = gamma_;
    const ir::Affine scale = 2 * gamma_ * this->scale();
    ir::Affine everywhere = (rightmost ? 0.5 : -0.5) * ir::Affine(position(Kind::index_over_length));
    for (const Match& match : matches) {
      if (graph_.is_true(match.x)) everywhere += ir::Affine(match.y);
    }
    head.score.push_back({scale, everywhere});
    for (const Match& match : matches)
      if (!graph_.is_true(match.x)) head.score.push_back({2 * gamma_ * ir::Affine(match.x), match.y});
    return graph_.add(head, name);
  }

  ir::NodeId position(Kind kind) {
    const PositionFormula formula{kind, {}};
    return graph_.add(ir::Position{formula}, to_string(formula));
  }
  /// ½(1 − (−1)^i), exactly.
  Literal odd() {
    return {graph_.add(ir::Threshold{0.5 * (ir::Affine(1) - position(Kind::alternating)), 0, 1, 0, 1}, "odd"), false};
  }

  ir::Affine scale() { return recipe_.by_position ? ir::Affine(position(Kind::length)) : ir::Affine(1); }

  Literal retrieve(ir::HeadId head, Literal value) {
    if (graph_.is_true(value) || graph_.is_false(value)) return value;
    const ir::NodeId attended = graph_.add(ir::Attend{head, value});
    return {graph_.add(ir::Threshold{attended, delta_, 1 - delta_, 0, 1}), false};
  }

  Bit found(ir::HeadId head, const std::vector<Match>& matches) {
    std::vector<Literal> any;
    for (const Match& match : matches) any.push_back(graph_.conjunction({match.x, retrieve(head, match.y)}));
    return bit(graph_.disjunction(std::move(any)));
  }

  Retrieved attend_by_class(const lang::Attention& attention, const std::vector<Match>& matches,
                            const std::vector<Literal>& values, const std::string& name) {
    std::vector<Literal> any;
    std::vector<std::vector<Literal>> parts(values.size());
    for (const Match& match : matches) {
      const Match alone{graph_.truth(true), match.y};
      const ir::HeadId head = this->head(attention, {alone}, name);
      any.push_back(graph_.conjunction({match.x, literal(found(head, {alone}))}));
      for (std::size_t v = 0; v < values.size(); ++v)
        parts[v].push_back(graph_.conjunction({match.x, retrieve(head, values[v])}));
    }
    Retrieved retrieved{bit(graph_.disjunction(std::move(any))), {}};
    for (auto& part : parts) retrieved.values.push_back(bit(graph_.disjunction(std::move(part))));
    return retrieved;
  }

  /// [Q-prev] s_ij = 2γn(−½(−1)^{i+j} + j/2n) under j ≤ i finds the nearest position of the other parity, i − 1; it is
  /// at least 2γn − γ ≥ γ ahead of i itself. At i = 1 the head finds i: then the parities agree, and the result is
  /// false. The successor is the mirror image. With τ = 1, n(−1)^i is no coordinate: two heads, as in Theorem 12.
  Literal neighbour(Direction direction, Literal phi) {
    if (graph_.is_false(phi)) return phi;
    const bool past = direction == Direction::past;
    if (recipe_.by_position) return build_.neighbour(direction, phi, past ? "before" : "after");
    const ir::Affine parity = position(Kind::alternating);
    const ir::Affine tie = (past ? 0.5 : -0.5) * ir::Affine(position(Kind::index_over_length));
    ir::Head head;
    head.mask = past ? Mask::future : Mask::past;
    head.temperature = recipe_.temperature;
    head.intended = past ? Weighting::rhardmax : Weighting::lhardmax;
    head.score = {{-gamma_ * parity, parity}, {2 * gamma_, tie}};
    head.structure = HeadStructure::tie_break;
    head.lemma = Lemma::q_prev;
    head.gamma = gamma_;
    const ir::HeadId id = graph_.add(head, past ? "predecessor" : "successor");
    const Literal here_odd = odd(), found_odd = retrieve(id, here_odd), value = retrieve(id, phi);
    const Literal at_even =
        past ? graph_.conjunction({!here_odd, value}) : graph_.conjunction({!here_odd, found_odd, value});
    return graph_.disjunction({at_even, graph_.conjunction({here_odd, !found_odd, value})});
  }

  const Recipe& recipe_;
  double gamma_;
  PaperConstructions build_;
  double delta_;  // how far a retrieved Boolean can be from what it stands for
};

}  // namespace

const Recipe& choose_brasp_recipe(const RecipeOptions& options) {
  static const Recipe by_temperature{"brasp",
                                     "B-RASP, a head per attention [P-L8b,c]",
                                     {},
                                     Temperature::inverse_n,
                                     {Kind::index_over_length, Kind::alternating},
                                     TieBreak::over_n,
                                     false,
                                     false};
  static const Recipe by_position{"brasp-b",
                                  "B-RASP, a head per class [P-L8b,c]",
                                  {},
                                  Temperature::one,
                                  {Kind::index_over_length, Kind::alternating, Kind::length},
                                  TieBreak::over_n,
                                  true,
                                  false};
  const auto fail = [](const char* code, std::string message, std::vector<std::string> notes) {
    throw DiagnosticError({Diagnostic{code, std::move(message), {}, std::move(notes)}});
  };
  check_gamma(options);
  const bool known = options.recipe == "auto" || options.recipe == "paper" || options.recipe == "tight" ||
                     options.recipe == by_temperature.name || options.recipe == by_position.name;
  if (!known)
    refuse_recipe(options.recipe, "B-RASP", {by_temperature.name, by_position.name, "exact", "exact-decoder"});
  if (options.length)
    fail("E102", "the recipes of B-RASP serve every length", {"leave out --length, or choose --recipe exact"});
  if (options.decoder)
    fail("E123", "a program of B-RASP needs i/n, which a decoder cannot know", {"leave out --decoder, or choose --recipe exact"});
  const bool position = options.sharpen == Sharpen::position || options.recipe == by_position.name;
  return position ? by_position : by_temperature;
}

ir::Graph lower_brasp(const lang::Program& program, const Recipe& recipe, double gamma) {
  ir::Graph graph = BraspLowering(program, recipe, gamma).lower();
  ir::check(graph);
  return graph;
}

}  // namespace quench::lower
