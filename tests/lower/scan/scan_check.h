// An automaton compiled by the recipe `scan`, run in several number formats and compared with the automaton itself at
// every position.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/number/random.h"
#include "driver/compile.h"
#include "run/reference/reference.h"

namespace quench::test {

class ScanCheck {
 public:
  ScanCheck(const lang::Dfa& dfa, std::size_t length, const std::vector<NumberFormat>& formats,
            std::optional<double> gamma = {})
      : dfa_(dfa), compilation_(driver::compile(dfa, options(length, gamma))) {
    for (const NumberFormat format : formats) {
      formats_.push_back(format);
      executors_.emplace_back(compilation_.model, run::Options{format, false});
    }
  }

  static lower::RecipeOptions options(std::size_t length, std::optional<double> gamma = {}) {
    lower::RecipeOptions result;
    result.recipe = "scan";
    result.length = length;
    result.gamma = gamma;
    return result;
  }
  const model::Transformer& model() const { return compilation_.model; }

  static std::vector<double> expected(const lang::Dfa& dfa, const Word& word) {
    std::vector<double> result;
    lang::State state = dfa.size() == 0 ? lang::kNoState : dfa.initial;
    for (const Symbol symbol : word) {
      state = dfa.next(state, dfa.letter(symbol));
      result.push_back(dfa.accepting(state));
    }
    return result;
  }

  bool right_on(const Word& word) {
    const std::vector<double> accepted = expected(dfa_, word);
    for (std::size_t k = 0; k < executors_.size(); ++k) {
      executors_[k].outputs(word, workspace_, outputs_);
      for (std::size_t i = 0; i < word.size(); ++i)
        if (outputs_[i] != accepted[i]) {
          where_ = std::string(to_string(formats_[k])) + ", n = " + std::to_string(word.size()) +
                   ", i = " + std::to_string(i + 1) + ": " + std::to_string(outputs_[i]);
          return false;
        }
    }
    return true;
  }
  void expect_right_on(const Word& word) {
    EXPECT_TRUE(right_on(word)) << dfa_.size() << " states, " << dfa_.alphabet.print(word).substr(0, 400) << "\n"
                                << where_;
  }

 private:
  lang::Dfa dfa_;
  driver::Compilation compilation_;
  std::vector<NumberFormat> formats_;
  std::vector<run::ReferenceExecutor> executors_;
  run::ReferenceExecutor::Workspace workspace_;
  std::vector<double> outputs_;
  std::string where_;
};

/// `partial`: some transitions are missing.
inline lang::Dfa random_dfa(Random& random, std::size_t states, bool partial) {
  lang::Dfa dfa(Alphabet({"a", "b"}));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.4));
  for (std::size_t s = 0; s < states; ++s)
    for (lang::Letter letter = 0; letter < dfa.letters(); ++letter)
      if (!partial || random.chance(0.8))
        dfa.connect(static_cast<lang::State>(s), letter, static_cast<lang::State>(random.below(states)));
  return dfa;
}

using Permutation = std::array<std::size_t, 5>;

/// Letters move points; the state is where the first point is, and it is accepted where it began.
inline lang::Dfa moving_point(const std::vector<Permutation>& letters) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < letters.size(); ++k) names.emplace_back(1, static_cast<char>('a' + k));
  lang::Dfa dfa{Alphabet(names)};
  for (std::size_t s = 0; s < 5; ++s) dfa.add_state(s == 0);
  for (std::size_t s = 0; s < 5; ++s) {
    for (lang::Letter letter = 0; letter < letters.size(); ++letter)
      dfa.connect(static_cast<lang::State>(s), letter, static_cast<lang::State>(letters[letter][s]));
    dfa.connect(static_cast<lang::State>(s), dfa.other(), static_cast<lang::State>(s));
  }
  return dfa;
}

/// The word problem: the state is the product of the letters so far, and accepted is the identity.
inline lang::Dfa word_problem(const std::vector<Permutation>& letters) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < letters.size(); ++k) names.emplace_back(1, static_cast<char>('a' + k));
  lang::Dfa dfa{Alphabet(names)};
  const Permutation identity{0, 1, 2, 3, 4};
  std::map<Permutation, lang::State> numbers{{identity, dfa.add_state(true)}};
  std::vector<Permutation> all{identity};
  for (std::size_t s = 0; s < all.size(); ++s) {
    for (lang::Letter letter = 0; letter < letters.size(); ++letter) {
      Permutation product;
      for (std::size_t point = 0; point < 5; ++point) product[point] = letters[letter][all[s][point]];
      if (!numbers.contains(product)) {
        numbers[product] = dfa.add_state(false);
        all.push_back(product);
      }
      dfa.connect(static_cast<lang::State>(s), letter, numbers[product]);
    }
    dfa.connect(static_cast<lang::State>(s), dfa.other(), static_cast<lang::State>(s));
  }
  return dfa;
}

inline const std::vector<Permutation> kA5{{1, 2, 3, 4, 0}, {1, 2, 0, 3, 4}};  // (01234), (012)
inline const std::vector<Permutation> kS5{{1, 2, 3, 4, 0}, {1, 0, 2, 3, 4}};  // (01234), (01)

}  // namespace quench::test
