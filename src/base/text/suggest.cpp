#include "base/text/suggest.h"

#include <algorithm>
#include <cstdlib>

namespace quench {
namespace {

constexpr std::size_t kLongest = 32;          // nobody misspells longer names by a letter or two and needs help
constexpr std::size_t kMaxCandidates = 2000;  // keeps the search cheap on generated texts

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edits that turn one into the other: insert, delete, replace, or swap two neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.size() > kLongest) return "";
  // One letter in three may be wrong; a single letter is like nothing but its other case.
  std::size_t best = name.size() / 3 + 1;
  if (name.size() == 1) best = 1;
  std::string_view found;
  for (std::size_t k = 0; k < std::min(candidates.size(), kMaxCandidates); ++k) {
    const std::string_view candidate = candidates[k];
    if (candidate.size() > kLongest || candidate.size() > name.size() + best || name.size() > candidate.size() + best)
      continue;
    if (const std::size_t edits = distance(name, candidate); edits < best) {
      best = edits;
      found = candidate;
    }
  }
  return std::string(found);
}

}  // namespace quench
