#include "check/whole/cells.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number/rounding.h"
#include "check/normalised/cell_blur.h"

namespace quench::check {
namespace {

using Of = Sight::Of;
using Op = IntInstruction::Op;

bool constant(const Cell& cell) { return cell.bounds.any.low == cell.bounds.any.high; }

/// The exponent of a power of two; −1 of anything else.
int exponent(std::int64_t value) {
  for (int e = 0; e < 62; ++e)
    if (value == std::int64_t{1} << e) return e;
  return -1;
}

/// Evaluates the code of a bit in symbols: what number it is a bit of, and which.
Sight read_bits(const std::vector<IntInstruction>& code) {
  const auto is = [&](std::size_t k, Op op) { return k < code.size() && code[k].op == op; };
  const auto number = [&](std::size_t k) { return is(k, Op::constant) ? code[k].value : -1; };
  if (code.size() < 5 || !is(code.size() - 1, Op::modulo) || number(code.size() - 2) != 2 ||
      !is(code.size() - 3, Op::divide))
    return {};
  Sight sight;
  sight.bit = exponent(number(code.size() - 4));
  const std::size_t rest = code.size() - 4;
  const auto less_one = [&](std::size_t k) { return is(k, Op::x) && number(k + 1) == 1 && is(k + 2, Op::subtract); };
  if (rest == 3 && is(0, Op::n) && number(1) == 1 && is(2, Op::subtract)) sight.of = Of::others;
  if (rest == 3 && less_one(0)) sight.of = Of::before;
  if (rest == 3 && is(0, Op::n) && is(1, Op::x) && is(2, Op::subtract)) sight.of = Of::after;
  if (rest == 11 && less_one(0) && is(4, Op::modulo) && less_one(5) && is(9, Op::modulo) && is(10, Op::multiply) &&
      number(3) == number(8)) {
    sight.of = Of::square;
    sight.low = exponent(number(3));
  }
  return sight.bit < 0 || sight.low < 0 ? Sight{} : sight;
}

/// Bit b or bit k of i−1, b < k: the code of one, that of the other, and `or`.
Sight read_joined(const std::vector<IntInstruction>& code) {
  if (code.size() != 15 || code.back().op != Op::logical_or) return {};
  const auto middle = code.begin() + 7;
  const Sight a = read_bits({code.begin(), middle}), b = read_bits({middle, code.end() - 1});
  if (a.of != Of::before || b.of != Of::before || a.bit >= b.bit) return {};
  return {Of::joined, a.bit, b.bit};
}

Sight read(const PositionFormula& formula) {
  if (formula.kind != PositionFormula::Kind::predicate) return {};
  switch (formula.predicate->kind) {
    case Predicate::Kind::first:
      return {Of::first};
    case Predicate::Kind::last:
      return {Of::last};
    case Predicate::Kind::expression:
      if (const Sight joined = read_joined(formula.predicate->code); joined.of != Of::nothing) return joined;
      return read_bits(formula.predicate->code);
    default:
      return {};
  }
}

bool is_truth(const PositionFormula& formula) {
  return formula.kind == PositionFormula::Kind::predicate || formula.kind == PositionFormula::Kind::predicate_at_zero;
}

Cells read_cells(const Claim& claim) {
  const model::Transformer& model = claim.model;
  Cells cells(model.width);
  for (std::size_t k = 0; k < cells.size(); ++k) cells[k].number = static_cast<long>(k);
  std::vector<std::size_t> symbols(model.width);  // that give the coordinate a value
  for (const SparseMatrix::Row& row : model.embedding.rows)
    for (const auto& [column, value] : row) {
      const Int x = whole_weight(claim, value);
      Bounds& any = cells[column].bounds.any;
      any = symbols[column]++ == 0 ? Bounds{x, x} : Bounds{std::min(any.low, x), std::max(any.high, x)};
    }
  for (std::size_t k = 0; k < cells.size(); ++k) {
    Bounds& any = cells[k].bounds.any;
    if (symbols[k] < model.embedding.rows.size()) any = {std::min<Int>(any.low, 0), std::max<Int>(any.high, 0)};
    cells[k].bounds.first = cells[k].bounds.last = any;
  }
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    Cell& cell = cells[encoding.coordinate];
    if (!is_truth(encoding.formula)) throw Rejected("a position encoding that is not Boolean");
    if (!cell.bounds.is(0)) throw Rejected("a coordinate with two meanings");
    cell.sight = read(encoding.formula);
    const Of of = cell.sight.of;
    // A bit that no number of a word up to N has is never 1.
    const Int top = (cell.sight.is_bit() || of == Of::joined) && std::exp2(cell.sight.bit) > claim.longest - 1 ? 0 : 1;
    cell.bounds = {{0, top}, {0, top}, {0, top}};
    if (claim.longest == 1 && (of == Of::first || of == Of::last)) cell.bounds = {{1, 1}, {1, 1}, {1, 1}};
    if (claim.longest == 1 && (of == Of::square || of == Of::joined)) cell.bounds = {};
    if (of == Of::first) cell.bounds.first = {1, 1};
    if (of == Of::last) cell.bounds.last = {1, 1};
    if (of == Of::before || of == Of::square || of == Of::joined) cell.bounds.first = {0, 0};
    if (of == Of::after) cell.bounds.last = {0, 0};
  }
  return cells;
}

/// Of a number whose bits are given, the highest must be there: i−1, n−i, n−1 < N.
void need_highest_bits(const Claim& claim, const Cells& cells) {
  std::map<Of, int> highest;
  for (const Cell& cell : cells)
    if (cell.sight.is_bit()) highest[cell.sight.of] = std::max(highest[cell.sight.of], cell.sight.bit);
  for (const auto& [of, bit] : highest)
    if (bit < 60 && static_cast<Int>(claim.longest) - 1 >= Int(2) << bit)
      throw Rejected("words are longer than the bits of positions can say");
}

/// Whether the row, divided by `unit`, counts positions: one cell is at most i−1 (n−i, n−1) and the others add at most
/// one; at the end, where i−1 or n−i is 0, at most one in all.
Of counting(const Cells& cells, const SparseMatrix::Row& row, Int unit) {
  Of of = Of::nothing;
  Int more = 0, at_first = 0, at_last = 0;
  for (const auto& [column, value] : row) {
    const Cell& cell = cells[column];
    if (constant(cell)) continue;
    const Int w = static_cast<Int>(value) / unit;
    if (of == Of::nothing && w == 1 && cell.within != Of::nothing) {
      of = cell.within;
      more += cell.beyond;
    } else {
      more += std::max<Int>(0, scaled(cell.bounds.any, w).high);
    }
    at_first += scaled(cell.bounds.first, w).high;
    at_last += scaled(cell.bounds.last, w).high;
  }
  if (of == Of::others) return more <= 1 ? of : Of::nothing;
  const Int at_end = of == Of::after ? at_last : at_first;
  return of != Of::nothing && more <= 1 && at_end <= 1 ? of : Of::nothing;
}

/// The row over a root that some of its cells are functions of.
bool over_root(const Cells& cells, const SparseMatrix::Row& row, Int rest, const std::shared_ptr<const Root>& root,
               Total& result) {
  Profile sum(root->bounds.any.low, root->bounds.any.high, 0, rest);
  std::map<long, Int> direct;
  for (const auto& [column, value] : row) {
    const Cell& cell = cells[column];
    if (constant(cell)) continue;
    if (cell.profile && cell.root->terms == root->terms)
      sum.add(*cell.profile, static_cast<Int>(value));
    else
      direct[cell.number] = static_cast<Int>(value);
  }
  if (!direct.empty()) {
    const auto lead = direct.find(root->terms.front().first);
    if (lead == direct.end() || direct.size() != root->terms.size() || lead->second % root->terms.front().second != 0)
      return false;
    const Int factor = lead->second / root->terms.front().second;
    for (const auto& [number, w] : root->terms) {
      const auto found = direct.find(number);
      if (found == direct.end() || found->second != factor * w) return false;
    }
    sum.add(Profile(root->bounds.any.low, root->bounds.any.high, 1, 0), factor);
  }
  result.root = root;
  result.profile = sum;
  return true;
}

void new_root(const Cells& cells, const SparseMatrix::Row& row, Int rest, Total& result) {
  Int unit = 0;
  bool divides = true;
  for (const auto& [column, value] : row) {
    if (constant(cells[column])) continue;
    const Int w = static_cast<Int>(value);
    if (unit == 0) unit = w;
    divides = divides && w % unit == 0;
  }
  if (unit == 0) return;
  if (!divides) unit = unit < 0 ? -1 : 1;
  auto root = std::make_shared<Root>();
  for (const auto& [column, value] : row)
    if (!constant(cells[column])) {
      const Int w = static_cast<Int>(value) / unit;
      root->terms.emplace_back(cells[column].number, w);
      plus(root->bounds.any, scaled(cells[column].bounds.any, w));
      plus(root->bounds.first, scaled(cells[column].bounds.first, w));
      plus(root->bounds.last, scaled(cells[column].bounds.last, w));
    }
  root->counts = counting(cells, row, unit);
  result.profile = Profile(root->bounds.any.low, root->bounds.any.high, unit, rest);
  result.root = std::move(root);
}

/// What a row's constant cells and its bias add up to.
Int constants(const Cells& cells, const SparseMatrix::Row& row, double bias) {
  Int rest = static_cast<Int>(bias);
  for (const auto& [column, value] : row)
    if (constant(cells[column])) rest += static_cast<Int>(value) * cells[column].bounds.any.low;
  return rest;
}

/// What the terms alone tell; rejects sums that an order of adding up rounds.
Total of_terms(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row, double bias) {
  const Int start = whole_weight(claim, bias);
  Int up = std::max<Int>(0, start), down = std::max<Int>(0, -start);
  Total result;
  result.bounds = {{start, start}, {start, start}, {start, start}};
  long grid = bias == 0 ? 60 : last_bit(bias);
  for (const auto& [column, value] : row) {
    const Int w = whole_weight(claim, value);
    const Cell& cell = cells[column];
    const Bounds part = scaled(cell.bounds.any, w);
    up += std::max<Int>(0, part.high);
    down += std::max<Int>(0, -part.low);
    plus(result.bounds.any, part);
    plus(result.bounds.first, scaled(cell.bounds.first, w));
    plus(result.bounds.last, scaled(cell.bounds.last, w));
    grid = std::min(grid, last_bit(value));
  }
  result.grid = row.empty() && bias == 0 ? 0 : grid;
  need_room(claim.work, std::max(up, down), result.grid, "a sum needs more bits than the format has");
  return result;
}

Everywhere values_of(const Total& total) {
  const Everywhere& root = total.root->bounds;
  return {total.profile->bounds(root.any), total.profile->bounds(root.first), total.profile->bounds(root.last)};
}

/// Of the embedding, the position encodings and the feed-forward sublayers.
bool only_whole_weights(const model::Transformer& model) {
  bool whole = true;
  for (const model::PositionEncoding& encoding : model.position_encodings) whole = whole && is_truth(encoding.formula);
  const auto see = [&](double w) { whole = whole && std::trunc(w) == w; };
  const auto see_all = [&](const SparseMatrix& matrix) {
    for (const SparseMatrix::Row& row : matrix.rows)
      for (const auto& [column, w] : row) see(w);
  };
  see_all(model.embedding);
  for (const model::Layer& layer : model.layers) {
    see_all(layer.ffn.w1);
    see_all(layer.ffn.w2);
    for (const double b : layer.ffn.b1) see(b);
    for (const double b : layer.ffn.b2) see(b);
  }
  return whole;
}

}  // namespace

Int whole_weight(const Claim& claim, double w) {
  need_exact(claim, w);
  if (!(std::fabs(w) < 0x1p60) || std::trunc(w) != w) throw Rejected("a weight that is not a whole number");
  return static_cast<Int>(w);
}

long unused_number(const Cells& cells) {
  long most = 0;
  for (const Cell& cell : cells) most = std::max(most, cell.number);
  return most + 1;
}

Int size_of(const Bounds& bounds) { return std::max(bounds.high, -bounds.low); }

void need_room(const FloatFormat& format, Int size, long grid, const char* what) {
  if (size >= Int(1) << 53 || !fits(format, Number(static_cast<double>(size)), grid)) throw Rejected(what);
}

Total total(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row, double bias) {
  Total result = of_terms(claim, cells, row, bias);
  const Int rest = constants(cells, row, bias);
  const Root* tried = nullptr;
  for (const auto& [column, value] : row) {
    const Cell& cell = cells[column];
    if (!cell.profile || constant(cell) || cell.root.get() == tried) continue;
    tried = cell.root.get();
    if (over_root(cells, row, rest, cell.root, result)) break;
  }
  if (!result.profile) new_root(cells, row, rest, result);
  if (result.profile) result.bounds = values_of(result);
  return result;
}

Total total(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row, double bias, const Total& other,
            double other_bias) {
  Total result = of_terms(claim, cells, row, bias);
  result.root = other.root;
  result.profile = other.profile;
  if (!result.profile) return result;
  const Bounds run = result.profile->run();
  result.profile->add(Profile(run.low, run.high, 0, static_cast<Int>(bias) - static_cast<Int>(other_bias)), 1);
  result.bounds = values_of(result);
  return result;
}

void forget_root(const Cells& cells, const SparseMatrix::Row& row, double bias, Total& result) {
  const Int rest = constants(cells, row, bias);
  new_root(cells, row, rest, result);
  const Int unit = result.profile->slope();
  Root root = *result.root;
  const auto narrow = [&](Bounds& of_root, const Bounds& known) {
    of_root = unit > 0 ? Bounds{(known.low - rest) / unit, (known.high - rest) / unit}
                       : Bounds{(known.high - rest) / unit, (known.low - rest) / unit};
  };
  narrow(root.bounds.any, result.bounds.any);
  narrow(root.bounds.first, result.bounds.first);
  narrow(root.bounds.last, result.bounds.last);
  result.profile = Profile(root.bounds.any.low, root.bounds.any.high, unit, rest);
  result.root = std::make_shared<Root>(std::move(root));
}

bool in_whole_numbers(const model::Transformer& model) {
  const model::OutputKind kind = model.output.kind;
  bool whole = kind == model::OutputKind::whole || kind == model::OutputKind::ratios ||
               (model.head_count() == 0 && only_whole_weights(model));
  for (const model::PositionEncoding& encoding : model.position_encodings)
    whole = whole || read(encoding.formula).is_bit();
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads) {
      const HeadStructure s = head.claim.structure.value();
      if (s != HeadStructure::match && s != HeadStructure::address && s != HeadStructure::dyadic) return false;
      whole = true;
    }
  return whole;
}

std::vector<Line> derive_in_whole_numbers(const Claim& claim) {
  std::vector<Line> lines;
  Cells cells = read_cells(claim);
  need_highest_bits(claim, cells);
  CellNorm norm(claim, cells);
  for (const model::Layer& layer : claim.model.layers) {
    norm.before_heads(cells, layer);
    pass_heads(claim, layer, cells, lines);
    norm.after_heads(cells, layer, lines);
    pass_units(claim, layer.ffn, cells);
    norm.after_units(cells, layer.ffn);
  }
  norm.need_outputs(cells);
  const model::Output& output = claim.model.output;
  const auto need_truth = [&](std::uint32_t coordinate) {
    const Bounds& any = cells[coordinate].bounds.any;
    if (any.low < 0 || any.high > 1) throw Rejected("the output is not a truth value");
  };
  if (output.kind == model::OutputKind::ratios && cells[output.coordinate].bounds.any.low <= 0)
    throw Rejected("a denominator that is not positive");
  if ((output.kind == model::OutputKind::whole || output.kind == model::OutputKind::ratios) && !norm.changes_bits())
    return lines;  // whole numbers, and no operation has rounded
  if (!model::reads_truth_values(output.kind)) throw Rejected("the output is a number");
  if (output.cases.empty()) need_truth(output.coordinate);
  for (const model::Output::Case& one : output.cases) need_truth(one.coordinate);
  return lines;
}

}  // namespace quench::check
