#include "verify/words/layered_search.h"

#include <algorithm>
#include <numeric>

namespace quench::verify {
namespace {

constexpr std::size_t kMostEntries = 1'000'000, kMostInLayer = 4096, kLeastInLayer = 32;

/// Counters near 0 are where most comparisons are decided.
std::uint64_t distance(const RuleState& state) {
  std::uint64_t sum = 0;
  for (const std::int64_t counter : state.counters) sum += static_cast<std::uint64_t>(counter < 0 ? -counter : counter);
  return sum;
}

/// Which states stay: half of those with the smallest counters, half by chance.
std::vector<std::uint32_t> choose(const std::vector<RuleState>& states, std::size_t most, Random& random) {
  std::vector<std::uint32_t> order(states.size());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::nth_element(order.begin(), middle, order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return distance(states[a]) < distance(states[b]); });
  for (std::size_t k = most / 2; k < most; ++k) std::swap(order[k], order[k + random.below(order.size() - k)]);
  order.resize(most);
  return order;
}

}  // namespace

void LayeredSearch::Entry::add(Way way, Random& random) {
  const std::uint64_t place = count < 2 ? count : random.below(count + std::uint64_t{1});
  if (place < 2) ways[place] = way;
  ++count;
}

LayeredSearch::LayeredSearch(const RuleSteps& steps, RuleAutomaton* any_numbers, std::size_t n, bool wanted,
                             Random& random) {
  const std::size_t most = std::clamp(kMostEntries / n, kLeastInLayer, kMostInLayer);
  std::vector<RuleState> states;  // of the layer before
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<RuleState> found;
    std::vector<Entry> entries;
    std::unordered_map<RuleState, std::uint32_t, RuleStateHash> numbers;
    const auto follow = [&](const RuleState* before, std::uint32_t from) {
      for (const RuleSteps::Step& step :
           steps.next(before, static_cast<std::int64_t>(i), static_cast<std::int64_t>(n))) {
        if (any_numbers && !any_numbers->can_end({step.state.bits, {}}, n - i, wanted)) continue;
        const auto [at, added] = numbers.try_emplace(step.state, static_cast<std::uint32_t>(found.size()));
        if (added) found.push_back(step.state), entries.emplace_back();
        entries[at->second].add({from, step.symbol}, random);
      }
    };
    if (i == 1) follow(nullptr, 0);
    for (std::size_t s = 0; s < states.size(); ++s) follow(&states[s], static_cast<std::uint32_t>(s));
    states = std::move(found);
    if (states.size() > most && i < n) {
      complete_ = false;
      std::vector<RuleState> kept;
      std::vector<Entry> kept_entries;
      for (const std::uint32_t k : choose(states, most, random)) {
        kept.push_back(std::move(states[k]));
        kept_entries.push_back(entries[k]);
      }
      states = std::move(kept);
      entries = std::move(kept_entries);
    }
    layers_.push_back(std::move(entries));
    if (states.empty()) return;
  }
  for (std::size_t s = 0; s < states.size(); ++s)
    if (steps.may_end(states[s]) && steps.accepts(states[s]) == wanted) ends_.push_back(static_cast<std::uint32_t>(s));
}

std::optional<Word> LayeredSearch::random_word(Random& random) const {
  if (ends_.empty()) return std::nullopt;
  Word word(layers_.size());
  std::uint32_t state = ends_[random.below(ends_.size())];
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Entry& entry = layers_[i][state];
    const Entry::Way& way = entry.ways[entry.count < 2 ? 0 : random.below(2)];
    word[i] = way.symbol;
    state = way.from;
  }
  return word;
}

std::size_t LayeredSearch::size() const {
  std::size_t sum = 0;
  for (const std::vector<Entry>& layer : layers_) sum += layer.size();
  return sum;
}

}  // namespace quench::verify
