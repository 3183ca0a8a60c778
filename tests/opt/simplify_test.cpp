// What simplification does to conjunctions, against the plain definition.
#include "opt/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/number/random.h"
#include "ir/graph.h"

namespace quench::opt {
namespace {

using namespace ir;

/// Whether a literal that is a test of the symbol, or a constant, holds of a symbol.
bool holds(const Graph& graph, Literal literal, Symbol symbol) {
  if (const auto* in = std::get_if<SymbolIn>(&graph[literal.node]))
    return (std::find(in->symbols.begin(), in->symbols.end(), symbol) != in->symbols.end()) != literal.negated;
  const auto& conjunction = std::get<And>(graph[literal.node]);  // also a negated output, which gets a node of its own
  return std::all_of(conjunction.literals.begin(), conjunction.literals.end(),
                     [&](Literal inner) { return holds(graph, inner, symbol); }) != literal.negated;
}

TEST(Simplify, ConjunctionsOfSymbolTestsBecomeOneTest) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const Symbol symbols = static_cast<Symbol>(1 + random.below(6));
    Graph graph;
    for (Symbol s = 0; s < symbols; ++s) graph.alphabet.intern("s" + std::to_string(s));
    std::vector<Literal> tests;
    for (std::size_t k = 1 + random.below(5); k > 0; --k) {
      SymbolIn in;
      for (Symbol s = 0; s < symbols; ++s)
        if (random.chance(0.6)) in.symbols.push_back(s);
      if (in.symbols.empty()) in.symbols.push_back(0);
      tests.push_back({graph.add(in), random.chance(0.5)});
    }
    Literal chain = tests[0];
    for (const Literal test : tests) chain = graph.conjunction({chain, test});
    graph.output = random.chance(0.5) ? chain : !chain;
    const Graph simple = simplify(graph);
    for (Symbol s = kUnmentioned; s < symbols; ++s) {
      const bool all = std::all_of(tests.begin(), tests.end(), [&](Literal test) { return holds(graph, test, s); });
      ASSERT_EQ(holds(simple, simple.output, s), all != (graph.output == !chain)) << "round " << round << ", symbol " << s;
    }
    const auto* conjunction = std::get_if<And>(&simple[simple.output.node]);
    ASSERT_TRUE(!conjunction || conjunction->literals.size() <= 1) << "round " << round;
  }
}

}  // namespace
}  // namespace quench::opt
