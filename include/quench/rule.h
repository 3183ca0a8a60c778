// Rules: formulas of temporal logic with counting, B-RASP and S-RASP programs, regular expressions and automata; and what
// they mean, without a network.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quench/answer.h>
#include <quench/error.h>

namespace quench::api {

/// A rule that has been understood. It never changes, so copies share it, and threads may, too.
class Rule {
 public:
  Rule(const Rule&) = default;  // moving copies: there is no rule that is none
  Rule& operator=(const Rule&) = default;

  bool is_program() const;
  bool is_automaton() const;  ///< or a regular expression
  /// As Quench writes it; parsed again it is the same rule.
  std::string text() const;
  /// The symbols it mentions. Words may have others, of which no test is true.
  std::vector<std::string> symbols() const;
  AnswerKind answers() const;
  /// What the rule hardly means to say (parts that are constant, looks to the right of the last position).
  std::vector<Diagnostic> warnings() const;

  struct Inside;  ///< of the library
  explicit Rule(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  const Inside& inside() const { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

/// These throw RuleError with all that is wrong with the text.
Rule parse_formula(std::string_view text);
Rule parse_program(std::string_view text);
/// Also throws UserError if its automaton is beyond the usual limits.
Rule parse_regex(std::string_view text);
/// Of any kind, by the ending of the name (.tl; .brasp, .srasp; .regex, .dfa, .att, .hoa), otherwise a formula or a program,
/// by what the text looks like. The name is also for messages.
Rule parse_rule(std::string_view text, std::string_view name = {});
/// From a file. Also throws IoError.
Rule read_rule(const std::filesystem::path& path);

/// The rule's own meaning at every position of a word. A word is written without blanks if every symbol of the rule is
/// a single character, and with blanks between its symbols otherwise. Throws UserError on the empty word, which has no
/// position, and where a number leaves its range.
Answer evaluate(const Rule& rule, std::string_view word);
/// The same for a word given symbol by symbol.
Answer evaluate_symbols(const Rule& rule, const std::vector<std::string>& symbols);

}  // namespace quench::api
