// Attention of S-RASP. With S(i,j) = Σ_a x_a(i)·y_a(j) as for B-RASP,
//
//   [M, S]                   S ± j/(2N)                                                          gap 1/(2N)
//   [M, S and A(i) = pos(j)] the lookup of A, unmasked; whether A is a position within reach is known before   gap 1/N²
//   [M, S and A(i) = B(j)]   2(A/N)(B(j)/N) − (B(j)/N)² + P·S ± (1/2N²)(j/N)                     gap 1/(2N³)
//
// P = R² + 1, R ≥ |A−B|/N, so that S decides first: the rest, −(A−B)²/N² up to what i alone decides, and the tie-break
// stay within R² + ½. Among j with S, a match is at least 1/N² − 1/(2N²) ahead of the others, and matches differ by
// 1/(2N³). What was found is checked: S(i,j*) and A(i) = B(j*). Strict masks as for B-RASP, by copies from the
// neighbour.
//
// What takes no lookup: comparisons of prefix counts with each other, constants and pos(i), where everything is known
// over i as well (a future-masked mean); counts of all positions, the unmasked mean; the nearest position, a copy; and
// the last position, whose number over N is 1.
#include "lower/srasp.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/overloaded.h"
#include "bounds/lemmas.h"
#include "lower/integer_range.h"
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
        over_index_(program.vector_count()),
        ranges_(program.vector_count(), kStored),
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
    const Affine& value = *integers_[program_.output.index];
    const bool node =
        value.terms.size() == 1 && value == Affine(value.terms[0].node) && !graph_.boolean(value.terms[0].node);
    graph_.output = {node ? value.terms[0].node : graph_.add(ir::Piecewise{{{value, 1}}, {}, 0, 2}, "output"), false};
    return std::move(graph_);
  }

 protected:
  bool finite(ExpressionId integer) const override { return finite_[integer.index]; }

  Bit compare(ExpressionId, const Compare& comparison) override {
    const ExpressionId a = comparison.left, b = comparison.right;
    switch (comparison.relation) {
      case Relation::greater_equal:
        return bit(at_least(a, b));
      case Relation::greater:
        return bit(!at_least(b, a));
      case Relation::less_equal:
        return bit(at_least(b, a));
      case Relation::less:
        return bit(!at_least(a, b));
      case Relation::equal:
        return bit(equal(a, b));
      case Relation::not_equal:
        return bit(!equal(a, b));
    }
    return truth(false);
  }

  Retrieved attend(const Attention& attention, const Terms& score, const std::vector<Bit>& values,
                   const std::string& name) override {
    if (nearest(attention, score)) {
      Retrieved here{bit(key(attention, graph_.truth(true))), {}};
      for (const Bit value : values) here.values.push_back(bit(key(attention, literal(value))));
      return here;
    }
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
    IntegerRange& range = ranges_[id.index];
    std::visit(Overloaded{[&](const Pointwise& x) {
                            range = range_of(x.value);
                            integers_[id.index] = clipped(number(x.value), range);
                            if (within(range)) over_index_[id.index] = over_index(x.value);
                            range = lower::clipped(range);
                          },
                          [&](const Attention& x) { integers_[id.index] = integer_attention(x, vector.name, range); },
                          [&](const PrefixSum& x) {
                            if (const auto* p = std::get_if<AsInteger>(&program_[x.value])) {
                              const Literal counted = literal(local(p->of).cases.at(1));
                              integers_[id.index] = numbers_.count(counted);
                              over_index_[id.index] = mean(Reach::up_to, counted);
                              range = {kZero, kLength};
                            } else {
                              integers_[id.index] = numbers_.prefix_sum(number(x.value));
                            }
                          },
                          [](const Mean&) { internal_error("a mean is a score", __FILE__, __LINE__); }},
               vector.definition);
    const Affine& made = *integers_[id.index];
    if (made.terms.size() == 1) graph_.relabel(made.terms[0].node, vector.name + "/n");
  }

 private:
  static constexpr std::int64_t kGreatest = 1000;  // a number that 1/i is compared with

  struct Match {
    Literal x, y;
  };
  struct Found {
    ir::HeadId head;
    Bit found;
    bool looked_up = false;  // by position, under no mask: nothing is copied from the neighbour
  };

  static bool within(const IntegerRange& range) { return range.at_least(kZero) && range.at_most(kBeyond); }
  Affine clipped(const Affine& x, const IntegerRange& range) { return within(range) ? x : Affine(numbers_.clip(x)); }

  IntegerRange range_of(ExpressionId root) const {
    std::unordered_map<std::uint32_t, IntegerRange> ranges;
    for (const ExpressionId id : expressions_of(program_, {root})) {
      if (program_.sort(id) != Sort::integer) continue;
      ranges[id.index] = std::visit(
          Overloaded{[](const IntegerConstant& x) {
                       const double value = static_cast<double>(x.value);
                       return IntegerRange{{value, 0}, {value, 0}};
                     },
                     [](const PositionAt&) {
                       return IntegerRange{kOne, kLength};
                     },
                     [&](const VectorAt& x) { return ranges_[x.vector.index]; },
                     [](const AsInteger&) {
                       return IntegerRange{kZero, kOne};
                     },
                     [&](const Sum& x) {
                       return sum(ranges.at(x.left.index), ranges.at(x.right.index), static_cast<double>(x.factor));
                     },
                     [&](const Choice& x) { return either(ranges.at(x.yes.index), ranges.at(x.no.index)); },
                     [](const auto&) -> IntegerRange { internal_error("integer", __FILE__, __LINE__); }},
          program_[id]);
    }
    return ranges.at(root.index);
  }

  /// a ≥ b, of integers at one position.
  Literal at_least(ExpressionId a, ExpressionId b) {
    const IntegerRange difference = sum(range_of(a), range_of(b), -1);
    if (difference.at_least(kZero)) return graph_.truth(true);
    if (difference.at_most({-1, 0})) return graph_.truth(false);
    if (std::holds_alternative<PositionAt>(program_[a]) && few(b)) return position_at_least(b, 0);
    if (std::holds_alternative<PositionAt>(program_[b]) && few(a)) return !position_at_least(a, 1);
    const std::optional<Affine> x = over_index(a), y = over_index(b);
    if (x && y) return numbers_.at_least_zero_over_i(*x - *y);
    return numbers_.at_least_zero(number(a) - number(b));
  }

  Literal equal(ExpressionId a, ExpressionId b) {
    if (std::holds_alternative<PositionAt>(program_[b]) && few(a)) std::swap(a, b);
    if (!std::holds_alternative<PositionAt>(program_[a]) || !few(b))
      return graph_.conjunction({at_least(a, b), at_least(b, a)});
    std::vector<Literal> any;
    for (const auto& [value, holds] : local(b).cases)
      if (value >= 1)
        any.push_back(
            graph_.conjunction({literal(holds), numbers_.position_from(value), !numbers_.position_from(value + 1)}));
    return graph_.disjunction(std::move(any));
  }

  /// One of few numbers, none of them great.
  bool few(ExpressionId id) {
    if (!finite_[id.index]) return false;
    const auto& cases = local(id).cases;
    return cases.begin()->first >= -kGreatest && cases.rbegin()->first <= kGreatest;
  }
  /// i ≥ x + more, case by case: i ≥ v where 1/i ≤ 1/v.
  Literal position_at_least(ExpressionId x, std::int64_t more) {
    std::vector<Literal> any;
    for (const auto& [value, holds] : local(x).cases)
      any.push_back(graph_.conjunction({literal(holds), numbers_.position_from(value + more)}));
    return graph_.disjunction(std::move(any));
  }

  /// The values a conditional chooses among, each with the condition that it is chosen: they exclude each other.
  std::vector<std::pair<Literal, Affine>> branches(ExpressionId id) {
    std::vector<std::pair<Literal, Affine>> result;
    std::vector<std::pair<Literal, ExpressionId>> pending{{graph_.truth(true), id}};
    while (!pending.empty()) {
      const auto [condition, at] = pending.back();
      pending.pop_back();
      const auto* choice = std::get_if<Choice>(&program_[at]);
      if (!choice) {
        result.emplace_back(condition, number_.at(at.index));
        continue;
      }
      const Literal yes = literal(local(choice->condition).cases.at(1));
      pending.emplace_back(graph_.conjunction({condition, !yes}), choice->no);
      pending.emplace_back(graph_.conjunction({condition, yes}), choice->yes);
    }
    return result;
  }

  /// An integer of one position over i, where that takes no attention but means.
  std::optional<Affine> over_index(ExpressionId root) {
    std::unordered_map<std::uint32_t, Affine> made;
    for (const ExpressionId id : expressions_of(program_, {root})) {
      if (program_.sort(id) != Sort::integer) continue;
      std::optional<Affine> value =
          std::visit(Overloaded{[&](const IntegerConstant& x) -> std::optional<Affine> {
                                  return static_cast<double>(x.value) * numbers_.inverse_index();
                                },
                                [](const PositionAt&) -> std::optional<Affine> { return Affine(1); },
                                [&](const VectorAt& x) -> std::optional<Affine> { return over_index_[x.vector.index]; },
                                [&](const AsInteger& x) -> std::optional<Affine> {
                                  return Affine(numbers_.over_index(literal(local(x.of).cases.at(1))));
                                },
                                [&](const Sum& x) -> std::optional<Affine> {
                                  return made.at(x.left.index) + static_cast<double>(x.factor) * made.at(x.right.index);
                                },
                                [](const auto&) -> std::optional<Affine> { return std::nullopt; }},
                     program_[id]);
      if (!value) return std::nullopt;
      made[id.index] = std::move(*value);
    }
    return made.at(root.index);
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
                     [&](const Choice&) { return Affine(numbers_.choose(branches(id))); },
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
    for (const Match& match : keys)
      if (!(graph_.is_true(match.x) && graph_.is_true(match.y))) head.score.push_back({c * Affine(match.x), match.y});
    head.score.push_back({sign(attention) * 0.5 * c, numbers_.position()});
    const ir::HeadId id = graph_.add(head, name);
    return {id, holds_at(id, keys)};
  }

  /// With A(i) = B(j) among the conditions.
  Found find(const Attention& attention, const std::string& name) {
    const auto [a, b, score] = equality(attention);
    if (std::holds_alternative<PositionAt>(program_[b])) return find_position(attention, a, score, name);
    const double c = numbers_.sharpness();
    const Affine wanted = number(a), there = number(b);
    const IntegerRange range = range_of(b);
    const std::vector<Match> keys = matches(attention, score);
    const Affine square = numbers_.square(there, range.at_least(kOne), range.at_most(kLength));
    const Affine key_number = key(attention, there), key_square = key(attention, square);
    const double distance = numbers_.magnitude(wanted) + numbers_.magnitude(there);
    ir::Head head = empty_head(attention);
    head.score = {{2 * c * wanted, key_number}, {-c, key_square}};
    for (const Match& match : keys)
      if (!(graph_.is_true(match.x) && graph_.is_true(match.y)))
        head.score.push_back({c * (distance * distance + 1) * Affine(match.x), match.y});
    head.score.push_back({sign(attention) * 0.5 * c * numbers_.one_squared(), numbers_.position()});
    const ir::HeadId id = graph_.add(head, name);
    const Affine difference = wanted - numbers_.retrieve(id, key_number);
    return {id, conjunction({holds_at(id, keys), bit(numbers_.at_least_zero(difference)),
                             bit(numbers_.at_least_zero(-1 * difference))})};
  }

  /// A(i) = pos(j): the one j it can be is within reach iff low ≤ A(i) ≤ high.
  Found find_position(const Attention& attention, ExpressionId a, const Terms& score, const std::string& name) {
    const Affine wanted = number(a), here = numbers_.position();
    const IntegerRange range = range_of(a), place{kOne, kLength}, length{kLength, kLength};
    const bool past = attention.reach == Reach::before || attention.reach == Reach::up_to;
    const bool future = attention.reach == Reach::after || attention.reach == Reach::from;
    const double step = strict(attention) ? 1 : 0;
    const auto at_least = [&](const Affine& x, const IntegerRange& of) {
      return of.at_least(kZero) ? graph_.truth(true) : numbers_.at_least_zero(x);
    };
    // Without a mask, low is 1 and high is N; a strict mask moves its end by one.
    const Affine low = future ? here + step * numbers_.one() : numbers_.one();
    const Affine high = past ? here - step * numbers_.one() : Affine(1);
    const IntegerRange shift{{step, 0}, {step, 0}};
    const IntegerRange low_range = future ? sum(place, shift, 1) : IntegerRange{kOne, kOne};
    const IntegerRange high_range = past ? sum(place, shift, -1) : length;
    const Literal reached = graph_.conjunction(
        {at_least(wanted - low, sum(range, low_range, -1)), at_least(high - wanted, sum(high_range, range, -1))});
    const ir::HeadId id = numbers_.lookup(wanted, name);
    std::vector<Match> keys;
    for (const Partitions::Term& term : score) keys.push_back({literal(term.x), literal(term.y)});
    return {id, conjunction({bit(reached), holds_at(id, keys)}), true};
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
    for (const Bit value : values) {
      const Literal there = found.looked_up ? literal(value) : key(attention, literal(value));
      result.values.push_back(bit(numbers_.retrieve(found.head, there)));
    }
    return result;
  }

  /// Numbers that need no attention, or only a mean.
  std::optional<Affine> known(const Attention& attention, const Terms& score, IntegerRange& range) {
    if (!always(score)) return std::nullopt;
    const bool rightmost = attention.side == Side::rightmost;
    const bool to_last = rightmost && (attention.reach == Reach::all || attention.reach == Reach::from);
    const bool to_first = !rightmost && (attention.reach == Reach::all || attention.reach == Reach::up_to);
    if (program_[attention.value] == Expression(PositionAt{At::j})) {
      if (to_last) return range = {kLength, kLength}, Affine(1);
      if (to_first) return range = {kOne, kOne}, numbers_.one();
    }
    const auto* at = std::get_if<VectorAt>(&program_[attention.value]);
    const auto* sum = at && at->at == At::j ? std::get_if<PrefixSum>(&program_[at->vector].definition) : nullptr;
    const auto* counted = sum ? std::get_if<AsInteger>(&program_[sum->value]) : nullptr;
    if (!counted || !to_last) return std::nullopt;
    range = {kZero, kLength};
    return Affine(mean(Reach::all, literal(local(counted->of).cases.at(1))));
  }

  Affine integer_attention(const Attention& attention, const std::string& name, IntegerRange& range) {
    check_score(attention);
    if (program_.reads(attention.value, At::i) && program_.reads(attention.value, At::j))
      integers_of_two_positions(attention.value);
    const bool equality = has_equality(attention);
    const Terms score = equality ? Terms{} : partitions_.terms(condition(attention.score));
    if (!equality)
      if (const std::optional<Affine> value = known(attention, score, range)) return *value;
    const IntegerRange value_range = range_of(attention.value);
    const bool here = !program_.reads(attention.value, At::j);
    Literal found;
    Affine value = number(attention.value);
    if (!equality && nearest(attention, score)) {
      found = key(attention, graph_.truth(true));
      if (!here) value = key(attention, value);
    } else {
      const Found there = equality ? find(attention, name) : find(attention, score, name);
      found = literal(there.found);
      if (!here)
        value = value.is_constant()
                    ? value
                    : Affine(numbers_.retrieve(there.head, there.looked_up ? value : key(attention, value)));
    }
    range = either(value_range, range_of(attention.otherwise));
    if (graph_.is_true(found)) range = value_range;
    const IntegerRange whole = std::exchange(range, lower::clipped(range));
    if (graph_.is_true(found)) return clipped(value, whole);
    return clipped(numbers_.choose({{found, value}, {!found, number(attention.otherwise)}}), whole);
  }

  Numbers numbers_;
  std::vector<std::optional<Affine>> integers_;    // by vector
  std::vector<std::optional<Affine>> over_index_;  // by vector: over i, where that is known
  std::vector<IntegerRange> ranges_;               // by vector
  std::vector<bool> finite_;                       // by expression
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
