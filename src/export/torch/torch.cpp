#include "export/torch/torch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "export/hf/tokenizer.h"
#include "export/readout.h"
#include "export/torch/python_sources.h"
#include "export/torch/stacked.h"
#include "model/file/document.h"

namespace quench::exports {
namespace {

using Json = nlohmann::ordered_json;

/// Longest word of a tokenizer without a table of positions behind it.
constexpr std::size_t kNoTable = 1'000'000;

/// A certificate is about the file it was made for.
std::string bare_document(const model::Transformer& model) {
  model::Transformer bare = model;
  bare.certificate.clear();
  return model::write_document(bare);
}

ExportedFile source_file(const std::string& name) { return {name, std::string(python_source(name))}; }

/// Numbers have no labels; there the logit is the coordinate itself.
std::vector<std::string> labels_of(const model::Transformer& model) {
  const auto kind = model.output.kind;
  if (kind == model::OutputKind::integer || kind == model::OutputKind::whole) return {"value"};
  if (kind == model::OutputKind::ratios) return case_names(model);
  return readout_of(model).labels;
}

Json custom_config(const model::Transformer& model, const Tensors& tensors, bool single) {
  Json config;
  config["architectures"] = {"QuenchForTokenClassification"};
  config["model_type"] = "quench";
  config["auto_map"] = {{"AutoConfig", "modeling_quench.QuenchConfig"},
                        {"AutoModelForTokenClassification", "modeling_quench.QuenchForTokenClassification"},
                        {"AutoModelForSequenceClassification", "modeling_quench.QuenchForSequenceClassification"}};
  config["pad_token_id"] = special_tokens(model.alphabet, false).padding_id;
  config["id2label"] = config["label2id"] = Json::object();
  for (const std::string& label : labels_of(model)) {
    const std::size_t number = config["id2label"].size();
    config["id2label"][std::to_string(number)] = label;
    config["label2id"][label] = number;
  }
  config["dtype"] = single ? "float32" : "float64";
  config["shapes"] = stacked_shapes(tensors);
  config["document"] = Json::parse(bare_document(model));
  return config;
}

std::string custom_card(const model::Transformer& model) {
  std::string card =
      "---\nlibrary_name: transformers\ntags: [quench, compiled, interpretability]\n---\n\n"
      "# A compiled rule\n\nThese weights were not trained. Quench compiled them, by its recipe " +
      model.recipe +
      ", from the rule that `config.json` names under `document.source`.\n\n```python\n"
      "from transformers import AutoModelForTokenClassification, AutoTokenizer\n\n"
      "tokenizer = AutoTokenizer.from_pretrained(\".\", trust_remote_code=True)\n"
      "model = AutoModelForTokenClassification.from_pretrained(\".\", trust_remote_code=True).eval()\n"
      "model(**tokenizer(words, return_tensors=\"pt\", padding=True)).logits.argmax(-1)\n```\n";
  return card;
}

}  // namespace

std::vector<ExportedFile> torch(const model::Transformer& model, model::TensorType type) {
  const std::vector<std::pair<std::string, std::string>> metadata{{"format", "pt"}, {"quench", bare_document(model)}};
  return {{"model.safetensors", stacked(tensors_of(model), "").bytes(type, metadata)}, source_file("quench_torch.py")};
}

std::vector<ExportedFile> hf_custom(const model::Transformer& model, model::TensorType type) {
  const Tensors tensors = tensors_of(model);
  const SpecialTokens special = special_tokens(model.alphabet, false);
  return {{"config.json", custom_config(model, tensors, type == model::TensorType::f32).dump(2) + "\n"},
          {"model.safetensors", stacked(tensors, "network.").bytes(type, {{"format", "pt"}})},
          {"tokenizer.json", tokenizer_json(model.alphabet, special)},
          {"tokenizer_config.json", tokenizer_config_json(special, kNoTable)},
          source_file("modeling_quench.py"),
          source_file("quench_torch.py"),
          {"README.md", custom_card(model)}};
}

}  // namespace quench::exports
