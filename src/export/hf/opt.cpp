#include "export/hf/opt.h"

#include <fmt/format.h>

#include "export/hf/gpt2.h"

namespace quench::exports {

namespace {

constexpr std::size_t kPositionOffset = 2;  // OPT's embed_positions

Matrix shifted(const Matrix& positions) {
  Matrix table(positions.rows + kPositionOffset, positions.cols);
  for (std::size_t row = 0; row < positions.rows; ++row)
    for (std::size_t c = 0; c < positions.cols; ++c) table(row + kPositionOffset, c) = positions(row, c);
  return table;
}

/// Head after head, as rows.
Matrix stacked_heads(const LayerTensors& layer, const StockShape& shape, Matrix HeadTensors::*which) {
  Matrix stacked(shape.width, shape.width);
  for (std::size_t head = 0; head < shape.heads; ++head)
    for (std::size_t component = 0; component < shape.d_head; ++component)
      for (std::size_t c = 0; c < shape.width; ++c)
        stacked(head * shape.d_head + component, c) = (layer.heads[head].*which)(component, c);
  return stacked;
}

}  // namespace

Checkpoint opt_checkpoint(const StockFolder& folder) {
  const StockDecoder& decoder = folder.decoder;
  const std::size_t width = decoder.shape.width;
  Checkpoint checkpoint;
  const auto normalisation = [&](const std::string& name) { add_normalisation(checkpoint, folder, name); };
  const std::string root = "model.decoder.";
  checkpoint.add(root + "embed_tokens.weight", tokens_with_padding(folder));
  checkpoint.add(root + "embed_positions.weight", shifted(decoder.positions));
  for (std::size_t l = 0; l < decoder.layers.size(); ++l) {
    const LayerTensors& layer = decoder.layers[l];
    const std::string block = fmt::format("{}layers.{}.", root, l);
    const auto projection = [&](const char* name, const Matrix& weight) {
      checkpoint.add(fmt::format("{}self_attn.{}.weight", block, name), weight);
      checkpoint.add_constant(fmt::format("{}self_attn.{}.bias", block, name), {width});
    };
    projection("q_proj", stacked_heads(layer, decoder.shape, &HeadTensors::q));
    projection("k_proj", stacked_heads(layer, decoder.shape, &HeadTensors::k));
    projection("v_proj", stacked_heads(layer, decoder.shape, &HeadTensors::v));
    projection("out_proj", transposed(joined_outputs(layer, decoder.shape)));
    normalisation(block + "self_attn_layer_norm");
    checkpoint.add(block + "fc1.weight", layer.w1);
    checkpoint.add(block + "fc1.bias", layer.b1);
    checkpoint.add(block + "fc2.weight", layer.w2);
    checkpoint.add(block + "fc2.bias", layer.b2);
    normalisation(block + "final_layer_norm");
  }
  normalisation(root + "final_layer_norm");
  checkpoint.add("score.weight", decoder.readout.weight);
  if (folder.causal) checkpoint.add("lm_head.weight", *folder.causal);
  return checkpoint;
}

nlohmann::ordered_json opt_config(const StockFolder& folder, model::TensorType type) {
  const StockDecoder& decoder = folder.decoder;
  nlohmann::ordered_json config;
  config["architectures"] = {folder.causal ? "OPTForCausalLM" : "OPTForSequenceClassification"};
  config["model_type"] = "opt";
  config["activation_function"] = "relu";
  for (const char* dropout : {"dropout", "attention_dropout", "activation_dropout", "layerdrop"}) config[dropout] = 0.0;
  config["vocab_size"] = folder.vocabulary();
  config["max_position_embeddings"] = decoder.positions.rows;
  config["hidden_size"] = decoder.shape.width;
  config["word_embed_proj_dim"] = decoder.shape.width;
  config["num_hidden_layers"] = decoder.layers.size();
  config["num_attention_heads"] = decoder.shape.heads;
  config["ffn_dim"] = decoder.shape.hidden;
  config["do_layer_norm_before"] = true;
  config["_remove_final_layer_norm"] = false;
  config["enable_bias"] = true;
  config["layer_norm_elementwise_affine"] = true;
  config["tie_word_embeddings"] = false;
  config["bos_token_id"] = folder.special.first ? nlohmann::ordered_json(folder.special.first_id) : nullptr;
  config["eos_token_id"] = nullptr;
  config["pad_token_id"] = folder.special.padding_id;
  add_labels(config, folder, type);
  return config;
}

}  // namespace quench::exports
