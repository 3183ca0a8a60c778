#include "lint/lint.h"

#include <algorithm>
#include <set>

#include "parse/suggest.h"

namespace quench::lint {

std::vector<Diagnostic> lint(const lang::Formula& formula) {
  std::vector<Diagnostic> all = constant_parts(formula);
  // What is constant is not worth a second warning.
  if (all.empty()) all = trivial_at_the_end(formula);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.span < b.span; });
  return all;
}

std::vector<std::string> mistyped_symbols(const Alphabet& alphabet, const std::string& word) {
  if (alphabet.size() == 0 || alphabet.single_characters()) return {};
  const std::vector<std::string_view> known(alphabet.symbols().begin(), alphabet.symbols().end());
  std::vector<std::string> warnings;
  std::set<std::string> seen;
  for (const std::string& symbol : alphabet.split(word)) {
    if (alphabet.find(symbol) != kUnmentioned || !seen.insert(symbol).second) continue;
    const std::string meant = parse::nearest(symbol, known);
    if (!meant.empty()) warnings.push_back("the rule does not mention '" + symbol + "'; did you mean '" + meant + "'?");
  }
  return warnings;
}

}  // namespace quench::lint
