// Attention. With S(i,j) = Σ_a x_a(i)·y_a(j), the x_a exclusive (lower/program/partition.h), every class a has a head
// of its own, and the x_a choose among what the heads find:
//
//   [M, S]                   the nearest j with y_a(j) ([Q-match])
//   [M, S and A(i) = pos(j)] position A, once it is within 1 … n ([Q-theta]); the reflection n + 1 − i by the bits of n
//   − i [M, S and A(i) = B(j)]   the nearest j with y_a(j) and all bits of A(i) − 1 and B(j) − 1 equal ([Q-match]).
//   Bits saturate,
//                            and 0 and n + 1 have marks of their own, so the integers themselves are compared at j.
// What is found is checked: y_a(j) and A(i) = B(j). Strict masks: keys and values are copies from the neighbour, and
// the end of the word, which has none, is no key.
#include <algorithm>
#include <utility>

#include "base/text/diagnostic.h"
#include "lower/program/exact/exact_program.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

bool is_strict(const Attention& attention) {
  return attention.reach == Reach::before || attention.reach == Reach::after;
}
bool looks_left(const Attention& attention) {
  return attention.reach == Reach::before || attention.reach == Reach::up_to;
}
Direction seen_from(const Attention& attention) {
  return attention.side == Side::rightmost ? Direction::past : Direction::future;
}
Direction side_of(const Attention& attention) { return looks_left(attention) ? Direction::past : Direction::future; }

}  // namespace

Mask ExactProgram::mask(const Attention& attention) {
  if (recipe_.decoder && !looks_left(attention))
    throw DiagnosticError({Diagnostic{"E103",
                                      "a decoder sees no position to its right, so it cannot compute this attention",
                                      program_.span(attention.value),
                                      {"attend with j < i or j <= i, or leave out --decoder"}}});
  return attention.reach == Reach::all ? Mask::none : looks_left(attention) ? Mask::future : Mask::past;
}

Literal ExactProgram::key(const Attention& attention, Literal p) {
  if (!is_strict(attention) || graph_.is_false(p)) return p;
  if (graph_.is_true(p)) return looks_left(attention) ? !build_.first() : !build_.last();
  return build_.neighbour(side_of(attention), p, looks_left(attention) ? "before" : "after");
}

Affine ExactProgram::key(const Attention& attention, const Affine& x) {
  if (!is_strict(attention) || x.is_constant()) return x;
  return graph_.add(ir::Attend{build_.neighbour(side_of(attention)), x});
}

Literal ExactProgram::retrieved(ir::HeadId head, Literal p) {
  if (graph_.is_true(p) || graph_.is_false(p)) return p;
  return build_.exactly(graph_.add(ir::Attend{head, p}), {});
}

ExactProgram::Retrieved ExactProgram::attend(const Attention& attention, const Terms& score,
                                             const std::vector<Bit>& values, const std::string& name) {
  mask(attention);
  if (nearest(attention, score)) {
    Retrieved here{bit(key(attention, graph_.truth(true))), {}};
    for (const Bit value : values) here.values.push_back(bit(key(attention, literal(value))));
    return here;
  }
  return retrieve(attention, find(attention, score, name), values);
}

ExactProgram::Retrieved ExactProgram::attend_equal(const Attention& attention, const std::vector<Bit>& values,
                                                   const std::string& name) {
  return retrieve(attention, find_equal(attention, name), values);
}

std::vector<ExactProgram::Case> ExactProgram::find(const Attention& attention, const Terms& score,
                                                   const std::string& name) {
  std::vector<Case> cases;
  for (const Partitions::Term& term : score) {
    const Literal y = key(attention, literal(term.y));
    const ir::HeadId head = build_.selected_match(mask(attention), seen_from(attention), y, name);
    cases.push_back({head, literal(term.x), retrieved(head, y)});
  }
  return cases;
}

std::vector<ExactProgram::Case> ExactProgram::find_equal(const Attention& attention, const std::string& name) {
  const auto [a, b, score] = equality(attention);
  if (std::holds_alternative<PositionAt>(program_[b])) return find_position(attention, a, score, name);
  const IntegerRange range = range_of(b);
  const bool zero = !range.at_least(kOne), beyond = !range.at_most(kLength);
  const Affine& wanted = number(a);
  const std::optional<Affine> early =
      is_strict(attention) ? build_.shifted(side_of(attention), number(b)) : std::nullopt;
  const Affine there = early ? *early : key(attention, number(b));
  const double n = build_.assured_length();
  const Mask visible = mask(attention);
  const Direction from = seen_from(attention);
  // Under a mask that end sees nothing but itself, so what it asks for does not matter: queries share the keys' bits.
  std::optional<Literal> at_key, at_query;
  if (build_.penalises()) at_key = build_.sink(visible, from);
  if (visible != Mask::none) at_query = at_key;
  const std::vector<Affine> asked = told_apart(
      wanted, before_clipping(wanted - 1), std::max(n, graph_.range(wanted).high - 1), zero, beyond, at_query, name);
  std::optional<Affine> same_bits = before_clipping(number(b) - 1);
  if (is_strict(attention)) same_bits = build_.shifted(side_of(attention), *same_bits);
  const std::vector<Affine> given = told_apart(there, same_bits.value_or(there - 1), n, zero, beyond, at_key, name);
  std::vector<ExactConstructions::Address::Pair> pairs;
  for (std::size_t k = 0; k < asked.size(); ++k) pairs.push_back({asked[k], given[k]});
  std::vector<Case> cases;
  for (const Partitions::Term& term : score) {
    const Literal x = literal(term.x), y = key(attention, literal(term.y));
    const ir::HeadId head = build_.penalises() ? build_.penalised_match(visible, from, pairs, y, name)
                                               : build_.equal_match(visible, from, pairs, y, name);
    const auto fits = [&](ir::HeadId at) {
      const Affine difference = wanted - Affine(graph_.add(ir::Attend{at, there}));
      if (!build_.penalises()) return build_.zero(difference, {retrieved(at, y)}, name + " found");
      return graph_.conjunction({build_.zero(difference, {}, name + " equal"), retrieved(at, y)}, name + " found");
    };
    // Under a strict mask the end is no key.
    if (!build_.penalises() || is_strict(attention) || !build_.sink_is_nearest(visible, from)) {
      cases.push_back({head, x, fits(head)});
      continue;
    }
    const ir::HeadId end = build_.at_end(visible == Mask::future ? Scope::left : Scope::right);
    const Literal end_fits = fits(end);
    cases.push_back({end, graph_.conjunction({x, end_fits}), graph_.truth(true)});
    cases.push_back({head, graph_.conjunction({x, !end_fits}), fits(head)});
  }
  return cases;
}

std::vector<Affine> ExactProgram::told_apart(const Affine& x, const Affine& same_bits, double greatest, bool zero,
                                             bool beyond, std::optional<Literal> none_at, const std::string& name) {
  const auto none = [&](const Affine& number) { return none_at ? build_.below_zero_at(*none_at, number) : number; };
  std::vector<Affine> result;
  if (zero) result.emplace_back(build_.not_negative(none(x - 1), name + " at least 1"));
  if (beyond) result.emplace_back(build_.not_negative(none(x - 1 - build_.assured_length()), name + " beyond"));
  Affine rest = none(same_bits);
  for (const Affine& bit : build_.upper_bits(rest, 0, greatest, name, build_.bits())) result.push_back(bit);
  return result;
}

/// y = k·ReLU(D) + r with k > 0 and r ≤ 0 has the bits of kD + r: they differ where D < 0 only, and there neither has
/// any. So bits need not wait for a number to be clipped.
Affine ExactProgram::before_clipping(const Affine& y) const {
  for (const Affine::Term& term : y.terms) {
    const auto* clip = std::get_if<ir::Piecewise>(&graph_[term.node]);
    if (!clip || term.coefficient < 0 || clip->units.size() != 1 || clip->units[0].factor != 1 ||
        clip->rest != Affine())
      continue;
    const Affine rest = y - term.coefficient * Affine(term.node);
    if (graph_.range(rest).high <= 0) return rest + term.coefficient * clip->units[0].x;
  }
  return y;
}

/// A(i) = pos(j): the one j it can be is within reach iff low ≤ A(i) ≤ high.
std::vector<ExactProgram::Case> ExactProgram::find_position(const Attention& attention, ExpressionId a,
                                                            const Terms& score, const std::string& name) {
  const Affine wanted = number(a);
  const double step = is_strict(attention) ? 1 : 0;
  const Mask visible = mask(attention);
  const bool from_here = visible == Mask::past, up_to_here = visible == Mask::future;
  const Affine length = up_to_here ? Affine(0) : build_.length();
  std::vector<Literal> reached{
      build_.not_negative(wanted - (from_here ? position() + step : Affine(1)), name + " in reach")};
  const bool known = !up_to_here && range_of(a).at_most(kLength);
  if (!known)
    reached.push_back(build_.not_negative((up_to_here ? position() - step : length) - wanted, name + " in reach"));
  const bool reflection = !recipe_.decoder && wanted == build_.length() - build_.number(Number::before);
  if (reflection && visible == Mask::none) reached.clear();  // always a position
  const ir::HeadId head = reflection ? build_.mirrored()
                                     : build_.lookup(build_.clamped_position(wanted),
                                                     recipe_.decoder ? Mask::future : Mask::none, Lemma::q_theta, name);
  std::vector<Case> cases;
  for (const Partitions::Term& term : score) {
    std::vector<Literal> all = reached;
    all.push_back(retrieved(head, literal(term.y)));
    cases.push_back({head, literal(term.x), graph_.conjunction(all), false});
  }
  return cases;
}

ExactProgram::Retrieved ExactProgram::retrieve(const Attention& attention, const std::vector<Case>& cases,
                                               const std::vector<Bit>& values) {
  std::vector<Literal> found;
  for (const Case& one : cases) found.push_back(graph_.conjunction({one.when, one.found}));
  Retrieved result{bit(graph_.disjunction(found)), {}};
  for (const Bit value : values) {
    std::vector<Literal> parts;
    for (const Case& one : cases) {
      const Literal there = one.copied ? key(attention, literal(value)) : literal(value);
      parts.push_back(graph_.conjunction({one.when, retrieved(one.head, there)}));
    }
    result.values.push_back(bit(graph_.disjunction(parts)));
  }
  return result;
}

/// Cases exclude each other, and their literals show it.
std::vector<Literal> ExactProgram::conjuncts_of(Literal literal) const {
  const auto* all = std::get_if<ir::And>(&graph_[literal.node]);
  return all && !literal.negated ? all->literals : std::vector<Literal>{literal};
}

/// The number of the last position, or of the first.
std::optional<Affine> ExactProgram::known(const Attention& attention, const Terms& score, IntegerRange& range) {
  if (!always(score) || program_[attention.value] != Expression(PositionAt{At::j})) return std::nullopt;
  const bool rightmost = attention.side == Side::rightmost;
  if (rightmost && (attention.reach == Reach::all || attention.reach == Reach::from))
    return range = {kLength, kLength}, build_.length();
  if (!rightmost && (attention.reach == Reach::all || attention.reach == Reach::up_to))
    return range = {kOne, kOne}, Affine(1);
  return std::nullopt;
}

Affine ExactProgram::integer_attention(const Attention& attention, const std::string& name, IntegerRange& range,
                                       Span where) {
  check_score(attention);
  if (program_.reads(attention.value, At::i) && program_.reads(attention.value, At::j))
    integers_of_two_positions(attention.value);
  mask(attention);
  const bool equality = has_equality(attention);
  const Terms score = equality ? Terms{} : partitions_.terms(condition(attention.score));
  if (!equality)
    if (const std::optional<Affine> value = known(attention, score, range)) return *value;
  const IntegerRange value_range = range_of(attention.value);
  const bool here = !program_.reads(attention.value, At::j);
  const Affine value = number(attention.value);
  Branches branches;
  std::vector<Literal> missed;  // of every case, that it found nothing
  const auto add = [&](const std::vector<Literal>& when, Literal found, const Affine& got) {
    const Literal both = graph_.conjunction({graph_.conjunction(when), found});
    branches.push_back({when, got});
    branches.back().conditions.push_back(both);
    missed.push_back(!both);
  };
  if (!equality && nearest(attention, score)) {
    add({}, key(attention, graph_.truth(true)), here ? value : key(attention, value));
  } else {
    for (const Case& one : equality ? find_equal(attention, name) : find(attention, score, name)) {
      const Affine there = one.copied ? key(attention, value) : value;
      const Affine got = here || value.is_constant() ? value : Affine(graph_.add(ir::Attend{one.head, there}));
      add(conjuncts_of(one.when), one.found, got);
    }
  }
  const Literal none = graph_.conjunction(missed);
  range = graph_.is_false(none) ? value_range : either(value_range, range_of(attention.otherwise));
  if (!graph_.is_false(none)) branches.push_back({missed, number(attention.otherwise)});
  const IntegerRange whole = std::exchange(range, lower::clipped(range));
  return clipped(build_.choose(branches, name), whole, where);
}

}  // namespace quench::lower
