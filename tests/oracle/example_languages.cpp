#include "oracle/example_languages.h"

#include <regex.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace quench {
namespace {

using Language = std::function<bool(const std::string&)>;

int count(const std::string& word, char symbol) {
  return static_cast<int>(std::count(word.begin(), word.end(), symbol));
}
bool has(const std::string& word, const std::string& factor) { return word.find(factor) != std::string::npos; }

/// The whole word matches a POSIX extended regular expression.
Language matches(const std::string& pattern) {
  const std::shared_ptr<regex_t> regex(new regex_t, [](regex_t* compiled) {
    regfree(compiled);
    delete compiled;
  });
  if (regcomp(regex.get(), ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    throw std::logic_error("bad pattern " + pattern);
  return [regex](const std::string& word) { return regexec(regex.get(), word.c_str(), 0, nullptr, 0) == 0; };
}

bool parity(const std::string& word) { return count(word, '1') % 2 == 1; }

/// The bit after each r is the one after the last w.
bool flip_flop(const std::string& word) {
  if (word.size() % 2 != 0 || word[0] != 'w') return false;
  char stored = '?';
  for (std::size_t k = 0; k < word.size(); k += 2) {
    const char instruction = word[k], bit = word[k + 1];
    if ((instruction != 'w' && instruction != 'r' && instruction != 'i') || (bit != '0' && bit != '1')) return false;
    if (instruction == 'w') stored = bit;
    if (instruction == 'r' && bit != stored) return false;
  }
  return true;
}

/// find(i) = max({0} ∪ {j ≤ i : X_{j−1} = X_i}), positions from 1.
std::size_t hop(const std::string& word, std::size_t i) {
  for (std::size_t j = i; j >= 2; --j)
    if (word[j - 2] == word[i - 1]) return j;
  return 0;
}
bool hops_to_b(const std::string& word, std::size_t i, int hops) {
  for (; hops > 0 && i > 0; --hops) i = hop(word, i);
  return i > 0 && word[i - 1] == 'b';
}
/// The rightmost i < n with the last symbol is followed by b.
bool induction_head(const std::string& word) {
  const std::size_t n = word.size();
  for (std::size_t i = n - 1; i >= 1; --i)
    if (word[i - 1] == word[n - 1]) return word[i] == 'b';
  return false;
}

bool tomita_3(const std::string& word) {
  bool odd_ones = false;
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t end = std::min(word.find(word[begin] == '0' ? '1' : '0', begin), word.size());
    const bool odd = (end - begin) % 2 == 1;
    if (word[begin] == '1' && odd) odd_ones = true;
    if (word[begin] == '0' && odd && odd_ones) return false;
    begin = end;
  }
  return true;
}

/// Nested properly, with a stack that may not grow beyond `depth`.
bool dyck(const std::string& word, const std::string& brackets, std::size_t depth) {
  std::vector<char> stack;
  for (const char c : word) {
    const std::size_t kind = brackets.find(c);
    if (kind % 2 == 0) {
      stack.push_back(brackets[kind + 1]);
      if (stack.size() > depth) return false;
    } else {
      if (stack.empty() || stack.back() != c) return false;
      stack.pop_back();
    }
  }
  return stack.empty();
}

std::string only(const std::string& word, const std::string& symbols) {
  std::string result;
  for (const char c : word)
    if (symbols.find(c) != std::string::npos) result += c;
  return result;
}

/// a…ab…b…: each letter of the alphabet equally often, in order.
Language blocks(const std::string& letters) {
  return [letters](const std::string& word) {
    const std::size_t n = word.size() / letters.size();
    std::string expected;
    for (const char letter : letters) expected += std::string(n, letter);
    return word == expected;
  };
}

bool even_pairs(const std::string& word) {
  int pairs = 0;
  for (std::size_t k = 1; k < word.size(); ++k) pairs += word[k] != word[k - 1];
  return pairs % 2 == 0;
}

bool granted(const std::string& word) {
  return word.rfind('r') == std::string::npos || word.find('g', word.rfind('r')) != std::string::npos;
}

std::map<std::string, ExampleLanguage> make_languages() {
  std::map<std::string, ExampleLanguage> all;
  const auto add = [&](const std::string& name, const std::string& alphabet, Language contains) {
    all[name] = {alphabet, std::move(contains), {}, {}};
  };
  for (const char* name : {"parity_odd", "parity_paper", "parity_lean"}) add(name, "01", parity);
  add("majority", "01", [](const std::string& w) { return count(w, '1') > count(w, '0'); });
  add("gram_110_here", "01", [](const std::string&) { return false; });
  all["gram_110_here"].at = [](const std::string& w, std::size_t i) { return w.substr(i, 3) == "110"; };
  add("gram_110_end", "01", [](const std::string& w) { return w.ends_with("110"); });
  all["gram_110_end"].at = [](const std::string& w, std::size_t i) { return w.substr(0, i + 1).ends_with("110"); };
  for (const char* name : {"gram_110_anywhere", "gram_110_past"})
    add(name, "01", [](const std::string& w) { return has(w, "110"); });
  add("first", "01", [](const std::string& w) { return w.front() == '1'; });
  add("last", "01", [](const std::string& w) { return w.back() == '1'; });
  add("contains_ab", "ab", [](const std::string& w) { return has(w, "ab"); });
  add("flip_flop", "wri01", flip_flop);
  add("induction_head", "abc", induction_head);
  all["induction_head"].at = [](const std::string& w, std::size_t i) { return hops_to_b(w, i + 1, 1); };
  add("k_hop_2", "abc", [](const std::string& w) { return hops_to_b(w, w.size(), 2); });
  all["k_hop_2"].at = [](const std::string& w, std::size_t i) { return hops_to_b(w, i + 1, 2); };
  add("tomita_1", "01", matches("1*"));
  add("tomita_2", "01", matches("(10)*"));
  add("tomita_3", "01", tomita_3);
  add("tomita_4", "01", [](const std::string& w) { return !has(w, "000"); });
  add("tomita_5", "01", [](const std::string& w) { return count(w, '0') % 2 == 0 && count(w, '1') % 2 == 0; });
  add("tomita_6", "01", [](const std::string& w) { return (count(w, '0') - count(w, '1')) % 3 == 0; });
  add("tomita_7", "01", matches("0*1*0*1*"));
  add("a_n_b_n", "ab", blocks("ab"));
  add("a_n_b_n_c_n", "abc", blocks("abc"));
  add("a_n_b_n_c_n_d_n", "abcd", blocks("abcd"));
  add("dyck_1", "()", [](const std::string& w) { return dyck(w, "()", w.size()); });
  add("shuffle_dyck_2", "()[]",
      [](const std::string& w) { return dyck(only(w, "()"), "()", w.size()) && dyck(only(w, "[]"), "[]", w.size()); });
  add("dyck_1_depth_2", "()", [](const std::string& w) { return dyck(w, "()", 2); });
  add("dyck_2_depth_2", "()[]", [](const std::string& w) { return dyck(w, "()[]", 2); });
  add("d_2", "ab", matches("(a(ab)*b)*"));
  add("ab_star", "ab", matches("(ab)*"));
  add("aa_star", "ab", matches("(aa)*"));
  add("abab_star", "ab", matches("(abab)*"));
  for (const char* name : {"even_pairs", "even_pairs_counting"}) add(name, "01", even_pairs);
  add("modular_counting", "01", [](const std::string& w) { return count(w, '1') % 3 == 0; });
  add("cycle_navigation", "+-0", [](const std::string& w) { return (count(w, '+') - count(w, '-')) % 5 == 0; });
  add("ab_d_bc", "abcd", matches("[ab]*d[bc]*"));
  add("a_to_e", "abcde", matches("aa*bb*cc*dd*ee*"));
  add("zero_then_twos", "012", matches("[012]*02*"));
  add("c_ab_abd", "abcd", matches("c[ab]*abd[abd]*"));
  add("square_count", "01", [](const std::string& w) {
    const int ones = count(w, '1');
    return ones == 0 || ones == 1 || ones == 4 || ones == 9;
  });
  add("prime_length", "ab",
      [](const std::string& w) { return w.size() == 2 || w.size() == 3 || w.size() == 5 || w.size() == 7; });
  add("middle", "01", [](const std::string& w) { return w.size() % 2 == 1 && w[w.size() / 2] == '1'; });
  add("request_grant", "rgo", granted);
  all["request_grant"].spelling = {{'r', "request"}, {'g', "grant"}, {'o', "other"}};
  return all;
}

}  // namespace

const std::map<std::string, ExampleLanguage>& example_languages() {
  static const std::map<std::string, ExampleLanguage> languages = make_languages();
  return languages;
}

}  // namespace quench
