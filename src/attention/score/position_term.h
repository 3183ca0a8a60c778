// Terms that depend on the positions i and j (from 0) and are added to the score before the temperature divides it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "base/number/matrix.h"

namespace quench::attention {

/// −slope·|i − j| (Press, Smith, Lewis 2022).
struct Alibi {
  double slope = 1;
};

/// table(i, j), n × m: any learned or precomputed bias.
struct BiasTable {
  Matrix table;
};

/// A learned number per offset j − i, clipped to −radius … radius: by_offset[(j − i) + radius], 2·radius + 1 of them.
struct RelativeBias {
  std::size_t radius = 0;
  std::vector<double> by_offset;
};

/// Any function of (i, j). It has no parameters, so no gradient.
struct BiasFunction {
  std::function<double(std::size_t i, std::size_t j)> function;
};

/// What makes one maximiser win: scale·t(j), position j from 1 to n, added to scores with gap at least 1 [P-L8].
struct TieBreak {
  enum class Form : std::uint8_t {
    rightmost,          // +j/2n  [P-L8b]
    leftmost,           // −j/2n  [P-L8c]
    rightmost_inverse,  // −1/j   [P-L8a]
  };
  Form form = Form::rightmost;
  double scale = 1;
};

using PositionTerm = std::variant<Alibi, BiasTable, RelativeBias, BiasFunction, TieBreak>;

/// The term's value for query i and key j of `keys`.
double position_term(const PositionTerm& term, std::size_t i, std::size_t j, std::size_t keys);

/// A term of the same kind and shape whose parameters are all 0: where gradients are added up.
PositionTerm zero_like(const PositionTerm& term);

/// Adds d = ∂L/∂(the term's value at i, j) to the parameters of `gradient`, which came from zero_like.
void add_gradient(const PositionTerm& term, std::size_t i, std::size_t j, std::size_t keys, double d,
                  PositionTerm& gradient);

}  // namespace quench::attention
