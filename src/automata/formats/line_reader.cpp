#include "automata/formats/line_reader.h"

#include <algorithm>

#include "parse/text/codes.h"
#include "parse/text/quoted.h"

namespace quench::automata {

std::vector<Field> fields_of(std::string_view text, std::size_t begin, std::size_t end, std::string_view comment,
                             parse::Reporter& reporter) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::vector<Field> fields;
  for (std::size_t at = begin; at < end;) {
    if (kBlanks.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    if (!comment.empty() && text.substr(at, end - at).starts_with(comment)) break;
    const std::size_t from = at;
    if (text[at] == '\'') {
      parse::Quoted quoted = parse::read_quoted(text.substr(0, end), at, reporter);
      at = std::max(quoted.end, at + 1);
      fields.push_back({std::move(quoted.symbol), {from, at}, true});
      continue;
    }
    at = std::min(text.find_first_of(" \t\r\v\f\n", at), end);
    fields.push_back({std::string(text.substr(from, at - from)), {from, at}});
  }
  return fields;
}

lang::State NfaBuilder::state(const std::string& name) {
  const auto [at, added] = states_.try_emplace(name, static_cast<lang::State>(nfa.size()));
  if (added) {
    nfa.add_state(false);
    check_limit(nfa.size(), limits_.states, "states", "states of the automaton");
  }
  return at->second;
}

void NfaBuilder::connect(lang::State from, lang::Letter letter, lang::State to) {
  nfa.edges[from].push_back({letter, to});
  check_limit(++edges_, limits_.transitions, "transitions", "transitions of the automaton");
}

bool is_deterministic(const lang::Nfa& nfa) {
  if (nfa.initial.size() != 1) return false;
  for (std::vector<lang::Nfa::Edge> edges : nfa.edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (std::size_t k = 0; k < edges.size(); ++k)
      if (edges[k].letter == lang::Nfa::kSilent || (k > 0 && edges[k - 1].letter == edges[k].letter)) return false;
  }
  return true;
}

lang::Dfa as_dfa(const lang::Nfa& nfa) {
  QUENCH_ASSERT(is_deterministic(nfa));
  lang::Dfa dfa(nfa.alphabet);
  dfa.initial = nfa.initial[0];
  for (lang::State s = 0; s < nfa.size(); ++s) dfa.add_state(nfa.accepting[s]);
  for (lang::State s = 0; s < nfa.size(); ++s)
    for (const lang::Nfa::Edge& edge : nfa.edges[s]) dfa.connect(s, edge.letter, edge.to);
  return dfa;
}

lang::Nfa as_nfa(const lang::Dfa& dfa) {
  lang::Nfa nfa;
  nfa.alphabet = dfa.alphabet;
  nfa.initial = {dfa.initial};
  for (lang::State s = 0; s < dfa.size(); ++s) {
    nfa.add_state(dfa.accepting(s));
    for (lang::Letter a = 0; a < dfa.letters(); ++a)
      if (const lang::State to = dfa.next(s, a); to != lang::kNoState) nfa.edges[s].push_back({a, to});
  }
  return nfa;
}

}  // namespace quench::automata
