#include "verify/diff.h"

#include "base/error.h"
#include "base/text/word_text.h"
#include "lang/print/print_program.h"
#include "oracle/rule.h"
#include "verify/verify.h"

namespace quench::verify {
namespace {

bool texts(const lang::Rule& rule) {
  return lang::output_sort(rule) == lang::Sort::symbol || lang::output_sort(rule) == lang::Sort::string;
}

class Comparer {
 public:
  Comparer(const lang::Rule& first, const lang::Rule& second, bool everywhere)
      : rules_{first, second}, everywhere_(everywhere) {
    if (texts(first) != texts(second) || (!texts(first) && lang::output_sort(first) != lang::output_sort(second)))
      throw UserError(
          "the rules answer with values of different sorts: " + std::string(to_string(lang::output_sort(first))) +
          " and " + std::string(to_string(lang::output_sort(second))));
    if (lang::output_sort(first) == lang::Sort::score && oracle::score_symbols(first) != oracle::score_symbols(second))
      throw UserError("the rules give scores to different symbols, or in a different order");
    const auto allowed = [&](const std::string& symbol) {
      return (!lang::closed(first) || lang::alphabet(first).find(symbol) != kUnmentioned) &&
             (!lang::closed(second) || lang::alphabet(second).find(symbol) != kUnmentioned);
    };
    for (const lang::Rule* rule : {&first, &second})
      for (const std::string& symbol : lang::alphabet(*rule).symbols())
        if (allowed(symbol)) joint_.intern(symbol);
    closed_ = lang::closed(first) || lang::closed(second);
    if (symbols() == 0) throw UserError("the alphabets of the rules have no symbol in common, so no word is of both");
  }

  std::size_t symbols() const { return joint_.size() + (closed_ ? 0 : 1); }
  std::string text(Word word) const {
    for (Symbol& s : word) s = s == static_cast<Symbol>(joint_.size()) ? kUnmentioned : s;
    return joint_.print(word);
  }

  /// Of symbols that are allowed, "" for those that neither rule mentions.
  Word word_of(const std::vector<std::string>& symbols) const {
    Word word;
    for (const std::string& symbol : symbols)
      word.push_back(symbol.empty() ? static_cast<Symbol>(joint_.size()) : joint_.find(symbol));
    return word;
  }

  /// What rule number k answers, as far as it is compared.
  std::string answer(int k, const Word& word) const {
    const lang::Rule& rule = rules_[k];
    Word own;
    for (const Symbol s : word)
      own.push_back(s == static_cast<Symbol>(joint_.size())
                        ? kUnmentioned
                        : lang::alphabet(rule).find(joint_.symbols()[static_cast<std::size_t>(s)]));
    const oracle::Values values = oracle::evaluate(rule, own);
    if (lang::output_sort(rule) == lang::Sort::boolean && !everywhere_) return values.back() ? "accept" : "reject";
    if (texts(rule)) {
      std::vector<std::string> symbols;
      for (const std::int64_t value : values)
        for (const std::string& symbol : oracle::symbols_of(rule, value))
          symbols.push_back(symbol.empty() ? "?" : symbol);
      return joined_symbols(joint_, symbols);
    }
    std::string text;
    for (const std::int64_t value : values) {
      if (lang::output_sort(rule) == lang::Sort::boolean) {
        text += value ? '1' : '0';
        continue;
      }
      if (!text.empty()) text += ' ';
      text += lang::output_sort(rule) == lang::Sort::score ? lang::score_text(value) : std::to_string(value);
    }
    return text;
  }

 private:
  const lang::Rule rules_[2];
  bool everywhere_, closed_ = false;
  Alphabet joint_;
};

/// The next word of the same length, or false.
bool advance(Word& word, std::size_t symbols) {
  for (std::size_t k = word.size(); k-- > 0;) {
    if (++word[k] < static_cast<Symbol>(symbols)) return true;
    word[k] = 0;
  }
  return false;
}

}  // namespace

std::size_t default_diff_length(const lang::Rule& first, const lang::Rule& second) {
  const std::size_t symbols = Comparer(first, second, false).symbols();
  int length = 1;
  while (length < 14 && count_words(symbols, length + 1) <= 50'000) ++length;
  return static_cast<std::size_t>(length);
}

std::optional<Difference> difference_on(const lang::Rule& first, const lang::Rule& second,
                                        const std::vector<std::string>& symbols, bool everywhere) {
  const Comparer comparer(first, second, everywhere);
  const Word word = comparer.word_of(symbols);
  std::string a = comparer.answer(0, word), b = comparer.answer(1, word);
  if (a == b) return std::nullopt;
  return Difference{comparer.text(word), std::move(a), std::move(b)};
}

DiffReport diff(const lang::Rule& first, const lang::Rule& second, std::size_t length, bool everywhere) {
  const Comparer comparer(first, second, everywhere);
  if (count_words(comparer.symbols(), static_cast<int>(std::min<std::size_t>(length, 64))) > 1ULL << 40)
    throw UserError("that many words cannot be enumerated; choose a smaller --length");
  DiffReport report;
  for (std::size_t n = 1; n <= length; ++n) {
    report.length = n;
    Word word(n, 0);
    do {
      ++report.words;
      std::string a = comparer.answer(0, word), b = comparer.answer(1, word);
      if (a != b) {
        report.difference = {comparer.text(word), std::move(a), std::move(b)};
        return report;
      }
    } while (advance(word, comparer.symbols()));
  }
  return report;
}

}  // namespace quench::verify
