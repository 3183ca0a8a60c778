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

TEST(Names, OfManyOperandsAreCut) {
  Graph graph;
  std::vector<Literal> tests;
  for (Symbol s = 0; s < 100; ++s) {
    graph.alphabet.intern("symbol" + std::to_string(s));
    tests.push_back({graph.add(SymbolIn{{s}}), true});
  }
  const Literal all = graph.conjunction(tests);
  const std::string name = names(graph)[all.node.index];
  EXPECT_LT(name.size(), 70u);
  EXPECT_TRUE(name.starts_with("!Q_symbol0 & !Q_symbol1 & ")) << name;
}

}  // namespace
}  // namespace quench::ir
