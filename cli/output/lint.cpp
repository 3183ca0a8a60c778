#include "cli/output/lint.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "cli/output/output.h"
#include "cli/output/terminal.h"
#include "lint/lint.h"
#include "lint/words.h"

namespace quench::cli {

void Lint::add_to(App& command) {
  command.add_flag("--no-lint", no_lint_, "No warnings about rules and words that look mistaken");
}

void Lint::add_strict(App& command) {
  command.add_flag("--strict", strict_, "Refuse words with symbols that the rule does not mention");
}

void Lint::look_at(const lang::Rule& rule, const Source& source) const {
  const auto* formula = std::get_if<lang::Formula>(&rule);
  if (formula && !no_lint_) say(rendered(lint::lint(*formula), source.text, source.name));
}

void Lint::look_at(const Alphabet& alphabet, const std::string& word) {
  if (no_lint_ && !strict_) return;
  for (const lint::UnmentionedSymbol& found : lint::unmentioned_symbols(alphabet, alphabet.split(word))) {
    const std::string symbol = printable(found.symbol, 40), meant = printable(found.meant, 40);
    const std::string question = found.meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
    if (strict_)
      throw UserError(fmt::format("the word '{}' has '{}' at position {}, which the rule does not mention{}",
                                  printable(word, 40), symbol, found.position, question));
    if (!found.meant.empty() && warned_.insert(found.symbol).second)
      warn(fmt::format("the rule does not mention '{}'{}", symbol, question), "W003");
  }
}

}  // namespace quench::cli
