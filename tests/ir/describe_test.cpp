// What nodes are called for people.
#include "ir/describe.h"

#include <gtest/gtest.h>

namespace quench::ir {
namespace {

TEST(NegationOf, IsItsOwnInverse) {
  EXPECT_EQ(negation_of(""), "");
  EXPECT_EQ(negation_of("stored"), "!(stored)");
  EXPECT_EQ(negation_of("!(stored)"), "stored");
  EXPECT_EQ(negation_of("!(a) & (b)"), "!(!(a) & (b))");  // the first parenthesis is not closed by the last
  EXPECT_EQ(negation_of("!((a) & (b))"), "(a) & (b)");
  EXPECT_EQ(negation_of("!("), "!(!()");
}

TEST(Names, OfNodesWithoutALabelAreMadeOfTheirOperands) {
  Graph graph;
  graph.alphabet.intern("a");
  graph.alphabet.intern("b");
  const Literal a{graph.add(SymbolIn{{0}}), false}, both{graph.add(SymbolIn{{0, 1}}), false};
  const Literal named{graph.add(SymbolIn{{1}}, "write b"), false};
  const Literal conjunction = graph.conjunction({a, !named});
  const HeadId head = graph.add(Head{}, "mean");
  const NodeId attended = graph.add(Attend{head, Affine(a.node) - 2 * Affine(named.node) + 1});
  const NodeId rounded = graph.add(Threshold{attended, 0, 1, 0, 1});
  const NodeId zero = graph.add(IsZero{Affine(attended)});
  const NodeId piece = graph.add(Piecewise{{{Affine(attended), -2}}, Affine(3.0), 0, 3});
  const std::vector<std::string> names = ir::names(graph);
  const auto of = [&](NodeId id) { return names[id.index]; };
  EXPECT_EQ(of(a.node), "Q_a");
  EXPECT_EQ(of(both.node), "in a|b");
  EXPECT_EQ(of(named.node), "write b");
  EXPECT_EQ(of(conjunction.node), "Q_a & !(write b)");
  EXPECT_EQ(of(attended), "Q_a - 2*(write b) + 1, attended by mean");
  EXPECT_EQ(of(rounded), "Q_a - 2*(write b) + 1, attended by mean, rounded");
  EXPECT_EQ(of(zero), "Q_a - 2*(write b) + 1, attended by mean = 0");
  EXPECT_EQ(of(piece), "3 - 2*max(0, Q_a - 2*(write b) + 1, attended by mean)");
}

/// A conjunction of that many negated symbol tests, each called by its symbol.
NodeId conjunction_of(Graph& graph, int symbols) {
  std::vector<Literal> tests;
  for (Symbol s = 0; s < symbols; ++s) {
    graph.alphabet.intern("symbol" + std::to_string(s));
    tests.push_back({graph.add(SymbolIn{{s}}), true});
  }
  return graph.conjunction(tests).node;
}

TEST(Names, OfSomeOperandsAreWhole) {
  Graph graph;
  const NodeId all = conjunction_of(graph, 20);
  const std::string name = names(graph)[all.index];
  EXPECT_TRUE(name.starts_with("!Q_symbol0 & !Q_symbol1 & ")) << name;
  EXPECT_TRUE(name.ends_with(" & !Q_symbol18 & !Q_symbol19")) << name;
}

TEST(Names, OfManyOperandsSayHowManyAndAreWhole) {
  Graph graph;
  const NodeId all = conjunction_of(graph, 300);
  const NodeId head = graph.add(Attend{graph.add(Head{}, "mean"), Affine(all)});
  const std::vector<std::string> names = ir::names(graph);
  EXPECT_EQ(names[all.index], "conjunction of 300 (v300)");
  EXPECT_EQ(names[head.index], "conjunction of 300 (v300), attended by mean");
}

TEST(Names, OfAChainOfSumsStayShort) {
  Graph graph;
  graph.alphabet.intern("a");
  NodeId last = graph.add(SymbolIn{{0}});
  // Each is used twice by the next: written out, the text would double.
  for (int k = 0; k < 3000; ++k)
    last = graph.add(Piecewise{{{Affine(last) + -0.5, 1}}, Affine(last), 0, static_cast<double>(k) + 2});
  std::size_t bytes = 0;
  for (const std::string& name : names(graph)) {
    EXPECT_TRUE(name.ends_with(')') || name == "Q_a") << name;
    bytes += name.size();
  }
  EXPECT_LT(bytes, 1'100'000u);
}

}  // namespace
}  // namespace quench::ir
