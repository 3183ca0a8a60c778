// What every model must satisfy before anything may run it or write it: executors index without looking again.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/text/utf8.h"
#include "model/transformer.h"

namespace quench::model {

namespace {

using Op = IntInstruction::Op;
using PredicateKind = Predicate::Kind;

template <class... Arguments>
[[noreturn]] void invalid(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw IoError("invalid model: " + printable(fmt::format(text, std::forward<Arguments>(arguments)...)));
}

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void check_text(const std::string& text, const std::string& what) {
  if (!is_utf8(text)) invalid("{} is not valid UTF-8", what);
}

void check_matrix(const SparseMatrix& matrix, std::size_t rows, std::size_t cols, const std::string& name) {
  if (matrix.rows.size() != rows || matrix.cols != cols)
    invalid("{} has shape {} × {}, expected {} × {}", name, matrix.rows.size(), matrix.cols, rows, cols);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t least = 0;  // smallest column the next entry may have
    for (const SparseMatrix::Entry& entry : matrix.rows[row]) {
      if (entry.column < least || entry.column >= cols) invalid("{} has disordered columns in row {}", name, row);
      if (!std::isfinite(entry.value)) invalid("{}[{}, {}] is not a finite number", name, row, entry.column);
      if (entry.value == 0) invalid("{}[{}, {}] stores a zero", name, row, entry.column);
      least = entry.column + std::size_t{1};
    }
  }
}

void check_vector(const std::vector<double>& vector, std::size_t size, const std::string& name) {
  if (vector.size() != size) invalid("{} has {} entries, expected {}", name, vector.size(), size);
  for (std::size_t index = 0; index < size; ++index)
    if (!std::isfinite(vector[index])) invalid("{}[{}] is not a finite number", name, index);
}

/// Net effect of an instruction on the stack: how many values it takes; each leaves one.
int arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::x:
    case Op::n:
      return 0;
    case Op::negate:
    case Op::logical_not:
      return 1;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::logical_and:
    case Op::logical_or:
      return 2;
  }
  return -1;
}

void check_code(const Predicate& predicate) {
  std::size_t depth = 0;
  for (const IntInstruction& instruction : predicate.code) {
    const int takes = arity(instruction.op);
    if (takes < 0 || depth < static_cast<std::size_t>(takes))
      invalid("the expression of predicate {} takes a value that is not there", predicate.name);
    depth += 1 - static_cast<std::size_t>(takes);
  }
  if (depth != 1) invalid("the expression of predicate {} leaves {} values, expected one", predicate.name, depth);
}

void check_predicate(const Predicate& predicate) {
  check_text(predicate.name, "the name of a predicate");
  if (predicate.kind > PredicateKind::expression) invalid("predicate {} has no known kind", predicate.name);
  if (predicate.kind == PredicateKind::mod && predicate.modulus < 1)
    invalid("predicate {} has modulus {}, expected at least 1", predicate.name, predicate.modulus);
  std::int64_t least = 0;  // smallest value the next member may have
  for (const std::int64_t member : predicate.members) {
    if (member < least) invalid("the members of predicate {} are not distinct, sorted and ≥ 0", predicate.name);
    least = member == std::numeric_limits<std::int64_t>::max() ? member : member + 1;
  }
  if (predicate.kind == PredicateKind::expression) check_code(predicate);
}

void check_coordinate(std::uint32_t coordinate, const Transformer& transformer, const std::string& what) {
  if (coordinate >= transformer.width)
    invalid("{} is at coordinate {}, but the width is {}", what, coordinate, transformer.width);
}

void check_symbols(const Transformer& transformer) {
  // Distinctness is the Alphabet's own invariant; files are checked before one is made of them.
  for (const std::string& symbol : transformer.alphabet.symbols()) {
    check_text(symbol, "a symbol");
    if (symbol.empty()) invalid("a symbol is the empty text");
  }
}

void check_table(const PositionFormula& formula) {
  if ((formula.kind == PositionFormula::Kind::table) == formula.table.empty())
    invalid("position encoding {} {}", to_string(formula.kind),
            formula.table.empty() ? "lacks its values" : "has values it does not use");
  for (const double value : formula.table)
    if (!std::isfinite(value)) invalid("a value of a position table is not a finite number");
}

void check_position_encodings(const Transformer& transformer) {
  for (const auto& [coordinate, formula] : transformer.position_encodings) {
    if (formula.kind > PositionFormula::Kind::predicate_at_zero) invalid("a position encoding has no known formula");
    const bool needs_predicate = formula.kind >= PositionFormula::Kind::predicate;
    if (needs_predicate != formula.predicate.has_value())
      invalid("position encoding {} {}", to_string(formula.kind),
              needs_predicate ? "lacks its predicate" : "has a predicate it does not use");
    if (formula.predicate) check_predicate(*formula.predicate);
    check_table(formula);
    check_coordinate(coordinate, transformer, "position encoding " + to_string(formula));
  }
}

void check_head(const Head& head, std::size_t width, const std::string& name) {
  check_text(head.name, "the name of " + name);
  check_text(head.claim.structure.text(), "the structure of " + name);
  check_text(head.claim.lemma.text(), "the lemma of " + name);
  if (!std::isfinite(head.claim.gamma)) invalid("γ of {} is not a finite number", name);
  if (!is_value(head.mask) || !is_value(head.temperature) || !is_value(head.weighting) || !is_value(head.intended))
    invalid("{} has no known mask, temperature or weighting", name);
  const std::size_t d_k = head.q.rows.size(), d_v = head.v.rows.size();
  if (d_k == 0 || d_v == 0) invalid("{} has no {} rows; at least one is needed", name, d_k == 0 ? "query" : "value");
  check_matrix(head.q, d_k, width, name + ".q");
  check_matrix(head.k, d_k, width, name + ".k");
  check_matrix(head.v, d_v, width, name + ".v");
  check_matrix(head.o, width, d_v, name + ".o");
}

void check_layer(const Layer& layer, std::size_t width, const std::string& name) {
  for (std::size_t index = 0; index < layer.heads.size(); ++index)
    check_head(layer.heads[index], width, fmt::format("{}.heads.{}", name, index));
  const std::size_t hidden = layer.ffn.b1.size();
  check_matrix(layer.ffn.w1, hidden, width, name + ".ffn.w1");
  check_vector(layer.ffn.b1, hidden, name + ".ffn.b1");
  check_matrix(layer.ffn.w2, width, hidden, name + ".ffn.w2");
  check_vector(layer.ffn.b2, width, name + ".ffn.b2");
}

void check_tenants(const Transformer& transformer) {
  const std::size_t last = 2 * transformer.layers.size();
  for (const Tenant& tenant : transformer.tenants) {
    check_text(tenant.name, "the name of a coordinate");
    check_coordinate(tenant.coordinate, transformer, tenant.name);
    if (tenant.from < 0 || tenant.to < tenant.from || static_cast<std::size_t>(tenant.to) > last)
      invalid("{} lives from sublayer {} to {}, but there are sublayers 0 to {}", tenant.name, tenant.from, tenant.to,
              last);
    // Infinite ends are allowed and mean what a missing end means.
    const double low = tenant.low.value_or(0), high = tenant.high.value_or(0);
    if (std::isnan(low) || std::isnan(high) || (tenant.low && tenant.high && low > high))
      invalid("the range of {} is empty or not a number", tenant.name);
  }
}

/// Scores of one case may go without a symbol; those of several are told apart by it.
void check_scores(const Output& output) {
  std::set<std::string> named;
  for (const Output::Case& one : output.cases) {
    if (one.symbols.size() > 1 || (one.symbols.empty() && output.cases.size() > 1))
      invalid("a case of the scores has {} symbols, expected one", one.symbols.size());
    if (!one.symbols.empty() && !named.insert(one.symbols[0]).second) invalid("two scores are of the same symbol");
  }
}

void check_output(const Transformer& transformer) {
  const Output& output = transformer.output;
  if (!is_value(output.kind)) invalid("the output has no known kind");
  check_coordinate(output.coordinate, transformer, "the output");
  if (has_cases(output.kind) == output.cases.empty()) invalid("the output's cases do not fit its kind");
  for (const Output::Case& one : output.cases) {
    check_coordinate(one.coordinate, transformer, "an output case");
    for (const std::string& symbol : one.symbols) check_text(symbol, "a symbol of the output");
  }
  if (output.kind == OutputKind::scores || output.kind == OutputKind::ratios) check_scores(output);
}

}  // namespace

void validate(const Transformer& transformer) {
  const std::size_t width = transformer.width;
  if (width == 0 || width > std::numeric_limits<std::uint32_t>::max())
    invalid("width {} is not between 1 and 2^32 - 1", width);
  check_symbols(transformer);
  check_matrix(transformer.embedding, transformer.alphabet.size() + 1, width, "embedding");
  check_position_encodings(transformer);
  for (std::size_t index = 0; index < transformer.layers.size(); ++index)
    check_layer(transformer.layers[index], width, fmt::format("layers.{}", index));
  check_output(transformer);
  check_tenants(transformer);
  check_text(transformer.source, "the source text");
  check_text(transformer.recipe, "the recipe");
  check_text(transformer.logic, "the logic");
}

}  // namespace quench::model
