#include "verify/comparison.h"

#include <algorithm>
#include <bit>

#include "oracle/evaluate.h"

namespace quench::verify {

Comparison::Comparison(const model::Transformer& model, const lang::Formula& formula, const run::Options& options,
                       run::Engine engine)
    : formula_(formula), executor_(model, options, engine, /*parallel=*/false), joint_(formula.alphabet) {
  if (!formula.closed)
    for (const std::string& symbol : model.alphabet.symbols()) joint_.intern(symbol);
  for (std::size_t s = 0; s < joint_.size(); ++s) {
    model_symbol_.push_back(model.alphabet.find(joint_.symbols()[s]));
    formula_symbol_.push_back(formula.alphabet.find(joint_.symbols()[s]));
  }
  if (formula.closed) return;
  model_symbol_.push_back(kUnmentioned);
  formula_symbol_.push_back(kUnmentioned);
}

Comparison::Outcome Comparison::compare(const Word& word, Scratch& scratch) const {
  scratch.for_model.clear();
  scratch.for_formula.clear();
  for (const Symbol s : word) {
    scratch.for_model.push_back(model_symbol_[static_cast<std::size_t>(s)]);
    scratch.for_formula.push_back(formula_symbol_[static_cast<std::size_t>(s)]);
  }
  executor_.outputs(scratch.for_model, scratch.workspace, scratch.outputs);
  const std::vector<std::uint8_t> got = run::booleans(scratch.outputs);
  const std::vector<std::uint8_t> expected = oracle::evaluate(formula_, scratch.for_formula);
  Outcome outcome;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (got[i] == expected[i]) continue;
    if (outcome.differences++ == 0) outcome.position = i + 1, outcome.expected = expected[i];
  }
  return outcome;
}

std::uint64_t Comparison::compare_many(const std::vector<Word>& words, Scratch& scratch,
                                       std::vector<std::size_t>& failed) const {
  const std::size_t n = words.front().size(), lanes = words.size();
  std::uint64_t differences = 0;
  if (!executor_.planes() || !scratch.oracle.covers(n)) {
    for (std::size_t w = 0; w < lanes; ++w)
      if (const std::uint64_t count = compare(words[w], scratch).differences; count > 0)
        differences += count, failed.push_back(w);
    return differences;
  }
  scratch.batch.n = n;
  scratch.batch.words = lanes;
  scratch.batch.symbols.resize(n * lanes);
  scratch.for_formula.resize(n * lanes);
  for (std::size_t w = 0; w < lanes; ++w)
    for (std::size_t i = 0; i < n; ++i) {
      const auto s = static_cast<std::size_t>(words[w][i]);
      scratch.batch.symbols[i * lanes + w] = model_symbol_[s];
      scratch.for_formula[i * lanes + w] = formula_symbol_[s];
    }
  executor_.planes()->outputs(scratch.batch, scratch.workspace.planes, scratch.outputs);
  for (std::size_t first = 0; first < lanes; first += kSlice) {
    const std::size_t count = std::min(kSlice, lanes - first);
    const std::vector<std::uint64_t>& expected =
        scratch.oracle.evaluate(n, count, scratch.for_formula.data() + first, lanes);
    std::uint64_t wrong_words = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t got = 0;
      const double* output = scratch.outputs.data() + i * lanes + first;
      for (std::size_t w = 0; w < count; ++w) got |= static_cast<std::uint64_t>(output[w] >= 0.5 ? 1 : 0) << w;
      const std::uint64_t used = count == kSlice ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
      const std::uint64_t wrong = (got ^ expected[i]) & used;
      differences += static_cast<std::uint64_t>(std::popcount(wrong));
      wrong_words |= wrong;
    }
    for (; wrong_words != 0; wrong_words &= wrong_words - 1)
      failed.push_back(first + static_cast<std::size_t>(std::countr_zero(wrong_words)));
  }
  return differences;
}

Counterexample Comparison::counterexample(const Word& word) const {
  Scratch scratch(*this);
  const Outcome outcome = compare(word, scratch);
  return {text(word), outcome.position, outcome.expected ? "1" : "0", outcome.expected ? "0" : "1"};
}

std::string Comparison::text(Word word) const {
  for (Symbol& s : word)
    if (s == static_cast<Symbol>(mentioned())) s = kUnmentioned;
  return joint_.print(word);
}

}  // namespace quench::verify
