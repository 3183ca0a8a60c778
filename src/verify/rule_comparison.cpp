#include "verify/rule_comparison.h"

#include "run/answers.h"

namespace quench::verify {

RuleComparison::RuleComparison(const model::Transformer& model, lang::Rule rule, const run::Options& options,
                               run::Engine engine)
    : rule_(std::move(rule)),
      executor_(model, options, engine, /*parallel=*/false),
      answers_(model, rule_),
      joint_(lang::alphabet(rule_)) {
  const bool closed = lang::closed(rule_);
  if (!closed)
    for (const std::string& symbol : model.alphabet.symbols()) joint_.intern(symbol);
  for (const std::string& symbol : joint_.symbols()) {
    model_symbol_.push_back(model.alphabet.find(symbol));
    rule_symbol_.push_back(lang::alphabet(rule_).find(symbol));
  }
  if (closed) return;
  model_symbol_.push_back(kUnmentioned);
  rule_symbol_.push_back(kUnmentioned);
}

std::vector<RuleComparison::Answers> RuleComparison::got(const std::vector<Word>& words, Scratch& scratch) const {
  run::Batch& batch = scratch.batch;
  batch.n = words.front().size();
  batch.words = words.size();
  batch.symbols.resize(batch.n * batch.words);
  for (std::size_t w = 0; w < batch.words; ++w)
    for (std::size_t i = 0; i < batch.n; ++i)
      batch.symbols[i * batch.words + w] = model_symbol_[static_cast<std::size_t>(words[w][i])];
  return run::answers(answers_.model(), executor_, batch, scratch.workspace);
}

RuleComparison::Answers RuleComparison::expected(const Word& word) const {
  Word own;
  for (const Symbol s : word) own.push_back(rule_symbol_[static_cast<std::size_t>(s)]);
  return answers_.as_model_answers(oracle::evaluate(rule_, own));
}

bool RuleComparison::differs(const Word& word, Scratch& scratch) const {
  std::vector<std::size_t> failed;
  return compare_many({word}, scratch, failed) > 0;
}

std::uint64_t RuleComparison::compare_many(const std::vector<Word>& words, Scratch& scratch,
                                              std::vector<std::size_t>& failed) const {
  const std::vector<Answers> all = got(words, scratch);
  std::uint64_t differences = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Answers right = expected(words[w]);
    std::uint64_t here = 0;
    for (std::size_t k = 0; k < right.size(); ++k) here += !answers_.agree(right[k], all[w][k]);
    differences += here;
    if (here > 0) failed.push_back(w);
  }
  return differences;
}

Counterexample RuleComparison::counterexample(const Word& word) const {
  Scratch scratch(*this);
  const Answers right = expected(word), wrong = got({word}, scratch).front();
  std::size_t first = 0;
  while (first + 1 < right.size() && answers_.agree(right[first], wrong[first])) ++first;
  const std::size_t per_position = right.size() / word.size();
  return {text(word), first / per_position + 1, answers_.text(right[first], first % per_position),
          answers_.text(wrong[first], first % per_position)};
}

std::string RuleComparison::text(Word word) const {
  for (Symbol& s : word)
    if (s == static_cast<Symbol>(mentioned())) s = kUnmentioned;
  return joint_.print(word);
}

}  // namespace quench::verify
