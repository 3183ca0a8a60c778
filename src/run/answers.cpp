#include "run/answers.h"

#include <cmath>

#include "base/text/word_text.h"

namespace quench::run {

namespace {

std::int64_t rounded(double x) { return std::fabs(x) < 0x1p62 ? std::llround(x) : -1; }

/// at(i, coordinate) is the residual stream of one word, positions counted from 0.
template <class At>
std::vector<std::int64_t> read(const model::Output& output, std::size_t n, At at) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < n; ++i) {
    const auto reads_true = [&](std::uint32_t coordinate) { return at(i, coordinate) >= 0.5; };
    switch (output.kind) {
      case model::OutputKind::boolean:
        result.push_back(reads_true(output.coordinate));
        break;
      case model::OutputKind::integer:
        result.push_back(rounded(at(i, output.coordinate) * static_cast<double>(n)));
        break;
      case model::OutputKind::whole:
        result.push_back(rounded(at(i, output.coordinate)));
        break;
      case model::OutputKind::string: {
        std::int64_t chosen = -1;
        for (std::size_t c = output.cases.size(); c-- > 0;)
          if (reads_true(output.cases[c].coordinate)) chosen = static_cast<std::int64_t>(c);
        result.push_back(chosen);
        break;
      }
      case model::OutputKind::scores:
      case model::OutputKind::ratios:
        for (const model::Output::Case& one : output.cases) {
          const bool ratio = output.kind == model::OutputKind::ratios;
          const double score = ratio ? at(i, one.coordinate) / at(i, output.coordinate) : at(i, one.coordinate);
          result.push_back(std::isnan(score) ? 0 : rounded(score * kScoreUnit));
        }
        break;
    }
  }
  return result;
}

}  // namespace

std::vector<std::int64_t> answers(const model::Transformer& model, const Matrix& residual) {
  return read(model.output, residual.rows,
              [&](std::size_t i, std::uint32_t coordinate) { return residual(i, coordinate); });
}

std::vector<std::vector<std::int64_t>> answers(const model::Transformer& model, const Executor& executor,
                                               const Batch& batch, Executor::Workspace& workspace) {
  std::vector<std::vector<std::int64_t>> result;
  if (const StructuredExecutor* planes = executor.planes()) {
    planes->run(batch, workspace.planes);
    for (std::size_t w = 0; w < batch.words; ++w)
      result.push_back(read(model.output, batch.n, [&](std::size_t i, std::uint32_t coordinate) {
        return planes->value(workspace.planes, coordinate, i * batch.words + w);
      }));
    return result;
  }
  for (std::size_t w = 0; w < batch.words; ++w) {
    Word word(batch.n);
    for (std::size_t i = 0; i < batch.n; ++i) word[i] = batch.symbols[i * batch.words + w];
    result.push_back(answers(model, executor.reference()->run(word, workspace.reference)));
  }
  return result;
}

std::vector<std::int64_t> answers(const model::Transformer& model, const Executor& executor, const Word& word,
                                  Executor::Workspace& workspace) {
  if (model.output.kind != model::OutputKind::boolean) return answers(model, executor, Batch::of(word), workspace).front();
  std::vector<double> outputs;
  executor.outputs(word, workspace, outputs);
  const std::vector<std::uint8_t> truth = booleans(outputs);
  return {truth.begin(), truth.end()};
}

std::string output_text(const model::Transformer& model, const std::vector<std::int64_t>& answers,
                        const std::string& unmentioned) {
  Alphabet alphabet = model.alphabet;  // what is put out is a word that can be put in again
  for (const model::Output::Case& one : model.output.cases)
    for (const std::string& symbol : one.symbols) alphabet.intern(symbol);
  std::vector<std::string> symbols;
  for (const std::int64_t answer : answers) {
    const std::vector<std::string> none{unmentioned};
    const auto& put = answer < 0 ? none : model.output.cases[static_cast<std::size_t>(answer)].symbols;
    symbols.insert(symbols.end(), put.begin(), put.end());
  }
  return joined_symbols(alphabet, symbols);
}

}  // namespace quench::run
