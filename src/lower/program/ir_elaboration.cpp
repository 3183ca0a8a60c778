#include "lower/program/ir_elaboration.h"

namespace quench::lower {

using ir::Literal;

Bit IrElaboration::conjunction(std::vector<Bit> bits) {
  std::vector<Literal> literals;
  for (const Bit one : bits) literals.push_back(literal(one));
  return bit(graph_.conjunction(std::move(literals)));
}

Bit IrElaboration::symbol(Symbol symbol) {
  const std::string& text = program_.alphabet.symbols()[static_cast<std::size_t>(symbol)];
  return bit({graph_.add(ir::SymbolIn{{symbol}}, "Q_" + text), false});
}

void IrElaboration::name(Bit one, const std::string& name) {
  graph_.relabel(literal(one).node, literal(one).negated ? "not " + name : name);
}

bool IrElaboration::nearest(const lang::Attention& attention, const Terms& score) const {
  using lang::Reach;
  const bool past = attention.reach == Reach::before || attention.reach == Reach::up_to;
  const bool future = attention.reach == Reach::after || attention.reach == Reach::from;
  return always(score) && (attention.side == lang::Side::rightmost ? past : future);
}

void IrElaboration::set_output() {
  const Finite<Bit>& output = vector(program_.output);
  const lang::Sort sort = program_.output_sort();
  if (sort == lang::Sort::score) {
    graph_.scores = true;
    for (const lang::SymbolScore& one : program_.scores) {
      const std::string& symbol = program_.alphabet.symbols()[static_cast<std::size_t>(one.symbol)];
      graph_.cases.push_back({{score_node(scores_[one.vector.index], "score of " + symbol), false}, {symbol}});
    }
    if (graph_.cases.empty())
      graph_.cases.push_back({{score_node(scores_[program_.output.index], "output"), false}, {}});
    graph_.output = graph_.cases.front().holds;
    return;
  }
  if (sort == lang::Sort::boolean) {
    graph_.output = literal(output.cases.at(1));
    return;
  }
  const std::int64_t unmentioned = sort == lang::Sort::symbol ? kUnmentioned : -2;
  for (const auto& [value, bit] : output.cases)
    if (value != unmentioned) graph_.cases.push_back({literal(bit), text(value)});
  if (graph_.cases.empty()) graph_.cases.push_back({graph_.truth(false), {}});
  graph_.output = graph_.cases.front().holds;
}

/// The symbols of an output value, coded as in oracle/program.h.
std::vector<std::string> IrElaboration::text(std::int64_t value) const {
  std::vector<Symbol> symbols{static_cast<Symbol>(value < 0 ? -3 - value : value)};
  if (value >= 0 && program_.output_sort() == lang::Sort::string)
    symbols = program_.strings[static_cast<std::size_t>(value)];
  std::vector<std::string> texts;
  for (const Symbol s : symbols) texts.push_back(program_.alphabet.symbols()[static_cast<std::size_t>(s)]);
  return texts;
}

}  // namespace quench::lower
