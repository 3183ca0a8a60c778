#include "run/inspect/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text/word_text.h"
#include "run/answers.h"

namespace quench::run {

namespace {

std::string title_of(int sublayer) {
  if (sublayer == 0) return "embedding";
  return fmt::format("layer {} {}", (sublayer - 1) / 2, sublayer % 2 == 1 ? "attention" : "feed-forward");
}

TracedCoordinate traced(const model::Tenant& tenant, const Matrix& residual) {
  TracedCoordinate result{tenant.name, tenant.coordinate, tenant.boolean, {}, {}, 0};
  for (std::size_t i = 0; i < residual.rows; ++i) result.raw.push_back(residual(i, tenant.coordinate));
  if (!tenant.boolean) return result;
  result.rounded = booleans(result.raw);
  for (std::size_t i = 0; i < residual.rows; ++i) {
    const double distance = std::abs(result.raw[i] - result.rounded[i]);
    if (!(distance <= result.distance)) result.distance = distance;  // NaN wins, and stays
    if (std::isnan(distance)) break;
  }
  return result;
}

void apply(const std::vector<Patch>& patches, const model::Transformer& transformer, int sublayer, Matrix& residual) {
  for (const Patch& patch : patches)
    for (const model::Tenant& tenant : transformer.tenants)
      if (tenant.from == sublayer && tenant.name == patch.coordinate)
        residual(patch.position - 1, tenant.coordinate) = patch.value;
}

}  // namespace

std::vector<std::string> symbol_texts(const Alphabet& alphabet, const Word& word) {
  std::vector<std::string> texts;
  for (const Symbol symbol : word)
    texts.push_back(symbol < 0 ? "·" : alphabet.symbols().at(static_cast<std::size_t>(symbol)));
  return texts;
}

Trace trace(const model::Transformer& transformer, const Word& word, const TraceOptions& options,
            std::vector<std::string> symbols) {
  for (const HeadIndex head : options.ablated) require_head(head, transformer);
  for (const Patch& patch : options.patches) require_patch(patch, transformer, word.size());
  Trace result;
  result.options = options;
  result.symbols = symbols.empty() ? symbol_texts(transformer.alphabet, word) : std::move(symbols);
  if (result.symbols.size() != word.size()) throw InternalError("symbols for display do not match the word");
  result.word = joined_symbols(transformer.alphabet, result.symbols);
  for (const HeadIndex head : options.attention)
    result.attention.push_back(empty_view(transformer, head, options.run, result.symbols));
  Observer observer;
  observer.ablated = [&](HeadIndex head) {
    return std::find(options.ablated.begin(), options.ablated.end(), head) != options.ablated.end();
  };
  observer.residual = [&](int sublayer, Matrix& residual) {
    apply(options.patches, transformer, sublayer, residual);
    if (!options.values) return;
    TraceStep& step = result.steps.emplace_back(TraceStep{sublayer, title_of(sublayer), {}});
    for (const model::Tenant& tenant : transformer.tenants)
      if (tenant.from <= sublayer && sublayer <= tenant.to) step.coordinates.push_back(traced(tenant, residual));
  };
  if (!result.attention.empty())
    observer.row = [&](HeadIndex at, std::size_t i, std::size_t first, const std::vector<double>& weights) {
      for (AttentionView& view : result.attention)
        if (view.index == at) fill_row(view, i, first, weights);
    };
  const Matrix residual = run(transformer, word, options.run, observer);
  result.answers = answers(transformer, residual);
  for (std::size_t i = 0; i < residual.rows; ++i)
    result.outputs.push_back(residual(i, transformer.output.coordinate));
  return result;
}

}  // namespace quench::run
