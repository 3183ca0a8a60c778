// Attention of S-RASP. With S(i,j) = Σ_a x_a(i)·y_a(j) as for B-RASP,
//
//   [M, S]                 S ± j/(2N)                                                            gap 1/(2N)
//   [M, S and A(i) = B(j)] 2(A/N)(B(j)/N) − (B(j)/N)² + P·S ± (1/2N²)(j/N)                       gap 1/(2N³)
//
// P = R² + 1, R ≥ |A−B|/N, so that S decides first: the rest, −(A−B)²/N² up to what i alone decides, and the tie-break
// stay within R² + ½. Among j with S, a match is at least 1/N² − 1/(2N²) ahead of the others, and matches differ by
// 1/(2N³). What was found is checked: S(i,j*) and A(i) = B(j*). Strict masks as for B-RASP, by copies from the
// neighbour.
#include "lower/srasp.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/overloaded.h"
#include "bounds/lemmas.h"
#include "lower/ir_elaboration.h"
#include "lower/numbers.h"

namespace quench::lower {
namespace {

using namespace lang;
using ir::Affine;
using ir::Literal;

class SraspLowering : public IrElaboration {
 public:
  SraspLowering(const Program& program, const Recipe& recipe, double sharpness)
      : IrElaboration(program),
        numbers_(graph_, recipe, sharpness),
        integers_(program.vector_count()),
        finite_(program.size()) {
    for (std::size_t k = 0; k < program.size(); ++k) {
      const Expression& expression = program[ExpressionId(k)];
      const auto* at = std::get_if<VectorAt>(&expression);
      finite_[k] =
          !std::holds_alternative<PositionAt>(expression) && !(at && program[at->vector].sort == Sort::integer);
      for_each_operand(expression, [&](ExpressionId operand) {
        finite_[k] = finite_[k] && (finite_[operand.index] || program.sort(operand) != Sort::integer);
      });
    }
  }

  ir::Graph lower() {
    run();
    if (program_.output_sort() != Sort::integer) {
      set_output();
      return std::move(graph_);
    }
    graph_.number = true;
    graph_.output = {graph_.add(ir::Piecewise{{{*integers_[program_.output.index], 1}}, {}, 0, 2}, "output"), false};
    return std::move(graph_);
  }

 protected:
  bool finite(ExpressionId integer) const override { return finite_[integer.index]; }

  Bit compare(ExpressionId, const Compare& comparison) override {
    const Affine difference = number(comparison.left) - number(comparison.right);
    switch (comparison.relation) {
      case Relation::greater_equal:
        return bit(numbers_.at_least_zero(difference));
      case Relation::greater:
        return bit(!numbers_.at_least_zero(-1 * difference));
      case Relation::less_equal:
        return bit(numbers_.at_least_zero(-1 * difference));
      case Relation::less:
        return bit(!numbers_.at_least_zero(difference));
      case Relation::equal:
        return bit(numbers_.zero(difference));
      case Relation::not_equal:
        return bit(!numbers_.zero(difference));
    }
    return truth(false);
  }

  Retrieved attend(const Attention& attention, const Terms& score, const std::vector<Bit>& values,
                   const std::string& name) override {
    return retrieve(attention, find(attention, score, name), values);
  }
  Retrieved attend_equal(const Attention& attention, const std::vector<Bit>& values, const std::string& name) override {
    return retrieve(attention, find(attention, name), values);
  }

  ir::NodeId mean(Reach reach, Literal value) override {
    const Mask mask = reach == Reach::all ? Mask::none : reach == Reach::up_to ? Mask::future : Mask::past;
    return numbers_.retrieve(numbers_.uniform(mask), Affine(value));
  }

  void integer_vector(VectorId id) override {
    const Vector& vector = program_[id];
    std::visit(Overloaded{[&](const Pointwise& x) {
                            const Affine value = number(x.value);
                            integers_[id.index] = stored(x.value) ? value : Affine(numbers_.clip(value));
                          },
                          [&](const Attention& x) { integers_[id.index] = integer_attention(x, vector.name); },
                          [&](const PrefixSum& x) {
                            const bool small = std::holds_alternative<AsInteger>(program_[x.value]);
                            integers_[id.index] = numbers_.prefix_sum(number(x.value), small);
                          },
                          [](const Mean&) { internal_error("a mean is a score", __FILE__, __LINE__); }},
               vector.definition);
    const Affine& made = *integers_[id.index];
    if (made.terms.size() == 1) graph_.relabel(made.terms[0].node, vector.name + "/n");
  }

 private:
  struct Match {
    Literal x, y;
  };
  struct Found {
    ir::HeadId head;
    Bit found;
  };

  /// Already within 0 … N+1, so that storing it changes nothing.
  bool stored(ExpressionId id) const {
    return std::holds_alternative<PositionAt>(program_[id]) || std::holds_alternative<VectorAt>(program_[id]) ||
           std::holds_alternative<AsInteger>(program_[id]) || program_[id] == Expression(IntegerConstant{0}) ||
           program_[id] == Expression(IntegerConstant{1});
  }

  /// The value of an integer expression of one position, over N. Operands first.
  const Affine& number(ExpressionId root) {
    for (const ExpressionId id : expressions_of(program_, {root})) {
      if (program_.sort(id) != Sort::integer || number_.contains(id.index)) continue;
      number_[id.index] = std::visit(
          Overloaded{[&](const IntegerConstant& x) { return static_cast<double>(x.value) * numbers_.one(); },
                     [&](const PositionAt&) { return numbers_.position(); },
                     [&](const VectorAt& x) { return *integers_[x.vector.index]; },
                     [&](const AsInteger& x) { return Affine(numbers_.integer(literal(local(x.of).cases.at(1)))); },
                     [&](const Sum& x) {
                       return number_.at(x.left.index) + static_cast<double>(x.factor) * number_.at(x.right.index);
                     },
                     [&](const Choice& x) {
                       return Affine(numbers_.choose(literal(local(x.condition).cases.at(1)), number_.at(x.yes.index),
                                                     number_.at(x.no.index)));
                     },
                     [](const auto&) -> Affine { internal_error("not an integer", __FILE__, __LINE__); }},
          program_[id]);
    }
    return number_.at(root.index);
  }

  static bool strict(const Attention& attention) {
    return attention.reach == Reach::before || attention.reach == Reach::after;
  }
  static bool before(const Attention& attention) { return attention.reach == Reach::before; }
  Literal key(const Attention& attention, Literal p) {
    return strict(attention) ? numbers_.shifted(before(attention), p) : p;
  }
  Affine key(const Attention& attention, const Affine& x) {
    return strict(attention) ? numbers_.shifted(before(attention), x) : x;
  }

  ir::Head empty_head(const Attention& attention) {
    const bool past = attention.reach == Reach::before || attention.reach == Reach::up_to;
    return numbers_.head(attention.reach == Reach::all ? Mask::none : past ? Mask::future : Mask::past, "lookup");
  }
  std::vector<Match> matches(const Attention& attention, const Terms& score) {
    std::vector<Match> result;
    for (const Partitions::Term& term : score) result.push_back({literal(term.x), key(attention, literal(term.y))});
    return result;
  }
  Bit holds_at(ir::HeadId head, const std::vector<Match>& matches) {
    std::vector<Literal> any;
    for (const Match& match : matches) any.push_back(graph_.conjunction({match.x, numbers_.retrieve(head, match.y)}));
    return bit(graph_.disjunction(std::move(any)));
  }
  static double sign(const Attention& attention) { return attention.side == Side::rightmost ? 1 : -1; }

  Found find(const Attention& attention, const Terms& score, const std::string& name) {
    const double c = numbers_.sharpness();
    const std::vector<Match> keys = matches(attention, score);
    ir::Head head = empty_head(attention);
    for (const Match& match : keys) head.score.push_back({c * Affine(match.x), match.y});
    head.score.push_back({sign(attention) * 0.5 * c, numbers_.position()});
    const ir::HeadId id = graph_.add(head, name);
    return {id, holds_at(id, keys)};
  }

  /// With A(i) = B(j) among the conditions.
  Found find(const Attention& attention, const std::string& name) {
    const double c = numbers_.sharpness();
    const auto [a, b, score] = equality(attention);
    const Affine wanted = number(a), there = number(b);
    const std::vector<Match> keys = matches(attention, score);
    const Affine key_number = key(attention, there), key_square = key(attention, numbers_.square(there));
    const double distance = numbers_.magnitude(wanted) + numbers_.magnitude(there);
    ir::Head head = empty_head(attention);
    head.score = {{2 * c * wanted, key_number}, {-c, key_square}};
    for (const Match& match : keys) head.score.push_back({c * (distance * distance + 1) * Affine(match.x), match.y});
    head.score.push_back({sign(attention) * 0.5 * c * numbers_.one_squared(), numbers_.position()});
    const ir::HeadId id = graph_.add(head, name);
    const Affine difference = wanted - numbers_.retrieve(id, key_number);
    return {id, conjunction({holds_at(id, keys), bit(numbers_.zero(difference))})};
  }

  struct Equality {
    ExpressionId a, b;
    Terms rest;
  };
  Equality equality(const Attention& attention) {
    Equality result;
    Partition rest = partitions_.of_key(truth(true));
    for (const ExpressionId part : conjuncts(attention.score)) {
      if (!is_integer_equality(part)) {
        rest = partitions_.conjunction(rest, condition(part));
        continue;
      }
      const Compare& comparison = std::get<Compare>(program_[part]);
      const bool flipped = program_.reads(comparison.left, At::j);
      if (result.a.valid()) integers_of_two_positions(part);
      result.a = flipped ? comparison.right : comparison.left;
      result.b = flipped ? comparison.left : comparison.right;
      const bool vector = std::holds_alternative<VectorAt>(program_[result.b]) ||
                          std::holds_alternative<PositionAt>(program_[result.b]);
      if (!vector) integers_of_two_positions(part);
    }
    result.rest = partitions_.terms(rest);
    return result;
  }

  Retrieved retrieve(const Attention& attention, const Found& found, const std::vector<Bit>& values) {
    Retrieved result{found.found, {}};
    for (const Bit value : values)
      result.values.push_back(bit(numbers_.retrieve(found.head, key(attention, literal(value)))));
    return result;
  }

  Affine integer_attention(const Attention& attention, const std::string& name) {
    check_score(attention);
    if (program_.reads(attention.value, At::i) && program_.reads(attention.value, At::j))
      integers_of_two_positions(attention.value);
    const Found found = has_equality(attention) ? find(attention, name)
                                                : find(attention, partitions_.terms(condition(attention.score)), name);
    const bool here = !program_.reads(attention.value, At::j);
    const Affine value =
        here ? number(attention.value) : Affine(numbers_.retrieve(found.head, key(attention, number(attention.value))));
    const Affine otherwise = number(attention.otherwise);
    if (graph_.is_true(literal(found.found)) && stored(attention.value)) return value;
    const ir::NodeId chosen = numbers_.choose(literal(found.found), value, otherwise);
    return stored(attention.value) && stored(attention.otherwise) ? chosen : numbers_.clip(chosen);
  }

  Numbers numbers_;
  std::vector<std::optional<Affine>> integers_;  // by vector
  std::vector<bool> finite_;                     // by expression
  std::unordered_map<std::uint32_t, Affine> number_;
};

}  // namespace

const Recipe& choose_srasp_recipe(const RecipeOptions& options) {
  using Kind = PositionFormula::Kind;
  static const Recipe recipe{"srasp",
                             "S-RASP as a uniform-tieless AHAT, Theorem 26 [Q-srasp]",
                             {},
                             Temperature::inverse_n_cubed_log,
                             {Kind::index_over_length, Kind::index_over_length_sq, Kind::inverse_index},
                             TieBreak::none,
                             false,
                             false};
  const auto fail = [](const char* code, std::string message, std::string note) {
    throw DiagnosticError({Diagnostic{code, std::move(message), {}, {std::move(note)}}});
  };
  if (const double gamma = options.gamma.value_or(kPaperGamma); !(gamma >= bounds::smallest_gamma()))
    fail("E104", fmt::format("gamma {} is too small: the heads would not be sharp enough to round", gamma),
         "gamma must be at least ln 16 = 2.7726");
  const bool known = options.recipe == "auto" || options.recipe == "paper" || options.recipe == "tight" ||
                     options.recipe == recipe.name;
  if (!known)
    fail("E123", fmt::format("recipe {} does not cover programs with integers", options.recipe),
         "programs of S-RASP have the recipe srasp; leave out --recipe");
  if (options.decoder || options.sharpen == Sharpen::position)
    fail("E123", "a program of S-RASP is sharpened by temperature, and is no decoder",
         "leave out --decoder and --sharpen");
  return recipe;
}

ir::Graph lower_srasp(const Program& program, const Recipe& recipe, double gamma) {
  constexpr double kPerGamma = 16.0 / 3;  // the paper's γ = 3 gives c = 16
  ir::Graph graph = SraspLowering(program, recipe, kPerGamma * gamma).lower();
  ir::check(graph);
  return graph;
}

}  // namespace quench::lower
