#include "lower/program/program_definitions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "lang/print/print_program.h"

namespace quench::test {

std::string truth(bool value) { return value ? "1" : "0"; }

std::string numbers(const std::vector<std::size_t>& values) {
  std::string text;
  for (const std::size_t value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

namespace {

std::size_t count(const Letters& w, char c) { return static_cast<std::size_t>(std::count(w.begin(), w.end(), c)); }

Letters induction(const Letters& w) {
  Letters out;
  for (std::size_t i = 0; i < w.size(); ++i) {
    char found = '?';
    for (std::size_t j = 1; j <= i; ++j)
      if (w[j - 1] == w[i]) found = w[j];
    out += found;
  }
  return out;
}

/// Sanford: find(i) = max({0} ∪ {j ≤ i : X_{j−1} = X_i}), iterated on positions.
Letters hops(const Letters& w, int k) {
  Letters out;
  for (std::size_t i = 1; i <= w.size(); ++i) {
    std::size_t at = i;
    for (int hop = 0; hop < k && at > 0; ++hop) {
      std::size_t next = 0;
      for (std::size_t j = 2; j <= at; ++j)
        if (w[j - 2] == w[at - 1]) next = j;
      at = next;
    }
    out += at > 0 ? w[at - 1] : '?';
  }
  return out;
}

bool flip_flop(const Letters& w) {
  if (w.size() % 2 != 0) return false;
  char memory = '?';
  for (std::size_t k = 0; k < w.size(); k += 2) {
    const bool pair = std::string("wri").find(w[k]) != std::string::npos && (w[k + 1] == '0' || w[k + 1] == '1');
    if (!pair || (k == 0 && w[k] != 'w')) return false;
    if (w[k] == 'w') memory = w[k + 1];
    if (w[k] == 'r' && w[k + 1] != memory) return false;
  }
  return true;
}

bool balanced(const Letters& w, const std::string& pairs, std::size_t depth = SIZE_MAX) {
  std::string stack;
  for (const char c : w) {
    const std::size_t kind = pairs.find(c);
    if (kind == std::string::npos) return false;
    if (kind % 2 == 0) {
      stack += pairs[kind + 1];
      if (stack.size() > depth) return false;
    } else {
      if (stack.empty() || stack.back() != c) return false;
      stack.pop_back();
    }
  }
  return stack.empty();
}

bool shuffled(const Letters& w, const std::string& pairs) {
  for (std::size_t k = 0; k < pairs.size(); k += 2) {
    Letters own;
    for (const char c : w) {
      if (pairs.find(c) == std::string::npos) return false;
      if (c == pairs[k] || c == pairs[k + 1]) own += c;
    }
    if (!balanced(own, pairs.substr(k, 2))) return false;
  }
  return true;
}

Letters recall(const Letters& w) {
  Letters out;
  for (std::size_t i = 0; i < w.size(); ++i) {
    char found = '?';
    const auto key = [&](std::size_t k) { return k > 0 ? w[k - 1] : '?'; };
    const bool value = w[i] == '1' || w[i] == '2' || w[i] == '3', keyed = key(i) >= 'a' && key(i) <= 'c';
    for (std::size_t j = 0; value && keyed && j < i; ++j)
      if (key(j) == key(i)) found = w[j];
    out += found;
  }
  return out;
}

Letters increment(Letters w) {
  for (std::size_t k = w.size(); k-- > 0;) {
    w[k] = w[k] == '0' ? '1' : '0';
    if (w[k] == '1') break;
  }
  return w;
}

Letters addition(Letters w) {
  int carry = 0;
  for (std::size_t k = w.size(); k-- > 0;) {
    const int sum = w[k] - '0' + carry;
    w[k] = static_cast<char>('0' + sum % 2);
    carry = sum / 2;
  }
  return w;
}

Letters map_reverse(Letters w) {
  for (auto from = w.begin(); from != w.end();) {
    const auto bar = std::find(from, w.end(), '|');
    std::reverse(from, bar);
    from = bar == w.end() ? bar : bar + 1;
  }
  return w;
}

Letters padded_copy(const Letters& w) {
  const std::size_t length = w.find_last_not_of('#') == std::string::npos ? 0 : w.find_last_not_of('#') + 1;
  const Letters kept = w.substr(0, length);
  return (kept + kept + std::string(w.size(), '#')).substr(0, w.size());
}

std::string scores(const std::vector<double>& values) {
  std::string text;
  for (const double value : values)
    text += (text.empty() ? "" : " ") + lang::score_text(std::llround(value * lang::kScoreUnit));
  return text;
}

/// Tokens by decreasing frequency, as a stable sort does it.
Letters by_frequency(Letters w) {
  const Letters all = w;
  std::stable_sort(w.begin(), w.end(), [&](char a, char b) { return count(all, a) > count(all, b); });
  return w;
}

/// The same of the first occurrences.
Letters distinct_by_frequency(const Letters& w) {
  Letters firsts;
  for (const char c : w)
    if (firsts.find(c) == std::string::npos) firsts += c;
  std::stable_sort(firsts.begin(), firsts.end(), [&](char a, char b) { return count(w, a) > count(w, b); });
  return firsts + std::string(w.size() - firsts.size(), '_');
}

Letters sorted_once(Letters w) {
  const std::size_t n = w.size();
  std::sort(w.begin(), w.end());
  w.erase(std::unique(w.begin(), w.end()), w.end());
  return w + std::string(n - w.size(), '_');
}

/// The entries of examples/ngram/toy.arpa, < standing for <s> and / for </s>, and the definition of backing off.
double toy_ngram(const Letters& history, char next) {
  static const std::map<Letters, double> probability{
      {"/", -0.60206},  {"a", -0.30103},   {"b", -0.60206},    {"<a", -0.30103},   {"ab", -0.39794},
      {"aa", -0.69897}, {"ba", -0.522879}, {"<ab", -0.154902}, {"aba", -0.221849}, {"ba/", -1}};
  static const std::map<Letters, double> backoff{{"<", -0.30103},  {"a", -0.176091},  {"b", -0.30103},
                                                 {"<a", -0.09691}, {"ab", -0.221849}, {"ba", -0.045757}};
  if (const auto entry = probability.find(history + next); entry != probability.end()) return entry->second;
  const auto weight = backoff.find(history);
  return (weight == backoff.end() ? 0 : weight->second) + toy_ngram(history.substr(1), next);
}

std::string toy_scores(const Letters& w) {
  std::string text;
  for (std::size_t i = 1; i <= w.size(); ++i) {
    const Letters before = "<" + w.substr(0, i), history = before.substr(before.size() - 2);
    if (i > 1) text += " | ";
    text += "</s>:" + scores({toy_ngram(history, '/')}) + " a:" + scores({toy_ngram(history, 'a')}) +
            " b:" + scores({toy_ngram(history, 'b')});
  }
  return text;
}

char most_frequent(const Letters& w) {
  char best = 'a';
  for (const char c : {'b', 'c'})
    if (count(w, c) > count(w, best)) best = c;
  return best;
}

bool is_sorted_thirds(const Letters& w) {
  const std::size_t n = w.size() / 3;
  return w.size() % 3 == 0 && w == std::string(n, 'a') + std::string(n, 'b') + std::string(n, 'c');
}

}  // namespace

const std::map<std::string, ProgramDefinition>& program_definitions() {
  static const std::map<std::string, ProgramDefinition> table{
      {"induction_head", {"abc", induction}},
      {"k_hop_2", {"abc", [](const Letters& w) { return hops(w, 2); }}},
      {"k_hop_3", {"abc", [](const Letters& w) { return hops(w, 3); }}},
      {"ngram_toy", {"ab", toy_scores}},
      {"frac_prevs",
       {"xa",
        [](const Letters& w) {
          std::vector<double> shares;
          for (std::size_t i = 1; i <= w.size(); ++i)
            shares.push_back(static_cast<double>(count(w.substr(0, i), 'x')) / static_cast<double>(i));
          return scores(shares);
        }}},
      {"pair_balance",
       {"()a",
        [](const Letters& w) {
          std::vector<double> balance;
          for (std::size_t i = 1; i <= w.size(); ++i) {
            const double left = static_cast<double>(count(w.substr(0, i), '(')),
                         right = static_cast<double>(count(w.substr(0, i), ')'));
            balance.push_back((left - right) / static_cast<double>(i));
          }
          return scores(balance);
        }}},
      {"sort_unique", {"abc", sorted_once}},
      {"sort_freq", {"abc", by_frequency}},
      {"most_freq", {"abc", distinct_by_frequency}},
      {"double_histogram",
       {"abc",
        [](const Letters& w) {
          std::vector<std::size_t> equal;
          for (const char c : w) {
            equal.push_back(0);
            for (const char other : {'a', 'b', 'c'}) equal.back() += count(w, other) == count(w, c) ? 1 : 0;
          }
          return numbers(equal);
        }}},
      {"shuffle_dyck_3", {"()[]{}", [](const Letters& w) { return truth(shuffled(w, "()[]{}")); }}},
      {"flip_flop", {"wri01", [](const Letters& w) { return truth(flip_flop(w)); }}},
      {"dyck_1_depth_2", {"()", [](const Letters& w) { return truth(balanced(w, "()", 2)); }}},
      {"dyck_2_depth_2", {"()[]", [](const Letters& w) { return truth(balanced(w, "()[]", 2)); }}},
      {"associative_recall", {"ab12", recall}},
      {"binary_increment", {"01", increment}},
      {"binary_addition", {"012", addition}},
      {"binary_addition_pair",
       {"01",
        [](const Letters& w) {
          const std::size_t half = w.size() / 2;
          Letters sums = w.substr(0, half);
          for (std::size_t k = 0; k < half; ++k) sums[k] = static_cast<char>(sums[k] + w[half + k] - '0');
          return addition(sums);
        }}},
      {"rotate_right", {"abc", [](const Letters& w) { return w.substr(w.size() - 1) + w.substr(0, w.size() - 1); }}},
      {"shift_by_2", {"abc", [](const Letters& w) { return ("__" + w).substr(0, w.size()); }}},
      {"detect_pattern", {"abc", [](const Letters& w) { return truth(w.ends_with("abc")); }}},
      {"homomorphism",
       {"abc",
        [](const Letters& w) {
          Letters out;
          for (const char c : w) out += c == 'a' ? "ab" : c == 'b' ? "" : "c";
          return out;
        }}},
      {"bigram_model",
       {"abc",
        [](const Letters& w) {
          Letters out;
          for (std::size_t i = 0; i < w.size(); ++i) {
            const char s = i > 0 ? w[i - 1] : '?';
            out += w[i] == 'a' ? 'b' : w[i] == 'b' && s == 'a' ? 'c' : w[i] == 'b' && s == 'b' ? 'a' : w[i];
          }
          return out;
        }}},
      {"stair_3",
       {"abc",
        [](const Letters& w) {
          int run = 0, best = 0;
          for (const char c : w) run = c == 'a' ? run + 1 : c == 'b' ? 0 : run, best = std::max(best, run);
          return truth(best >= 3);
        }}},
      {"reverse", {"abc", [](const Letters& w) { return Letters(w.rbegin(), w.rend()); }}},
      {"copy_first_half", {"abc", [](const Letters& w) { return w.substr(0, w.size() / 2); }}},
      {"copy", {"ab#", padded_copy}},
      {"map_reverse", {"ab|", map_reverse}},
      {"majority_rules",
       {"ab", [](const Letters& w) { return Letters(w.size(), count(w, 'a') >= count(w, 'b') ? 'a' : 'b'); }}},
      {"parity", {"01", [](const Letters& w) { return truth(count(w, '1') % 2 == 1); }}},
      {"dyck_1", {"()", [](const Letters& w) { return truth(balanced(w, "()")); }}},
      {"dyck_2", {"()[]", [](const Letters& w) { return truth(balanced(w, "()[]")); }}},
      {"dyck_3", {"()[]{}", [](const Letters& w) { return truth(balanced(w, "()[]{}")); }}},
      {"shuffle_dyck_2", {"()[]", [](const Letters& w) { return truth(shuffled(w, "()[]")); }}},
      {"a_n_b_n_c_n", {"abc", [](const Letters& w) { return truth(is_sorted_thirds(w)); }}},
      {"length", {"ab", [](const Letters& w) { return numbers(std::vector<std::size_t>(w.size(), w.size())); }}},
      {"histogram",
       {"abc",
        [](const Letters& w) {
          std::vector<std::size_t> counts;
          for (const char c : w) counts.push_back(count(w, c));
          return numbers(counts);
        }}},
      {"sort",
       {"abc",
        [](Letters w) {
          std::sort(w.begin(), w.end());
          return w;
        }}},
      {"most_frequent", {"abc", [](const Letters& w) { return Letters(w.size(), most_frequent(w)); }}},
      {"bracket_depth",
       {"()",
        [](const Letters& w) {
          std::vector<std::size_t> balance;
          for (std::size_t i = 1; i <= w.size(); ++i) {
            const std::size_t left = count(w.substr(0, i), '('), right = i - left;
            balance.push_back(left > right ? left - right : 0);
          }
          return numbers(balance);
        }}},
  };
  return table;
}

}  // namespace quench::test
