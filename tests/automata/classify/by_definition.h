// The classes of languages by their definitions, on a monoid that is made of words, without the code under test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "automata/classify/decision.h"
#include "automata/classify/witness_check.h"
#include "lang/dfa.h"

namespace quench::automata {

/// The monoid as a multiplication table of what words do, made without the code under test.
struct ByWords {
  std::vector<std::vector<lang::State>> deeds;
  std::map<std::vector<lang::State>, std::size_t> number;
  std::set<std::size_t> letters;

  ByWords(const lang::Dfa& dfa, std::size_t most) {
    std::vector<lang::State> identity;
    for (lang::State s = 0; s <= dfa.size(); ++s) identity.push_back(s);
    number[identity] = 0;
    deeds.push_back(identity);
    for (std::size_t k = 0; k < deeds.size() && deeds.size() <= most; ++k)
      for (std::size_t a = 0; a < dfa.alphabet.size(); ++a) {
        std::vector<lang::State> next;
        for (const lang::State s : deeds[k]) {
          const lang::State to = s == dfa.size() ? lang::kNoState : dfa.next(s, a);
          next.push_back(to == lang::kNoState ? static_cast<lang::State>(dfa.size()) : to);
        }
        if (number.try_emplace(next, deeds.size()).second) deeds.push_back(next);
        if (k == 0) letters.insert(number[next]);
      }
  }
  std::size_t size() const { return deeds.size(); }
  std::size_t times(std::size_t a, std::size_t b) const {
    std::vector<lang::State> product;
    for (const lang::State s : deeds[a]) product.push_back(deeds[b][s]);
    return number.at(product);
  }
  bool aperiodic(std::size_t m) const {
    std::set<std::size_t> seen;
    std::size_t power = m;
    while (seen.insert(power).second) power = times(power, m);
    return times(power, m) == power;
  }
};

/// Whether all groups in the monoid are solvable: products of commutators, again and again, until nothing changes.
inline bool solvable(const ByWords& m) {
  std::vector<std::size_t> omega(m.size());
  for (std::size_t a = 0; a < m.size(); ++a) {
    omega[a] = a;
    while (m.times(omega[a], omega[a]) != omega[a]) omega[a] = m.times(omega[a], a);
  }
  for (std::size_t e = 0; e < m.size(); ++e) {
    if (omega[e] != e || m.times(e, e) != e) continue;
    std::set<std::size_t> group;
    for (std::size_t a = 0; a < m.size(); ++a)
      if (omega[a] == e && m.times(a, e) == a) group.insert(a);
    const auto inverse = [&](std::size_t a) {
      std::size_t b = e;
      while (m.times(a, b) != e) b = m.times(b, a);
      return b;
    };
    for (;;) {
      std::set<std::size_t> derived{e};
      for (const std::size_t a : group)
        for (const std::size_t b : group) derived.insert(m.times(m.times(inverse(a), inverse(b)), m.times(a, b)));
      for (bool grown = true; grown;) {
        const std::set<std::size_t> old = derived;
        for (const std::size_t a : old)
          for (const std::size_t b : old) derived.insert(m.times(a, b));
        grown = derived.size() > old.size();
      }
      if (derived.size() == group.size()) break;
      group = derived;
    }
    if (group.size() > 1) return false;
  }
  return true;
}

/// The automaton is minimal and its monoid has few elements: this takes their cube.
inline void agrees_with_definitions(const lang::Dfa& dfa, const ByWords& m, const Decision& d) {
  EXPECT_EQ(d.monoid, m.size());
  std::set<std::size_t> words;  // elements of non-empty words
  for (std::size_t a = 0; a < m.size(); ++a)
    for (const std::size_t letter : m.letters) words.insert(m.times(a, letter));
  std::vector<std::size_t> idempotents;
  for (const std::size_t e : words)
    if (m.times(e, e) == e) idempotents.push_back(e);
  bool aperiodic = true, definite = true, reverse = true, local = true;
  for (std::size_t a = 0; a < m.size(); ++a) aperiodic = aperiodic && m.aperiodic(a);
  for (const std::size_t e : idempotents)
    for (const std::size_t s : words) {
      definite = definite && m.times(s, e) == e;
      reverse = reverse && m.times(e, s) == e;
      const std::size_t x = m.times(m.times(e, s), e);
      local = local && m.times(x, x) == x;
      for (const std::size_t t : words) {
        const std::size_t y = m.times(m.times(e, t), e);
        local = local && m.times(x, y) == m.times(y, x);
      }
    }
  // DA: (xyz)^ω y (xyz)^ω = (xyz)^ω.
  bool da = true;
  const auto omega = [&](std::size_t a) {
    std::size_t power = a;
    while (m.times(power, power) != power) power = m.times(power, a);
    return power;
  };
  for (std::size_t x = 0; x < m.size() && m.size() <= 25; ++x)
    for (std::size_t y = 0; y < m.size(); ++y)
      for (std::size_t z = 0; z < m.size(); ++z) {
        const std::size_t e = omega(m.times(m.times(x, y), z));
        da = da && m.times(m.times(e, y), e) == e;
      }
  // Quasi-aperiodic: the sets of elements of all words of one length, until they repeat.
  std::set<std::set<std::size_t>> sets;
  std::set<std::size_t> layer = m.letters;
  while (sets.insert(layer).second) {
    std::set<std::size_t> next;
    for (const std::size_t a : layer)
      for (const std::size_t letter : m.letters) next.insert(m.times(a, letter));
    layer = next;
  }
  bool quasi = true;
  for (const std::set<std::size_t>& set : sets)
    for (const std::size_t a : set) {
      const std::size_t e = omega(a);
      quasi = quasi && !(m.times(a, e) == a && a != e && set.contains(e) && set.contains(m.times(a, a)));
    }
  EXPECT_EQ(d.aperiodic, aperiodic);
  EXPECT_EQ(d.definite, definite);
  EXPECT_EQ(d.reverse_definite, reverse);
  EXPECT_EQ(d.locally_testable, local);
  if (m.size() <= 25) {
    EXPECT_EQ(d.da, da);
  }
  EXPECT_TRUE(quasi || !d.quasi_aperiodic);
  EXPECT_EQ(d.not_aperiodic.has_value(), !aperiodic);
  if (d.not_aperiodic) {
    EXPECT_TRUE(holds(dfa, *d.not_aperiodic));
  }
  if (!d.quasi_aperiodic) {
    ASSERT_TRUE(d.not_quasi_aperiodic);
    EXPECT_TRUE(holds(dfa, *d.not_quasi_aperiodic));
  }
  EXPECT_EQ(d.solvable, solvable(m));
  if (d.not_solvable) {
    EXPECT_TRUE(holds(dfa, *d.not_solvable));
  }
}

}  // namespace quench::automata
