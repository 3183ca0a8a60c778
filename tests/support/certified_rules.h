// Rules whose models and certificates the tests and fuzz targets change: every way that a model is proved, with every
// kind of output. Formulas of the paper's recipes, of ours by temperature and by position, and exact ones; automata as
// scans; programs with Booleans, symbols, whole numbers and ratios; and programs of the paper, of which nothing is
// certified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"

namespace quench::test {

struct CertifiedRule {
  std::string source;
  std::string recipe = "auto";
  std::optional<double> gamma = std::nullopt;
  bool digits = false;
  std::optional<std::size_t> length = std::nullopt;  ///< of those that are exact up to a length
  std::string file_name = "";                        ///< says how the source is to be read, where that is not plain
};

inline const std::vector<CertifiedRule>& certified_rules() {
  const auto exact = [](std::string source, std::size_t length) {
    return CertifiedRule{std::move(source), "exact", std::nullopt, false, length};
  };
  static const std::vector<CertifiedRule> all{
      {"Q_a"},
      {"prev Q_a"},
      {"prev Q_a", "13a"},
      {"Q_a since Q_b"},
      {"Q_a since Q_b", "15a", 5.0},
      {"Q_a S Q_b", "tight-position"},
      {"O Q_a & X Q_b"},
      {"O Q_a", "auto", 4.0, true},
      {"H (Q_a | O Q_b)"},
      {"#<[Q_a] >= #<[Q_b]"},
      {"#<[Q_a] >= 2*#<[Q_b] + 1", "20a"},
      {"#<[Q_a] = #>[Q_b]"},
      {"#[Q_a] >= 2", "22a", 6.0},
      {"odd(#<[Q_a])", "auto"},
      {"square(#[Q_a])", "tight-position", 4.0},
      {"odd & Q_a"},
      {"pred q(i,n) = i*i <= n; q & Q_a"},
      {"#<[prev Q_a] > #>[Q_b]"},
      {"out(i) = rightmost j [j < i, Q_a(j)] true : false"},
      exact("prev Q_a", 64),
      exact("Q_a U next Q_b", 64),
      exact("odd(#<[Q_a])", 32),
      exact("#<[Q_a] >= #>[Q_b]", 32),
      exact("2*#<[Q_a] + #[Q_b] = 3*#>[Q_b] + 1", 16),
      exact("square(#[Q_a])", 16),
      {"Q_a S Q_b", "exact-decoder", std::nullopt, false, 1 << 10},
      {"(b*ab*a)*b*", "scan", std::nullopt, false, 64, "parity.regex"},
      {"(a|b(a|b)(a|b))*", "scan", std::nullopt, false, 16, "triples.regex"},
      exact("out(i) = rightmost j [j < i, Q_a(j)] true : false", 64),
      exact("l(i) = #[j <= i] Q_a(j)\nr(i) = #[j <= i] Q_b(j)\nd(i) = l(i) - r(i)\n"
            "out(i) = rightmost j [j < i, d(j) = d(i)] Q_a(j) : false",
            16),
      exact("last(i) = rightmost j [] pos(j) : 0\nsource(i) = last(i) + 1 - pos(i)\n"
            "out(i) = rightmost j [pos(j) = source(i)] in(j) : '?'",
            16),
      exact("out(i) = #[j <= i] Q_a(j)", 32),
      exact("last(i) = rightmost j [] pos(j) : 0\nout(i) = Q_a(i) ? 2 * pos(i) : last(i) - pos(i)", 32),
      exact("out(i) = mean j [j <= i] Q_a(j)", 32),
      exact("left(i) = mean j [j <= i] Q_a(j)\nright(i) = mean j [j <= i] Q_b(j)\nout(i) = left(i) - right(i)", 16),
      {"out(i) = #[j <= i] Q_a(j)", "srasp"},
      {"out(i) = mean j [j <= i] Q_a(j)", "srasp"},
  };
  return all;
}

inline model::Transformer compiled(const CertifiedRule& rule) {
  lower::RecipeOptions options;
  options.recipe = rule.recipe;
  options.gamma = rule.gamma;
  options.digits = rule.digits;
  options.length = rule.length;
  return driver::compile(driver::parse_rule(rule.source, rule.file_name), options).model;
}

}  // namespace quench::test
