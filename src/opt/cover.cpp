#include "opt/cover.h"

#include <algorithm>

namespace quench::opt {
namespace {

using Cubes = std::optional<std::vector<Cube>>;

/// Literals of both; nothing if they contradict each other.
std::optional<Cube> merge(const Cube& a, const Cube& b) {
  Cube merged;
  merged.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  for (std::size_t k = 1; k < merged.size(); ++k)
    if (merged[k].node == merged[k - 1].node) return std::nullopt;
  return merged;
}

/// The cube both become if they differ in the sign of one literal: a ∧ x and a ∧ ¬x are a.
std::optional<Cube> unite(const Cube& a, const Cube& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::size_t opposite = a.size();
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k]) continue;
    if (a[k].node != b[k].node || opposite != a.size()) return std::nullopt;
    opposite = k;
  }
  Cube united = a;
  united.erase(united.begin() + static_cast<std::ptrdiff_t>(opposite));
  return united;
}

void unite_pairs(std::vector<Cube>& cubes) {
  for (std::size_t a = 0; a < cubes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (auto united = unite(cubes[a], cubes[b])) {
        cubes[b] = std::move(*united);
        cubes.erase(cubes.begin() + static_cast<std::ptrdiff_t>(a));
        a = 0;  // the new cube may pair with any other
        break;
      }
}

Cubes product(const Cubes& a, const Cubes& b, const Possible& possible) {
  if (!a || !b) return std::nullopt;
  std::vector<Cube> result;
  for (const Cube& left : *a)
    for (const Cube& right : *b)
      if (auto cube = merge(left, right)) {
        if (possible && !possible(*cube)) continue;
        if (result.size() == kMaxCubes) return std::nullopt;
        result.push_back(std::move(*cube));
      }
  unite_pairs(result);
  return result;
}

Cubes join(Cubes a, const Cubes& b) {
  if (!a || !b || a->size() + b->size() > kMaxCubes) return std::nullopt;
  a->insert(a->end(), b->begin(), b->end());
  unite_pairs(*a);
  return a;
}

/// ¬l_1, l_1 ∧ ¬l_2, l_1 ∧ l_2 ∧ ¬l_3 …, in the order given: the last literal stands in no cube but as its negation.
Cubes negation(const Cube& literals) {
  if (literals.size() > kMaxCubes) return std::nullopt;
  std::vector<Cube> result;
  for (std::size_t k = 0; k < literals.size(); ++k) {
    Cube cube(literals.begin(), literals.begin() + static_cast<std::ptrdiff_t>(k));
    cube.push_back(!literals[k]);
    std::sort(cube.begin(), cube.end());
    result.push_back(std::move(cube));
  }
  return result;
}

}  // namespace

Cover conjunction(Cube literals, const std::vector<Cover>& covers, const Possible& possible) {
  Cubes off = negation(literals);
  std::sort(literals.begin(), literals.end());
  Cover result{{{literals}}, std::move(off)};
  for (const Cover& next : covers) {
    if (!result.on && !result.off) break;
    result.off = join(result.off, product(result.on, next.off, possible));
    result.on = product(result.on, next.on, possible);
  }
  return result;
}

}  // namespace quench::opt
