#include <algorithm>
#include <cmath>
#include <map>

#include "certify/normalised/identity.h"
#include "certify/normalised/whole_errors.h"
#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

using Op = IntInstruction::Op;
using Code = std::vector<IntInstruction>;

bool is_constant(const IntInstruction& step, std::int64_t value) {
  return step.op == Op::constant && step.value == value;
}

std::optional<int> power(const IntInstruction& step) {
  if (step.op != Op::constant || step.value < 1 || (step.value & (step.value - 1)) != 0) return std::nullopt;
  int exponent = 0;
  while (step.value >> exponent > 1) ++exponent;
  return exponent;
}

bool same(const Code& code, std::size_t from, std::initializer_list<Op> ops) {
  if (code.size() < from + ops.size()) return false;
  return std::equal(ops.begin(), ops.end(), code.begin() + static_cast<std::ptrdiff_t>(from),
                    [](Op op, const IntInstruction& step) { return op == step.op; });
}

/// …, 2^b, /, 2, %: bit b of what is before.
std::optional<int> bit_of(const Code& code, std::size_t from) {
  if (code.size() != from + 4 || !same(code, from, {Op::constant, Op::divide, Op::constant, Op::modulo}) ||
      !is_constant(code[from + 2], 2))
    return std::nullopt;
  return power(code[from]);
}

Ranges ranges_of(const Mark& mark, double length) {
  // Bits that no number up to here has are 0.
  const bool number = mark.kind == Mark::Kind::bit || mark.kind == Mark::Kind::either_bit;
  const bool set = !number || std::exp2(mark.bit) <= length - 1;
  Ranges result = Ranges::everywhere({0, set ? 1.0 : 0.0});
  const Interval zero{0, 0}, one{1, 1};
  const bool before = mark.kind == Mark::Kind::square_bit || mark.kind == Mark::Kind::either_bit ||
                      (mark.kind == Mark::Kind::bit && mark.number == Mark::Number::before);
  const bool end = mark.kind == Mark::Kind::first || mark.kind == Mark::Kind::last;
  if (length == 1 && (end || before)) return Ranges::everywhere(end ? one : zero);
  if (mark.kind == Mark::Kind::first) result.first = one;
  if (mark.kind == Mark::Kind::last) result.last = one;
  if (before) result.first = zero;  // i − 1 = 0
  if (mark.kind == Mark::Kind::bit && mark.number == Mark::Number::after) result.last = zero;
  return result;
}

/// A number that is given by its bits has no more of them.
void need_all_bits(const Setting& setting) {
  std::map<Mark::Number, int> bits;
  for (const model::PositionEncoding& encoding : setting.model().position_encodings)
    if (const Mark mark = mark_of(encoding.formula); mark.kind == Mark::Kind::bit)
      bits[mark.number] = std::max(bits[mark.number], mark.bit + 1);
  for (const auto& [number, count] : bits)
    if (setting.length > std::exp2(count)) throw NotProved("positions have more bits than the model knows", -1);
}

bool is_boolean(const PositionFormula& formula) {
  return formula.kind == PositionFormula::Kind::predicate || formula.kind == PositionFormula::Kind::predicate_at_zero;
}

Wholes embed_whole(const Setting& setting) {
  const model::Transformer& model = setting.model();
  Wholes state(model.width);
  for (const SparseMatrix::Row& row : model.embedding.rows)
    for (const auto& [column, value] : row) {
      require_exact_weight(setting, value, "the embedding");
      if (!is_integer(value)) throw NotProved("the embedding holds numbers that are not whole", -1);
    }
  for (std::size_t k = 0; k < model.width; ++k) {
    state[k].id = static_cast<int>(k);
    state[k].ranges = Ranges::everywhere(setting.prepared.embedding[k]);
  }
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    Whole& whole = state[encoding.coordinate];
    if (!whole.ranges.is_point(0)) throw NotProved("a position encoding shares its coordinate", -1);
    if (!is_boolean(encoding.formula)) throw NotProved("a position encoding that is not Boolean", -1);
    whole.mark = mark_of(encoding.formula);
    whole.ranges = ranges_of(whole.mark, setting.length);
  }
  return state;
}

bool puts_out_whole_numbers(const model::Output& output) {
  return output.kind == model::OutputKind::whole || output.kind == model::OutputKind::ratios;
}

bool are_whole(const SparseMatrix& matrix) {
  return std::ranges::all_of(matrix.rows, [](const SparseMatrix::Row& row) {
    return std::ranges::all_of(row, [](const SparseMatrix::Entry& entry) { return is_integer(entry.value); });
  });
}

/// Of a model without heads: nothing but tests of symbols and positions, and feed-forwards.
bool has_whole_weights(const model::Transformer& model) {
  for (const model::PositionEncoding& encoding : model.position_encodings)
    if (!is_boolean(encoding.formula)) return false;
  const auto all_whole = [](const std::vector<double>& bias) { return std::ranges::all_of(bias, is_integer); };
  return are_whole(model.embedding) && std::ranges::all_of(model.layers, [&](const model::Layer& layer) {
           const model::FeedForward& ffn = layer.ffn;
           return are_whole(ffn.w1) && are_whole(ffn.w2) && all_whole(ffn.b1) && all_whole(ffn.b2);
         });
}

void require_boolean(const Wholes& state, std::size_t coordinate) {
  const Interval& range = state[coordinate].ranges.all;
  if (range.low < 0 || range.high > 1) throw NotProved("the output is not Boolean", -1);
}

}  // namespace

Mark mark_of(const PositionFormula& formula) {
  if (formula.kind != PositionFormula::Kind::predicate) return {};
  using Of = Mark::Number;
  const Predicate& predicate = *formula.predicate;
  if (predicate.kind == Predicate::Kind::first) return {Mark::Kind::first};
  if (predicate.kind == Predicate::Kind::last) return {Mark::Kind::last};
  if (predicate.kind != Predicate::Kind::expression) return {};
  const Code& code = predicate.code;
  std::optional<int> bit;
  if (same(code, 0, {Op::x, Op::constant, Op::subtract}) && is_constant(code[1], 1) && (bit = bit_of(code, 3)))
    return {Mark::Kind::bit, Of::before, *bit, 0};
  if (same(code, 0, {Op::n, Op::constant, Op::subtract}) && is_constant(code[1], 1) && (bit = bit_of(code, 3)))
    return {Mark::Kind::bit, Of::others, *bit, 0};
  if (same(code, 0, {Op::n, Op::x, Op::subtract}) && (bit = bit_of(code, 3)))
    return {Mark::Kind::bit, Of::after, *bit, 0};
  if (code.size() == 15 && code[14].op == Op::logical_or) {
    const Code one(code.begin(), code.begin() + 7), other(code.begin() + 7, code.begin() + 14);
    const auto of_position = [](const Code& part) {
      return same(part, 0, {Op::x, Op::constant, Op::subtract}) && is_constant(part[1], 1) ? bit_of(part, 3)
                                                                                           : std::nullopt;
    };
    const std::optional<int> low = of_position(one), high = of_position(other);
    return low && high && *low < *high ? Mark{Mark::Kind::either_bit, Of::before, *low, *high} : Mark{};
  }
  if (!same(code, 0,
            {Op::x, Op::constant, Op::subtract, Op::constant, Op::modulo, Op::x, Op::constant, Op::subtract,
             Op::constant, Op::modulo, Op::multiply}) ||
      !is_constant(code[1], 1) || !is_constant(code[6], 1) || code[3].value != code[8].value)
    return {};
  const std::optional<int> low = power(code[3]);
  bit = bit_of(code, 11);
  return low && bit ? Mark{Mark::Kind::square_bit, Of::before, *bit, *low} : Mark{};
}

bool is_whole(const model::Transformer& model) {
  bool whole = puts_out_whole_numbers(model.output) || (model.head_count() == 0 && has_whole_weights(model));
  for (const model::PositionEncoding& encoding : model.position_encodings)
    whole = whole || mark_of(encoding.formula).kind == Mark::Kind::bit;
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads) {
      whole = true;
      const HeadStructure structure = head.claim.structure.value();
      if (structure != HeadStructure::address && structure != HeadStructure::dyadic &&
          structure != HeadStructure::match)
        return false;
    }
  return whole;
}

std::vector<HeadLine> prove_whole(const Setting& setting) {
  std::vector<HeadLine> lines;
  need_all_bits(setting);
  Wholes state = embed_whole(setting);
  const bool exact_norm = setting.layer_norm && setting.layer_norm->moments == model::Moments::two_pass;
  std::optional<WholeErrors> errors;
  if (setting.layer_norm && !exact_norm) errors.emplace(setting, state);
  for (const model::Layer& layer : setting.model().layers) {
    if (exact_norm) require_identity(setting, state), require_exact_balance(setting, state, layer);
    const std::size_t first = lines.size();
    Wholes before = state;
    attend_whole(setting, layer, static_cast<int>(first), state, lines);
    if (errors) errors->attended(before, state, layer, lines.data() + first, static_cast<int>(first));
    if (exact_norm) require_identity(setting, state), require_exact_balance(setting, state, layer.ffn);
    before = state;
    feed_forward_whole(setting, layer.ffn, state);
    if (errors) errors->fed_forward(before, state, layer.ffn);
  }
  if (exact_norm) require_identity(setting, state);
  if (errors && model::reads_truth_values(setting.model().output.kind)) errors->require_outputs();
  const model::Output& output = setting.model().output;
  if (output.kind == model::OutputKind::ratios && state[output.coordinate].ranges.all.low < 1)
    throw NotProved("a denominator that may be 0", -1);
  if (puts_out_whole_numbers(output) && !errors) return lines;  // it is one, exactly
  if (!model::reads_truth_values(output.kind)) throw NotProved("the output is a number", -1);
  if (output.cases.empty()) require_boolean(state, output.coordinate);
  for (const model::Output::Case& one : output.cases) require_boolean(state, one.coordinate);
  return lines;
}

}  // namespace quench::certify
