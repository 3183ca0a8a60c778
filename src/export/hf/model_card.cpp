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

/// What is certified, in sentences.
std::string promise_text(const std::optional<model::FolderCertificate>& certificate) {
  if (!certificate)
    return "Nothing is certified of a folder with a first token: its part of the scores is not in the proof.";
  std::string text;
  for (const model::FolderEntry& entry : certificate->entries) {
    const char* engines =
        entry.moments == model::Moments::any
            ? "engines of every kind (mean and variance by sums in any order, or by updating as PyTorch "
              "does)"
            : "engines whose layer normalisation forms mean and variance by sums, in any order";
    if (entry.length > 0)
      text += fmt::format("- right on **every word up to length {}** in {}, in {}.\n", entry.length,
                          to_string(certificate->format), engines);
    else
      text += fmt::format("- nothing is certified for {}: {}.\n", engines, entry.reason);
  }
  return text + "\nThat covers the rounding of layer normalisation. `quench check` on this folder derives it again.";
}

std::string loading(const StockFolder& folder, Architecture architecture) {
  if (architecture == Architecture::gpt2)
    return "```python\nfrom transformers import AutoModelForTokenClassification, AutoTokenizer\n\n"
           "tokenizer = AutoTokenizer.from_pretrained(\".\")\n"
           "model = AutoModelForTokenClassification.from_pretrained(\".\").eval()\n"
           "logits = model(**tokenizer(word, return_tensors=\"pt\")).logits[0]\n"
           "print([model.config.id2label[int(label)] for label in logits.argmax(-1)])\n```\n\n"
           "`AutoModelForSequenceClassification` gives the answer at the last position. Batches are padded on the "
           "right.\n\n";
  std::string text =
      "```python\nfrom transformers import AutoModelForSequenceClassification, AutoTokenizer\n\n"
      "tokenizer = AutoTokenizer.from_pretrained(\".\")\n"
      "model = AutoModelForSequenceClassification.from_pretrained(\".\").eval()\n"
      "inputs = tokenizer(word, return_tensors=\"pt\")\n"
      "print(model.config.id2label[int(model(**inputs).logits.argmax(-1))])  # at the last position\n"
      "model.score(model.model(**inputs).last_hidden_state).argmax(-1)       # at every position\n```\n\n"
      "OPT has no class for token classification. Batches are padded on the right.\n\n";
  if (folder.causal) text += "`AutoModelForCausalLM` goes on with the answers.\n\n";
  return text;
}

}  // namespace

std::string model_card(const model::Transformer& model, const StockFolder& folder, const FolderOptions& options,
                       const std::optional<model::FolderCertificate>& certificate) {
  const StockDecoder& decoder = folder.decoder;
  const bool opt = options.architecture == Architecture::opt;
  std::string card = fmt::format(
      "---\nlibrary_name: transformers\npipeline_tag: {}\ntags: [quench, compiled, interpretability]\n"
      "---\n\n# A rule compiled into {}\n\n"
      "These weights were not trained. Quench compiled them from this rule:\n\n",
      opt ? "text-classification" : "token-classification", opt ? "OPT" : "GPT-2");
  card += indented(model.source);
  card += fmt::format(
      "\nThe answer at a position is the label with the greatest logit there: {}.\n\n"
      "| | |\n|---|---|\n| recipe | {} |\n| size | {} layers, {} heads of {}, width {} |\n| longest word | {} |\n"
      "| coordinates of the rule | 0 to {} |\n\n",
      fmt::join(decoder.readout.labels, ", "), model.recipe, decoder.layers.size(), decoder.shape.heads,
      decoder.shape.d_head, decoder.shape.width, options.context, decoder.data_width - 1);
  card += "## Loading\n\n" + loading(folder, options.architecture);
  if (folder.special.first)
    card += fmt::format(
        "Every word begins with `{}`, which the tokenizer puts there and no head sees; labels of the word "
        "start at the position after it.\n\n",
        *folder.special.first);
  card += fmt::format(
      "## Inside\n\nLayer normalisation is the identity, to rounding: coordinates {0} (0 for ever), {1} (minus the sum "
      "of the others) and the last ones (±{2:g}, constant) see to that, and every gain is {3:g}. So `hidden_states` "
      "hold, in the coordinates 0 to {4}, what `quench trace` shows.\n\n",
      decoder.data_width, decoder.data_width + 1, folder.pins.constant, folder.pins.gain, decoder.data_width - 1);
  card += fmt::format("## What is promised\n\n{}\n\nFingerprint of the model, which is `{}`: `{}`\n",
                      promise_text(certificate), model::kFolderModelFile, model::fingerprint(model));
  return card;
}

}  // namespace quench::exports
