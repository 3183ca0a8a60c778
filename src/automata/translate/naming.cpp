#include "automata/translate/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "automata/formula/progression.h"
#include "automata/machine/boolean.h"
#include "automata/machine/minimise.h"
#include "base/text/utf8.h"
#include "lang/canonical.h"
#include "lang/operators.h"
#include "lang/print/print.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::State;

constexpr std::size_t kMostStatesInName = 3, kLongestWordInName = 6, kMostStatesInComment = 12;
constexpr double kWorthAName = 5, kConnectiveWorthAName = 8;  // nodes written out: shorter parts say what they mean

/// Where each node is true, in states of the automaton, and where it is false. The sink is the last one.
struct Places {
  std::vector<std::set<State>> if_true, if_false;
  std::vector<Word> word_to;  ///< by state, a shortest one
};

Places places(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits) {
  const Progression progression(formula, limits, true);
  if (!progression.deterministic()) throw UserError("the formula looks to the right");
  Budget budget(limits.proof, "proof", "nodes worked out to find names for parts of a formula");
  const auto sink = static_cast<State>(dfa.size());
  Places result{std::vector<std::set<State>>(formula.size()), std::vector<std::set<State>>(formula.size()),
                std::vector<Word>(dfa.size() + 1)};
  std::vector<bool> reached(dfa.size() + 1);
  struct Pair {
    const Progression::Memory* memory;
    State state;
    Word word;
  };
  std::set<std::pair<Progression::Memory, State>> seen;
  std::vector<Pair> queue{{nullptr, dfa.initial, {}}};
  std::vector<Progression::Memory> next;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    if (Progression::is_settled(queue[k].memory)) continue;
    for (lang::Letter a = 0; a < (formula.closed ? dfa.other() : dfa.letters()); ++a) {
      budget.spend(formula.size());
      next.clear();
      const Symbol symbol = a == dfa.other() ? kUnmentioned : formula.alphabet.find(dfa.alphabet.symbols()[a]);
      progression.step(queue[k].memory, symbol, next);
      const State to = queue[k].state == sink ? lang::kNoState : dfa.next(queue[k].state, a);
      const State state = to == lang::kNoState ? sink : to;
      for (std::size_t n = 0; n < formula.size(); ++n)
        (progression.values()[n] ? result.if_true : result.if_false)[n].insert(state);
      const auto [at, added] = seen.emplace(std::move(next[0]), state);
      if (!added) continue;
      Word word = queue[k].word;
      word.push_back(dfa.symbol(a));
      if (!reached[state]) result.word_to[state] = word;
      reached[state] = true;
      queue.push_back({&at->first, state, std::move(word)});
      check_limit(queue.size(), limits.progression, "progression", "states of the formula");
    }
  }
  return result;
}

bool is_name_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char character = decode_utf8(text, at);
    if (!character.valid || !is_name_character(character.code)) return false;
    at += character.length;
  }
  return !text.empty();
}

/// What a part is called that is no set of states.
std::string kind_of(const lang::Node& node) {
  if (const auto* unary = std::get_if<lang::Unary>(&node)) {
    switch (unary->op) {
      case lang::Operator::previous:
      case lang::Operator::weak_previous:
        return "before";
      case lang::Operator::once:
        return "seen";
      case lang::Operator::historically:
        return "always";
      default:  // a name, which is right for any operator
        return "part";
    }
  }
  if (const auto* binary = std::get_if<lang::Binary>(&node))
    return lang::facts(binary->op).modality == lang::Modality::since ? "since" : "part";
  const bool counts = std::holds_alternative<lang::Comparison>(node) ||
                      std::holds_alternative<lang::CountPredicate>(node) ||
                      std::holds_alternative<lang::Congruence>(node);
  return counts ? "count" : "part";
}

class Naming {
 public:
  Naming(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits)
      : formula_(lang::canonical(formula)), dfa_(dfa), places_(places(formula_, dfa, limits)) {
    for (const Predicate& predicate : formula_.predicates()) taken_.insert(predicate.name);
  }

  Named run() {
    const std::vector<bool> needed = formula_.reachable();
    std::vector<std::size_t> uses(formula_.size());
    std::vector<double> length(formula_.size(), 1);
    for (std::size_t k = 0; k < formula_.size(); ++k)
      formula_.for_each_child(FormulaId(k), [&](FormulaId child) {
        uses[child.index] += needed[k];
        length[k] += length[child.index];
      });
    Named result{formula_, {}};
    for (std::size_t k = 0; k < formula_.size(); ++k) {
      const FormulaId id(k);
      if (!needed[k] || id == formula_.root || uses[k] < 2) continue;
      const auto* unary = std::get_if<lang::Unary>(&formula_[id]);
      if (unary && unary->op == lang::Operator::not_) continue;
      const bool connective = kind_of(formula_[id]) == "part";
      if (length[k] < (connective ? kConnectiveWorthAName : kWorthAName)) continue;
      result.formula.names.give(id, name_of(id, result.comments));
    }
    name_sums(needed, result.formula.names);
    return result;
  }

 private:
  /// Sums of counts that several comparisons share.
  void name_sums(const std::vector<bool>& needed, lang::Names& names) {
    std::map<lang::TermId, int> uses;
    for (std::size_t k = 0; k < formula_.size(); ++k) {
      if (!needed[k]) continue;
      if (const auto* node = std::get_if<lang::Comparison>(&formula_[FormulaId(k)]))
        ++uses[node->left], ++uses[node->right];
      if (const auto* node = std::get_if<lang::Congruence>(&formula_[FormulaId(k)])) ++uses[node->term];
    }
    for (const auto& [term, times] : uses)
      if (times > 1 && formula_[term].parts.size() > 1) names.give(term, numbered("sum"));
  }

  std::string name_of(FormulaId id, std::vector<std::string>& comments) {
    const std::set<State>&yes = places_.if_true[id.index], &no = places_.if_false[id.index];
    std::vector<State> both;
    std::set_intersection(yes.begin(), yes.end(), no.begin(), no.end(), std::back_inserter(both));
    if (!both.empty() || yes.empty()) return numbered(kind_of(formula_[id]));
    std::string name = "in";
    bool short_enough = yes.size() <= kMostStatesInName;
    for (const State state : yes) {
      const std::string word = word_text(state, "");
      short_enough = short_enough && state < dfa_.size() && is_name_text(word) &&
                     places_.word_to[state].size() <= kLongestWordInName;
      name += (name == "in" ? "_" : "_or_") + word;
    }
    if (short_enough && taken_.insert(name).second) {
      comments.push_back(name + ": " + described(yes));
      return name;
    }
    name = numbered("in_states");
    comments.push_back(name + ": " + described(yes));
    return name;
  }

  std::string described(const std::set<State>& states) const {
    std::string text = "in the state after ";
    std::size_t listed = 0;
    for (const State state : states) {
      if (listed == kMostStatesInComment) return text + fmt::format(" … ({} states)", states.size());
      text +=
          (listed++ == 0 ? "" : ", ") + (state < dfa_.size() ? word_text(state, " ") : std::string("losing for good"));
    }
    return text;
  }

  std::string word_text(State state, const char* separator) const {
    std::string text;
    bool several = false;  // characters to a symbol
    for (const std::string& symbol : dfa_.alphabet.symbols()) several |= symbol.size() > 1;
    for (const Symbol symbol : places_.word_to[state]) {
      if (!text.empty() && several) text += *separator ? separator : "_";
      text += symbol == kUnmentioned ? "other" : dfa_.alphabet.symbols()[static_cast<std::size_t>(symbol)];
    }
    return text;
  }

  std::string numbered(const std::string& kind) {
    for (;;)
      if (const std::string name = fmt::format("{}_{}", kind, ++numbers_[kind]); taken_.insert(name).second)
        return name;
  }

  lang::Formula formula_;
  const lang::Dfa& dfa_;
  Places places_;
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;
};

}  // namespace

Named with_names(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits) {
  return Naming(formula, minimise(dfa), limits).run();
}

std::string text_for_people(const Candidate& candidate, const lang::Dfa& dfa, const Limits& limits) {
  const Named named = with_names(candidate.formula, dfa, limits);
  std::string text = fmt::format("// made from an automaton: {}\n", candidate.strategy);
  for (const std::string& line : candidate.decomposition) text += "// " + printable(line) + "\n";
  for (const std::string& line : named.comments) text += "// " + printable(line) + "\n";
  return text + lang::print(named.formula);
}

}  // namespace quench::automata
