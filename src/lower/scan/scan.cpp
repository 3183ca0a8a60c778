// [Q-scan]: any finite automaton, by composing functions of blocks.
//
// Let x = i − 1. Before layer k, position x holds f, the function from states to states that the letters from the
// beginning of x's aligned block of 2^k up to x are: as bits, f(a)_t for every state a (questions.h). Where bit x_k is
// set, the block of 2^k before x's lies in the same block of 2^{k+1}, and [Q-half] reads the function g of all of it.
// So f becomes a ↦ f(g(a)); where x_k is not set, it stays. After the last layer f is the function of w_1 … w_i.
//
// One feed-forward sublayer does this. Bit t of f(g(a)) is f(b)_t for the b that g(a) is: over the bits of g(a) a
// decision tree, whose leaves are sets of states b with one and the same f(b)_t. Each leaf is a unit,
//     ReLU(x_k + (the bits on the way to the leaf) + f(b)_t − (their number)),
// and ReLU((1 − x_k) + f(a)_t − 1) is what stays. Of these at most one is 1: two leaves differ in a bit on the way, and
// so no two arguments add up to more than 1.
//
// Where x_k is not set, the first position is read (with a smaller gap, x itself), and no unit looks at it. Everything is 0 or 1, so every format is
// right in which scores are exact ([Q-address]).
//
// Whether the state is accepting is asked in the last layer, by a tree over f(b) at each leaf; if the automaton falls
// into factors (factors.h), in one feed-forward more.
#include "lower/scan/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"
#include "lower/scan/factors.h"
#include "lower/scan/questions.h"

namespace quench::lower {
namespace {

using ir::Literal;
using States = std::vector<std::size_t>;

[[noreturn]] void too_large(const std::string& what, const ScanLimits& limits) {
  throw DiagnosticError({Diagnostic{"E127",
                                    "the automaton is too large for a scan: " + what,
                                    {},
                                    {fmt::format("a scan takes up to {} states (the limit `scan_states`), and up to {} hidden units in a "
                                                 "layer (`scan_units`): about |Q|² log |Q|, fewer where states behave alike",
                                                 limits.states, limits.units),
                                     "--limit scan_states=N and --limit scan_units=N raise them"}}});
}

/// Before anything is done whose time is the square of the number of states.
const lang::Dfa& small_enough(const lang::Dfa& dfa, const ScanLimits& limits) {
  if (dfa.size() > limits.states) too_large(fmt::format("it has {} states", dfa.size()), limits);
  return dfa;
}

class ScanLowering {
 public:
  ScanLowering(const lang::Dfa& dfa, const Recipe& recipe, const Tuning& tuning, const ScanLimits& limits)
      : limits_(limits),
        minimal_(minimal_machine(small_enough(dfa, limits))),
        factors_(factors_of(minimal_.machine)),
        layers_(tuning.length_bits),
        gap_(tuning.gamma),
        build_(graph_, recipe, tuning) {
    questions_.emplace(factors_.machines);
    graph_.alphabet = dfa.alphabet;
  }

  ir::Graph run() {
    const bool whole = factors_.runs.size() == 1;
    for (const Questions::Question& question : questions_->asked()) now_.push_back(of_letter(question));
    for (int k = 0; k < layers_; ++k) {
      read(k);
      if (whole && k + 1 == layers_) {
        graph_.output = accepted_after_composition();
        return std::move(graph_);
      }
      std::vector<Literal> next;
      units_ = 0;
      for (std::size_t q = 0; q < now_.size(); ++q) next.push_back(composed(q, k));
      now_ = std::move(next);
    }
    graph_.output = accepted();
    return std::move(graph_);
  }

 private:
  using Cube = std::vector<Literal>;

  /// The answer that the letter here gives by itself.
  Literal of_letter(const Questions::Question& question) {
    const auto& [machine, state, t] = question;
    const std::vector<std::size_t>& row = questions_->machines()[machine].next[state];
    const bool others = questions_->is_set(machine, row.back(), t);  // letters that the alphabet does not list
    std::vector<Symbol> symbols;
    for (std::size_t letter = 0; letter + 1 < row.size(); ++letter)
      if (questions_->is_set(machine, row[letter], t) != others) symbols.push_back(static_cast<Symbol>(letter));
    if (symbols.empty()) return graph_.truth(others);
    return {graph_.add(ir::SymbolIn{std::move(symbols)}), others};
  }

  /// What the block before says, where bit k is set.
  void read(int k) {
    const ir::HeadId head = gap_ < bounds::kExactGap ? build_.half_or_itself(k, gap_) : build_.half(k);
    in_second_half_ = build_.bit(ExactConstructions::Number::before, k);
    read_.clear();
    for (std::size_t q = 0; q < now_.size(); ++q) {
      const bool constant = graph_.is_true(now_[q]) || graph_.is_false(now_[q]);
      read_.push_back(constant ? now_[q]
                               : build_.exactly(graph_.add(ir::Attend{head, now_[q]}, label(q, k) + ", before"), {}));
    }
  }

  std::string label(std::size_t q, int k) const {
    const auto& [machine, state, t] = questions_->asked()[q];
    const std::string name =
        questions_->machines().size() > 1 ? fmt::format("{}.{}", machine, state) : fmt::format("{}", state);
    return fmt::format("bit {} after state {}, blocks of {}", t, name, std::size_t{1} << k);
  }

  Literal literal(const std::vector<Literal>& answers, const Questions::Answer& answer) {
    if (answer.asked == Questions::Answer::kAlways) return graph_.truth(answer.negated);
    return answer.negated ? !answers[answer.asked] : answers[answer.asked];
  }

  Literal composed(std::size_t q, int k) {
    const auto& [machine, state, t] = questions_->asked()[q];
    const States images = questions_->machines()[machine].reachable_from(state);
    const auto asks = [&, m = machine, bit = t](std::size_t b) { return questions_->answer(m, b, bit); };
    if (std::all_of(images.begin(), images.end(), [&](std::size_t b) {
          return asks(b) == Questions::Answer{q, false};
        }))
      return now_[q];  // what came before makes no difference
    cubes_.clear();
    add({!in_second_half_, now_[q]});
    branch(machine, read_, state, images, {in_second_half_}, [&](const States& states, Cube& cube) {
      if (std::any_of(states.begin(), states.end(), [&](std::size_t b) { return asks(b) != asks(states[0]); }))
        return false;
      cube.push_back(literal(now_, asks(states[0])));
      add(std::move(cube));
      return true;
    });
    return sum_of_cubes(label(q, k + 1));
  }

  /// Whether f(g(initial)) is accepting.
  Literal accepted_after_composition() {
    const Machine& machine = questions_->machines()[0];
    const std::vector<std::size_t>& whole_state = factors_.runs[0].state;
    std::vector<bool> accepting(machine.size());
    for (std::size_t s = 0; s < whole_state.size(); ++s) accepting[whole_state[s]] = minimal_.accepting[s];
    const auto from = [&](std::size_t state, const Cube& way) {
      branch(0, now_, state, machine.reachable_from(state), way, [&](const States& states, Cube& cube) {
        if (std::any_of(states.begin(), states.end(),
                        [&](std::size_t c) { return accepting[c] != accepting[states[0]]; }))
          return false;
        if (accepting[states[0]]) add(std::move(cube));
        return true;
      });
    };
    const std::size_t initial = whole_state[minimal_.machine.initial];
    const States images = machine.reachable_from(initial);
    cubes_.clear();
    if (std::all_of(images.begin(), images.end(), [&](std::size_t b) { return lead_alike(initial, b); })) {
      from(initial, {});  // what came before makes no difference
      return sum_of_cubes("accepted");
    }
    from(initial, {!in_second_half_});
    branch(0, read_, initial, images, {in_second_half_}, [&](const States& states, Cube& cube) {
      if (states.size() > 1) return false;
      from(states[0], cube);
      return true;
    });
    return sum_of_cubes("accepted");
  }

  /// Every block leads from the two states to the same one.
  bool lead_alike(std::size_t a, std::size_t b) const {
    for (int t = 0; t < questions_->bits(0); ++t)
      if (questions_->answer(0, a, t) != questions_->answer(0, b, t)) return false;
    return true;
  }

  /// Whether the state that the factors know is accepting.
  Literal accepted() {
    const States states = minimal_.machine.reachable_from(minimal_.machine.initial);
    const auto count = static_cast<std::size_t>(
        std::count_if(states.begin(), states.end(), [&](std::size_t s) { return minimal_.accepting[s]; }));
    const bool which = 2 * count <= states.size();  // the fewer
    cubes_.clear();
    units_ = 0;
    for (const std::size_t s : states) {
      if (minimal_.accepting[s] != which) continue;
      Cube cube;
      for (const Factors::Run& run : factors_.runs) {
        const std::size_t initial = run.state[minimal_.machine.initial];
        for (int t = 0; t < questions_->bits(run.machine); ++t) {
          const Literal bit = literal(now_, questions_->answer(run.machine, initial, t));
          cube.push_back(questions_->is_set(run.machine, run.state[s], t) ? bit : !bit);
        }
      }
      add(std::move(cube));
    }
    const Literal one = sum_of_cubes(which ? "accepted" : "rejected");
    return which ? one : !one;
  }

  /// A decision tree over the bits of the state that a block which begins in `state` leads to, one of `images`: splits
  /// until leaf(states, cube) says that it has dealt with what is left.
  template <class Leaf>
  void branch(std::size_t machine, const std::vector<Literal>& answers, std::size_t state, const States& images,
              Cube way, const Leaf& leaf) {
    struct Part {
      States states;
      Cube way;
    };
    std::vector<Part> pending{{images, std::move(way)}};
    while (!pending.empty()) {
      Part part = std::move(pending.back());
      pending.pop_back();
      Cube cube = part.way;
      if (leaf(part.states, cube)) continue;
      const int t = splitting_bit(machine, part.states);
      const Literal bit = literal(answers, questions_->answer(machine, state, t));
      for (const bool set : {true, false}) {
        Part half;
        half.way = part.way;
        half.way.push_back(set ? bit : !bit);
        for (const std::size_t s : part.states)
          if (questions_->is_set(machine, s, t) == set) half.states.push_back(s);
        pending.push_back(std::move(half));
      }
    }
  }

  /// One in which the states differ, as evenly as possible.
  int splitting_bit(std::size_t machine, const States& states) const {
    int best = -1;
    std::size_t best_size = 0;
    for (int t = 0; t < questions_->bits(machine); ++t) {
      const auto set = static_cast<std::size_t>(std::count_if(
          states.begin(), states.end(), [&](std::size_t s) { return questions_->is_set(machine, s, t); }));
      const std::size_t smaller = std::min(set, states.size() - set);
      if (smaller > best_size) best = t, best_size = smaller;
    }
    QUENCH_ASSERT(best >= 0);
    return best;
  }

  void add(Cube cube) { cubes_.push_back(std::move(cube)); }

  /// A unit for each cube that can hold.
  Literal sum_of_cubes(const std::string& label) {
    ir::Piecewise sum{{}, 0, 0, 1, true};
    for (const Cube& cube : cubes_) {
      const Literal all = graph_.conjunction(cube);
      if (graph_.is_false(all)) continue;
      if (graph_.is_true(all)) return all;
      ir::Affine x = 1;
      Cube literals{all};
      if (const auto* conjunction = std::get_if<ir::And>(&graph_[all.node])) literals = conjunction->literals;
      for (const Literal one : literals) x += ir::Affine(one) - 1;
      sum.units.push_back({std::move(x), 1});
    }
    units_ += sum.units.size();
    if (units_ > limits_.units) too_large("a layer has too many hidden units", limits_);
    if (sum.units.empty()) return graph_.truth(false);
    return {graph_.add(sum, label), false};
  }

  const ScanLimits limits_;
  MinimalMachine minimal_;
  Factors factors_;
  std::optional<Questions> questions_;
  int layers_;
  double gap_;  ///< by which keys that lose are behind
  ir::Graph graph_;
  ExactConstructions build_;
  Literal in_second_half_;
  std::vector<Literal> now_, read_;  // by question: of the block up to here, of the block before
  std::vector<Cube> cubes_;          // of the sum that is being made
  std::size_t units_ = 0;            // of the layer
};

}  // namespace

ir::Graph lower_scan(const lang::Dfa& dfa, const Recipe& recipe, const Tuning& tuning, const ScanLimits& limits) {
  ir::Graph graph = ScanLowering(dfa, recipe, tuning, limits).run();
  ir::check(graph);
  return graph;
}

}  // namespace quench::lower
