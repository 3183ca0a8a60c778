// Comparisons joined with Booleans, on all values; tests of the symbol that can be left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "opt/gate.h"

namespace quench::opt {
namespace {

using namespace ir;

/// Booleans x_0 … x_4, each a test of a symbol of its own, and comparisons of D = x_0 + x_1 − x_2.
class JoinedComparison : public ::testing::Test {
 protected:
  JoinedComparison() {
    graph_.joins_comparisons = true;
    for (Symbol s = 0; s < 5; ++s) x_.push_back(graph_.add(SymbolIn{{s}}));
    const Affine d = Affine(x_[0]) + x_[1] - Affine(x_[2]);
    not_negative_ = graph_.add(Piecewise{{{d + 1, 1}, {d, -1}}, 0, 0, 1, true});
    zero_ = graph_.add(Piecewise{{{d + 1, 1}, {d, -2}, {d - 1, 1}}, 0, 0, 1, true});
  }

  double value(const Affine& a, unsigned truth) const {
    double sum = a.constant;
    for (const Affine::Term& term : a.terms) sum += (truth >> term.node.index & 1) != 0 ? term.coefficient : 0;
    return sum;
  }

  void expect_conjunction(Literal comparison, bool of_zero) {
    const std::vector<Literal> others{{x_[3], false}, {x_[4], true}};
    const auto units = joined(graph_, comparison, others);
    ASSERT_TRUE(units.has_value());
    for (unsigned truth = 0; truth < 32; ++truth) {
      const int d = static_cast<int>(truth & 1) + static_cast<int>(truth >> 1 & 1) - static_cast<int>(truth >> 2 & 1);
      const bool holds = of_zero ? d == 0 : d >= 0;
      const bool expected = holds != comparison.negated && (truth >> 3 & 1) == 1 && (truth >> 4 & 1) == 0;
      double sum = 0;
      for (const Piecewise::Unit& unit : *units) sum += unit.factor * std::max(0.0, value(unit.x, truth));
      EXPECT_EQ(sum, expected ? 1 : 0) << truth;
    }
  }

  Graph graph_;
  std::vector<NodeId> x_;
  NodeId not_negative_, zero_;
};

TEST_F(JoinedComparison, IsTheConjunction) {
  EXPECT_TRUE(is_comparison(graph_, zero_));
  EXPECT_FALSE(is_comparison(graph_, x_[0]));
  expect_conjunction({not_negative_, false}, false);
  expect_conjunction({not_negative_, true}, false);
  expect_conjunction({zero_, false}, true);
  EXPECT_FALSE(joined(graph_, {zero_, true}, {}).has_value());  // not zero is no comparison
}

TEST_F(JoinedComparison, IsRefusedWhereNumbersBecomeTooGreat) {
  const Affine d = 0x1p23 * Affine(x_[0]) - 5;
  const NodeId great = graph_.add(Piecewise{{{d + 1, 1}, {d, -1}}, 0, 0, 1, true});
  EXPECT_TRUE(joined(graph_, {great, false}, {}).has_value());
  EXPECT_FALSE(joined(graph_, {great, false}, {{x_[1], false}, {x_[2], false}}).has_value());
}

TEST_F(JoinedComparison, TestsOfTheSymbolThatSayNothingAreLeftOut) {
  const NodeId ab = graph_.add(SymbolIn{{0, 1}});
  const auto cube = [](std::vector<Literal> literals) {
    std::sort(literals.begin(), literals.end());
    return literals;
  };
  EXPECT_FALSE(has_symbol(graph_, cube({{x_[0], false}, {x_[1], false}})));
  EXPECT_FALSE(has_symbol(graph_, cube({{x_[0], false}, {ab, true}})));
  EXPECT_TRUE(has_symbol(graph_, cube({{x_[0], true}, {ab, false}})));
  // a is one of a, b and is not c.
  const Cube full = cube({{x_[0], false}, {ab, false}, {x_[2], true}, {zero_, false}});
  EXPECT_EQ(without_idle_tests(graph_, {full}), std::vector<Cube>{cube({{x_[0], false}, {zero_, false}})});
  // `is one of a, b` is what tells the two cubes apart.
  const Cube other = cube({{ab, true}, {not_negative_, false}});
  EXPECT_EQ(without_idle_tests(graph_, {full, other}),
            (std::vector<Cube>{cube({{x_[0], false}, {ab, false}, {zero_, false}}), other}));
}

}  // namespace
}  // namespace quench::opt
