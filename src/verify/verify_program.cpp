// Programs, whose answers may be symbols, strings and integers: word by word, in order, by the reference executor.
#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "run/answers.h"
#include "run/reference.h"
#include "verify/answer_table.h"
#include "verify/verify.h"

namespace quench::verify {
namespace {

/// Words are over the joint alphabet of model and program; its last symbol stands for all that neither mentions.
class ProgramComparison {
 public:
  ProgramComparison(const model::Transformer& model, const lang::Program& program, const run::Options& options)
      : rule_(program), executor_(model, options), answers_(model, rule_), joint_(program.alphabet) {
    for (const std::string& symbol : model.alphabet.symbols()) joint_.intern(symbol);
    for (const std::string& symbol : joint_.symbols()) {
      model_symbol_.push_back(model.alphabet.find(symbol));
      program_symbol_.push_back(program.alphabet.find(symbol));
    }
    model_symbol_.push_back(kUnmentioned);
    program_symbol_.push_back(kUnmentioned);
  }

  std::size_t symbols() const { return model_symbol_.size(); }

  /// Adds one word to the report.
  void take(const Word& word, Report& report) {
    Word for_model, for_program;
    for (const Symbol s : word) {
      for_model.push_back(model_symbol_[static_cast<std::size_t>(s)]);
      for_program.push_back(program_symbol_[static_cast<std::size_t>(s)]);
    }
    const auto got = run::answers(answers_.model(), executor_.run(for_model, workspace_));
    const auto expected = answers_.as_model_answers(oracle::evaluate(rule_, for_program));
    report.words += 1;
    report.positions += word.size();
    std::size_t first = word.size();
    for (std::size_t i = word.size(); i-- > 0;)
      if (got[i] != expected[i]) ++report.differences, first = i;
    const bool smaller = first < word.size() && (!found_ || word.size() < found_->size());
    if (!smaller) return;
    found_ = word;
    report.counterexample = {text(word), first + 1, answers_.text(expected[first]), answers_.text(got[first])};
  }

 private:
  std::string text(Word word) const {
    for (Symbol& s : word)
      if (s + 1 == static_cast<Symbol>(symbols())) s = kUnmentioned;
    return joint_.print(word);
  }

  lang::Rule rule_;
  run::ReferenceExecutor executor_;
  AnswerTable answers_;
  Alphabet joint_;
  std::vector<Symbol> model_symbol_, program_symbol_;  // by joint symbol
  run::ReferenceExecutor::Workspace workspace_;
  std::optional<Word> found_;
};

bool advance(Word& word, std::size_t symbols) {
  for (std::size_t k = word.size(); k-- > 0;) {
    if (++word[k] < static_cast<Symbol>(symbols)) return true;
    word[k] = 0;
  }
  return false;
}

}  // namespace

Report verify(const model::Transformer& model, const lang::Program& program, const Options& options) {
  ProgramComparison comparison(model, program, options.run);
  const std::uint64_t exhaustive = count_words(comparison.symbols(), options.exhaustive);
  if (exhaustive > 1ULL << 48)
    throw UserError("that many words cannot be enumerated; choose a smaller --exhaustive length");
  const std::uint64_t random_count = options.random_length > 0 ? options.random_count : 0;
  Report report;
  const auto progress = [&] {
    if (options.progress && report.words % 256 == 0) options.progress(report.words, exhaustive + random_count);
  };
  for (std::size_t length = 1; length <= static_cast<std::size_t>(std::max(options.exhaustive, 0)); ++length) {
    Word word(length, 0);
    do {
      comparison.take(word, report);
      progress();
    } while (advance(word, comparison.symbols()));
  }
  Random random(options.seed);
  for (std::uint64_t k = 0; k < random_count; ++k) {
    const std::size_t length = k % 2 == 0 ? options.random_length : 1 + random.below(options.random_length);
    comparison.take(random_word(random, comparison.symbols(), false, length), report);
    progress();
  }
  return report;
}

Report verify(const model::Transformer& model, const lang::Rule& rule, const Options& options) {
  return std::visit([&](const auto& r) { return verify(model, r, options); }, rule);
}

std::size_t symbol_count(const model::Transformer& model, const lang::Rule& rule) {
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return symbol_count(model, *formula);
  return ProgramComparison(model, std::get<lang::Program>(rule), {}).symbols();
}

}  // namespace quench::verify
