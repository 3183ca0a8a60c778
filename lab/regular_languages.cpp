#include "lab/regular_languages.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "automata/classify/decision.h"
#include "automata/formats/formats.h"
#include "automata/machine/minimise.h"
#include "automata/regex/read_regex.h"
#include "automata/rule/read_rule.h"
#include "automata/samples/known.h"
#include "automata/samples/random.h"
#include "base/error.h"
#include "model/file/sha256.h"

namespace quench::lab {
namespace {

using automata::Permutation;
using automata::turn;
using automata::word_problem;

/// Over these letters, each one character.
lang::Dfa over(std::string_view letters, std::string_view regex) {
  Alphabet alphabet;
  for (const char letter : letters) alphabet.intern(std::string(1, letter));
  return automata::read_regex(regex, alphabet);
}

/// Two permutations side by side, on points of their own.
Permutation beside(Permutation a, const Permutation& b) {
  const auto shift = static_cast<std::uint32_t>(a.size());
  for (const std::uint32_t point : b) a.push_back(point + shift);
  return a;
}

Permutation still(std::size_t points) { return automata::identity_permutation(points); }

void add_languages(std::vector<RegularLanguage>& all) {
  const auto add = [&](const char* name, lang::Dfa dfa) { all.push_back({"languages", name, std::move(dfa)}); };
  add("Tomita 1", over("01", "1*"));
  add("Tomita 2", over("01", "(10)*"));
  add("Tomita 3", over("01", "~((.*0)?(11)*1(0.*1)?(00)*0(1.*)?)"));
  add("Tomita 4", over("01", "~(.*000.*)"));
  add("Tomita 5", over("01", "(00|11|(01|10)(00|11)*(01|10))*"));
  add("Tomita 6", word_problem({turn(3), {2, 0, 1}}));
  add("Tomita 7", over("01", "0*1*0*1*"));
  add("PARITY", over("01", "0*1(0*10*1)*0*"));
  add("(aa)*", over("a", "(aa)*"));
  add("(abab)*", over("ab", "(abab)*"));
  add("aa*bb*cc*dd*ee*", over("abcde", "aa*bb*cc*dd*ee*"));
  add("{a,b}*d{b,c}*", over("abcd", "[ab]*d[bc]*"));
  add("{0,1,2}*02*", over("012", "[012]*02*"));
  add("c(a|b)*abd(a|b|d)*", over("abcd", "c[ab]*abd[abd]*"));
  for (const int depth : {2, 3, 4, 12}) add(fmt::format("D_{}", depth).c_str(), over("ab", automata::brackets(depth)));
  add("FIRST", over("01", "1.*"));
  add("LAST", over("01", ".*1"));
  add("contains ab", over("ab", ".*ab.*"));
  add("ninth symbol from the end", over("ab", ".*a.{8}"));
  add("Dyck-(2,2)", automata::bounded_dyck(2, 2));
  add("Dyck-(2,3)", automata::bounded_dyck(2, 3));
  add("flip-flop", automata::flip_flop());
}

/// Word problems, by generators.
void add_groups(std::vector<RegularLanguage>& all) {
  const auto add = [&](const char* name, const std::vector<Permutation>& generators) {
    all.push_back({"groups", name, word_problem(generators)});
  };
  add("Z_60", {turn(60), still(60)});
  add("S_3", {{1, 0, 2}, turn(3)});
  add("dihedral D_4", {turn(4), {0, 3, 2, 1}});
  add("Q_8", {{1, 2, 3, 0, 5, 6, 7, 4}, {4, 7, 6, 5, 2, 1, 0, 3}});
  add("A_4", {{1, 2, 0, 3}, {1, 0, 3, 2}});
  add("S_4", {turn(4), {1, 0, 2, 3}});
  add("F_20", {turn(5), {0, 2, 4, 1, 3}});
  add("A_4 × Z_5", {beside({1, 2, 0, 3}, still(5)), beside({1, 0, 3, 2}, still(5)), beside(still(4), turn(5))});
  add("A_5", {turn(5), {1, 2, 0, 3, 4}});
  add("S_5", {turn(5), {1, 0, 2, 3, 4}});
}

/// The regular tasks of Delétang et al. 2023.
void add_tasks(std::vector<RegularLanguage>& all) {
  const auto add = [&](const char* name, lang::Dfa dfa) { all.push_back({"tasks", name, std::move(dfa)}); };
  add("even pairs", over("ab", "a|b|a.*a|b.*b"));
  add("modular arithmetic (simple)", automata::modular_arithmetic(5));
  add("parity check", over("ab", "a*(ba*ba*)*"));
  add("cycle navigation", word_problem({turn(5), {4, 0, 1, 2, 3}, still(5)}));
}

lang::Dfa random_language(Random& random, int kind) {
  const std::size_t letters = 1 + random.below(3), states = 2 + random.below(8);
  switch (kind % 6) {
    case 0:
      return automata::random_dfa(random, states, letters, 0.3);
    case 1:
      return automata::random_permutation_reset_dfa(random, 2 + random.below(4), letters, 0.4);
    case 2:
      return automata::random_monotone_dfa(random, states, letters);
    case 3:
      return automata::random_clocked_dfa(random, states, letters);
    default:
      return over("ab", automata::random_regex(random, 3 + static_cast<int>(random.below(10)), 2));
  }
}

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw IoError(file.string() + ": cannot open it for reading");
  return text.str();
}

}  // namespace

std::vector<RegularLanguage> languages_of_the_field() {
  std::vector<RegularLanguage> all;
  add_languages(all);
  add_tasks(all);
  add_groups(all);
  return all;
}

std::vector<RegularLanguage> random_regular_languages(std::uint64_t seed, std::size_t count) {
  constexpr int kTries = 4000;  // after which rare classes stay short
  Random random(seed);
  std::map<automata::LanguageClass, std::vector<lang::Dfa>> met;
  std::set<std::string> known;
  for (int k = 0; k < kTries; ++k) {
    lang::Dfa dfa = automata::minimise(random_language(random, k));
    if (dfa.size() < 3) continue;
    auto& of_class = met[automata::decide(dfa).language_class];
    if (of_class.size() < count && known.insert(automata::print_automaton(dfa)).second)
      of_class.push_back(std::move(dfa));
  }
  std::vector<RegularLanguage> all;
  for (auto& [language_class, automata_of_it] : met)
    for (std::size_t k = 0; k < automata_of_it.size(); ++k)
      all.push_back(
          {"random", fmt::format("{} {}", automata::name(language_class), k + 1), std::move(automata_of_it[k])});
  return all;
}

lang::Automaton rule_of(const lang::Dfa& dfa) {
  return {lang::AutomatonText::dfa, automata::print_automaton(dfa), dfa, std::nullopt};
}

std::vector<std::filesystem::path> automaton_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(folder, error); !error && at != end(at); at.increment(error))
    if (automata::kind_of_file(at->path().filename().string())) files.push_back(at->path());
  if (error) throw IoError(folder.string() + ": cannot read it as a folder");
  if (files.empty()) throw UserError(folder.string() + " has no files .dfa, .att, .hoa or .regex");
  std::sort(files.begin(), files.end());
  return files;
}

lang::Automaton read_automaton_file(const std::filesystem::path& file) {
  return automata::read_rule(content(file), *automata::kind_of_file(file.filename().string()));
}

std::string contents_of(const std::filesystem::path& folder) {
  model::Sha256 hash;
  for (const std::filesystem::path& file : automaton_files(folder))
    for (const std::string& part : {file.filename().string(), content(file)}) hash.add(part.c_str(), part.size() + 1);
  return hash.finish();
}

}  // namespace quench::lab
