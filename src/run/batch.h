// Words that run through a network together.
#pragma once

#include <cstddef>
#include <vector>

#include "base/word.h"

namespace quench::run {

/// Words of one length, all at once: position i of word w at index i·words + w.
struct Batch {
  std::size_t n = 0, words = 1;
  std::vector<Symbol> symbols;

  static Batch of(const Word& word) { return {word.size(), 1, word}; }
};

}  // namespace quench::run
