// Pairs of a clean and a corrupted word: as long as each other, different in as few symbols as an answer at the last
// position that differs allows. What activation patching puts from the one into the run of the other.
//
// Of a rule that accepts or rejects, every other clean word is accepted. The rejected ones are neighbours of accepted
// words: of most languages a random word is rejected for many reasons at once, and no small change would make it good.
// Of other rules the clean words' answers take turns among those that random words have. The corrupted word is drawn
// from all words at the least distance whose answer differs, at most two symbols away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/word.h"
#include "verify/answer_table.h"

namespace quench::circuits {

struct WordPair {
  Word clean, corrupted;                                ///< over the rule's alphabet
  std::int64_t clean_answer = 0, corrupted_answer = 0;  ///< the oracle's, at the last position, as the model codes them
  friend bool operator==(const WordPair&, const WordPair&) = default;
};

struct PairOptions {
  std::size_t count = 100;  ///< at most; fewer if there are not so many different ones
  std::size_t shortest = 4, longest = 12;
  std::uint64_t seed = 1;
};

/// The same arguments give the same pairs, no two of them equal.
std::vector<WordPair> word_pairs(const lang::Rule& rule, const verify::AnswerTable& answers,
                                 const PairOptions& options);

/// The same over the alphabet of the model, which may have the symbols in another order, or know nothing of some.
std::vector<WordPair> over_alphabet(std::vector<WordPair> pairs, const Alphabet& of_rule, const Alphabet& of_model);

/// All words with another last answer that differ in as few symbols as possible; none if two are not enough.
std::vector<Word> nearest_with_another_answer(const lang::Rule& rule, const Word& word);

}  // namespace quench::circuits
