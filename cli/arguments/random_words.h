// --random COUNTxLENGTH.
#pragma once

#include <cstddef>
#include <string>

namespace quench::cli {

struct RandomWords {
  std::size_t count = 0, length = 0;
};

/// Throws UserError if it is not COUNTxLENGTH, or too much.
RandomWords parse_random_words(const std::string& text);

}  // namespace quench::cli
