// Words of one length of a formula that counts: the states it can be in at position 1, 2, …, n, as many as are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/number/random.h"
#include "verify/words/rule_automaton.h"

namespace quench::verify {

class LayeredSearch {
 public:
  /// Searches at once. `any_numbers`, if there is one, tells states from which no word ends as wanted, whatever is
  /// counted.
  LayeredSearch(const RuleSteps& steps, RuleAutomaton* any_numbers, std::size_t n, bool wanted, Random& random);

  /// One of the words found; nothing if there are none.
  std::optional<Word> random_word(Random& random) const;
  /// Whether no state was left out, so that none found means that there is none.
  bool complete() const { return complete_; }
  /// States kept.
  std::size_t size() const;

  /// Lengths beyond are too much for memory.
  static constexpr std::size_t kLongest = 100'000;

 private:
  /// How a state was reached: two of the ways, chosen at random.
  struct Entry {
    struct Way {
      std::uint32_t from = 0;
      Symbol symbol = 0;
    };
    Way ways[2];
    std::uint32_t count = 0;  // of all ways

    void add(Way way, Random& random);
  };

  std::vector<std::vector<Entry>> layers_;  // by position, from 0
  std::vector<std::uint32_t> ends_;         // of the last layer: states that end as wanted
  bool complete_ = true;
};

}  // namespace quench::verify
