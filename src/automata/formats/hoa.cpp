// The Hanoi format, version 1, of automata of infinite words, read as automata of finite ones: a word is accepted if it
// can end in a state of the one acceptance set. One proposition per symbol, at most one of them true at a time.
#include <fmt/format.h>

#include <cstdlib>

#include "automata/formats/hoa_label.h"
#include "automata/formats/line_reader.h"
#include "parse/text/codes.h"

namespace quench::automata {
namespace {

namespace code = parse::code;
using lang::Letter;
using lang::State;

class HoaReader {
 public:
  HoaReader(std::string_view text, const Limits& limits) : text_(text), reporter_(text), builder_(limits) {}

  ParsedAutomaton run() {
    bool body = false, done = false, first = true;
    for_each_line(text_, reporter_, [&](std::size_t begin, std::size_t end) {
      const std::string_view line = trimmed(text_.substr(begin, end - begin));
      if (line.empty()) return true;
      if (first && !line.starts_with("HOA:"))
        error(code::kAutomatonLine, line, "the text does not begin with `HOA: v1`");
      first = false;
      if (line == "--BODY--") {
        body = true;
      } else if (line == "--END--") {
        done = true;
        return false;
      } else if (body) {
        body_line(line);
      } else {
        header(line);
      }
      return true;
    });
    if (reporter_.empty() && !done)
      error(code::kAutomatonIncomplete, text_.substr(text_.size()), "there is no line `--END--`");
    if (reporter_.empty() && builder_.nfa.initial.empty())
      error(code::kAutomatonIncomplete, text_.substr(text_.size()), "there is no line `Start:`");
    ParsedAutomaton result;
    if (reporter_.empty()) result.nfa = std::move(builder_.nfa);
    parse::Reporter none(text_);
    result.diagnostics = parse::Reporter::merge(reporter_, none);
    return result;
  }

 private:
  static std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
  }
  /// `part` is a piece of the text.
  void error(const char* code, std::string_view part, std::string message) {
    const auto begin = static_cast<std::size_t>(part.data() - text_.data());
    reporter_.add(code, {begin, begin + part.size()}, std::move(message),
                  {"docs/automata.md says what is read of this format, and how"});
  }

  void header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      return error(code::kAutomatonLine, line, "a header is a name, a colon and a value");
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (name == "States") {
      // Numbers are names here; those that are announced keep their order.
      for (std::size_t k = 0; k < std::strtoull(std::string(value).c_str(), nullptr, 10); ++k)
        builder_.state(std::to_string(k));
    } else if (name == "Start") {
      if (value.find_first_not_of("0123456789") != std::string_view::npos || value.empty())
        return error(code::kAutomatonUnsupported, line, "an initial state is one number: there is no alternation");
      builder_.nfa.initial.push_back(builder_.state(std::string(value)));
    } else if (name == "AP") {
      propositions(value);
    } else if (name == "Acceptance") {
      if (value != "1 Inf(0)" && value != "0 t")
        error(code::kAutomatonUnsupported, line, "the acceptance is not `1 Inf(0)`");
      everything_accepts_ = value == "0 t";
    } else if (name == "Alias") {
      const std::size_t blank = value.find(' ');
      if (!value.starts_with("@") || blank == std::string_view::npos)
        return error(code::kAutomatonLine, line, "an alias is written `Alias: @name label`");
      aliases_[std::string(value.substr(1, blank - 1))] = trimmed(value.substr(blank));
    }
  }

  void propositions(std::string_view value) {
    bool inside = false;
    std::string symbol;
    for (std::size_t k = 0; k < value.size(); ++k) {
      if (inside && value[k] == '\\' && k + 1 < value.size()) {
        symbol += value[++k];
      } else if (value[k] == '"') {
        if (inside) builder_.nfa.alphabet.intern(symbol);
        inside = !inside;
        symbol.clear();
      } else if (inside) {
        symbol += value[k];
      }
    }
    if (inside) error(code::kAutomatonLine, value, "a name is not closed");
    holds_.clear();
  }

  // State: [label] 3 "name" {0}      or an edge: [label] 3
  void body_line(std::string_view line) {
    const bool is_state = line.starts_with("State:");
    std::string_view rest = is_state ? trimmed(line.substr(6)) : line;
    std::optional<std::string> label;
    if (rest.starts_with("[")) {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos) return error(code::kAutomatonLine, line, "the label is not closed");
      label = std::string(rest.substr(1, close - 1));
      rest = trimmed(rest.substr(close + 1));
    }
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0) return error(code::kAutomatonLine, line, "there is no state");
    const State state = builder_.state(std::string(rest.substr(0, digits)));
    const std::string_view after = trimmed(rest.substr(digits));
    if (is_state) {
      from_ = state;
      state_label_ = label;
      builder_.nfa.accepting[state] = everything_accepts_ || after.find('{') != std::string_view::npos;
      return;
    }
    if (!after.empty())
      return error(code::kAutomatonUnsupported, line, "edges have a label and one state, nothing more");
    if (!label) label = state_label_;
    if (from_ == lang::kNoState || !label) return error(code::kAutomatonUnsupported, line, "this edge has no label");
    edge(line, *label, state);
  }

  void edge(std::string_view line, const std::string& label, State to) {
    const std::size_t symbols = builder_.nfa.alphabet.size();
    auto [at, added] = holds_.try_emplace(label);
    for (Letter a = 0; added && a <= symbols; ++a) {
      const std::optional<bool> value = label_holds(label, a, symbols, aliases_);
      if (!value) return error(code::kAutomatonLine, line, "this label cannot be read");
      if (*value) at->second.push_back(a);
    }
    for (const Letter a : at->second) builder_.connect(from_, a, to);
  }

  std::string_view text_;
  parse::Reporter reporter_;
  NfaBuilder builder_;
  HoaAliases aliases_;
  std::map<std::string, std::vector<Letter>> holds_;  // by label
  bool everything_accepts_ = false;
  State from_ = lang::kNoState;
  std::optional<std::string> state_label_;
};

}  // namespace

ParsedAutomaton parse_hoa(std::string_view text, const Limits& limits) { return HoaReader(text, limits).run(); }

std::string print_hoa(const lang::Dfa& dfa) {
  const std::size_t symbols = dfa.alphabet.size();
  std::string text = fmt::format("HOA: v1\nStates: {}\nStart: {}\nAP: {}", dfa.size(), dfa.initial, symbols);
  for (const std::string& symbol : dfa.alphabet.symbols()) {
    text += " \"";
    for (const char c : symbol) text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    text += "\"";
  }
  // The letter alone: no other proposition is true.
  for (Letter a = 0; a < dfa.letters(); ++a) {
    text += fmt::format("\nAlias: @l{} ", a);
    for (Letter b = 0; b < symbols; ++b) text += fmt::format("{}{}{}", b > 0 ? " & " : "", b == a ? "" : "!", b);
    if (symbols == 0) text += "t";
  }
  text += "\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: state-acc deterministic\n--BODY--\n";
  for (State s = 0; s < dfa.size(); ++s) {
    text += fmt::format("State: {}{}\n", s, dfa.accepting(s) ? " {0}" : "");
    for (Letter a = 0; a < dfa.letters(); ++a)
      if (const State to = dfa.next(s, a); to != lang::kNoState) text += fmt::format("[@l{}] {}\n", a, to);
  }
  return text + "--END--\n";
}

}  // namespace quench::automata
