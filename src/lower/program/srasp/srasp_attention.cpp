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
#include <utility>

#include "lower/program/srasp/srasp_lowering.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

bool strict(const Attention& attention) { return attention.reach == Reach::before || attention.reach == Reach::after; }
bool before(const Attention& attention) { return attention.reach == Reach::before; }
double sign(const Attention& attention) { return attention.side == Side::rightmost ? 1 : -1; }

}  // namespace

SraspLowering::Retrieved SraspLowering::attend(const Attention& attention, const Terms& score,
                                               const std::vector<Bit>& values, const std::string& name) {
  if (nearest(attention, score)) {
    Retrieved here{bit(key(attention, graph_.truth(true))), {}};
    for (const Bit value : values) here.values.push_back(bit(key(attention, literal(value))));
    return here;
  }
  return retrieve(attention, find(attention, score, name), values);
}
SraspLowering::Retrieved SraspLowering::attend_equal(const Attention& attention, const std::vector<Bit>& values,
                                                     const std::string& name) {
  return retrieve(attention, find(attention, name), values);
}

Literal SraspLowering::key(const Attention& attention, Literal p) {
  return strict(attention) ? numbers_.shifted(before(attention), p) : p;
}
Affine SraspLowering::key(const Attention& attention, const Affine& x) {
  return strict(attention) ? numbers_.shifted(before(attention), x) : x;
}

ir::Head SraspLowering::empty_head(const Attention& attention) {
  const bool past = attention.reach == Reach::before || attention.reach == Reach::up_to;
  return numbers_.head(attention.reach == Reach::all ? Mask::none
                       : past                        ? Mask::future
                                                     : Mask::past,
                       HeadStructure::lookup);
}
std::vector<SraspLowering::Match> SraspLowering::matches(const Attention& attention, const Terms& score) {
  std::vector<Match> result;
  for (const Partitions::Term& term : score) result.push_back({literal(term.x), key(attention, literal(term.y))});
  return result;
}
Bit SraspLowering::holds_at(ir::HeadId head, const std::vector<Match>& matches) {
  std::vector<Literal> any;
  for (const Match& match : matches) any.push_back(graph_.conjunction({match.x, numbers_.retrieve(head, match.y)}));
  return bit(graph_.disjunction(std::move(any)));
}
SraspLowering::Found SraspLowering::find(const Attention& attention, const Terms& score, const std::string& name) {
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
SraspLowering::Found SraspLowering::find(const Attention& attention, const std::string& name) {
  const auto [a, b, score] = equality(attention);
  if (std::holds_alternative<PositionAt>(program_[b])) return find_position(attention, a, score, name);
  const double c = numbers_.sharpness();
  const Affine wanted = wanted_number(a), there = number(b);
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

/// The A of A(i) = B(j). Far outside of what B can be, it is no nearer than just outside: so R stays small.
Affine SraspLowering::wanted_number(ExpressionId a) {
  constexpr double kFar = 16;
  const IntegerRange range = range_of(a);
  if (range.at_least({3, 1})) return 1 + 2 * numbers_.one();
  if (range.at_most({-1, 0})) return -1 * numbers_.one();
  const Affine& wanted = number(a);
  return numbers_.magnitude(wanted) > kFar ? Affine(numbers_.clip_outside(wanted)) : wanted;
}

/// A(i) = pos(j): the one j it can be is within reach iff low ≤ A(i) ≤ high.
SraspLowering::Found SraspLowering::find_position(const Attention& attention, ExpressionId a, const Terms& score,
                                                  const std::string& name) {
  const Affine wanted = wanted_number(a), here = numbers_.position();
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

SraspLowering::Retrieved SraspLowering::retrieve(const Attention& attention, const Found& found,
                                                 const std::vector<Bit>& values) {
  Retrieved result{found.found, {}};
  for (const Bit value : values) {
    const Literal there = found.looked_up ? literal(value) : key(attention, literal(value));
    result.values.push_back(bit(numbers_.retrieve(found.head, there)));
  }
  return result;
}

/// Numbers that need no attention, or only a mean.
std::optional<Affine> SraspLowering::known(const Attention& attention, const Terms& score, IntegerRange& range) {
  if (!always(score)) return std::nullopt;
  const bool rightmost = attention.side == Side::rightmost;
  const bool to_last = rightmost && (attention.reach == Reach::all || attention.reach == Reach::from);
  const bool to_first = !rightmost && (attention.reach == Reach::all || attention.reach == Reach::up_to);
  if (program_[attention.value] == Expression(PositionAt{At::j})) {
    if (to_last) return range = {kLength, kLength}, Affine(1);
    if (to_first) return range = {kOne, kOne}, numbers_.one();
  }
  const auto* at = std::get_if<VectorAt>(&program_[attention.value]);
  const auto* sum = at && at->at == At::j ? std::get_if<SumOver>(&program_[at->vector].definition) : nullptr;
  const bool prefix = sum && sum->reach == Reach::up_to;
  const auto* counted = prefix ? std::get_if<AsInteger>(&program_[sum->value]) : nullptr;
  if (!counted || !to_last) return std::nullopt;
  range = {kZero, kLength};
  return Affine(mean(Reach::all, literal(local(counted->of).cases.at(1))));
}

Affine SraspLowering::integer_attention(const Attention& attention, const std::string& name, IntegerRange& range) {
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
  const auto number_or_stored = [&](ExpressionId id) { return computable(id) ? number(id) : stored(id); };
  Affine value = number_or_stored(attention.value);
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
  return clipped(numbers_.choose({{found, value}, {!found, number_or_stored(attention.otherwise)}}), whole);
}

}  // namespace quench::lower
