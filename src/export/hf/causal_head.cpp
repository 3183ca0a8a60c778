#include "export/hf/causal_head.h"

#include <algorithm>

namespace quench::exports {
namespace {

constexpr double kNever = -40;  // e⁻⁴⁰ beside an answer's logit of at least 0

bool puts_out_single_symbols(const model::Output& output) {
  if (output.kind != model::OutputKind::string && !has_scores(output)) return false;
  return std::all_of(output.cases.begin(), output.cases.end(), [](const auto& one) { return one.symbols.size() == 1; });
}

}  // namespace

std::optional<Matrix> causal_head(const model::Transformer& model, const StockDecoder& decoder,
                                  std::size_t vocabulary) {
  if (!puts_out_single_symbols(model.output)) return std::nullopt;
  const std::size_t width = decoder.readout.weight.cols, unknown = model.alphabet.size();
  Matrix head(vocabulary, width);
  for (std::size_t token = 0; token < vocabulary; ++token) {
    head(token, decoder.one) = kNever;
    head(token, decoder.data_width) = -kNever;  // ground: what a reader's weights sum to there
  }
  const auto copy_row = [&](std::size_t token, std::size_t label) {
    for (std::size_t c = 0; c < width; ++c) head(token, c) = decoder.readout.weight(label, c);
  };
  const std::size_t cases = model.output.cases.size();
  if (decoder.readout.labels.size() > cases) copy_row(unknown, cases);  // none of the cases
  for (std::size_t label = cases; label-- > 0;) {  // of several cases of one symbol the first counts
    const Symbol symbol = model.alphabet.find(model.output.cases[label].symbols.front());
    copy_row(symbol == kUnmentioned ? unknown : static_cast<std::size_t>(symbol), label);
  }
  return head;
}

}  // namespace quench::exports
