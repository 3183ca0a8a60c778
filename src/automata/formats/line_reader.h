// What the readers of automata share: lines split into words with their places, states by name, edges within the
// limits.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "automata/formats/formats.h"
#include "parse/text/reporter.h"

namespace quench::automata {

struct Field {
  std::string text;  ///< without quotes
  Span span;
  bool quoted = false;
};

/// The fields of the line [begin, end): separated by blanks, symbols in single quotes as in formulas; `comment` begins
/// a comment, unless it is empty.
std::vector<Field> fields_of(std::string_view text, std::size_t begin, std::size_t end, std::string_view comment,
                             parse::Reporter& reporter);

/// Calls visit(begin, end) for every line, until it returns false or the reporter is full.
template <class Visit>
void for_each_line(std::string_view text, const parse::Reporter& reporter, const Visit& visit) {
  for (std::size_t begin = 0; begin < text.size() && !reporter.full();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!visit(begin, end)) return;
    begin = end + 1;
  }
}

/// Puts an automaton together. Throws UserError beyond the limits.
class NfaBuilder {
 public:
  explicit NfaBuilder(const Limits& limits) : limits_(limits) {}

  lang::Nfa nfa;

  /// The state of this name, adding it if need be.
  lang::State state(const std::string& name);
  bool knows(const std::string& name) const { return states_.contains(name); }
  void connect(lang::State from, lang::Letter letter, lang::State to);

 private:
  const Limits& limits_;
  std::map<std::string, lang::State> states_;
  std::size_t edges_ = 0;
};

}  // namespace quench::automata
