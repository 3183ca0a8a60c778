#include "cli/arguments/random_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/arguments/numbers.h"
#include "model/file/strict_json.h"

namespace quench::cli {

RandomWords parse_random_words(const std::string& text) {
  constexpr std::uint64_t kMostWords = 1'000'000'000, kLongestWord = 10'000'000;
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto count = read_whole(text.substr(0, cross));
  const auto length = cross < text.size() ? read_whole(text.substr(cross + 1)) : std::nullopt;
  if (!count || !length || *count < 1 || *count > kMostWords || *length < 1 || *length > kLongestWord)
    throw UserError(
        fmt::format("--random: {} is not COUNTxLENGTH, such as 1000x200, with at most {} words of length {}",
                    model::in_quotes(text), kMostWords, kLongestWord));
  return {*count, *length};
}

}  // namespace quench::cli
