#include "export/hf/model_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "model/file.h"

namespace quench::exports {

namespace {

/// As a block of code by indentation, which no text can end.
std::string indented(const std::string& text) {
  std::string block;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) block += "    " + line + "\n";
  return block;
}

}  // namespace

std::string model_card(const model::Transformer& model, const StockDecoder& decoder, const Pins& pins,
                       std::size_t context) {
  std::string card =
      "---\nlibrary_name: transformers\npipeline_tag: token-classification\ntags: [quench, compiled, "
      "interpretability]\n"
      "---\n\n# A rule compiled into GPT-2\n\n"
      "These weights were not trained. Quench compiled them from this rule:\n\n" +
      indented(model.source);
  card += fmt::format(
      "\nThe answer at a position is the label with the greatest logit there: {}.\n\n"
      "| | |\n|---|---|\n| recipe | {} |\n| size | {} layers, {} heads of {}, width {} |\n| longest word | {} |\n"
      "| coordinates of the rule | 0 to {} |\n\n",
      fmt::join(decoder.readout.labels, ", "), model.recipe, decoder.layers.size(), decoder.shape.heads,
      decoder.shape.d_head, decoder.shape.width, context, decoder.data_width - 1);
  card +=
      "## Loading\n\n```python\nfrom transformers import AutoModelForTokenClassification, AutoTokenizer\n\n"
      "tokenizer = AutoTokenizer.from_pretrained(\".\")\n"
      "model = AutoModelForTokenClassification.from_pretrained(\".\").eval()\n"
      "logits = model(**tokenizer(word, return_tensors=\"pt\")).logits[0]\n"
      "print([model.config.id2label[int(label)] for label in logits.argmax(-1)])\n```\n\n"
      "`AutoModelForSequenceClassification` gives the answer at the last position. Batches are padded on the "
      "right.\n\n";
  card += fmt::format(
      "## Inside\n\nLayer normalisation is the identity, to rounding: coordinates {0} (0 for ever), {1} (minus the sum "
      "of "
      "the others) and the last ones (±{2:g}, constant) see to that, and every gain is {3:g}. So `hidden_states` hold, "
      "in the "
      "coordinates 0 to {4}, what `quench trace` shows.\n\n",
      decoder.data_width, decoder.data_width + 1, pins.constant, pins.gain, decoder.data_width - 1);
  card += fmt::format(
      "## What is promised\n\n{} It is about the network without layer normalisation, whose rounding it does not "
      "cover.\n\n"
      "Fingerprint of the model: `{}`\n",
      model.certificate.empty() ? "The model had no certificate when it was exported."
                                : "The model had a certificate when it was exported, which stays with its own file.",
      model::fingerprint(model));
  return card;
}

}  // namespace quench::exports
