#include "lower/program/partition.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace quench::lower {
namespace {

std::optional<Box> intersect(const Box& a, const Box& b) {
  Box result;
  auto p = a.sides.begin();
  auto q = b.sides.begin();
  while (p != a.sides.end() || q != b.sides.end()) {
    if (q == b.sides.end() || (p != a.sides.end() && p->variable < q->variable)) {
      result.sides.push_back(*p++);
    } else if (p == a.sides.end() || q->variable < p->variable) {
      result.sides.push_back(*q++);
    } else {
      Box::Side side{p->variable, {}};
      std::set_intersection(p->cases.begin(), p->cases.end(), q->cases.begin(), q->cases.end(),
                            std::back_inserter(side.cases));
      if (side.cases.empty()) return std::nullopt;
      result.sides.push_back(std::move(side));
      ++p, ++q;
    }
  }
  return result;
}

/// The box both make up together, if they differ in one variable only.
std::optional<Box> unite(const Box& a, const Box& b, const std::vector<Variable>& variables) {
  if (a.sides.size() != b.sides.size()) return std::nullopt;
  std::size_t different = a.sides.size();
  for (std::size_t k = 0; k < a.sides.size(); ++k) {
    if (a.sides[k] == b.sides[k]) continue;
    if (a.sides[k].variable != b.sides[k].variable || different != a.sides.size()) return std::nullopt;
    different = k;
  }
  Box result = a;
  if (different == a.sides.size()) return result;
  Box::Side& side = result.sides[different];
  side.cases.clear();
  std::set_union(a.sides[different].cases.begin(), a.sides[different].cases.end(), b.sides[different].cases.begin(),
                 b.sides[different].cases.end(), std::back_inserter(side.cases));
  if (side.cases.size() == variables[side.variable].cases.size())
    result.sides.erase(result.sides.begin() + static_cast<std::ptrdiff_t>(different));
  return result;
}

void unite_pairs(std::vector<Box>& boxes, const std::vector<Variable>& variables) {
  for (std::size_t a = 1; a < boxes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (auto united = unite(boxes[a], boxes[b], variables)) {
        boxes[b] = std::move(*united);
        boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(a));
        a = 0;  // the new box may pair with any other
        break;
      }
}

}  // namespace

std::size_t Partitions::number_of(const Variable& variable) {
  for (std::size_t k = 0; k < variables_.size(); ++k)
    if (variables_[k].cases == variable.cases) return k;
  variables_.push_back(variable);
  return variables_.size() - 1;
}

Partition Partitions::of_query(const Variable& variable, std::uint32_t c) {
  const std::size_t number = number_of(variable);
  std::vector<std::uint32_t> others;
  for (std::uint32_t k = 0; k < variable.cases.size(); ++k)
    if (k != c) others.push_back(k);
  if (others.empty()) return of_key(algebra_.truth(true));
  return {{{{Box{{{number, {c}}}}}, algebra_.truth(true)}, {{Box{{{number, others}}}}, algebra_.truth(false)}}};
}

Partition Partitions::negation(Partition p) const {
  for (Partition::Class& one : p.classes) one.y = BooleanAlgebra::negation(one.y);
  return p;
}

Partition Partitions::conjunction(const Partition& a, const Partition& b) {
  const Bit no = algebra_.truth(false);
  std::map<Bit, std::vector<Box>> regions;
  std::size_t boxes = 0;
  for (const Partition::Class& left : a.classes) {
    if (left.y == no) {  // false whatever b says
      auto& region = regions[no];
      region.insert(region.end(), left.region.begin(), left.region.end());
      continue;
    }
    for (const Partition::Class& right : b.classes) {
      std::vector<Box> common;
      for (const Box& p : left.region)
        for (const Box& q : right.region)
          if (auto box = intersect(p, q)) common.push_back(std::move(*box));
      if (common.empty()) continue;
      if ((boxes += common.size()) > kMostBoxes) throw TooManyClasses();
      auto& region = regions[algebra_.conjunction({left.y, right.y})];
      region.insert(region.end(), std::make_move_iterator(common.begin()), std::make_move_iterator(common.end()));
    }
  }
  Partition result;
  for (auto& [y, region] : regions) {
    unite_pairs(region, variables_);
    result.classes.push_back({std::move(region), y});
  }
  return result;
}

/// The cases allowed, or the negation of the others where those are fewer.
Bit Partitions::bit_of(const Box& box) {
  std::vector<Bit> conjuncts;
  for (const Box::Side& side : box.sides) {
    const std::vector<Bit>& cases = variables_[side.variable].cases;
    std::vector<Bit> in, out;
    for (std::uint32_t c = 0; c < cases.size(); ++c)
      (std::binary_search(side.cases.begin(), side.cases.end(), c) ? in : out).push_back(cases[c]);
    if (in.size() <= out.size()) {
      conjuncts.push_back(algebra_.disjunction(std::move(in)));
    } else {
      for (const Bit bit : out) conjuncts.push_back(BooleanAlgebra::negation(bit));
    }
  }
  return algebra_.conjunction(std::move(conjuncts));
}

std::vector<Partitions::Term> Partitions::terms(const Partition& p) {
  const Bit no = algebra_.truth(false);
  std::vector<Term> result;
  for (const Partition::Class& one : p.classes) {
    if (one.y == no) continue;
    std::vector<Bit> boxes;
    for (const Box& box : one.region) boxes.push_back(bit_of(box));
    const Bit x = algebra_.disjunction(std::move(boxes));
    if (x != no) result.push_back({x, one.y});
  }
  return result;
}

}  // namespace quench::lower
