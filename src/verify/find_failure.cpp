#include "verify/find_failure.h"

#include <algorithm>

#include "base/random.h"
#include "oracle/evaluate.h"

namespace quench::verify {
namespace {

constexpr const char* kNames[kFamilies] = {"one symbol throughout",
                                           "another symbol throughout",
                                           "one symbol, another at the far left",
                                           "one symbol, another at the far right",
                                           "one symbol, another next to the far end",
                                           "two symbols in turn",
                                           "halves of two symbols",
                                           "halves of two symbols, one off",
                                           "halves the other way round",
                                           "few of one symbol among another",
                                           "random",
                                           "random, one symbol rare"};

class Trial {
 public:
  Trial(const model::Transformer& model, const lang::Formula& formula, const FailureSearch& search)
      : formula_(formula), executor_(model, search.run), seed_(search.seed) {
    for (const std::string& symbol : formula.alphabet.symbols()) to_model_.push_back(model.alphabet.find(symbol));
    to_model_.push_back(kUnmentioned);
  }

  std::optional<Failure> run(std::size_t family, std::size_t length) {
    Word word = adversarial_word(family, to_model_.size(), length, seed_ + length), for_model;
    for (Symbol& symbol : word) {
      for_model.push_back(to_model_[static_cast<std::size_t>(symbol)]);
      if (static_cast<std::size_t>(symbol) + 1 == to_model_.size()) symbol = kUnmentioned;
    }
    executor_.outputs(for_model, workspace_, outputs_);
    const auto got = run::booleans(outputs_);
    const auto expected = oracle::evaluate(formula_, word);
    const auto [g, e] = std::mismatch(got.begin(), got.end(), expected.begin());
    if (g == got.end()) return std::nullopt;
    return Failure{length, static_cast<std::size_t>(g - got.begin()) + 1, *e != 0, *g != 0, kNames[family]};
  }

 private:
  const lang::Formula& formula_;
  run::ReferenceExecutor executor_;
  run::ReferenceExecutor::Workspace workspace_;
  std::vector<double> outputs_;
  std::vector<Symbol> to_model_;
  std::uint64_t seed_;
};

}  // namespace

const char* family_name(std::size_t family) { return kNames[family]; }

Word adversarial_word(std::size_t family, std::size_t kinds, std::size_t length, std::uint64_t seed) {
  Random random(seed * kFamilies + family);
  const auto a = static_cast<Symbol>(random.below(kinds));
  const auto b = static_cast<Symbol>((static_cast<std::size_t>(a) + 1 + random.below(std::max<std::size_t>(kinds, 2) - 1)) % kinds);
  const Symbol first = family == 1 || family == 8 ? b : a, second = family == 1 || family == 8 ? a : b;
  Word word(length, first);
  switch (family) {
    case 2: word.front() = second; break;
    case 3: word.back() = second; break;
    case 4: word[length > 1 ? 1 : 0] = second; break;
    case 5:
      for (std::size_t i = 1; i < length; i += 2) word[i] = second;
      break;
    case 6:
    case 7:
    case 8: std::fill(word.begin() + static_cast<std::ptrdiff_t>(std::min(length, length / 2 + (family == 7))), word.end(), second); break;
    case 9:
      for (int k = 0; k < 3; ++k) word[random.below(length)] = second;
      break;
    case 10:
      for (Symbol& symbol : word) symbol = static_cast<Symbol>(random.below(kinds));
      break;
    case 11:
      for (Symbol& symbol : word) symbol = random.chance(0.02) ? static_cast<Symbol>(random.below(kinds)) : first;
      break;
    default: break;
  }
  return word;
}

std::optional<Failure> find_failure(const model::Transformer& model, const lang::Formula& formula,
                                    const FailureSearch& search) {
  Trial trial(model, formula, search);
  std::size_t right = search.from > 1 ? search.from - 1 : 0;  // the last length at which nothing failed
  for (std::size_t length = search.from; length <= search.to;) {
    std::optional<Failure> smallest;
    for (std::size_t family = 0; family < kFamilies; ++family) {
      std::optional<Failure> failure = trial.run(family, length);
      if (!failure) continue;
      for (std::size_t low = right; failure->length - low > 1;) {
        const std::size_t middle = low + (failure->length - low) / 2;
        if (auto shorter = trial.run(family, middle)) failure = shorter;
        else low = middle;
      }
      if (!smallest || failure->length < smallest->length) smallest = failure;
    }
    if (smallest) return smallest;
    right = length;
    length = std::max(length + 1, static_cast<std::size_t>(static_cast<double>(length) * search.step));
  }
  return std::nullopt;
}

}  // namespace quench::verify
