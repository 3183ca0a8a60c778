#include "export/hf/gpt2.h"

#include <fmt/format.h>

namespace quench::exports {

namespace {

/// c_attn: input × (queries, keys, values), each of them head after head.
Matrix joined_projections(const LayerTensors& layer, const StockShape& shape) {
  Matrix joined(shape.width, 3 * shape.width);
  std::size_t part = 0;
  for (Matrix HeadTensors::*which : {&HeadTensors::q, &HeadTensors::k, &HeadTensors::v}) {
    for (std::size_t head = 0; head < shape.heads; ++head)
      for (std::size_t component = 0; component < shape.d_head; ++component)
        for (std::size_t c = 0; c < shape.width; ++c)
          joined(c, part * shape.width + head * shape.d_head + component) = (layer.heads[head].*which)(component, c);
    ++part;
  }
  return joined;
}

}  // namespace

Checkpoint gpt2_checkpoint(const StockFolder& folder) {
  const StockDecoder& decoder = folder.decoder;
  const std::size_t width = decoder.shape.width;
  Checkpoint checkpoint;
  const auto normalisation = [&](const std::string& name) { add_normalisation(checkpoint, folder, name); };
  checkpoint.add("transformer.wte.weight", tokens_with_padding(folder));
  checkpoint.add("transformer.wpe.weight", decoder.positions);
  for (std::size_t l = 0; l < decoder.layers.size(); ++l) {
    const LayerTensors& layer = decoder.layers[l];
    const std::string block = fmt::format("transformer.h.{}.", l);
    normalisation(block + "ln_1");
    checkpoint.add(block + "attn.c_attn.weight", joined_projections(layer, decoder.shape));
    checkpoint.add_constant(block + "attn.c_attn.bias", {3 * width});
    checkpoint.add(block + "attn.c_proj.weight", joined_outputs(layer, decoder.shape));
    checkpoint.add_constant(block + "attn.c_proj.bias", {width});
    normalisation(block + "ln_2");
    checkpoint.add(block + "mlp.c_fc.weight", transposed(layer.w1));
    checkpoint.add(block + "mlp.c_fc.bias", layer.b1);
    checkpoint.add(block + "mlp.c_proj.weight", transposed(layer.w2));
    checkpoint.add(block + "mlp.c_proj.bias", layer.b2);
  }
  normalisation("transformer.ln_f");
  checkpoint.add("classifier.weight", decoder.readout.weight);
  checkpoint.add("classifier.bias", decoder.readout.bias);
  checkpoint.add("score.weight", decoder.readout.weight);
  if (folder.causal) checkpoint.add("lm_head.weight", *folder.causal);
  return checkpoint;
}

void add_labels(nlohmann::ordered_json& config, const StockFolder& folder, model::TensorType type) {
  nlohmann::ordered_json names = nlohmann::ordered_json::object(), numbers = nlohmann::ordered_json::object();
  const std::vector<std::string>& labels = folder.decoder.readout.labels;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    names[std::to_string(label)] = labels[label];
    numbers[labels[label]] = label;
  }
  config["id2label"] = names;
  config["label2id"] = numbers;
  config["torch_dtype"] = type == model::TensorType::f32 ? "float32" : "float64";
}

nlohmann::ordered_json gpt2_config(const StockFolder& folder, model::TensorType type) {
  const StockDecoder& decoder = folder.decoder;
  nlohmann::ordered_json config;
  config["architectures"] = {"GPT2ForTokenClassification"};
  config["model_type"] = "gpt2";
  config["activation_function"] = "relu";
  for (const char* dropout : {"attn_pdrop", "embd_pdrop", "resid_pdrop", "classifier_dropout"}) config[dropout] = 0.0;
  config["vocab_size"] = folder.vocabulary();
  config["n_positions"] = decoder.positions.rows;
  config["n_embd"] = decoder.shape.width;
  config["n_layer"] = decoder.layers.size();
  config["n_head"] = decoder.shape.heads;
  config["n_inner"] = decoder.shape.hidden;
  config["layer_norm_epsilon"] = 1e-5;
  config["scale_attn_weights"] = true;
  config["tie_word_embeddings"] = false;
  config["bos_token_id"] = folder.special.first ? nlohmann::ordered_json(folder.special.first_id) : nullptr;
  config["eos_token_id"] = nullptr;
  config["pad_token_id"] = folder.special.padding_id;
  add_labels(config, folder, type);
  return config;
}

}  // namespace quench::exports
