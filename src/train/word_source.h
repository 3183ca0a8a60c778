// Words labelled by a rule. Uniform random words make poor lessons (almost all of them contain an `ab`), so a word is
// drawn in one of three styles, and drawn again until its last position has the label that is wanted.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/number/random.h"
#include "base/word.h"
#include "lang/rule.h"

namespace quench::train {

struct Lesson {
  Word word;
  std::vector<std::uint8_t> labels;  ///< what the rule says at every position
};

/// A generator of its own for the `index`-th word of step `step`: no state to keep, and no order to keep to.
Random random_for(std::uint64_t seed, std::uint64_t step, std::uint64_t index);

class WordSource {
 public:
  /// Throws UserError unless the rule's values are Booleans. A rule that mentions fewer than two symbols always gets
  /// the unmentioned one too.
  WordSource(lang::Rule rule, bool unmentioned);

  /// Words that `draw` will not give: what is held out for testing.
  void hold_out(const std::vector<Lesson>& lessons);

  /// A word of this length whose last label is `accepted`, if some tries find one; else any.
  Lesson draw(Random& random, std::size_t length, bool accepted) const;
  /// `count` words of exactly this length, every second one to be accepted: those from number `first` on.
  std::vector<Lesson> draw_many(std::uint64_t seed, std::size_t count, std::size_t length, std::size_t first = 0) const;

 private:
  std::vector<std::uint8_t> labels_of(const Word& word) const;

  lang::Rule rule_;
  std::vector<Symbol> symbols_;
  std::set<Word> held_out_;
};

}  // namespace quench::train
