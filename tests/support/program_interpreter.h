// A second interpreter of programs, for tests only. It works on the text as written (program_reader.h) and follows the
// words of docs/programs.md: nothing is desugared, no sort is coerced before it has to be, and nothing of src/ but the
// 128-bit integers is used. What oracle/ and the compiler both take from the parser can be checked against it.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/number/int128.h"
#include "support/program_reader.h"

namespace quench::test {

/// p/q with q > 0.
struct Fraction {
  Int128 p = 0, q = 1;
};

/// One value. `sort` is 'b' Boolean, 's' symbol, 'i' integer, 't' string, 'd' score ("decimal").
struct Value {
  char sort = 'b';
  Fraction number;                   ///< of Booleans, integers and scores
  std::vector<std::string> symbols;  ///< of symbols and strings; "" is a symbol that the program does not mention
};

class ProgramInterpreter {
 public:
  explicit ProgramInterpreter(const std::string& text) : text_(text), program_(text_) {}

  /// Every output at every position: of scores, all of position 1, then all of position 2, …
  std::vector<Value> run(const std::vector<std::string>& word) {
    word_ = word;
    vectors_.clear();
    sorts_.clear();
    std::vector<std::vector<Value>> scores;
    std::string output;
    for (const Statement& s : program_.statements) {
      if (s.how == "fun") continue;
      std::vector<Value> values = vector(s);
      if (s.how == "score") {
        scores.push_back(std::move(values));
        continue;
      }
      if (output != "out") output = s.name;
      vectors_[s.name] = std::move(values);
    }
    if (scores.empty()) return vectors_.at(output);
    std::vector<Value> all;
    for (std::size_t i = 0; i < word.size(); ++i)
      for (const std::vector<Value>& one : scores) all.push_back(one[i]);
    return all;
  }

 private:
  /// What the names of an expression stand for: a position, or the argument of a call with the names it was written
  /// under.
  struct Names {
    std::map<std::string, std::size_t> positions;
    std::map<std::string, std::pair<const Tree*, const Names*>> arguments;
  };

  std::vector<Value> vector(const Statement& s) {
    const std::size_t n = word_.size();
    std::vector<Value> values;
    for (std::size_t i = 1; i <= n; ++i) {
      Names here{{{s.variable, i}}, {}};
      const auto at = [&](std::size_t j) {
        Names both = here;
        both.positions[s.binder] = j;
        return both;
      };
      const auto fits = [&](std::size_t j) {
        const Names both = at(j);
        for (std::size_t k = 0; k < s.brackets.size(); ++k) {
          const Tree& t = s.brackets[k];
          const bool mask = k == 0 && t.of.size() == 2 && t.of[0].op == "name" && t.of[1].op == "name" &&
                            both.positions.contains(t.of[0].content) && both.positions.contains(t.of[1].content);
          const bool holds = mask ? compare(t.op, static_cast<Int128>(both.positions.at(t.of[0].content)),
                                            static_cast<Int128>(both.positions.at(t.of[1].content)))
                                  : truth(evaluate(t, both));
          if (!holds) return false;
        }
        return true;
      };
      values.push_back(value(s, here, at, fits));
    }
    // The sort of a vector is that of its expression, whichever branch was taken; a stored integer is clipped.
    const Names somewhere{{{s.variable, 1}, {s.binder, 1}}, {}};
    char sort = s.how == "psum" ? 'i' : s.how == "mean" || s.how == "score" ? 'd' : sort_of(s.value, somewhere);
    if (s.how == "leftmost" || s.how == "rightmost") sort = joined(sort, sort_of(s.otherwise, somewhere));
    for (Value& one : values) {
      one.sort = sort;
      if (sort == 'i') one.number.p = std::clamp<Int128>(one.number.p, 0, static_cast<Int128>(n) + 1);
    }
    if (s.how != "score") sorts_[s.name] = sort;
    return values;
  }

  template <class At, class Fits>
  Value value(const Statement& s, const Names& here, At at, Fits fits) {
    const std::size_t n = word_.size();
    if (s.how == "psum" || s.how == "mean") {
      Int128 sum = 0, seen = 0;
      for (std::size_t j = 1; j <= n; ++j)
        if (fits(j)) sum += evaluate(s.value, at(j)).number.p, ++seen;
      return s.how == "psum" ? number('i', sum) : fraction(sum, seen);
    }
    if (s.how != "leftmost" && s.how != "rightmost") return evaluate(s.value, here);
    std::size_t found = 0;
    for (std::size_t j = 1; j <= n; ++j)
      if (fits(j) && (found == 0 || s.how == "rightmost")) found = j;
    return found > 0 ? evaluate(s.value, at(found)) : evaluate(s.otherwise, here);
  }

  Value evaluate(const Tree& t, const Names& names) {
    const auto operand = [&](std::size_t k) { return evaluate(t.of[k], names); };
    if (t.op == "number") return literal(t.content);
    if (t.op == "'") return {'s', {}, {t.content}};
    if (t.op == "\"") return {'t', {}, ProgramReader::characters(t.content)};
    if (t.op == "name") return named(t, names);
    if (t.op == "Q") return boolean(input(position(t.of[0], names)) == t.content);
    if (t.op == "call") return call(t, names);
    if (t.op == "#") return count(t, names);
    if (t.op == "?") return truth(operand(0)) ? operand(1) : operand(2);
    if (t.op == "not") return boolean(!truth(operand(0)));
    if (t.op == "and") return boolean(truth(operand(0)) && truth(operand(1)));
    if (t.op == "or") return boolean(truth(operand(0)) || truth(operand(1)));
    if (t.op == "xor") return boolean(truth(operand(0)) != truth(operand(1)));
    if (t.op == "<->") return boolean(truth(operand(0)) == truth(operand(1)));
    if (t.op == "->") return boolean(!truth(operand(0)) || truth(operand(1)));
    if (t.op == "in{}")
      return boolean(std::find(t.among.begin(), t.among.end(), operand(0).symbols[0]) != t.among.end());
    if (t.op == "minus") return times(-1, operand(0));
    const Value a = operand(0), b = operand(1);
    if (t.op == "+") return plus(a, b);
    if (t.op == "-") return plus(a, times(-1, b));
    if (t.op == "*") return a.sort == 'd' ? times(b.number.p, a) : times(a.number.p, b);
    if (a.sort == 's') return boolean((a.symbols == b.symbols) == (t.op == "="));
    return boolean(compare(t.op, a.number.p, b.number.p));
  }

  Value named(const Tree& t, const Names& names) {
    if (t.content == "true" || t.content == "false") return boolean(t.content == "true");
    const auto& [argument, outer] = names.arguments.at(t.content);
    return evaluate(*argument, *outer);
  }

  /// The position that a variable stands for, through as many calls as it was handed down.
  static std::size_t position(const Tree& t, const Names& names) {
    if (const auto found = names.positions.find(t.content); found != names.positions.end()) return found->second;
    const auto& [argument, outer] = names.arguments.at(t.content);
    return position(*argument, *outer);
  }

  Value call(const Tree& t, const Names& names) {
    if (t.content == "in") return {'s', {}, {input(position(t.of[0], names))}};
    if (t.content == "pos") return number('i', static_cast<Int128>(position(t.of[0], names)));
    if (const auto found = vectors_.find(t.content); found != vectors_.end())
      return found->second[position(t.of[0], names) - 1];
    const Statement& f = function(t.content);
    return evaluate(f.value, arguments(f, t, names));
  }
  const Statement& function(const std::string& name) const {
    return *std::find_if(program_.statements.begin(), program_.statements.end(),
                         [&](const Statement& s) { return s.how == "fun" && s.name == name; });
  }
  static Names arguments(const Statement& f, const Tree& call, const Names& names) {
    Names inner;
    for (std::size_t k = 0; k < f.parameters.size(); ++k) inner.arguments[f.parameters[k]] = {&call.of[k], &names};
    return inner;
  }

  Value count(const Tree& t, const Names& names) {
    Int128 found = 0;
    const bool left = t.relation.empty() || names.positions.contains(t.other);
    for (std::size_t j = 1; j <= word_.size(); ++j) {
      Names inner = names;
      inner.positions[left ? t.binder : t.other] = j;
      const bool visible = t.relation.empty() || compare(t.relation, static_cast<Int128>(inner.positions.at(t.binder)),
                                                         static_cast<Int128>(inner.positions.at(t.other)));
      found += visible && truth(evaluate(t.of[0], inner));
    }
    return number('i', found);
  }

  /// Of an expression, not of a value: `p ? 1 : Q_a(i)` is an integer everywhere.
  char sort_of(const Tree& t, const Names& names) const {
    const auto operand = [&](std::size_t k) { return sort_of(t.of[k], names); };
    if (t.op == "number") return t.content.find('.') == std::string::npos ? 'i' : 'd';
    if (t.op == "'") return 's';
    if (t.op == "\"") return 't';
    if (t.op == "#") return 'i';
    if (t.op == "?") return joined(operand(1), operand(2));
    if (t.op == "minus") return operand(0) == 'd' ? 'd' : 'i';
    if (t.op == "+" || t.op == "-" || t.op == "*") return operand(0) == 'd' || operand(1) == 'd' ? 'd' : 'i';
    if (t.op == "name" && names.arguments.contains(t.content)) {
      const auto& [argument, outer] = names.arguments.at(t.content);
      return sort_of(*argument, *outer);
    }
    if (t.op != "call") return 'b';
    if (t.content == "in") return 's';
    if (t.content == "pos") return 'i';
    if (const auto found = sorts_.find(t.content); found != sorts_.end()) return found->second;
    const Statement& f = function(t.content);
    return sort_of(f.value, arguments(f, t, names));
  }
  static char joined(char a, char b) {
    for (const char stronger : {'d', 't', 'i', 's'})
      if (a == stronger || b == stronger) return stronger;
    return a;
  }

  std::string input(std::size_t i) const { return program_.mentioned.contains(word_[i - 1]) ? word_[i - 1] : ""; }
  static bool truth(const Value& value) { return value.number.p != 0; }
  static Value number(char sort, Int128 p) { return {sort, {p, 1}, {}}; }
  static Value boolean(bool p) { return number('b', p); }
  static Value fraction(Int128 p, Int128 q) {
    Int128 a = p < 0 ? -p : p, b = q;
    while (b != 0) a = std::exchange(b, a % b);
    return {'d', {p / a, q / a}, {}};
  }
  static Value literal(const std::string& digits) {
    const std::size_t point = digits.find('.');
    if (point == std::string::npos) return number('i', std::stoll(digits));
    Int128 p = 0, q = 1;
    for (std::size_t k = 0; k < digits.size(); ++k)
      if (k != point) p = 10 * p + (digits[k] - '0'), q *= k > point ? 10 : 1;
    return fraction(p, q);
  }
  static Value plus(const Value& a, const Value& b) {
    if (a.sort != 'd' && b.sort != 'd') return number('i', a.number.p + b.number.p);
    return fraction(a.number.p * b.number.q + b.number.p * a.number.q, a.number.q * b.number.q);
  }
  static Value times(Int128 factor, const Value& a) {
    if (a.sort != 'd') return number('i', factor * a.number.p);
    return fraction(factor * a.number.p, a.number.q);
  }
  static bool compare(const std::string& sign, Int128 a, Int128 b) {
    return sign == "<"    ? a < b
           : sign == "<=" ? a <= b
           : sign == ">"  ? a > b
           : sign == ">=" ? a >= b
           : sign == "="  ? a == b
                          : a != b;
  }

  std::string text_;
  ProgramReader program_;
  std::vector<std::string> word_;
  std::map<std::string, std::vector<Value>> vectors_;
  std::map<std::string, char> sorts_;
};

}  // namespace quench::test
