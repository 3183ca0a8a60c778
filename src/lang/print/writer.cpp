#include "lang/print/writer.h"

#include <algorithm>

#include "base/number/int128.h"
#include "base/overloaded.h"
#include "base/text/utf8.h"
#include "lang/operators.h"

namespace quench::lang {
namespace {

// Twice the precedence, so that a comparison fits between `&` and the temporal operators: it would need no parentheses
// under those either, but reads better with them.
constexpr int level_of(Precedence precedence) { return 2 * static_cast<int>(precedence); }
constexpr int kComparisonLevel = level_of(Precedence::and_) + 1;
constexpr int kUnaryLevel = level_of(Precedence::unary);
constexpr int kAtomLevel = kUnaryLevel + 2;

int level_of(const Node& node) {
  return std::visit(Overloaded{
                        [](const Unary&) { return kUnaryLevel; },
                        [](const Binary& binary) { return level_of(facts(binary.op).precedence); },
                        [](const Comparison&) { return kComparisonLevel; },
                        [](const Constant&) { return kAtomLevel; },
                        [](const SymbolAtom&) { return kAtomLevel; },
                        [](const PositionPredicate&) { return kAtomLevel; },
                        [](const CountPredicate&) { return kAtomLevel; },
                        [](const Congruence&) { return kAtomLevel; },
                    },
                    node);
}

/// The first `limit` bytes, or a few fewer so as not to cut through a character.
std::string_view whole_characters(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

bool is_name(std::string_view symbol) {
  for (std::size_t at = 0; at < symbol.size();) {
    const Utf8Char character = decode_utf8(symbol, at);
    if (!character.valid || !is_name_character(character.code)) return false;
    at += character.length;
  }
  return !symbol.empty();
}

std::string quoted(std::string_view symbol) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t at = 0; at < symbol.size();) {
    const Utf8Char character = decode_utf8(symbol, at);
    if (character.code == '\'' || character.code == '\\') {
      text += '\\';
      text += static_cast<char>(character.code);
    } else if (character.code == '\n' || character.code == '\t') {
      text += character.code == '\n' ? "\\n" : "\\t";
    } else if (showable(character.code)) {
      text += symbol.substr(at, character.length);
    } else {
      std::string digits;
      for (char32_t rest = character.code; rest > 0 || digits.empty(); rest /= 16)
        digits.insert(0, 1, kDigits[rest % 16]);
      text += "\\u{" + digits + "}";
    }
    at += character.length;
  }
  return text;
}

}  // namespace

std::string latex_escaped(std::string_view symbol) {
  std::string text;
  for (const char c : printable(symbol)) {
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) {
      text += '\\';
      text += c;
    } else if (c == '\\') {
      text += "\\textbackslash{}";
    } else if (c == '^' || c == '~') {
      text += '\\';
      text += c;
      text += "{}";
    } else if (c == ' ') {
      text += "\\textvisiblespace{}";
    } else {
      text += c;
    }
  }
  return text;
}

std::string symbol_text(std::string_view symbol, Notation notation) {
  if (notation == Notation::latex) return "Q_{\\texttt{" + latex_escaped(symbol) + "}}";
  if (is_name(symbol)) return std::string("Q_").append(symbol);
  return "Q['" + quoted(symbol) + "']";
}

std::string Writer::formula(FormulaId id) {
  expand(id, 0);
  return finish();
}

std::string Writer::term(TermId id) {
  term_part({.kind = Task::Kind::term, .id = id.index, .text = {}});
  return finish();
}

std::string Writer::finish() {
  while (!tasks_.empty() && !spent()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    switch (task.kind) {
      case Task::Kind::text:
        emit(task.text);
        break;
      case Task::Kind::formula: {
        const FormulaId id(task.id);
        if (const std::string& name = names_.of(id); !name.empty()) {
          emit(name);
        } else if (silent_ > limit_) {
          emit("…");  // so far down on the left that nothing would be written for a long time
        } else {
          expand(id, task.level);
        }
        break;
      }
      case Task::Kind::term:
        if (const std::string& name = names_.of(TermId(task.id)); task.part == 0 && !name.empty()) {
          emit(name);
        } else {
          term_part(task);
        }
    }
  }
  if (spent()) {
    out_.resize(whole_characters(out_, limit_).size());
    out_ += "…";
  }
  tasks_.clear();
  silent_ = 0;
  return std::move(out_);
}

void Writer::emit(std::string_view text) {
  // One byte more than the limit is kept, to know that there was more.
  out_ += limit_ == kNoLimit ? text : text.substr(0, limit_ + 1 - std::min(limit_ + 1, out_.size()));
  silent_ = 0;
}

/// Tasks are done last in, first out: what is written first is pushed last.
void Writer::expand(FormulaId id, int level) {
  ++silent_;
  const Node& node = formula_[id];
  if (level_of(node) < level) {
    emit("(");
    text(")");
  }
  const bool latex = notation_ == Notation::latex;
  std::visit(Overloaded{
                 [&](const Constant& constant) {
                   emit(latex ? (constant.value ? "\\top" : "\\bot") : (constant.value ? "true" : "false"));
                 },
                 [&](const SymbolAtom& atom) {
                   const std::string& symbol = formula_.alphabet.symbols()[static_cast<std::size_t>(atom.symbol)];
                   // A prefix is enough where only a prefix is wanted.
                   emit(symbol_text(whole_characters(symbol, limit_), notation_));
                 },
                 [&](const Unary& unary_node) { unary(unary_node); },
                 [&](const Binary& binary_node) { binary(binary_node); },
                 [&](const Comparison& comparison_node) { comparison(comparison_node); },
                 [&](const PositionPredicate& theta) { predicate_name(theta.predicate); },
                 [&](const CountPredicate& theta) {
                   predicate_name(theta.predicate);
                   emit("(");
                   text(")");
                   count(theta.count);
                 },
                 [&](const Congruence& theta) {
                   predicate_name(theta.predicate);
                   emit("(");
                   text(")");
                   child(theta.term);
                 },
             },
             node);
}

void Writer::unary(const Unary& node) {
  const OperatorFacts& row = facts(node.op);
  const bool latex = notation_ == Notation::latex;
  emit(latex ? row.latex : row.symbol);
  if (latex || is_name(row.symbol)) emit(" ");
  child(node.arg, kUnaryLevel);
}

void Writer::binary(const Binary& node) {
  const OperatorFacts& row = facts(node.op);
  const int level = level_of(row.precedence);
  const bool right = row.associativity == Associativity::right;
  child(node.right, right ? level : level + 1);
  text(" ");
  text(notation_ == Notation::latex ? row.latex : row.symbol);
  text(" ");
  child(node.left, right ? level + 1 : level);
}

void Writer::comparison(const Comparison& node) {
  const RelationFacts& row = facts(node.relation);
  child(node.right);
  text(" ");
  text(notation_ == Notation::latex ? row.latex : row.symbol);
  text(" ");
  child(node.left);
}

void Writer::count(const Count& count) {
  const ScopeFacts& row = facts(count.scope);
  emit(notation_ == Notation::latex ? row.latex : row.symbol);
  emit("[");
  text("]");
  child(count.of, 0);
}

/// Writes one part of a term, or its constant after the last one.
void Writer::term_part(const Task& task) {
  const Term& term = formula_[TermId(task.id)];
  const bool at_end = task.part == term.parts.size();
  const Int128 value = at_end ? term.constant : term.parts[task.part].coefficient;
  if (at_end && value == 0 && task.part > 0) return;
  const bool first = task.part == 0;
  emit(first ? (value < 0 ? "-" : "") : (value < 0 ? " - " : " + "));
  const Int128 size = value < 0 ? -value : value;
  if (at_end) return emit(quench::to_string(size));
  if (size != 1) {
    emit(quench::to_string(size));
    emit(notation_ == Notation::latex ? "\\," : "*");
  }
  tasks_.push_back({.kind = Task::Kind::term, .id = task.id, .part = task.part + 1, .text = {}});
  count(term.parts[task.part].count);
}

void Writer::predicate_name(PredicateId id) {
  const std::string& name = formula_[id].name;
  if (notation_ == Notation::source) return emit(name);
  emit("\\mathrm{");
  emit(latex_escaped(name));
  emit("}");
}

}  // namespace quench::lang
