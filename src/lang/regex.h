// Regular expressions as plain data: built by parse/regex, turned into automata by automata/regex. Nodes are interned
// and children come before parents, as in formulas.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "base/pool.h"
#include "base/word.h"

namespace quench::lang {

struct RegexTag;
using RegexId = Id<RegexTag>;

/// (): the empty word alone.
struct EmptyWord {
  auto tie() const { return std::tuple(); }
  friend bool operator==(const EmptyWord&, const EmptyWord&) = default;
};
/// One symbol of a set, or with `negated` one of no such symbol: then also any that the expression does not mention.
/// The dot is the negated empty set.
struct OneOf {
  std::vector<Symbol> symbols;  ///< sorted, each once
  bool negated = false;
  auto tie() const { return std::tie(symbols, negated); }
  friend bool operator==(const OneOf&, const OneOf&) = default;
};
/// r s, r | s, r & s
struct Joined {
  enum class Kind : std::uint8_t { sequence, either, both };
  Kind kind;
  RegexId left, right;
  auto tie() const { return std::tuple(static_cast<int>(kind), left, right); }
  friend bool operator==(const Joined&, const Joined&) = default;
};
/// ~r: every other word, the empty one included, with whatever symbols.
struct AllBut {
  RegexId arg;
  auto tie() const { return std::tie(arg); }
  friend bool operator==(const AllBut&, const AllBut&) = default;
};
/// r{least,most}; r* is r{0,} and so on.
struct Repeated {
  static constexpr std::uint32_t kNoEnd = UINT32_MAX;
  RegexId arg;
  std::uint32_t least = 0, most = kNoEnd;
  auto tie() const { return std::tie(arg, least, most); }
  friend bool operator==(const Repeated&, const Repeated&) = default;
};

using RegexNode = std::variant<EmptyWord, OneOf, Joined, AllBut, Repeated>;

struct Regex {
  Alphabet alphabet;  ///< the symbols that are mentioned, in the order of the text
  Pool<RegexNode, RegexTag> nodes;
  RegexId root;
};

}  // namespace quench::lang
