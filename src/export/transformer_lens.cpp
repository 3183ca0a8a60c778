#include "export/transformer_lens.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "export/hf/tokenizer.h"
#include "export/stock_decoder.h"

namespace quench::exports {

namespace {

using Json = nlohmann::ordered_json;

/// The matrices of all heads of a layer, each turned around: TransformerLens multiplies from the right.
std::vector<Matrix> turned(const LayerTensors& layer, Matrix HeadTensors::*which) {
  std::vector<Matrix> stack;
  for (const HeadTensors& head : layer.heads) stack.push_back(transposed(head.*which));
  return stack;
}

Checkpoint checkpoint_of(const StockDecoder& decoder) {
  const StockShape& shape = decoder.shape;
  Checkpoint checkpoint;
  checkpoint.add("embed.W_E", decoder.tokens);
  checkpoint.add("pos_embed.W_pos", decoder.positions);
  for (std::size_t l = 0; l < decoder.layers.size(); ++l) {
    const LayerTensors& layer = decoder.layers[l];
    const std::string block = fmt::format("blocks.{}.", l);
    checkpoint.add(block + "attn.W_Q", turned(layer, &HeadTensors::q));
    checkpoint.add(block + "attn.W_K", turned(layer, &HeadTensors::k));
    checkpoint.add(block + "attn.W_V", turned(layer, &HeadTensors::v));
    checkpoint.add(block + "attn.W_O", turned(layer, &HeadTensors::o));
    for (const char* bias : {"b_Q", "b_K", "b_V"})
      checkpoint.add_constant(block + "attn." + bias, {shape.heads, shape.d_head});
    checkpoint.add_constant(block + "attn.b_O", {shape.width});
    checkpoint.add(block + "mlp.W_in", transposed(layer.w1));
    checkpoint.add(block + "mlp.b_in", layer.b1);
    checkpoint.add(block + "mlp.W_out", transposed(layer.w2));
    checkpoint.add(block + "mlp.b_out", layer.b2);
  }
  checkpoint.add("unembed.W_U", transposed(decoder.readout.weight));
  checkpoint.add("unembed.b_U", decoder.readout.bias);
  return checkpoint;
}

Json config_of(const model::Transformer& model, const StockDecoder& decoder, bool single) {
  Json config;
  config["model_name"] = "quench";
  config["n_layers"] = decoder.layers.size();
  config["d_model"] = decoder.shape.width;
  config["n_ctx"] = decoder.positions.rows;
  config["n_heads"] = decoder.shape.heads;
  config["d_head"] = decoder.shape.d_head;
  config["d_mlp"] = decoder.shape.hidden;
  config["d_vocab"] = decoder.tokens.rows;
  config["d_vocab_out"] = decoder.readout.labels.size();
  config["act_fn"] = "relu";
  config["normalization_type"] = nullptr;
  config["attention_dir"] = "causal";
  config["attn_only"] = false;
  config["positional_embedding_type"] = "standard";
  config["use_attn_scale"] = true;
  config["dtype"] = single ? "torch.float32" : "torch.float64";
  config["original_architecture"] = "Quench";
  // What TransformerLens does not know stands apart: remove it before HookedTransformerConfig.from_dict.
  Json& notes = config["quench"];
  notes["symbols"] = model.alphabet.symbols();
  notes["labels"] = decoder.readout.labels;
  notes["source"] = model.source;
  notes["recipe"] = model.recipe;
  return config;
}

}  // namespace

LensModel lens_model(const model::Transformer& model, std::size_t context, model::TensorType type, bool bos) {
  StockDecoder decoder = stock_decoder(model, context, least_shape(model, bos), bos);
  Json config = config_of(model, decoder, type == model::TensorType::f32);
  config["default_prepend_bos"] = bos;
  if (bos) {  // the tokenizer has padding, too, which is embedded as any other symbol
    const SpecialTokens special = special_tokens(model.alphabet, true);
    decoder.tokens = padded(decoder.tokens, decoder.tokens.rows + 1, decoder.tokens.cols);
    for (std::size_t c = 0; c < decoder.tokens.cols; ++c)
      decoder.tokens(special.padding_id, c) = decoder.tokens(special.unknown_id, c);
    config["d_vocab"] = decoder.tokens.rows;
    config["quench"]["bos"] = special.first_id;
  }
  return {checkpoint_of(decoder), config.dump(2) + "\n"};
}

std::vector<ExportedFile> transformer_lens(const model::Transformer& model, std::size_t context, model::TensorType type,
                                           bool bos) {
  LensModel lens = lens_model(model, context, type, bos);
  std::vector<ExportedFile> files{{"model.safetensors", lens.checkpoint.bytes(type, {{"format", "pt"}})},
                                  {"config.json", std::move(lens.config)}};
  if (bos) {
    const SpecialTokens special = special_tokens(model.alphabet, true);
    const std::size_t positions = Json::parse(files.back().content)["n_ctx"];
    files.push_back({"tokenizer.json", tokenizer_json(model.alphabet, special)});
    files.push_back({"tokenizer_config.json", tokenizer_config_json(special, positions)});
  }
  return files;
}

}  // namespace quench::exports
