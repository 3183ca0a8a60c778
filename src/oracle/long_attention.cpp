#include "oracle/long_attention.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace quench::oracle {
namespace {

using namespace lang;

constexpr std::size_t kMostClasses = 1024;  // of the positions j, and of the positions i

/// The parts of S that read one position, and the equation in which both meet.
struct Parts {
  std::vector<ExpressionId> of_i, of_j;
  std::optional<ExpressionId> meeting;
  ExpressionId left, right;  ///< of the meeting: A, which reads i, and B, which reads j
  bool not_equal = false;    ///< it is A(i) ≠ B(j)
};

/// Whether an expression that reads both positions is an equation of a number at i with one at j.
bool meets(const Program& program, ExpressionId id, Parts& parts) {
  const auto* compare = std::get_if<Compare>(&program[id]);
  if (!compare || (compare->relation != Relation::equal && compare->relation != Relation::not_equal)) return false;
  ExpressionId left = compare->left, right = compare->right;
  if (program.reads(left, At::j)) std::swap(left, right);
  if (program.reads(left, At::j) || program.reads(right, At::i)) return false;
  parts.meeting = id;
  parts.left = left;
  parts.right = right;
  parts.not_equal = compare->relation == Relation::not_equal;
  return true;
}

Parts parts_of(const Program& program, ExpressionId score) {
  Parts parts;
  const std::vector<ExpressionId> all = expressions_of(program, {score});
  std::vector<bool> wanted(program.size());
  wanted[score.index] = true;
  for (std::size_t k = all.size(); k-- > 0;) {  // users before their operands
    const ExpressionId id = all[k];
    if (!wanted[id.index]) continue;
    const bool i = program.reads(id, At::i), j = program.reads(id, At::j);
    if (i != j)
      (i ? parts.of_i : parts.of_j).push_back(id);
    else if (i && (parts.meeting || !meets(program, id, parts)))
      for_each_operand(program[id], [&](ExpressionId operand) { wanted[operand.index] = true; });
  }
  return parts;
}

/// The positions in classes: two of one class have the same values of all the expressions.
struct Classes {
  std::vector<std::size_t> of;               ///< by position, from 0
  std::vector<std::int64_t> representative;  ///< by class: one of its positions, from 1

  Classes(ExpressionValues& values, const std::vector<ExpressionId>& expressions)
      : of(static_cast<std::size_t>(values.length()), 0) {
    for (const ExpressionId id : expressions) refine(values, id);
    representative.assign(*std::max_element(of.begin(), of.end()) + 1, 0);
    for (std::size_t i = of.size(); i-- > 0;) representative[of[i]] = static_cast<std::int64_t>(i) + 1;
  }

 private:
  void refine(ExpressionValues& values, ExpressionId id) {
    const std::vector<ExpressionId> order = expressions_of(values.program(), {id});
    std::map<std::pair<std::size_t, std::int64_t>, std::size_t> known;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i) + 1;
      of[i] = known.try_emplace({of[i], values.at(order, id, position, position)}, known.size()).first->second;
    }
  }
};

/// What is known of the positions of a class that are in sight; 0: none.
struct Best {
  std::int64_t position = 0, number = 0;  ///< the best, and its B
  std::int64_t other = 0;                 ///< the best with another B
};

class LongAttention {
 public:
  LongAttention(ExpressionValues& values, const Attention& attention, Parts parts)
      : values_(values),
        attention_(attention),
        parts_(std::move(parts)),
        order_(expressions_of(values.program(), {attention.score})),
        of_i_(values, parts_.of_i),
        of_j_(values, parts_.of_j) {}

  std::optional<std::vector<std::int64_t>> run() {
    if (of_i_.representative.size() > kMostClasses || of_j_.representative.size() > kMostClasses) return std::nullopt;
    if (parts_.meeting) {
      numbers_of_i_ = everywhere(parts_.left);
      numbers_of_j_ = everywhere(parts_.right);
    }
    best_.resize(of_j_.representative.size());
    truths_.assign(of_i_.representative.size() * best_.size() * 2, -1);
    return scan();
  }

 private:
  std::vector<std::int64_t> scan() {
    const std::int64_t n = values_.length();
    const Reach reach = attention_.reach;
    const bool backwards = reach == Reach::after || reach == Reach::from;
    const bool self_first = reach == Reach::up_to || reach == Reach::from;
    // The last one met is the best if one goes towards the wanted side.
    newer_is_better_ = (attention_.side == Side::rightmost) != backwards;
    std::vector<std::int64_t> found(static_cast<std::size_t>(n));
    if (reach == Reach::all)
      for (std::int64_t j = 1; j <= n; ++j) meet(j);
    for (std::int64_t step = 1; step <= n; ++step) {
      const std::int64_t i = backwards ? n + 1 - step : step;
      if (self_first) meet(i);
      found[static_cast<std::size_t>(i - 1)] = answer(i);
      if (reach == Reach::before || reach == Reach::after) meet(i);
    }
    return found;
  }

  std::vector<std::int64_t> everywhere(ExpressionId id) {
    const std::vector<ExpressionId> order = expressions_of(values_.program(), {id});
    std::vector<std::int64_t> result;
    for (std::int64_t i = 1; i <= values_.length(); ++i) result.push_back(values_.at(order, id, i, i));
    return result;
  }

  void meet(std::int64_t j) {
    const std::size_t at = static_cast<std::size_t>(j - 1), of = of_j_.of[at];
    const std::int64_t number = parts_.meeting ? numbers_of_j_[at] : 0;
    Best& best = best_[of];
    if (best.position == 0 || newer_is_better_) {
      if (best.position != 0 && best.number != number) best.other = best.position;
      best.position = j;
      best.number = number;
    } else if (best.other == 0 && best.number != number) {
      best.other = j;
    }
    if (!parts_.meeting) return;
    const auto [known, added] = by_number_.try_emplace(Key{of, number}, j);
    if (!added && newer_is_better_) known->second = j;
  }

  /// Whether S holds for positions of these classes if A(i) = B(j), or if not.
  bool holds(std::size_t of_i, std::size_t of_j, bool equal) {
    std::int8_t& known = truths_[(of_i * best_.size() + of_j) * 2 + equal];
    if (known < 0) {
      const std::int64_t i = of_i_.representative[of_i], j = of_j_.representative[of_j];
      known = parts_.meeting
                  ? values_.at(order_, attention_.score, i, j, *parts_.meeting, equal != parts_.not_equal) != 0
                  : values_.at(order_, attention_.score, i, j) != 0;
    }
    return known != 0;
  }

  std::int64_t answer(std::int64_t i) {
    const std::size_t at = static_cast<std::size_t>(i - 1);
    const std::int64_t number = parts_.meeting ? numbers_of_i_[at] : 0;
    std::int64_t found = 0;
    for (std::size_t c = 0; c < best_.size(); ++c) {
      const bool equal = holds(of_i_.of[at], c, true), other = holds(of_i_.of[at], c, false);
      std::int64_t candidate = 0;
      if (equal && other)
        candidate = best_[c].position;
      else if (other)
        candidate = best_[c].number != number ? best_[c].position : best_[c].other;
      else if (equal)
        candidate = with_number(c, number);
      if (candidate != 0)
        found = found == 0                           ? candidate
                : attention_.side == Side::rightmost ? std::max(found, candidate)
                                                     : std::min(found, candidate);
    }
    return found;
  }

  std::int64_t with_number(std::size_t of, std::int64_t number) const {
    const auto known = by_number_.find(Key{of, number});
    return known == by_number_.end() ? 0 : known->second;
  }

  struct Key {
    std::size_t of;
    std::int64_t number;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (static_cast<std::size_t>(key.number) * kMostClasses + key.of) * 0x9e3779b97f4a7c15ULL >> 7;
    }
  };

  ExpressionValues& values_;
  const Attention& attention_;
  const Parts parts_;
  const std::vector<ExpressionId> order_;
  const Classes of_i_, of_j_;
  std::vector<std::int64_t> numbers_of_i_, numbers_of_j_;  // A and B by position, if they meet
  bool newer_is_better_ = false;
  std::vector<Best> best_;                                 // by class of j
  std::unordered_map<Key, std::int64_t, Hash> by_number_;  // the best position of a class with this B
  std::vector<std::int8_t> truths_;  // by classes of i and j, and whether A(i) = B(j); −1: not known yet
};

}  // namespace

std::optional<std::vector<std::int64_t>> positions_of_a_long_word(ExpressionValues& values,
                                                                  const Attention& attention) {
  return LongAttention(values, attention, parts_of(values.program(), attention.score)).run();
}

}  // namespace quench::oracle
