#include "automata/monoid/transition_monoid.h"

#include <algorithm>

namespace quench::automata {
namespace {

constexpr Element kFree = UINT32_MAX;

std::size_t hash(std::span<const std::uint32_t> action) {
  std::uint64_t seed = 0x9e3779b97f4a7c15ULL;
  for (const std::uint32_t point : action) seed = (seed ^ point) * 0xff51afd7ed558ccdULL + (seed >> 29);
  return seed ^ seed >> 32;
}

}  // namespace

TransitionMonoid::TransitionMonoid(const lang::Dfa& dfa, const Limits& limits)
    : points_(dfa.size()), table_(64, kFree) {
  find_generators(dfa);
  explore(dfa, limits);
  // w = pa: b·w = (b·p)·a, and p has a smaller number than w.
  left_.resize(right_.size());
  for (Element m = 0; m < size(); ++m)
    for (std::size_t g = 0; g < generators_.size(); ++g)
      left_[m * generators_.size() + g] = m == kIdentity ? right(kIdentity, g) : right(left(g, parent_[m]), last_[m]);
}

std::uint32_t TransitionMonoid::target(const lang::Dfa& dfa, std::size_t point, lang::Letter letter) const {
  if (point >= dfa.size()) return static_cast<std::uint32_t>(point);
  const lang::State to = dfa.next(static_cast<lang::State>(point), letter);
  return to == lang::kNoState ? static_cast<std::uint32_t>(dfa.size()) : to;
}

void TransitionMonoid::find_generators(const lang::Dfa& dfa) {
  bool partial = false;
  std::vector<std::vector<std::uint32_t>> columns;
  for (lang::Letter a = 0; a < dfa.letters(); ++a) {
    std::vector<std::uint32_t> column;
    for (std::size_t p = 0; p < dfa.size(); ++p) column.push_back(target(dfa, p, a));
    const bool nowhere = std::all_of(column.begin(), column.end(), [&](std::uint32_t to) { return to == dfa.size(); });
    if (a == dfa.other() && nowhere) continue;
    partial = partial || std::find(column.begin(), column.end(), dfa.size()) != column.end();
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
    columns.push_back(std::move(column));
    generators_.push_back(a);
    symbols_.push_back(dfa.symbol(a));
  }
  if (partial) ++points_;
}

void TransitionMonoid::explore(const lang::Dfa& dfa, const Limits& limits) {
  std::vector<std::uint32_t> action(points_);
  for (std::size_t p = 0; p < points_; ++p) action[p] = static_cast<std::uint32_t>(p);
  find_or_add(action, kIdentity, 0);
  for (Element m = 0; m < size(); ++m)
    for (std::uint32_t g = 0; g < generators_.size(); ++g) {
      for (std::size_t p = 0; p < points_; ++p) action[p] = target(dfa, actions_[m * points_ + p], generators_[g]);
      const Element product = find_or_add(action, m, g);
      right_.push_back(product);
      identity_is_word_ = identity_is_word_ || product == kIdentity;
      check_limit(size(), limits.monoid, "monoid", "elements of the transition monoid");
      check_limit(size() * points_, 20 * limits.transitions, "transitions",
                  "elements of the transition monoid times states");
    }
}

/// Where the element with this action is in the table, or where it belongs.
Element* TransitionMonoid::slot(std::span<const std::uint32_t> action_wanted) const {
  std::size_t at = hash(action_wanted) & (table_.size() - 1);
  while (table_[at] != kFree && !std::ranges::equal(action(table_[at]), action_wanted))
    at = (at + 1) & (table_.size() - 1);
  return &table_[at];
}

void TransitionMonoid::grow() {
  table_.assign(4 * table_.size(), kFree);
  for (Element m = 0; m < size(); ++m) *slot(action(m)) = m;
}

Element TransitionMonoid::find_or_add(const std::vector<std::uint32_t>& wanted, Element parent, std::uint32_t last) {
  Element* found = slot(wanted);
  if (*found != kFree) return *found;
  *found = static_cast<Element>(size());
  actions_.insert(actions_.end(), wanted.begin(), wanted.end());
  parent_.push_back(parent);
  last_.push_back(last);
  if (2 * size() > table_.size()) grow();
  return static_cast<Element>(size() - 1);
}

Element TransitionMonoid::multiply(Element m, Element k) const {
  std::vector<std::uint32_t> product(points_);
  for (std::size_t p = 0; p < points_; ++p) product[p] = action(k)[action(m)[p]];
  return *slot(product);
}

bool TransitionMonoid::idempotent(Element m) const {
  const auto image = action(m);
  return std::ranges::all_of(image, [&](std::uint32_t p) { return image[p] == p; });
}

Word TransitionMonoid::word(Element m) const {
  Word word;
  for (; m != kIdentity; m = parent_[m]) word.push_back(symbols_[last_[m]]);
  std::reverse(word.begin(), word.end());
  return word;
}

}  // namespace quench::automata
