// Reads a program's text for the second interpreter (program_interpreter.h), by the grammar in docs/programs.md and by
// nothing of src/: own tokens, own tree, recursive descent. Only right programs are read; nothing is reported.
#pragma once

#include <cctype>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace quench::test {

struct Piece {
  enum Kind { name, number, symbol, text, test, sign, newline, end } kind;
  std::string content;  ///< the name, digits, symbol, string, or sign
};

/// A name and its operands: "+", "?", "in{}", "#", "call", "number", "'", "\"", "name", "Q".
struct Tree {
  std::string op, content;
  std::vector<Tree> of;
  std::string binder, relation;    ///< of a count: the variable it binds, and how it is compared with `other`
  std::string other;               ///< of a count
  std::vector<std::string> among;  ///< of membership
};

struct Statement {
  std::string name, variable;
  std::vector<std::string> parameters;  ///< of a function
  std::string how;                      ///< "", "fun", "score", "leftmost", "rightmost", "psum", "mean"
  std::string binder;
  std::vector<Tree> brackets;
  Tree value, otherwise;
};

class ProgramReader {
 public:
  explicit ProgramReader(const std::string& text) : text_(text) {
    while (pieces_.empty() || pieces_.back().kind != Piece::end) pieces_.push_back(next());
    join_lines();
    while (here().kind != Piece::end)
      if (here().kind == Piece::newline || is(";"))
        ++at_;
      else
        statement();
  }

  std::vector<Statement> statements;
  std::set<std::string> mentioned;

 private:
  // Tokens.
  Piece next() {
    for (;;) {
      while (p_ < text_.size() && text_[p_] != '\n' && std::isspace(static_cast<unsigned char>(text_[p_]))) ++p_;
      if (text_.compare(p_, 2, "//") != 0) break;
      while (p_ < text_.size() && text_[p_] != '\n') ++p_;
    }
    if (p_ >= text_.size()) return {Piece::end, ""};
    const char c = text_[p_];
    if (c == '\n') return ++p_, Piece{Piece::newline, ""};
    if (c == '\'') return mention(Piece::symbol, quoted('\''));
    if (c == '"') {
      const std::string content = quoted('"');
      for (const std::string& one : characters(content)) mentioned.insert(one);
      return {Piece::text, content};
    }
    if (text_.compare(p_, 3, "Q['") == 0) {
      p_ += 2;
      const std::string content = quoted('\'');
      ++p_;  // the bracket
      return mention(Piece::test, content);
    }
    std::size_t e = p_;
    if (std::isdigit(static_cast<unsigned char>(c))) {
      while (e < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[e])) || text_[e] == '.')) ++e;
      return {Piece::number, take(e)};
    }
    while (e < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[e])) || text_[e] == '_')) ++e;
    if (e > p_) {
      const std::string word = take(e);
      if (word.starts_with("Q_")) return mention(Piece::test, word.substr(2));
      if (word == "and" || word == "or" || word == "xor" || word == "not") return {Piece::sign, word};
      return {Piece::name, word};
    }
    for (const char* sign : {"<->", "->", "<=", ">=", "!="})
      if (text_.compare(p_, std::string(sign).size(), sign) == 0)
        return {Piece::sign, take(p_ + std::string(sign).size())};
    const std::string one = take(p_ + 1);
    return {Piece::sign, one == "&" ? "and" : one == "|" ? "or" : one == "!" ? "not" : one};
  }
  std::string take(std::size_t e) {
    const std::string result = text_.substr(p_, e - p_);
    p_ = e;
    return result;
  }
  std::string quoted(char quote) {
    std::string content;
    for (++p_; text_[p_] != quote; ++p_) {
      if (text_[p_] == '\\') ++p_;
      content += text_[p_];
    }
    ++p_;
    return content;
  }
  Piece mention(Piece::Kind kind, const std::string& symbol) {
    mentioned.insert(symbol);
    return {kind, symbol};
  }

 public:
  static std::vector<std::string> characters(const std::string& text) {
    std::vector<std::string> result;
    for (const char c : text)
      if ((static_cast<unsigned char>(c) & 0xC0) == 0x80)
        result.back() += c;
      else
        result.emplace_back(1, c);
    return result;
  }

 private:
  /// A line goes on inside brackets, after an operator, and when the next line begins with one.
  void join_lines() {
    std::vector<Piece> joined;
    int depth = 0;
    const auto infix = [](const Piece& piece) {
      return piece.kind == Piece::sign && piece.content != "(" && piece.content != ")" && piece.content != "]" &&
             piece.content != "}" && piece.content != ";" && piece.content != "not" && piece.content != "#";
    };
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      const Piece& piece = pieces_[k];
      if (piece.kind == Piece::sign && std::string("([{").find(piece.content) != std::string::npos) ++depth;
      if (piece.kind == Piece::sign && std::string(")]}").find(piece.content) != std::string::npos) --depth;
      if (piece.kind == Piece::newline) {
        std::size_t after = k;
        while (pieces_[after].kind == Piece::newline) ++after;
        if (depth > 0 || infix(pieces_[after]) || (!joined.empty() && infix(joined.back()))) continue;
      }
      joined.push_back(piece);
    }
    pieces_ = std::move(joined);
  }

  // Grammar.
  const Piece& here() const { return pieces_[at_]; }
  bool is(const std::string& sign) const { return here().kind == Piece::sign && here().content == sign; }
  bool accept(const std::string& sign) { return is(sign) && (++at_, true); }
  void expect(const std::string& sign) {
    if (!accept(sign)) throw std::runtime_error("expected " + sign + ", found " + here().content);
  }
  std::string word() { return pieces_[at_++].content; }

  void statement() {
    Statement s;
    s.name = word();
    if (s.name == "alphabet") return (void)set();
    if (s.name == "fun") s.how = "fun", s.name = word();
    if (s.name == "score" && accept("[")) s.how = "score", s.name = word(), expect("]");
    expect("(");
    do s.parameters.push_back(word());
    while (accept(","));
    s.variable = s.parameters[0];
    expect(")");
    expect("=");
    const bool over = here().kind == Piece::name && pieces_[at_ + 1].kind == Piece::name &&
                      (here().content == "leftmost" || here().content == "rightmost" || here().content == "psum" ||
                       here().content == "mean");
    if (over) {
      s.how = word();
      s.binder = word();
      expect("[");
      while (!accept("]")) {
        s.brackets.push_back(choice());
        accept(",");
      }
    }
    s.value = choice();
    if (accept(":")) s.otherwise = choice();
    statements.push_back(std::move(s));
  }

  std::vector<std::string> set() {
    std::vector<std::string> symbols;
    expect("{");
    while (!accept("}")) symbols.push_back(word()), accept(",");
    return symbols;
  }

  Tree choice() {
    Tree condition = binary(0);
    if (!accept("?")) return condition;
    Tree yes = choice();
    expect(":");
    Tree no = choice();
    return {"?", "", {condition, yes, no}, "", "", "", {}};
  }

  Tree binary(std::size_t level) {
    static const std::vector<std::vector<std::string>> levels{{"<->"}, {"->"}, {"xor"}, {"or"}, {"and"}};
    static const std::vector<std::vector<std::string>> arithmetic{{"<", "<=", ">", ">=", "=", "!="}, {"+", "-"}, {"*"}};
    if (level == levels.size()) {
      if (accept("not")) return {"not", "", {binary(level)}, "", "", "", {}};
      return binary(level + 1);
    }
    if (level > levels.size() + arithmetic.size()) return prefix();
    const auto& signs = level < levels.size() ? levels[level] : arithmetic[level - levels.size() - 1];
    Tree left = binary(level + 1);
    for (;;) {
      if (level == levels.size() + 1 && here().kind == Piece::name && here().content == "in") {
        ++at_;
        left = {"in{}", "", {left}, "", "", "", set()};
        continue;
      }
      bool found = false;
      for (const std::string& sign : signs) {
        if (found || !accept(sign)) continue;
        found = true;
        left = {sign, "", {left, binary(sign == "->" ? level : level + 1)}, "", "", "", {}};
      }
      if (!found) return left;
    }
  }

  Tree prefix() {
    if (accept("-")) return {"minus", "", {prefix()}, "", "", "", {}};
    if (accept("not")) return {"not", "", {binary(5)}, "", "", "", {}};
    if (!accept("#")) return atom();
    Tree count{"#", "", {}, "", "", "", {}};
    expect("[");
    count.binder = word();
    if (here().kind == Piece::sign && !is("]")) count.relation = word(), count.other = word();
    expect("]");
    count.of = {prefix()};
    return count;
  }

  Tree atom() {
    if (accept("(")) {
      Tree inner = choice();
      expect(")");
      return inner;
    }
    const Piece piece = pieces_[at_++];
    static const char* const ops[] = {"name", "number", "'", "\"", "Q"};
    if (piece.kind > Piece::test) throw std::runtime_error("unexpected " + piece.content);
    Tree tree{ops[piece.kind], piece.content, {}, "", "", "", {}};
    if ((piece.kind != Piece::name && piece.kind != Piece::test) || !accept("(")) return tree;
    if (piece.kind == Piece::name) tree.op = "call";
    do tree.of.push_back(choice());
    while (accept(","));
    expect(")");
    return tree;
  }

  const std::string& text_;
  std::size_t p_ = 0, at_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace quench::test
