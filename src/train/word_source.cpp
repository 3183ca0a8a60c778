#include "train/word_source.h"

#include <tbb/parallel_for.h>

#include <cmath>

#include "base/error.h"
#include "oracle/rule.h"

namespace quench::train {
namespace {

constexpr int kTries = 100;

/// Every symbol equally likely.
Word uniform_word(Random& random, const std::vector<Symbol>& symbols, std::size_t length) {
  Word word(length);
  for (Symbol& symbol : word) symbol = symbols[random.below(symbols.size())];
  return word;
}

/// Symbols independent, with probabilities drawn for this word (uniformly from the simplex).
Word biased_word(Random& random, const std::vector<Symbol>& symbols, std::size_t length) {
  std::vector<double> upto(symbols.size());
  double sum = 0;
  for (double& bound : upto) bound = sum -= std::log1p(-random.unit());
  Word word(length);
  for (Symbol& symbol : word) {
    const double x = random.unit() * sum;
    std::size_t s = 0;
    while (s + 1 < upto.size() && x >= upto[s]) ++s;
    symbol = symbols[s];
  }
  return word;
}

/// Runs of equal symbols; the number of runs expected is of every order of magnitude, whatever the length.
Word word_of_runs(Random& random, const std::vector<Symbol>& symbols, std::size_t length) {
  const double n = static_cast<double>(length);
  const double change = 0.5 * std::pow(2 * n, random.unit()) / n;  // from 1/(2n) to 1, logarithmically
  Word word(length);
  Symbol current = symbols[random.below(symbols.size())];
  for (Symbol& symbol : word) {
    symbol = current;
    if (random.chance(change)) current = symbols[random.below(symbols.size())];
  }
  return word;
}

Word any_word(Random& random, const std::vector<Symbol>& symbols, std::size_t length) {
  switch (random.below(3)) {
    case 0:
      return uniform_word(random, symbols, length);
    case 1:
      return biased_word(random, symbols, length);
    default:
      return word_of_runs(random, symbols, length);
  }
}

}  // namespace

Random random_for(std::uint64_t seed, std::uint64_t step, std::uint64_t index) {
  Random first(seed);
  Random second(first.bits() ^ step);
  return Random(second.bits() ^ index);
}

std::vector<std::uint8_t> WordSource::labels_of(const Word& word) const {
  const oracle::Values values = oracle::evaluate(rule_, word);
  return {values.begin(), values.end()};
}

WordSource::WordSource(lang::Rule rule, bool unmentioned) : rule_(std::move(rule)) {
  if (lang::output_sort(rule_) != lang::Sort::boolean)
    throw UserError("the rule's values are not Booleans, so they cannot be labels");
  for (std::size_t s = 0; s < lang::alphabet(rule_).size(); ++s) symbols_.push_back(static_cast<Symbol>(s));
  if (unmentioned || symbols_.size() < 2) symbols_.push_back(kUnmentioned);
}

void WordSource::hold_out(const std::vector<Lesson>& lessons) {
  for (const Lesson& lesson : lessons) held_out_.insert(lesson.word);
}

Lesson WordSource::draw(Random& random, std::size_t length, bool accepted) const {
  Lesson lesson;
  for (int tries = 0; tries < kTries; ++tries) {
    Word word = any_word(random, symbols_, length);
    if (held_out_.contains(word)) {
      // A short length may have no other words; a shorter one always has.
      if (length > 1 && tries + 1 == kTries && lesson.word.empty()) return draw(random, length - 1, accepted);
      continue;
    }
    lesson.labels = labels_of(word);
    lesson.word = std::move(word);
    if ((lesson.labels.back() != 0) == accepted) return lesson;
  }
  if (lesson.word.empty()) {  // everything held out, down to length 1: better a known word than none
    lesson.word = any_word(random, symbols_, length);
    lesson.labels = labels_of(lesson.word);
  }
  return lesson;
}

std::vector<Lesson> WordSource::draw_many(std::uint64_t seed, std::size_t count, std::size_t length,
                                          std::size_t first) const {
  std::vector<Lesson> lessons(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t index) {
    Random random = random_for(seed, length, first + index);
    lessons[index] = draw(random, length, (first + index) % 2 == 1);
  });
  return lessons;
}

}  // namespace quench::train
