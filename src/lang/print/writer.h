// The one routine that turns nodes into text, for the language itself and for LaTeX. It works through an explicit list
// of tasks, so that no formula is too deep, and can stop early, so that the start of a huge one is cheap.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lang/formula.h"

namespace quench::lang {

enum class Notation : std::uint8_t { source, latex };

/// `Q_a`, or `Q['(']` for symbols that are not names.
std::string symbol_text(std::string_view symbol, Notation notation);

/// With what LaTeX gives a meaning to escaped.
std::string latex_escaped(std::string_view text);

class Writer {
 public:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  /// `names` must outlive the writer.
  Writer(const Formula& formula, Notation notation, const Names& names, std::size_t limit = kNoLimit)
      : formula_(formula), notation_(notation), names_(names), limit_(limit) {}

  /// Writes the node out, even if it has a name; the nodes below go by their names.
  std::string formula(FormulaId id);
  std::string term(TermId id);

 private:
  struct Task {
    enum class Kind : std::uint8_t { text, formula, term } kind;
    int level = 0;          // of a formula: what binds less tightly needs parentheses
    std::uint32_t id = 0;   // of a formula or term
    std::size_t part = 0;   // of a term: the next part
    std::string_view text;  // lives as long as the formula or the tables
  };

  std::string finish();
  bool spent() const { return out_.size() > limit_; }
  void emit(std::string_view text);
  void text(std::string_view text) { tasks_.push_back({.kind = Task::Kind::text, .text = text}); }
  void child(FormulaId id, int level) {
    tasks_.push_back({.kind = Task::Kind::formula, .level = level, .id = id.index, .text = {}});
  }
  void child(TermId id) { tasks_.push_back({.kind = Task::Kind::term, .id = id.index, .text = {}}); }
  void expand(FormulaId id, int level);
  void count(const Count& count);
  void unary(const Unary& node);
  void binary(const Binary& node);
  void comparison(const Comparison& node);
  void term_part(const Task& task);
  void predicate_name(PredicateId id);

  const Formula& formula_;
  Notation notation_;
  const Names& names_;
  std::size_t limit_;
  std::size_t silent_ = 0;  // nodes entered since something was written
  std::vector<Task> tasks_;
  std::string out_;
};

}  // namespace quench::lang
