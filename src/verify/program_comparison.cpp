#include "verify/program_comparison.h"

#include "run/answers.h"

namespace quench::verify {

ProgramComparison::ProgramComparison(const model::Transformer& model, const lang::Program& program,
                                     const run::Options& options, run::Engine engine)
    : rule_(program),
      executor_(model, options, engine, /*parallel=*/false),
      answers_(model, rule_),
      joint_(program.alphabet) {
  for (const std::string& symbol : model.alphabet.symbols()) joint_.intern(symbol);
  for (const std::string& symbol : joint_.symbols()) {
    model_symbol_.push_back(model.alphabet.find(symbol));
    program_symbol_.push_back(program.alphabet.find(symbol));
  }
  model_symbol_.push_back(kUnmentioned);
  program_symbol_.push_back(kUnmentioned);
}

std::vector<ProgramComparison::Answers> ProgramComparison::got(const std::vector<Word>& words, Scratch& scratch) const {
  run::Batch& batch = scratch.batch;
  batch.n = words.front().size();
  batch.words = words.size();
  batch.symbols.resize(batch.n * batch.words);
  for (std::size_t w = 0; w < batch.words; ++w)
    for (std::size_t i = 0; i < batch.n; ++i)
      batch.symbols[i * batch.words + w] = model_symbol_[static_cast<std::size_t>(words[w][i])];
  return run::answers(answers_.model(), executor_, batch, scratch.workspace);
}

ProgramComparison::Answers ProgramComparison::expected(const Word& word) const {
  Word own;
  for (const Symbol s : word) own.push_back(program_symbol_[static_cast<std::size_t>(s)]);
  return answers_.as_model_answers(oracle::evaluate(rule_, own));
}

bool ProgramComparison::differs(const Word& word, Scratch& scratch) const {
  std::vector<std::size_t> failed;
  return compare_many({word}, scratch, failed) > 0;
}

std::uint64_t ProgramComparison::compare_many(const std::vector<Word>& words, Scratch& scratch,
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

Counterexample ProgramComparison::counterexample(const Word& word) const {
  Scratch scratch(*this);
  const Answers right = expected(word), wrong = got({word}, scratch).front();
  std::size_t first = 0;
  while (first + 1 < right.size() && answers_.agree(right[first], wrong[first])) ++first;
  const std::size_t per_position = right.size() / word.size();
  return {text(word), first / per_position + 1, answers_.text(right[first], first % per_position),
          answers_.text(wrong[first], first % per_position)};
}

std::string ProgramComparison::text(Word word) const {
  for (Symbol& s : word)
    if (s + 1 == static_cast<Symbol>(symbols())) s = kUnmentioned;
  return joint_.print(word);
}

}  // namespace quench::verify
