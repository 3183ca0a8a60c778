// The feed-forward sublayers: what hidden units are and W_2 makes of them.
#include <algorithm>
#include <map>

#include "check/whole/cells.h"

namespace quench::check {
namespace {

using Of = Sight::Of;

/// If units that read one profile have more pieces than this together, what they make of it would take long to look at.
/// Forgetting what the profile is of, and keeping its bounds, is always right; but where a count is an address, its
/// bits have to be known as functions of it, however long they are.
std::size_t most_pieces(const model::Transformer& model) {
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads)
      if (head.claim.lemma.value() == Lemma::q_theta) return 300'000;
  return 60'000;
}

class Units {
 public:
  Units(const Claim& claim, const model::FeedForward& ffn, const Cells& cells)
      : claim_(claim), ffn_(ffn), cells_(cells), most_pieces_(most_pieces(claim.model)) {
    for (std::size_t k = 0; k < ffn.b1.size(); ++k) {
      inputs_.push_back(input(k));
      need_room(claim.store, std::max<Int>(0, inputs_[k].bounds.any.high), inputs_[k].grid,
                "a hidden unit is not stored exactly");
    }
  }

  Cell written(std::size_t coordinate) const {
    const SparseMatrix::Row& row = ffn_.w2.rows[coordinate];
    const Int constant = whole_weight(claim_, ffn_.b2[coordinate]);
    Int up = std::max<Int>(0, constant), down = std::max<Int>(0, -constant);
    for (const auto& [unit, value] : row) {
      const Int w = whole_weight(claim_, value), most = std::max<Int>(0, inputs_[unit].bounds.any.high);
      (w > 0 ? up : down) += (w > 0 ? w : -w) * most;
    }
    const Int sum = std::max(up, down);
    if (sum >= Int(1) << 53 || !fits(claim_.work, Number(static_cast<double>(sum)), 0))
      need_room(claim_.work, alone(row, constant), 0, "hidden units add up to more than the format holds");
    Cell cell;
    if (!of_one_root(coordinate, row, constant, cell)) {
      const Int there = cells_[coordinate].bounds.any.low;
      if (!cells_[coordinate].bounds.is(there)) throw Rejected("a coordinate is written to before it is cleared");
      const Int start = constant + there;
      if (!capped(row, start, cell)) cell.bounds = added(row, start);
    }
    need_room(claim_.store, size_of(cell.bounds.any), 0, "what is written is not stored exactly");
    return cell;
  }

 private:
  /// What a sum comes to at most if no two units are positive at once; more than any format holds, if two may be.
  Int alone(const SparseMatrix::Row& row, Int constant) const {
    Int most = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b)
        if (!add_up_to_one(row[a].column, row[b].column) && !want_opposites(row[a].column, row[b].column))
          return Int(1) << 60;
      const Int w = static_cast<Int>(row[a].value), unit = std::max<Int>(0, inputs_[row[a].column].bounds.any.high);
      most = std::max(most, (w > 0 ? w : -w) * unit);
    }
    return most + (constant > 0 ? constant : -constant);
  }

  Total input(std::size_t k) const {
    const SparseMatrix::Row& row = ffn_.w1.rows[k];
    if (k > 0 && ffn_.w1.rows[k - 1] == row)
      return total(claim_, cells_, row, ffn_.b1[k], inputs_[k - 1], ffn_.b1[k - 1]);
    Total result = total(claim_, cells_, row, ffn_.b1[k]);
    const auto alike = [&](std::size_t other) { return other < ffn_.b1.size() && ffn_.w1.rows[other] == row; };
    std::size_t count = 1;
    while (alike(k + count)) ++count;
    if (result.profile && result.profile->pieces() * count > most_pieces_) forget_root(cells_, row, ffn_.b1[k], result);
    return result;
  }

  /// All units, and what is there already, as one function of one sum.
  bool of_one_root(std::size_t coordinate, const SparseMatrix::Row& row, Int constant, Cell& cell) const {
    std::vector<std::pair<const Total*, Int>> parts;
    for (const auto& [unit, value] : row) parts.emplace_back(&inputs_[unit], static_cast<Int>(value));
    if (parts.empty() || !parts[0].first->profile) return false;
    const std::shared_ptr<const Root> root = parts[0].first->root;
    const Bounds run = root->bounds.any;
    Profile f(run.low, run.high, 0, constant);
    for (const auto& [input, w] : parts) {
      if (!input->profile || input->root->terms != root->terms) return false;
      f.add(input->profile->positive_part(), w);
    }
    if (!cells_[coordinate].bounds.is(0)) {
      const SparseMatrix::Row itself{{static_cast<std::uint32_t>(coordinate), 1}};
      const Total old = total(claim_, cells_, itself, 0);
      if (!old.profile || old.root->terms != root->terms) return false;
      f.add(*old.profile, 1);
    }
    cell.bounds = {f.bounds(run), f.bounds(root->bounds.first), f.bounds(root->bounds.last)};
    cell.root = root;
    cell.profile = f;
    return true;
  }

  /// The units of a row by the sum that they are functions of.
  struct Family {
    const Root* root;
    std::vector<SparseMatrix::Entry> members;
  };
  std::vector<Family> families(const SparseMatrix::Row& row) const {
    std::vector<Family> result;
    for (const SparseMatrix::Entry& entry : row) {
      if (inputs_[entry.column].bounds.any.high <= 0) continue;  // never positive
      const Root* root = inputs_[entry.column].profile ? inputs_[entry.column].root.get() : nullptr;
      const auto same = std::find_if(result.begin(), result.end(), [&](const Family& family) {
        return root && family.root && family.root->terms == root->terms;
      });
      if (same != result.end())
        same->members.push_back(entry);
      else
        result.push_back({root, {entry}});
    }
    return result;
  }

  /// What a family adds, somewhere in the word.
  Bounds of_family(const Family& family, Bounds Everywhere::*place) const {
    if (!family.root) {
      const auto& [unit, value] = family.members.front();
      const Bounds& z = inputs_[unit].bounds.*place;
      return scaled({std::max<Int>(0, z.low), std::max<Int>(0, z.high)}, static_cast<Int>(value));
    }
    Profile f(family.root->bounds.any.low, family.root->bounds.any.high, 0, 0);
    for (const auto& [unit, value] : family.members)
      f.add(inputs_[unit].profile->positive_part(), static_cast<Int>(value));
    return f.bounds(family.root->bounds.*place);
  }

  Everywhere added(const SparseMatrix::Row& row, Int constant) const {
    const std::vector<Family> all = families(row);
    const bool apart = never_together(all);
    const auto at = [&](Bounds Everywhere::*place) {
      Bounds sum{0, 0}, one{0, 0};
      for (const Family& family : all) {
        const Bounds part = of_family(family, place);
        plus(sum, part);
        one = {std::min(one.low, part.low), std::max(one.high, part.high)};
      }
      if (apart) sum = {std::max(sum.low, one.low), std::min(sum.high, one.high)};
      return Bounds{sum.low + constant, sum.high + constant};
    };
    return {at(&Everywhere::any), at(&Everywhere::first), at(&Everywhere::last)};
  }

  /// start + ReLU(z) − ReLU(z−m), where m is i−1, or n−1, in all of its bits, and `more`: at most start + m.
  bool capped(const SparseMatrix::Row& row, Int start, Cell& cell) const {
    if (row.size() != 2) return false;
    for (const std::size_t plus_at : {0u, 1u}) {
      const SparseMatrix::Entry &plus_unit = row[plus_at], &minus_unit = row[1 - plus_at];
      if (plus_unit.value != 1 || minus_unit.value != -1) continue;
      std::map<std::uint32_t, Int> m;
      for (const auto& [column, w] : ffn_.w1.rows[plus_unit.column]) m[column] += static_cast<Int>(w);
      for (const auto& [column, w] : ffn_.w1.rows[minus_unit.column]) m[column] -= static_cast<Int>(w);
      std::map<int, Of> bits;
      for (const auto& [column, w] : m) {
        if (w == 0) continue;
        const Sight& sight = cells_[column].sight;
        if ((sight.of != Of::before && sight.of != Of::others) || w != Int(1) << sight.bit ||
            !bits.emplace(sight.bit, sight.of).second)
          return false;
      }
      if (bits.empty() || bits.rbegin()->first + 1 != static_cast<int>(bits.size()) || bits.size() > 60) return false;
      const Of of = bits.begin()->second;
      for (const auto& [b, each] : bits)
        if (each != of) return false;
      const Int more = static_cast<Int>(ffn_.b1[plus_unit.column]) - static_cast<Int>(ffn_.b1[minus_unit.column]);
      const Int most = static_cast<Int>(claim_.longest) - 1;
      if (most >= Int(1) << bits.size() || more < 0) return false;
      cell.bounds.any = cell.bounds.first = cell.bounds.last = {start, start + most + more};
      if (of == Of::before) cell.bounds.first.high = start + more;
      cell.within = of;
      cell.beyond = start + more;
      return true;
    }
    return false;
  }

  /// No two families have positive units at once.
  bool never_together(const std::vector<Family>& all) const {
    for (std::size_t f = 0; f < all.size(); ++f)
      for (std::size_t g = f + 1; g < all.size(); ++g)
        for (const SparseMatrix::Entry& a : all[f].members)
          for (const SparseMatrix::Entry& b : all[g].members)
            if (!add_up_to_one(a.column, b.column) && !want_opposites(a.column, b.column)) return false;
    return true;
  }

  Int greatest(const std::map<std::uint32_t, Int>& weights, Int start) const {
    for (const auto& [column, w] : weights) start += scaled(cells_[column].bounds.any, w).high;
    return start;
  }
  std::map<std::uint32_t, Int> weights(std::size_t unit) const {
    std::map<std::uint32_t, Int> result;
    for (const auto& [column, w] : ffn_.w1.rows[unit]) result[column] += static_cast<Int>(w);
    return result;
  }

  /// Two whole numbers that are positive add up to 2 at least.
  bool add_up_to_one(std::size_t a, std::size_t b) const {
    std::map<std::uint32_t, Int> both = weights(a);
    for (const auto& [column, w] : weights(b)) both[column] += w;
    return greatest(both, static_cast<Int>(ffn_.b1[a]) + static_cast<Int>(ffn_.b1[b])) <= 1;
  }

  /// There is a truth value without which the one is not positive, and with which the other is not.
  bool want_opposites(std::size_t a, std::size_t b) const {
    const auto of_a = weights(a), of_b = weights(b);
    const Int most_a = greatest(of_a, static_cast<Int>(ffn_.b1[a]));
    const Int most_b = greatest(of_b, static_cast<Int>(ffn_.b1[b]));
    return std::any_of(of_a.begin(), of_a.end(), [&](const auto& entry) {
      const auto found = of_b.find(entry.first);
      const Bounds& any = cells_[entry.first].bounds.any;
      if (found == of_b.end() || any.low < 0 || any.high > 1 || (entry.second > 0) == (found->second > 0)) return false;
      const Int pull_a = entry.second > 0 ? entry.second : -entry.second;
      const Int pull_b = found->second > 0 ? found->second : -found->second;
      return most_a <= pull_a && most_b <= pull_b;
    });
  }

  const Claim& claim_;
  const model::FeedForward& ffn_;
  const Cells& cells_;
  const std::size_t most_pieces_;
  std::vector<Total> inputs_;
};

}  // namespace

void pass_units(const Claim& claim, const model::FeedForward& ffn, Cells& cells) {
  const Units units(claim, ffn, cells);
  std::map<std::size_t, Cell> written;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (!ffn.w2.rows[k].empty() || ffn.b2[k] != 0) written[k] = units.written(k);
  long number = unused_number(cells);
  for (auto& [k, cell] : written) {
    cells[k] = std::move(cell);
    cells[k].number = number++;
  }
}

}  // namespace quench::check
