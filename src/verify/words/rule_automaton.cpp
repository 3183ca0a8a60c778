#include "verify/words/rule_automaton.h"

#include <algorithm>

namespace quench::verify {
namespace {

constexpr std::size_t kMostStates = 20'000, kMostTries = 4'000'000;
constexpr std::size_t kMostBits = std::size_t{1} << 31;  // of the sets, 256 MB

}  // namespace

std::size_t RuleStateHash::operator()(const RuleState& state) const {
  std::size_t hash = std::hash<std::uint64_t>()(state.bits);
  for (const std::int64_t counter : state.counters)
    hash = (hash ^ std::hash<std::int64_t>()(counter)) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
  return hash;
}

std::uint32_t RuleAutomaton::number(const RuleState& state) {
  const auto [at, added] = numbers_.try_emplace(state, static_cast<std::uint32_t>(states_.size()));
  if (added) states_.push_back(state);
  return at->second;
}

std::optional<RuleAutomaton> RuleAutomaton::explore(const RuleSteps& steps, bool any_numbers) {
  if (any_numbers && !steps.numbers_can_be_guessed()) return std::nullopt;
  const auto next = [&](const RuleState* before) {
    return any_numbers ? steps.next_of_any_numbers(before) : steps.next(before, 1, 1);
  };
  RuleAutomaton result;
  for (const RuleSteps::Step& step : next(nullptr)) result.first_.push_back({step.symbol, result.number(step.state)});
  const std::size_t most = std::min(kMostStates, kMostTries / steps.tries(any_numbers));
  for (std::size_t s = 0; s < result.states_.size(); ++s) {
    const RuleState state = result.states_[s];
    result.edges_.emplace_back();
    for (const RuleSteps::Step& step : next(&state))
      result.edges_.back().push_back({step.symbol, result.number(step.state)});
    if (result.states_.size() > most) return std::nullopt;
  }
  for (const bool wanted : {false, true}) {
    Set& last = result.ending_[wanted].emplace_back();
    for (const RuleState& state : result.states_)
      last.push_back(steps.may_end(state) && steps.accepts(state) == wanted);
  }
  return result;
}

std::optional<RuleAutomaton> RuleAutomaton::of(const lang::Dfa& dfa, bool with_unmentioned) {
  if (dfa.size() >= kMostStates) return std::nullopt;
  RuleAutomaton result;
  const auto sink = static_cast<std::uint32_t>(dfa.size());
  const auto edges = [&](lang::State from) {
    std::vector<Edge> found;
    for (lang::Letter a = 0; a < dfa.letters(); ++a)
      if (a != dfa.other() || with_unmentioned) found.push_back({dfa.symbol(a), std::min(dfa.next(from, a), sink)});
    return found;
  };
  for (std::uint32_t s = 0; s <= sink; ++s) {
    result.number({s, {}});
    result.edges_.push_back(edges(s == sink ? lang::kNoState : s));
  }
  result.first_ = result.edges_[dfa.initial];
  for (const bool wanted : {false, true}) {
    Set& last = result.ending_[wanted].emplace_back();
    for (std::uint32_t s = 0; s <= sink; ++s) last.push_back((s < sink && dfa.accepting(s)) == wanted);
  }
  return result;
}

bool RuleAutomaton::reaches(std::size_t n) const { return n < kMostBits / (2 * states_.size() + 1024); }

const RuleAutomaton::Set& RuleAutomaton::ending(std::size_t more, bool wanted) {
  std::vector<Set>& sets = ending_[wanted];
  while (sets.size() <= more) {
    const Set& after = sets.back();
    Set set(states_.size());
    for (std::size_t s = 0; s < states_.size(); ++s)
      for (const Edge& edge : edges_[s])
        if (after[edge.to]) {
          set[s] = true;
          break;
        }
    sets.push_back(std::move(set));
  }
  return sets[more];
}

bool RuleAutomaton::can_end(const RuleState& state, std::size_t more, bool wanted) {
  const auto found = numbers_.find(state);
  return found != numbers_.end() && ending(more, wanted)[found->second];
}

std::optional<Word> RuleAutomaton::random_word(std::size_t n, bool wanted, Random& random) {
  ending(n - 1, wanted);
  Word word;
  const std::vector<Edge>* edges = &first_;
  std::vector<const Edge*> good;
  while (word.size() < n) {
    good.clear();
    const Set& set = ending(n - 1 - word.size(), wanted);
    for (const Edge& edge : *edges)
      if (set[edge.to]) good.push_back(&edge);
    if (good.empty()) return std::nullopt;  // at the first symbol only
    const Edge& taken = *good[random.below(good.size())];
    word.push_back(taken.symbol);
    edges = &edges_[taken.to];
  }
  return word;
}

}  // namespace quench::verify
