#include "lab/languages.h"

#include <algorithm>

#include "base/error.h"
#include "oracle/rule.h"

namespace quench::lab {
namespace {

Symbol any_symbol(Random& random, std::size_t symbols) { return static_cast<Symbol>(random.below(symbols)); }

/// Uniform, or with frequencies of its own, or in runs.
Word draw_random(Random& random, std::size_t symbols, std::size_t length) {
  Word word(length);
  const std::uint64_t style = random.below(3);
  const double bias = random.unit();
  for (std::size_t i = 0; i < length; ++i) {
    if (style == 2 && i > 0 && random.chance(0.9))
      word[i] = word[i - 1];
    else
      word[i] = style == 1 && random.chance(bias) ? 0 : any_symbol(random, symbols);
  }
  return word;
}

/// One symbol exchanged, in half of the words.
Word maybe_spoilt(Random& random, std::size_t symbols, Word word) {
  if (random.chance(0.5)) {
    Symbol& symbol = word[random.below(word.size())];
    symbol = static_cast<Symbol>((static_cast<std::size_t>(symbol) + 1 + random.below(symbols - 1)) % symbols);
  }
  return word;
}

/// Symbols w r i 0 1 in this order: mostly `i`, so that the last write is far away.
Word draw_flip_flop(Random& random, std::size_t symbols, std::size_t length) {
  Word word;
  Symbol stored = 3;
  while (word.size() + 2 <= length) {
    const Symbol instruction = word.empty()                                       ? 0
                               : word.size() + 4 > length                         ? 1
                               : random.chance(8.0 / static_cast<double>(length)) ? 0
                               : random.chance(0.1)                               ? 1
                                                                                  : 2;
    const Symbol bit = instruction == 1 ? stored : static_cast<Symbol>(3 + random.below(2));
    if (instruction == 0) stored = bit;
    word.push_back(instruction);
    word.push_back(bit);
  }
  while (word.size() < length) word.push_back(2);
  if (random.chance(0.5)) word[length - 1] = static_cast<Symbol>(7 - word[length - 1]) % 5;  // 3 ↔ 4, 2 → 0
  (void)symbols;
  return word;
}

/// Balanced brackets, symbols in the order ( ) [ ].
Word draw_brackets(Random& random, std::size_t symbols, std::size_t length) {
  Word word, open;
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t left = length - i;
    const bool must_close = open.size() >= left, must_open = open.empty();
    if (!must_close && (must_open || random.chance(0.5))) {
      const auto kind = static_cast<Symbol>(2 * random.below(symbols / 2));
      open.push_back(kind);
      word.push_back(kind);
    } else if (!open.empty()) {
      word.push_back(open.back() + 1);
      open.pop_back();
    } else {
      word.push_back(0);
    }
  }
  return maybe_spoilt(random, symbols, std::move(word));
}

/// a … ab … bc … c in equal parts.
Word draw_blocks(Random& random, std::size_t symbols, std::size_t length) {
  Word word(length);
  for (std::size_t i = 0; i < length; ++i) word[i] = static_cast<Symbol>(i * symbols / length);
  return maybe_spoilt(random, symbols, std::move(word));
}

/// As many of the one as of the other, give or take one.
Word draw_balanced(Random& random, std::size_t symbols, std::size_t length) {
  if (random.chance(0.5)) return draw_random(random, symbols, length);
  Word word(length);
  const std::size_t ones = std::min(length, length / 2 + random.below(2));
  std::fill(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(ones), 1);
  for (std::size_t i = length; i > 1; --i) std::swap(word[i - 1], word[random.below(i)]);
  return word;
}

const std::vector<Language> kLanguages = {
    {"flip-flop", "wri01", LogicClass::ltl,
     "let instruction = Q_w | Q_r | Q_i\nlet bit = Q_0 | Q_1\n"
     "let pairs = H (instruction & Z bit | bit & prev instruction) & bit\n"
     "let begins_with_write = H (prev true | Q_w)\nlet written = bit & prev Q_w\n"
     "let stored_1 = !written S (written & Q_1)\n"
     "pairs & begins_with_write & H (prev Q_r -> (Q_1 <-> stored_1))",
     "17a", draw_flip_flop},
    {"induction head", "abc", LogicClass::ltl,
     "let after_a = prev Q_a\nlet after_b = prev Q_b\nlet after_c = prev Q_c\n"
     "  Q_a & ((after_a -> Q_b) since (after_a & Q_b))\n| Q_b & ((after_b -> Q_b) since (after_b & Q_b))\n"
     "| Q_c & ((after_c -> Q_b) since (after_c & Q_b))",
     "17a", draw_random},
    {"FIRST", "01", LogicClass::ltl, "O (Q_1 & !prev true)", "17a", draw_random},
    {"MAJORITY", "01", LogicClass::counting, "#<[Q_1] > #<[Q_0]", "20a", draw_balanced},
    {"PARITY", "01", LogicClass::counting, "odd(#<[Q_1])", "20a", draw_random},
    {"Dyck-1", "()", LogicClass::counting,
     "let opened = #<['(']\nlet closed = #<[')']\n#<[closed > opened] = 0 & opened = closed & H ('(' | ')')", "22a",
     draw_brackets},
    {"Dyck-2", "()[]", LogicClass::srasp,
     "fun left(s) = s = '(' or s = '['\nfun right(s) = s = ')' or s = ']'\n"
     "fun mismatch(s, t) = not (s = '(' and t = ')' or s = '[' and t = ']')\n"
     "sleft(i) = psum j [j <= i] left(in(j))\nsright(i) = psum j [j <= i] right(in(j))\n"
     "er1(i) = sright(i) > sleft(i)\ndiff(i) = sleft(i) - sright(i)\nd(i) = diff(i) + right(in(i))\n"
     "check(i) = rightmost j [j < i, d(j) = d(i)] in(j) : '?'\n"
     "er2(i) = right(in(i)) and mismatch(check(i), in(i))\ner3(i) = not (left(in(i)) or right(in(i)))\n"
     "okprefix(i) = rightmost j [j <= i, er1(j) or er2(j) or er3(j)] false : true\n"
     "out(i) = okprefix(i) and diff(i) = 0",
     "auto", draw_brackets},
    {"PARITY, S-RASP", "01", LogicClass::srasp,
     "ones(i) = psum j [j <= i] Q_1(j)\nlast(i) = rightmost j [true] pos(j) : 0\n"
     "half(i) = pos(i) <= last(i) - pos(i)\ndouble(i) = pos(i) + pos(i)\n"
     "even(i) = rightmost j [true, half(j), double(j) = ones(i)] true : ones(i) = 0\nout(i) = not even(i)",
     "auto", draw_random},
    {"aⁿbⁿcⁿ", "abc", LogicClass::srasp,
     "fun rank(s) = s = 'a' ? 1 : s = 'b' ? 2 : s = 'c' ? 3 : 4\n"
     "before(i) = rightmost j [j < i] in(j) : 'a'\nwrong(i) = rank(before(i)) > rank(in(i)) or rank(in(i)) = 4\n"
     "sorted(i) = rightmost j [j <= i, wrong(j)] false : true\nas(i) = psum j [j <= i] Q_a(j)\n"
     "bs(i) = psum j [j <= i] Q_b(j)\ncs(i) = psum j [j <= i] Q_c(j)\n"
     "out(i) = sorted(i) and as(i) = bs(i) and bs(i) = cs(i)",
     "auto", draw_blocks},
};

}  // namespace

std::string_view to_string(LogicClass logic) {
  switch (logic) {
    case LogicClass::ltl:
      return "LTL";
    case LogicClass::counting:
      return "counting";
    case LogicClass::srasp:
      break;
  }
  return "S-RASP";
}

const std::vector<Language>& languages() { return kLanguages; }

const Language& language(std::string_view name) {
  for (const Language& language : kLanguages)
    if (language.name == name) return language;
  throw InternalError("no language " + std::string(name));
}

std::vector<LabelledWord> draw_words(const Language& language, const lang::Rule& rule, std::uint64_t seed,
                                     std::size_t count, std::size_t length) {
  Random random(seed * 1'000'003 + length);
  std::vector<LabelledWord> words;
  std::vector<Symbol> numbers;
  for (const char symbol : language.symbols) numbers.push_back(lang::alphabet(rule).find(std::string(1, symbol)));
  for (std::size_t k = 0; k < count; ++k) {
    LabelledWord labelled{language.draw(random, numbers.size(), length), {}};
    for (Symbol& symbol : labelled.word) symbol = numbers[static_cast<std::size_t>(symbol)];
    for (const std::int64_t value : oracle::evaluate(rule, labelled.word))
      labelled.labels.push_back(value != 0 ? 1 : 0);
    words.push_back(std::move(labelled));
  }
  return words;
}

}  // namespace quench::lab
