// Our own format: `alphabet`, `initial`, `accepting`, `states` and transitions, one to a line.
#include <fmt/format.h>

#include <algorithm>

#include "automata/formats/line_reader.h"
#include "parse/text/codes.h"

namespace quench::automata {
namespace {

namespace code = parse::code;
using lang::Letter;
using lang::Nfa;
using lang::State;

constexpr std::string_view kSilentWord = "epsilon", kOtherWord = "other";

class PlainReader {
 public:
  PlainReader(std::string_view text, const Limits& limits) : text_(text), reporter_(text), builder_(limits) {}

  ParsedAutomaton run() {
    for_each_line(text_, reporter_, [&](std::size_t begin, std::size_t end) {
      const std::vector<Field> fields = fields_of(text_, begin, end, "//", reporter_);
      if (!fields.empty()) line(fields);
      return true;
    });
    const std::size_t end = text_.size();
    if (reporter_.empty() && !alphabet_known_)
      reporter_.add(code::kAutomatonIncomplete, {end, end}, "there is no line `alphabet`",
                    {"write `alphabet` and the symbols, as in `alphabet a b`"});
    if (reporter_.empty() && builder_.nfa.initial.empty())
      reporter_.add(code::kAutomatonIncomplete, {end, end}, "there is no initial state",
                    {"write `initial` and the state, as in `initial 0`"});
    if (reporter_.empty() && says_dfa_) check_deterministic();
    ParsedAutomaton result;
    if (reporter_.empty()) result.nfa = std::move(builder_.nfa);
    result.deterministic = says_dfa_;
    parse::Reporter none(text_);
    result.diagnostics = parse::Reporter::merge(reporter_, none);
    return result;
  }

 private:
  void line(const std::vector<Field>& fields) {
    const std::string& first = fields[0].text;
    const auto is = [&](std::string_view word) { return !fields[0].quoted && first == word; };
    if ((is("dfa") || is("nfa")) && fields.size() == 1) {
      says_dfa_ = first == "dfa";
      dfa_span_ = fields[0].span;
    } else if (is("alphabet")) {
      alphabet_known_ = true;
      for (std::size_t k = 1; k < fields.size(); ++k) builder_.nfa.alphabet.intern(fields[k].text);
      if (seen_transition_)
        reporter_.add(code::kAutomatonLine, fields[0].span, "the alphabet stands before the transitions",
                      {"move this line up"});
    } else if (is("states")) {
      for (std::size_t k = 1; k < fields.size(); ++k) builder_.state(fields[k].text);
    } else if (is("initial")) {
      for (std::size_t k = 1; k < fields.size(); ++k) add_initial(builder_.state(fields[k].text));
    } else if (is("accepting")) {
      for (std::size_t k = 1; k < fields.size(); ++k) builder_.nfa.accepting[builder_.state(fields[k].text)] = true;
    } else {
      transition(fields);
    }
  }

  void add_initial(State s) {
    std::vector<State>& initial = builder_.nfa.initial;
    if (std::find(initial.begin(), initial.end(), s) == initial.end()) initial.push_back(s);
  }

  void transition(const std::vector<Field>& fields) {
    seen_transition_ = true;
    if (fields.size() < 3)
      return reporter_.add(
          code::kAutomatonLine, {fields.front().span.begin, fields.back().span.end},
          "a transition is a state, one or more symbols, and a state",
          {"for example `0 a b 1`; other lines begin with `alphabet`, `initial`, `accepting`, `states`, `dfa`"});
    const State from = builder_.state(fields.front().text), to = builder_.state(fields.back().text);
    for (std::size_t k = 1; k + 1 < fields.size(); ++k) {
      const std::optional<Letter> letter = letter_of(fields[k]);
      if (letter) builder_.connect(from, *letter, to);
    }
  }

  std::optional<Letter> letter_of(const Field& field) {
    if (!field.quoted && field.text == kOtherWord) return builder_.nfa.alphabet.size();
    if (!field.quoted && field.text == kSilentWord) return Nfa::kSilent;
    const Symbol symbol = builder_.nfa.alphabet.find(field.text);
    if (symbol != kUnmentioned) return static_cast<Letter>(symbol);
    reporter_.add(code::kAutomatonName, field.span,
                  fmt::format("the alphabet has no symbol {}", reporter_.quote(field.span)),
                  {"list it after `alphabet`; `other` stands for all symbols that are not listed, `epsilon` for none"});
    return std::nullopt;
  }

  void check_deterministic() {
    if (is_deterministic(builder_.nfa)) return;
    reporter_.add(code::kAutomatonNondeterminism, dfa_span_, "the automaton is not deterministic",
                  {"it needs one initial state, no `epsilon`, and at most one transition for each state and symbol",
                   "write `nfa` instead of `dfa` if this is meant"});
  }

  std::string_view text_;
  parse::Reporter reporter_;
  NfaBuilder builder_;
  bool says_dfa_ = false, alphabet_known_ = false, seen_transition_ = false;
  Span dfa_span_;
};

/// A symbol as it is written: in quotes if it could be taken for something else.
std::string written(const std::string& symbol) {
  const bool plain = !symbol.empty() && symbol != kOtherWord && symbol != kSilentWord &&
                     symbol.find_first_of(" \t\r\n\v\f'\\/\"") == std::string::npos;
  if (plain) return symbol;
  std::string text = "'";
  for (const char c : symbol) {
    if (c == '\n' || c == '\t') {
      text += c == '\n' ? "\\n" : "\\t";
    } else if (c == '\r' || c == '\v' || c == '\f') {
      text += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
    } else {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

ParsedAutomaton parse_automaton(std::string_view text, const Limits& limits) { return PlainReader(text, limits).run(); }

std::string print_automaton(const Nfa& nfa) {
  std::string text = "nfa\nalphabet";
  for (const std::string& symbol : nfa.alphabet.symbols()) text += " " + written(symbol);
  text += "\nstates";
  for (State s = 0; s < nfa.size(); ++s) text += fmt::format(" {}", s);
  text += "\ninitial";
  for (const State s : nfa.initial) text += fmt::format(" {}", s);
  text += "\naccepting";
  for (State s = 0; s < nfa.size(); ++s)
    if (nfa.accepting[s]) text += fmt::format(" {}", s);
  text += "\n";
  for (State s = 0; s < nfa.size(); ++s)
    for (const Nfa::Edge& edge : nfa.edges[s]) {
      const std::string symbol = edge.letter == Nfa::kSilent          ? std::string(kSilentWord)
                                 : edge.letter == nfa.alphabet.size() ? std::string(kOtherWord)
                                                                      : written(nfa.alphabet.symbols()[edge.letter]);
      text += fmt::format("{} {} {}\n", s, symbol, edge.to);
    }
  return text;
}

std::string print_automaton(const lang::Dfa& dfa) { return "d" + print_automaton(as_nfa(dfa)).substr(1); }

}  // namespace quench::automata
