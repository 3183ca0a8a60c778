// Random programs of B-RASP as text: all masks, both sides, scores and values of both positions, defaults, symbols.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace quench::test {

class RandomProgram {
 public:
  explicit RandomProgram(Random& random) : random_(random) {}

  /// A program over the symbols a and b with a Boolean output, or now and then a symbol.
  std::string text() {
    const std::size_t vectors = 1 + random_.below(5);
    std::string out = "alphabet {'a', 'b'}\n";
    for (std::size_t k = 0; k < vectors; ++k) {
      const bool symbol = random_.chance(0.25);
      const std::string name = (symbol ? "s" : "p") + std::to_string(k);
      out += name + "(i) = " + right_side(symbol) + "\n";
      (symbol ? symbols_ : booleans_).push_back(name);
    }
    return out;
  }

 private:
  std::string right_side(bool symbol) {
    const auto value = [&](bool both) { return symbol ? symbol_at(both, 1) : boolean(both, 2); };
    if (random_.chance(0.3)) return value(false);
    static const std::vector<std::string> masks{"true", "j < i", "j <= i", "j > i", "i <= j", "i < j"};
    std::string text = random_.chance(0.5) ? "leftmost" : "rightmost";
    text += " j [" + pick(masks);
    if (random_.chance(0.85)) text += ", " + boolean(true, 3);
    return text + "] " + value(true) + " : " + value(false);
  }

  std::string boolean(bool both, int depth) {
    if (depth == 0 || random_.chance(0.2)) return leaf(both);
    switch (random_.below(8)) {
      case 0:
        return "not (" + boolean(both, depth - 1) + ")";
      case 1:
      case 2:
        return "(" + boolean(both, depth - 1) + " and " + boolean(both, depth - 1) + ")";
      case 3:
      case 4:
        return "(" + boolean(both, depth - 1) + " or " + boolean(both, depth - 1) + ")";
      case 5:
        return "(" + boolean(both, depth - 1) + " xor " + boolean(both, depth - 1) + ")";
      case 6:
        return "(" + boolean(both, depth - 1) + " ? " + boolean(both, depth - 1) + " : " + boolean(both, depth - 1) +
               ")";
      default:
        return "(" + symbol_at(both, depth - 1) + " = " + symbol_at(both, depth - 1) + ")";
    }
  }

  std::string symbol_at(bool both, int depth) {
    if (depth > 0 && random_.chance(0.3))
      return "(" + boolean(both, depth - 1) + " ? " + symbol_at(both, depth - 1) + " : " + symbol_at(both, depth - 1) +
             ")";
    if (random_.chance(0.2)) return random_.chance(0.5) ? "'a'" : "'b'";
    if (symbols_.empty() || random_.chance(0.4)) return "in" + position(both);
    return pick(symbols_) + position(both);
  }

  std::string leaf(bool both) {
    if (random_.chance(0.05)) return random_.chance(0.5) ? "true" : "false";
    if (random_.chance(0.1)) return symbol_at(both, 0) + " in {'a'}";
    if (booleans_.empty() || random_.chance(0.4)) return (random_.chance(0.5) ? "Q_a" : "Q_b") + position(both);
    return pick(booleans_) + position(both);
  }

  std::string position(bool both) { return both && random_.chance(0.6) ? "(j)" : "(i)"; }
  const std::string& pick(const std::vector<std::string>& from) { return from[random_.below(from.size())]; }

  Random& random_;
  std::vector<std::string> booleans_, symbols_;
};

}  // namespace quench::test
