#include "verify/words/adversarial_words.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "oracle/evaluate.h"

namespace quench::verify {
namespace {

constexpr std::size_t kMostPairs = 12;

/// Shapes that need no oracle. `kinds` symbols from 0, for the random ones.
Word shaped_word(Shape shape, Symbol a, Symbol b, std::size_t kinds, std::size_t length, Random& random) {
  Word word(length, a);
  const std::size_t half = length / 2;
  const auto tail = [&](std::size_t from) {
    std::fill(word.begin() + static_cast<std::ptrdiff_t>(std::min(from, length)), word.end(), b);
  };
  const auto any = [&] { return static_cast<Symbol>(random.below(kinds)); };
  switch (shape) {
    case Shape::first:
      word.front() = b;
      break;
    case Shape::last:
      word.back() = b;
      break;
    case Shape::second:
      word[length > 1 ? 1 : 0] = b;
      break;
    case Shape::second_last:
      word[length > 1 ? length - 2 : 0] = b;
      break;
    case Shape::in_turn:
      for (std::size_t i = 1; i < length; i += 2) word[i] = b;
      break;
    case Shape::halves:
      tail(half);
      break;
    case Shape::halves_more:
      tail(half + 1);
      break;
    case Shape::halves_less:
      tail(half == 0 ? 0 : half - 1);
      break;
    case Shape::few:
      for (int k = 0; k < 3; ++k) word[random.below(length)] = b;
      break;
    case Shape::rare:
      for (Symbol& symbol : word)
        if (random.chance(0.02)) symbol = any();
      break;
    case Shape::random_pair:
      for (Symbol& symbol : word)
        if (random.chance(0.5)) symbol = b;
      break;
    case Shape::random:
      for (Symbol& symbol : word) symbol = any();
      break;
    default:
      break;
  }
  return word;
}

/// `count` times a among `length` symbols, the rest b: a block in front, or spread evenly.
Word counted_word(bool spread, Symbol a, Symbol b, std::size_t count, std::size_t length) {
  Word word(length, b);
  for (std::size_t i = 0; i < length; ++i)
    if (spread ? (i + 1) * count / length > i * count / length : i < count) word[i] = a;
  return word;
}

/// The least number of a for which the last answer is that of the word a…a, found by bisection: a threshold, even where
/// there are several. Nothing if the word b…b has the same answer.
std::optional<std::size_t> threshold(const lang::Formula& formula, bool spread, Symbol a, Symbol b,
                                     std::size_t length) {
  const auto answer = [&](std::size_t count) {
    return oracle::evaluate(formula, counted_word(spread, a, b, count, length)).back();
  };
  const auto wanted = answer(length);
  if (answer(0) == wanted) return std::nullopt;
  std::size_t low = 0, high = length;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (answer(middle) == wanted ? high : low) = middle;
  }
  return high;
}

/// `share` of a to b spread evenly over nine positions in ten; the others hold another symbol, if there is one.
Word strewn_word(Symbol a, Symbol b, double share, std::size_t kinds, std::size_t length, Random& random) {
  Word word(length);
  Symbol other = b;
  for (Symbol symbol = -1; symbol + 1 < static_cast<Symbol>(kinds); ++symbol)
    if (symbol != a && symbol != b) other = symbol;
  double owed = random.unit();
  for (Symbol& symbol : word) {
    if (random.chance(0.1)) {
      symbol = other;
      continue;
    }
    owed += share;
    symbol = owed >= 1 ? a : b;
    if (owed >= 1) owed -= 1;
  }
  return word;
}

struct Family {
  Shape shape;
  bool swapped;
  const char* name;
};
constexpr std::array<Family, kFamilies> kFamilyTable{{
    {Shape::all, false, "one symbol throughout"},
    {Shape::all, true, "another symbol throughout"},
    {Shape::first, false, "one symbol, another at the far left"},
    {Shape::last, false, "one symbol, another at the far right"},
    {Shape::second, false, "one symbol, another next to the far end"},
    {Shape::in_turn, false, "two symbols in turn"},
    {Shape::halves, false, "halves of two symbols"},
    {Shape::halves_more, false, "halves of two symbols, one off"},
    {Shape::halves, true, "halves the other way round"},
    {Shape::few, false, "few of one symbol among another"},
    {Shape::random, false, "random"},
    {Shape::rare, false, "random, one symbol rare"},
}};

}  // namespace

const char* to_string(Shape shape) {
  switch (shape) {
    case Shape::all:
      return "one symbol throughout";
    case Shape::first:
      return "one symbol, another at the far left";
    case Shape::last:
      return "one symbol, another at the far right";
    case Shape::second:
      return "one symbol, another next to the far left";
    case Shape::second_last:
      return "one symbol, another next to the far right";
    case Shape::in_turn:
      return "two symbols in turn";
    case Shape::halves:
      return "halves of two symbols";
    case Shape::halves_more:
      return "halves of two symbols, one more of the first";
    case Shape::halves_less:
      return "halves of two symbols, one less of the first";
    case Shape::few:
      return "few of one symbol among another";
    case Shape::rare:
      return "one symbol, others rare";
    case Shape::random_pair:
      return "two symbols at random";
    case Shape::random:
      return "random";
    case Shape::block_true:
      return "two blocks, a count at its threshold";
    case Shape::block_false:
      return "two blocks, a count one off its threshold";
    case Shape::spread_true:
      return "two symbols evenly spread, a count at its threshold";
    case Shape::spread_false:
      return "two symbols evenly spread, a count one off its threshold";
    case Shape::near_threshold:
      return "two symbols evenly spread among others, a count near its threshold";
  }
  throw InternalError("a shape of unknown kind");
}

std::vector<Pattern> adversarial_patterns(const lang::Formula& formula) {
  const auto kinds = static_cast<Symbol>(formula.alphabet.size());
  std::vector<std::pair<Symbol, Symbol>> pairs;
  for (Symbol a = -1; a < kinds; ++a)
    for (Symbol b = -1; b < kinds; ++b)
      if (a != b) pairs.emplace_back(a, b);
  if (pairs.empty()) pairs.emplace_back(kUnmentioned, kUnmentioned);
  Random random(pairs.size());
  for (std::size_t k = pairs.size(); k > 1; --k) std::swap(pairs[k - 1], pairs[random.below(k)]);
  pairs.resize(std::min(pairs.size(), kMostPairs));
  std::vector<Pattern> patterns{{Shape::random, 0, 0}};
  for (const Shape shape :
       {Shape::in_turn, Shape::near_threshold, Shape::block_true, Shape::block_false, Shape::random_pair,
        Shape::spread_true, Shape::spread_false, Shape::last, Shape::first, Shape::halves, Shape::halves_more,
        Shape::halves_less, Shape::second, Shape::second_last, Shape::few, Shape::rare})
    for (const auto& [a, b] : pairs) patterns.push_back({shape, a, b});
  for (Symbol a = -1; a < kinds; ++a) patterns.push_back({Shape::all, a, a});
  return patterns;
}

std::optional<Word> pattern_word(const lang::Formula& formula, const Pattern& pattern, std::size_t length,
                                 std::uint64_t seed) {
  const auto& [shape, a, b] = pattern;
  if (shape == Shape::near_threshold) {
    Random random(seed * 1'000'003 + length);
    const double share =
        static_cast<double>(threshold(formula, true, a, b, length).value_or(length / 2)) / static_cast<double>(length);
    return strewn_word(a, b, share, formula.alphabet.size() + 1, length, random);
  }
  if (shape >= Shape::block_true) {
    const bool spread = shape == Shape::spread_true || shape == Shape::spread_false;
    const bool below = shape == Shape::block_false || shape == Shape::spread_false;
    const std::optional<std::size_t> count = threshold(formula, spread, a, b, length);
    if (!count) return std::nullopt;
    return counted_word(spread, a, b, *count - below, length);
  }
  Random random(seed * 1'000'003 + length);
  const std::size_t kinds = formula.alphabet.size() + 1;
  // Numbered from 0 with the unmentioned symbol last, as the random shapes draw them.
  const auto number = [&](Symbol symbol) { return symbol < 0 ? static_cast<Symbol>(kinds - 1) : symbol; };
  Word word = shaped_word(shape, number(a), number(b), kinds, length, random);
  for (Symbol& symbol : word)
    if (static_cast<std::size_t>(symbol) + 1 == kinds) symbol = kUnmentioned;
  return word;
}

const char* family_name(std::size_t family) { return kFamilyTable[family].name; }

Word adversarial_word(std::size_t family, std::size_t kinds, std::size_t length, std::uint64_t seed) {
  Random random(seed * kFamilies + family);
  auto a = static_cast<Symbol>(random.below(kinds));
  auto b = static_cast<Symbol>((static_cast<std::size_t>(a) + 1 + random.below(std::max<std::size_t>(kinds, 2) - 1)) %
                               kinds);
  if (kFamilyTable[family].swapped) std::swap(a, b);
  return shaped_word(kFamilyTable[family].shape, a, b, kinds, length, random);
}

}  // namespace quench::verify
