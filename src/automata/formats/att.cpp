// The text format of AT&T's FSM library and OpenFst: fields separated by blanks, one arc or accepting state to a line.
#include <fmt/format.h>

#include "automata/formats/line_reader.h"
#include "parse/text/codes.h"

namespace quench::automata {
namespace {

namespace code = parse::code;
using lang::State;

bool is_weight(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-eE") == std::string::npos;
}
/// Not `0`, which OpenFst has for it where symbols are numbers: here it is the symbol of binary words.
bool is_epsilon(const std::string& text) { return text == "<eps>" || text == "@0@" || text == "<epsilon>"; }

}  // namespace

ParsedAutomaton parse_att(std::string_view text, const Limits& limits) {
  parse::Reporter reporter(text), none(text);
  NfaBuilder builder(limits);
  const auto unsupported = [&](const Field& field, const char* what) {
    reporter.add(code::kAutomatonUnsupported, field.span, what,
                 {"only sets of words can be read: `from to symbol [symbol]`"});
  };
  for_each_line(text, reporter, [&](std::size_t begin, std::size_t end) {
    const std::vector<Field> fields = fields_of(text, begin, end, "", reporter);
    if (fields.empty()) return true;
    const Span line{fields.front().span.begin, fields.back().span.end};
    const State from = builder.state(fields[0].text);
    if (builder.nfa.initial.empty()) builder.nfa.initial = {from};
    if (fields.size() <= 2) {
      if (fields.size() == 2 && !is_weight(fields[1].text))
        reporter.add(code::kAutomatonLine, line, "this is neither an arc nor an accepting state",
                     {"an arc is `from to symbol`, an accepting state `state` or `state weight`"});
      builder.nfa.accepting[from] = true;
      return true;
    }
    if (fields.size() > 5) {
      reporter.add(code::kAutomatonLine, line, "an arc has at most five fields",
                   {"`from to symbol [symbol [weight]]`"});
      return true;
    }
    // Four fields: an output symbol of a transducer, or a weight of an acceptor.
    if (fields.size() >= 4 && fields[3].text != fields[2].text && !(fields.size() == 4 && is_weight(fields[3].text)))
      unsupported(fields[3], "the output symbol differs from the input symbol");
    const State to = builder.state(fields[1].text);
    const lang::Letter letter = is_epsilon(fields[2].text)
                                    ? lang::Nfa::kSilent
                                    : static_cast<lang::Letter>(builder.nfa.alphabet.intern(fields[2].text));
    builder.connect(from, letter, to);
    return true;
  });
  if (builder.nfa.initial.empty() && reporter.empty())
    reporter.add(code::kAutomatonIncomplete, {0, 0}, "there is no state",
                 {"the first line begins with the initial state"});
  ParsedAutomaton result;
  if (reporter.empty()) result.nfa = std::move(builder.nfa);
  result.diagnostics = parse::Reporter::merge(reporter, none);
  return result;
}

std::string print_att(const lang::Dfa& dfa) {
  std::string text;
  const auto arcs_of = [&](State s) {
    for (lang::Letter a = 0; a < dfa.letters(); ++a) {
      const State to = dfa.next(s, a);
      if (to == lang::kNoState) continue;
      if (a == dfa.other()) throw UserError("AT&T text cannot say what happens on symbols that are not listed");
      const std::string& symbol = dfa.alphabet.symbols()[a];
      if (symbol.find_first_of(" \t\r\n\v\f'") != std::string::npos || is_epsilon(symbol))
        throw UserError("AT&T text cannot have the symbol " + symbol);
      text += fmt::format("{}\t{}\t{}\t{}\n", s, to, symbol, symbol);
    }
  };
  arcs_of(dfa.initial);
  if (text.empty() && !dfa.accepting(dfa.initial))
    throw UserError("AT&T text cannot describe a language without words");
  for (State s = 0; s < dfa.size(); ++s)
    if (s != dfa.initial) arcs_of(s);
  if (text.empty() || dfa.accepting(dfa.initial)) text += fmt::format("{}\n", dfa.initial);
  for (State s = 0; s < dfa.size(); ++s)
    if (s != dfa.initial && dfa.accepting(s)) text += fmt::format("{}\n", s);
  return text;
}

}  // namespace quench::automata
