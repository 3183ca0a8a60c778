// Random programs as text: all masks, both sides, scores and values of both positions, defaults. B-RASP has Booleans
// and symbols; S-RASP also integers (constants of every size, positive and negative, counts, sums under every mask,
// equalities of two positions), strings, scores, means and functions.
#pragma once

#include <string>
#include <vector>

#include "base/number/random.h"

namespace quench::lang {

class RandomProgram {
 public:
  enum class Class { brasp, srasp };
  explicit RandomProgram(Random& random, Class of = Class::brasp)
      : random_(random), integers_allowed_(of == Class::srasp) {}

  /// A program over the symbols a and b; of S-RASP, now and then over a longer symbol too. The last vector is put out.
  std::string text() {
    const std::size_t vectors = 1 + random_.below(5);
    std::string out = "alphabet {'a', 'b'}\n";
    if (integers_allowed_) {
      if (random_.chance(0.1)) symbol_constants_.push_back("'foo'");
      functions_ = random_.chance(0.2);
      if (functions_) out += "fun both(p, q) = p and q\nfun a_at(x) = Q_a(x)\nfun twice(x) = x + x\n";
    }
    for (std::size_t k = 0; k < vectors; ++k) {
      const std::string name = "v" + std::to_string(k);
      if (integers_allowed_ && random_.chance(0.5)) {
        out += name + "(i) = " + integer_side() + "\n";
        integers_.push_back(name);
      } else {
        const bool symbol = random_.chance(0.25);
        out += name + "(i) = " + finite_side(symbol ? 's' : 'b') + "\n";
        (symbol ? symbols_ : booleans_).push_back(name);
      }
    }
    return integers_allowed_ && random_.chance(0.15) ? out + (random_.chance(0.5) ? scores() : strings()) : out;
  }

 private:
  // A definition. `at` names the variables that an expression may read: "i", "j", "ij", or "k" inside a count.
  std::string finite(char sort, const std::string& at, int depth) {
    return sort == 's' ? symbol(at, depth) : sort == 't' ? string(at, depth) : boolean(at, depth);
  }
  std::string finite_side(char sort) {
    if (random_.chance(0.3)) return finite(sort, "i", 3);
    return attention() + finite(sort, "ij", 2) + " : " + finite(sort, "i", 2);
  }
  std::string integer_side() {
    switch (random_.below(6)) {
      case 0:
      case 1:
        return integer("i", 3);
      case 2:
      case 3:
        return "psum j [" + mask("j") + (random_.chance(0.2) ? ", " + boolean("j", 1) : "") + "] " + integer("j", 2);
      default:
        return attention() + integer(random_.chance(0.8) ? "j" : "i", 2) + " : " + integer("i", 2);
    }
  }
  std::string attention() {
    std::string text = random_.chance(0.5) ? "leftmost" : "rightmost";
    text += " j [" + mask("j");
    if (integers_allowed_ && random_.chance(0.3)) {
      const std::string wanted = integer("i", 2);
      const std::string there = integers_.empty() || random_.chance(0.5) ? "pos(j)" : pick(integers_) + "(j)";
      text += ", " + (random_.chance(0.5) ? wanted + " = " + there : there + " = " + wanted);
    }
    if (random_.chance(0.7)) text += ", " + boolean("ij", 3);
    return text + "] ";
  }
  std::string mask(const std::string& j) {
    static const std::vector<std::string> masks{"true", " < i", " <= i", " > i", "i <= ", "i < ", " >= i"};
    const std::string& mask = pick(masks);
    return mask == "true" ? mask : mask[0] == 'i' ? mask + j : j + mask;
  }

  std::string boolean(const std::string& at, int depth) {
    if (depth == 0 || random_.chance(0.2)) return truth_leaf(at);
    const auto two = [&](const char* op) { return "(" + boolean(at, depth - 1) + op + boolean(at, depth - 1) + ")"; };
    switch (random_.below(integers_allowed_ ? 14 : 8)) {
      case 0:
        return "not (" + boolean(at, depth - 1) + ")";
      case 1:
      case 2:
        return two(" and ");
      case 3:
      case 4:
        return two(" or ");
      case 5:
        return two(" xor ");
      case 6:
        return "(" + boolean(at, depth - 1) + " ? " + boolean(at, depth - 1) + " : " + boolean(at, depth - 1) + ")";
      case 7:
        return "(" + symbol(at, depth - 1) + (random_.chance(0.7) ? " = " : " != ") + symbol(at, depth - 1) + ")";
      case 8:
        return two(random_.chance(0.3) ? " <-> " : random_.chance(0.5) ? " -> " : relation().c_str());
      case 9:  // numbers of both positions, but few
        return "(" + truth_leaf(at) + " + " + std::to_string(1 + random_.below(3)) + " * " + truth_leaf(at) +
               relation() + constant() + ")";
      default: {  // integers meet at one position only
        const std::string one = single(at);
        return "(" + integer(one, depth - 1) + relation() + integer(one, depth - 1) + ")";
      }
    }
  }
  std::string truth_leaf(const std::string& at) {
    if (random_.chance(0.05)) return random_.chance(0.5) ? "true" : "false";
    if (random_.chance(0.1)) return "(" + symbol(at, 0) + (random_.chance(0.5) ? " in {'a'})" : " in {'b', 'a'})");
    if (functions_ && random_.chance(0.2))
      return random_.chance(0.5) ? "a_at" + position(at) : "both(" + truth_leaf(at) + ", " + truth_leaf(at) + ")";
    if (booleans_.empty() || random_.chance(0.4)) return (random_.chance(0.5) ? "Q_a" : "Q_b") + position(at);
    return pick(booleans_) + position(at);
  }

  std::string symbol(const std::string& at, int depth) {
    if (depth > 0 && random_.chance(0.3))
      return "(" + boolean(at, depth - 1) + " ? " + symbol(at, depth - 1) + " : " + symbol(at, depth - 1) + ")";
    if (random_.chance(0.2)) return pick(symbol_constants_);
    if (symbols_.empty() || random_.chance(0.4)) return "in" + position(at);
    return pick(symbols_) + position(at);
  }

  /// At one position.
  std::string integer(const std::string& at, int depth) {
    if (depth == 0 || random_.chance(0.3)) return integer_leaf(at);
    switch (random_.below(8)) {
      case 0:
      case 1:
        return "(" + integer(at, depth - 1) + " + " + integer(at, depth - 1) + ")";
      case 2:
      case 3:
        return "(" + integer(at, depth - 1) + " - " + integer(at, depth - 1) + ")";
      case 4:
        return "(" + std::to_string(1 + random_.below(4)) + " * " + integer(at, depth - 1) + ")";
      case 5:
        return random_.chance(0.3) && functions_ ? "twice(" + integer(at, depth - 1) + ")" : "-" + integer_leaf(at);
      default:
        return "(" + boolean(at, depth - 1) + " ? " + integer(at, depth - 1) + " : " + integer(at, depth - 1) + ")";
    }
  }
  std::string integer_leaf(const std::string& at) {
    switch (random_.below(6)) {
      case 0:
        return constant();
      case 1:
        return "pos" + position(at);
      case 2:
        if (at == "i") return "#[" + (random_.chance(0.2) ? "k" : mask_of_count()) + "] (" + boolean("k", 1) + ")";
        return truth_leaf(at);
      case 3:
        return "(" + truth_leaf(at) + " ? " + constant() + " : " + constant() + ")";
      default:
        return integers_.empty() ? "pos" + position(at) : pick(integers_) + position(at);
    }
  }
  std::string mask_of_count() {
    for (;;)
      if (const std::string mask = this->mask("k"); mask != "true") return mask;
  }
  /// 0, small, as great as words are long, and greater than anything.
  std::string constant() {
    static const std::vector<std::string> great{"16",
                                                "17",
                                                "31",
                                                "63",
                                                "64",
                                                "100",
                                                "255",
                                                "999",
                                                "1000",
                                                "1001",
                                                "1023",
                                                "4096",
                                                "65537",
                                                "1048576",
                                                "1073741823",
                                                "1073741824",
                                                "1073741825",
                                                "2147483648",
                                                "4294967295",
                                                "1000000007",
                                                "9999999999",
                                                "90071992547",
                                                "9007199254740992"};
    const std::string sign = random_.chance(0.2) ? "-" : "";
    if (random_.chance(0.15)) return sign + pick(great);
    return sign + std::to_string(random_.below(random_.chance(0.5) ? 4 : 16));
  }
  std::string relation() {
    static const std::vector<std::string> relations{" < ", " <= ", " > ", " >= ", " = ", " != "};
    return pick(relations);
  }

  std::string string(const std::string& at, int depth) {
    if (depth > 0 && random_.chance(0.7))
      return "(" + boolean(at, depth - 1) + " ? " + string(at, depth - 1) + " : " + string(at, depth - 1) + ")";
    static const std::vector<std::string> constants{R"("ab")", R"("")", R"("b")", R"("cab")"};
    return random_.chance(0.5) ? pick(constants) : symbol(at, 1);
  }
  /// The choice makes it a string whatever its branches are.
  std::string strings() {
    if (random_.chance(0.5)) return "out(i) = Q_a(i) ? \"ba\" : " + string("i", 3) + "\n";
    return "out(i) = " + attention() + "(Q_a(j) ? \"ba\" : " + string("ij", 2) + ") : " + string("i", 1) + "\n";
  }

  std::string scores() {
    std::string out =
        "m(i) = mean j [" + pick(std::vector<std::string>{"j <= i", "j >= i", "true"}) + "] " + boolean("j", 2) + "\n";
    if (random_.chance(0.5)) return out + "out(i) = 0.5 + " + score(3) + "\n";
    return out + "score['a'](i) = " + score(2) + "\nscore['b'](i) = " + score(2) + "\n";
  }
  std::string score(int depth) {
    if (depth == 0 || random_.chance(0.2)) {
      static const std::vector<std::string> decimals{"0.25", "-1.5", "0.000001", "3.141593", "-0.75", "2", "0", "m(i)"};
      return random_.chance(0.2) ? truth_leaf("i") : pick(decimals);
    }
    switch (random_.below(4)) {
      case 0:
        return "(0.5 + " + score(depth - 1) + ")";
      case 1:
        return "(" + score(depth - 1) + " - m(i))";
      case 2:
        return std::to_string(1 + random_.below(5)) + " * m(i)";
      default:
        return "(" + boolean("i", 2) + " ? 0.5 + " + score(depth - 1) + " : " + score(depth - 1) + " - 0.5)";
    }
  }

  std::string single(const std::string& at) { return {at[random_.below(at.size())]}; }
  std::string position(const std::string& at) {
    return "(" + (at == "ij" ? std::string(random_.chance(0.6) ? "j" : "i") : at) + ")";
  }
  const std::string& pick(const std::vector<std::string>& from) { return from[random_.below(from.size())]; }

  Random& random_;
  bool integers_allowed_, functions_ = false;
  std::vector<std::string> booleans_, symbols_, integers_, symbol_constants_{"'a'", "'b'"};
};

}  // namespace quench::lang
