// What a regular expression means, by definition: whether a part of a word matches, for all parts. Slow on purpose.
#pragma once

#include <map>
#include <tuple>

#include "base/overloaded.h"
#include "lang/regex.h"

namespace quench::automata {

class NaiveRegex {
 public:
  NaiveRegex(const lang::Regex& regex, const Word& word) : regex_(regex), word_(word) {}
  bool matches() { return matches(regex_.root, 0, word_.size()); }

 private:
  bool matches(lang::RegexId id, std::size_t from, std::size_t to) {
    const auto key = std::tuple(id.index, from, to);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
    const bool result =
        std::visit(Overloaded{[&](const lang::EmptyWord&) { return from == to; },
                              [&](const lang::OneOf& set) {
                                if (to != from + 1) return false;
                                bool in = false;
                                for (const Symbol symbol : set.symbols) in = in || symbol == word_[from];
                                return in != set.negated;
                              },
                              [&](const lang::Joined& node) {
                                if (node.kind == lang::Joined::Kind::either)
                                  return matches(node.left, from, to) || matches(node.right, from, to);
                                if (node.kind == lang::Joined::Kind::both)
                                  return matches(node.left, from, to) && matches(node.right, from, to);
                                for (std::size_t middle = from; middle <= to; ++middle)
                                  if (matches(node.left, from, middle) && matches(node.right, middle, to)) return true;
                                return false;
                              },
                              [&](const lang::AllBut& node) { return !matches(node.arg, from, to); },
                              [&](const lang::Repeated& node) {
                                if (node.least <= to - from + 1 && node.most == lang::Repeated::kNoEnd) {
                                  for (std::size_t times = node.least; times <= node.least + (to - from); ++times)
                                    if (power(node.arg, times, from, to)) return true;
                                  return false;
                                }
                                for (std::size_t times = node.least;
                                     times <= node.most && times <= node.least + word_.size(); ++times)
                                  if (power(node.arg, times, from, to)) return true;
                                return false;
                              }},
                   regex_.nodes[id]);
    known_[key] = result;
    return result;
  }
  bool power(lang::RegexId id, std::size_t times, std::size_t from, std::size_t to) {
    if (times == 0) return from == to;
    for (std::size_t middle = from; middle <= to; ++middle)
      if (matches(id, from, middle) && power(id, times - 1, middle, to)) return true;
    return false;
  }

  const lang::Regex& regex_;
  const Word& word_;
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t>, bool> known_;
};

}  // namespace quench::automata
