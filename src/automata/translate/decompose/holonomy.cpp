#include "automata/translate/decompose/holonomy.h"

#include <algorithm>
#include <numeric>

#include "automata/monoid/components.h"
#include "automata/translate/decompose/cover.h"

namespace quench::automata {
namespace {

bool includes(const std::vector<std::uint32_t>& set, const std::vector<std::uint32_t>& part) {
  return std::includes(set.begin(), set.end(), part.begin(), part.end());
}

}  // namespace

Holonomy::Holonomy(const PartialMachine& machine, const Partition& quotient, const Partition& fibres,
                   const Limits& limits, Budget& budget)
    : machine_(machine), limits_(limits), budget_(budget), quotient_(quotient) {
  build_quotient(quotient, fibres);
  close();
  find_tiles();
  find_classes();
  find_frames();
  number_labels();
}

Holonomy::SetId Holonomy::add(Set set) {
  const auto [at, added] = ids_.try_emplace(std::move(set), static_cast<SetId>(sets_.size()));
  if (added) {
    sets_.push_back(at->first);
    check_limit(sets_.size(), limits_.image_sets, "image_sets", "sets of states that words lead to");
  }
  return at->second;
}

void Holonomy::build_quotient(const Partition& quotient, const Partition& fibres) {
  const std::size_t count = blocks(quotient), letters = machine_.letters.size();
  next_.assign(count * letters, kNowhere);
  std::vector<Set> members(blocks(fibres));
  for (lang::State x = 0; x < machine_.states; ++x) {
    members[fibres[x]].push_back(quotient[x]);
    for (std::size_t a = 0; a < letters; ++a)
      if (const lang::State to = machine_.step(x, a); to != lang::kNoState)
        next_[quotient[x] * letters + a] = quotient[to];
  }
  std::vector<SetId> fibre_sets;
  for (Set& set : members) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    fibre_sets.push_back(add(set));
  }
  for (std::uint32_t q = 0; q < count; ++q) add({q});
  for (lang::State x = 0; x < machine_.states; ++x) fibre_of_.push_back(fibre_sets[fibres[x]]);
}

Holonomy::Set Holonomy::image(const Set& set, std::size_t letter) const {
  budget_.spend(set.size());
  Set result;
  for (const std::uint32_t q : set)
    if (const std::uint32_t to = next_[q * machine_.letters.size() + letter]; to != kNowhere) result.push_back(to);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void Holonomy::close() {
  for (SetId set = 0; set < sets_.size(); ++set)
    for (std::size_t a = 0; a < machine_.letters.size(); ++a) {
      Set to = image(sets_[set], a);
      step_.push_back(to.empty() ? kNowhere : add(std::move(to)));
    }
}

void Holonomy::find_tiles() {
  std::vector<SetId> by_size(sets_.size());
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::stable_sort(by_size.begin(), by_size.end(), [&](SetId a, SetId b) { return sets_[a].size() > sets_[b].size(); });
  tiles_.resize(sets_.size());
  for (SetId set = 0; set < sets_.size(); ++set) {
    if (sets_[set].size() < 2) continue;
    budget_.spend(sets_.size());
    for (const SetId part : by_size) {  // the larger ones first, so that a maximal one comes before its parts
      if (sets_[part].size() >= sets_[set].size() || !includes(sets_[set], sets_[part])) continue;
      budget_.spend((tiles_[set].size() + 1) * sets_[part].size());
      const auto covers = [&](SetId tile) { return includes(sets_[tile], sets_[part]); };
      if (std::none_of(tiles_[set].begin(), tiles_[set].end(), covers)) tiles_[set].push_back(part);
    }
  }
}

/// Heights: tiles are smaller, and images of the same size in other classes have smaller component numbers.
void Holonomy::find_classes() {
  const std::size_t letters = machine_.letters.size();
  class_ = strong_components(sets_.size(), letters, [&](std::uint32_t set, std::size_t a) {
             return step_[set * letters + a];
           }).of;
  std::vector<SetId> order(sets_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](SetId a, SetId b) {
    return std::pair(sets_[a].size(), class_[a]) < std::pair(sets_[b].size(), class_[b]);
  });
  std::vector<std::uint32_t> height_of_class(sets_.size(), 0);
  for (std::size_t k = 0; k < order.size();) {
    std::size_t end = k;
    std::uint32_t height = 0;
    for (; end < order.size() && class_[order[end]] == class_[order[k]]; ++end) {
      const SetId set = order[end];
      if (sets_[set].size() < 2) continue;
      height = std::max(height, 1u);
      for (const SetId tile : tiles_[set]) height = std::max(height, height_of_class[class_[tile]] + 1);
      for (std::size_t a = 0; a < letters; ++a)
        if (const SetId to = step_[set * letters + a]; to != kNowhere && class_[to] != class_[set])
          height = std::max(height, height_of_class[class_[to]] + 1);
    }
    height_of_class[class_[order[k]]] = height;
    k = end;
  }
  for (SetId set = 0; set < sets_.size(); ++set) height_.push_back(height_of_class[class_[set]]);
  for (const std::uint32_t fibre : fibre_of_) levels_ = std::max<std::size_t>(levels_, height_[fibre]);
}

/// A spanning tree of each class from its first set; tiles in the order of the representative's.
void Holonomy::find_frames() {
  const std::size_t letters = machine_.letters.size();
  frame_.resize(sets_.size());
  for (SetId start = 0; start < sets_.size(); ++start) {
    if (sets_[start].size() < 2 || !frame_[start].empty()) continue;
    frame_[start] = sets_[start];
    const std::vector<SetId> own = tiles_[start];
    std::vector<SetId> queue{start};
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (std::size_t a = 0; a < letters; ++a) {
        const SetId set = queue[k], to = step_[set * letters + a];
        if (to == kNowhere || class_[to] != class_[set] || !frame_[to].empty()) continue;
        for (const std::uint32_t q : frame_[set]) frame_[to].push_back(next_[q * letters + a]);
        queue.push_back(to);
        // The tiles of the representative, taken along.
        tiles_[to].clear();
        for (const SetId tile : own) {
          Set moved;
          for (std::size_t p = 0; p < frame_[start].size(); ++p)
            if (std::binary_search(sets_[tile].begin(), sets_[tile].end(), frame_[start][p]))
              moved.push_back(frame_[to][p]);
          std::sort(moved.begin(), moved.end());
          tiles_[to].push_back(ids_.at(moved));
        }
      }
  }
}

/// Classes of one height share their labels, unless letters permute those of some class: then each has its own, so that
/// groups of different classes do not mix.
void Holonomy::number_labels() {
  const std::size_t letters = machine_.letters.size();
  offset_.assign(sets_.size(), 0);
  labels_.assign(levels_, 0);
  std::vector<bool> permutes(levels_ + 1);
  for (SetId set = 0; set < sets_.size(); ++set) {
    if (height_[set] == 0 || height_[set] > levels_) continue;
    for (std::size_t a = 0; a < letters; ++a) {
      const SetId to = step_[set * letters + a];
      if (to == kNowhere || class_[to] != class_[set]) continue;
      for (std::size_t k = 0; k < tiles_[set].size(); ++k)
        if (step_[tiles_[set][k] * letters + a] != tiles_[to][k]) permutes[height_[set]] = true;
    }
  }
  std::map<std::uint32_t, std::int16_t> offset_of_class;
  for (SetId set = 0; set < sets_.size(); ++set) {
    if (height_[set] == 0 || height_[set] > levels_) continue;
    std::size_t& count = labels_[levels_ - height_[set]];
    if (!permutes[height_[set]]) {
      count = std::max(count, tiles_[set].size());
    } else {
      const auto [at, added] = offset_of_class.try_emplace(class_[set], static_cast<std::int16_t>(count));
      if (added) count += tiles_[set].size();
      offset_[set] = at->second;
    }
    if (count > kMostValues) throw UserError("more than 256 labels on one level of a decomposition");
  }
}

Holonomy::SetId Holonomy::tile(SetId set, std::int16_t label) const {
  return tiles_[set][static_cast<std::size_t>(label - offset_[set])];
}

/// The first tile that the part lies in.
std::int16_t Holonomy::label_of(SetId set, const Set& part) const {
  for (std::size_t k = 0; k < tiles_[set].size(); ++k)
    if (includes(sets_[tiles_[set][k]], part))
      return static_cast<std::int16_t>(k + static_cast<std::size_t>(offset_[set]));
  internal_error("a part of a set lies in a tile", __FILE__, __LINE__);
}

Holonomy::Labels Holonomy::initial() const {
  Labels labels(levels_, -1);
  SetId set = fibre_of_[0];
  for (std::size_t level = 0; level < levels_; ++level)
    if (height_[set] == levels_ - level) {
      labels[level] = label_of(set, {quotient_[0]});
      set = tile(set, labels[level]);
    }
  return labels;
}

std::vector<Holonomy::Action> Holonomy::actions(lang::State x, const Labels& labels, std::size_t letter) const {
  const std::size_t letters = machine_.letters.size();
  std::vector<Action> result(levels_);
  SetId from = fibre_of_[x], to = fibre_of_[machine_.step(x, letter)];
  for (std::size_t level = 0; level < levels_; ++level) {
    const std::size_t height = levels_ - level;
    const SetId moved = step_[from * letters + letter];
    if (height_[to] == height) {
      Action& action = result[level];
      if (moved == to) {
        QUENCH_ASSERT(class_[from] == class_[to]);
        action.kind = Action::Kind::permute;
        action.permutation = identity_permutation(labels_[level]);
        for (std::size_t k = 0; k < tiles_[from].size(); ++k) {
          const SetId image = step_[tiles_[from][k] * letters + letter];
          const auto at = std::find(tiles_[to].begin(), tiles_[to].end(), image);
          QUENCH_ASSERT(at != tiles_[to].end());
          action.permutation[k + static_cast<std::size_t>(offset_[from])] =
              static_cast<std::uint32_t>((at - tiles_[to].begin()) + offset_[to]);
        }
        if (std::is_sorted(action.permutation.begin(), action.permutation.end())) action.permutation.clear();
      } else {
        action.kind = Action::Kind::reset;
        action.label = label_of(to, sets_[moved]);
      }
    }
    if (height_[from] == height) from = tile(from, labels[level]);
    if (height_[to] == height) {
      const Action& action = result[level];
      to = tile(to, after(action, labels[level]));
    }
  }
  return result;
}

Holonomy::Labels Holonomy::apply(const Labels& labels, const std::vector<Action>& actions) {
  Labels result(labels.size(), -1);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (actions[k].kind != Action::Kind::none) result[k] = after(actions[k], labels[k]);
  }
  return result;
}

std::int16_t Holonomy::after(const Action& action, std::int16_t label) {
  if (action.kind == Action::Kind::reset) return action.label;
  return action.permutation.empty() ? label
                                    : static_cast<std::int16_t>(action.permutation[static_cast<std::size_t>(label)]);
}

}  // namespace quench::automata
