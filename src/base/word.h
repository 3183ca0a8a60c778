// Words over an alphabet. Symbols are the ones a rule mentions; every other symbol is `kUnmentioned` and satisfies none
// of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quench {

using Symbol = std::int32_t;
inline constexpr Symbol kUnmentioned = -1;
using Word = std::vector<Symbol>;

class Alphabet {
 public:
  Alphabet() = default;
  /// The symbols must be distinct.
  explicit Alphabet(std::vector<std::string> symbols);

  const std::vector<std::string>& symbols() const { return symbols_; }
  std::size_t size() const { return symbols_.size(); }

  /// The number of a symbol, adding it if need be.
  Symbol intern(std::string_view symbol);
  /// The number of a symbol, or kUnmentioned.
  Symbol find(std::string_view symbol) const;

  /// One character per symbol when every symbol is a single character; otherwise symbols are separated by blanks.
  bool single_characters() const;
  /// The symbols a text consists of, as texts. Throws UserError on invalid UTF-8.
  std::vector<std::string> split(std::string_view text) const;
  /// Throws UserError on invalid UTF-8 and on the empty word (it has no last position, so no value).
  Word parse(std::string_view text) const;
  /// Inverse of parse; kUnmentioned prints as `unmentioned()`.
  std::string print(const Word& word) const;
  /// A symbol that is not in the alphabet, of one character: "_", "." …
  std::string unmentioned() const;

 private:
  std::vector<std::string> symbols_;
  std::unordered_map<std::string, Symbol> numbers_;
};

}  // namespace quench
