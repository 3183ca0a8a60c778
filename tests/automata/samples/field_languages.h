// Languages of the field as automata, each with the size that a network for it may have at most.
#pragma once

#include <string>
#include <vector>

#include "automata/regex_text.h"
#include "automata/samples/known.h"

namespace quench::automata {

/// a swaps two states, b leads to the second, c leaves them.
inline lang::Dfa swap_and_reset() {
  lang::Dfa dfa(first_letters(3));
  dfa.add_state(true);
  dfa.add_state(false);
  for (const lang::State s : {0u, 1u}) {
    dfa.connect(s, 0, 1 - s);
    dfa.connect(s, 1, 1);
    dfa.connect(s, 2, s);
  }
  return dfa;
}

/// An even number of c's among those after u and before v.
inline lang::Dfa gated_parity() {
  lang::Dfa dfa(Alphabet({"c", "u", "v"}));
  for (lang::State s = 0; s < 4; ++s) dfa.add_state(s % 2 == 0);  // 2·on + parity
  for (const lang::State on : {0u, 1u})
    for (const lang::State parity : {0u, 1u}) {
      dfa.connect(2 * on + parity, 0, 2 * on + (on == 1 ? 1 - parity : parity));
      dfa.connect(2 * on + parity, 1, 2 + parity);
      dfa.connect(2 * on + parity, 2, parity);
    }
  return dfa;
}

struct FieldLanguage {
  std::string name;
  lang::Dfa dfa;
  std::size_t layers, heads;  ///< that a network may have at most
};

inline std::vector<FieldLanguage> field_languages() {
  std::vector<FieldLanguage> all;
  all.push_back({"(ab)*", dfa_over("ab", "(ab)*"), 2, 2});
  all.push_back({"even length, contains ab", dfa_over("ab", "(..)*&.*ab.*"), 3, 4});
  all.push_back({"Tomita 3, the runs side by side", dfa_over("01", "~((.*0)?(11)*1(00)*0(1.*)?)"), 5, 5});
  all.push_back({"Tomita 3", dfa_over("01", "~((.*0)?(11)*1(0.*1)?(00)*0(1.*)?)"), 6, 7});
  all.push_back({"Tomita 5", dfa_over("01", "(00|11|(01|10)(00|11)*(01|10))*"), 2, 5});
  all.push_back({"D_3", dfa_over("ab", brackets(3)), 3, 5});
  all.push_back({"D_12", dfa_over("ab", brackets(12)), 3, 5});
  all.push_back({"first = last symbol", dfa_over("ab", "a|b|a.*a|b.*b"), 2, 2});
  all.push_back({"a swaps, b resets", swap_and_reset(), 3, 4});
  all.push_back({"parity of c between u and v", gated_parity(), 3, 4});
  all.push_back({"cycle navigation on Z_5", word_problem({turn(5), {4, 0, 1, 2, 3}, {0, 1, 2, 3, 4}}), 3, 5});
  all.push_back({"S_3", word_problem({{1, 0, 2}, {1, 2, 0}}), 5, 8});
  all.push_back({"A_4", word_problem({{1, 2, 0, 3}, {1, 0, 3, 2}}), 4, 8});
  all.push_back({"Z_60", word_problem({turn(60), identity_permutation(60)}), 2, 3});
  all.push_back({"A_4 × Z_5",
                 word_problem({{1, 2, 0, 3, 4, 5, 6, 7, 8}, {1, 0, 3, 2, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 5, 6, 7, 8, 4}}),
                 5, 10});
  all.push_back({"arithmetic modulo 5", modular_arithmetic(5), 15, 23});
  return all;
}

}  // namespace quench::automata
