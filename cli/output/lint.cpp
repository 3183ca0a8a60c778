#include "cli/output/lint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/utf8.h"
#include "cli/output/terminal.h"
#include "lint/words.h"

namespace quench::cli {

void WordLint::add_to(App& command) {
  command.add_flag("--strict", strict_, "Refuse words with symbols that the rule does not mention");
}

void WordLint::look_at(const Known& known, const std::string& word) {
  if (!known.linted && !strict_) return;
  for (const lint::UnmentionedSymbol& found : lint::unmentioned_symbols(known.alphabet, known.alphabet.split(word))) {
    const std::string symbol = printable(found.symbol, 40), meant = printable(found.meant, 40);
    const std::string question = found.meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
    const char* missing =
        known.closed ? "which the alphabet of the rule does not have" : "which the rule does not mention";
    if (strict_)
      throw UserError(fmt::format("the word '{}' has '{}' at position {}, {}{}", printable(word, 40), symbol,
                                  found.position, missing, question));
    if ((found.meant.empty() && !known.closed) || !warned_.insert(found.symbol).second) continue;
    if (known.closed)
      warn(fmt::format("the alphabet of the rule does not have '{}'{}", symbol, question), "W004");
    else
      warn(fmt::format("the rule does not mention '{}'{}", symbol, question), "W003");
  }
}

void look_at(WordLint& lint, const SourceArguments& arguments, const LoadedModel& loaded,
             const std::vector<GivenWord>& words) {
  const Alphabet& alphabet = loaded.model.alphabet;
  const bool other_symbols = std::any_of(words.begin(), words.end(), [&](const GivenWord& word) {
    return word.diagnose([&] { return !lint::unmentioned_symbols(alphabet, alphabet.split(word.text)).empty(); });
  });
  if (!other_symbols) return;  // so that the rule in a model file is read only if need be
  const WordLint::Known known{alphabet, loaded.closed(arguments.limits()), arguments.linted()};
  for (const GivenWord& word : words) word.diagnose([&] { lint.look_at(known, word.text); });
}

}  // namespace quench::cli
