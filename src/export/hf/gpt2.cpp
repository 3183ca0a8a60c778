#include "export/hf/gpt2.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "export/checkpoint.h"
#include "export/hf/causal_head.h"
#include "export/hf/model_card.h"
#include "export/hf/pins.h"
#include "export/hf/tokenizer.h"
#include "export/ranges.h"
#include "export/stock_decoder.h"

namespace quench::exports {

namespace {

using Json = nlohmann::ordered_json;

/// One row more than the model has: padding, which no position before it sees, embedded as any other symbol.
Matrix with_padding(const Matrix& tokens) {
  Matrix result(tokens.rows + 1, tokens.cols);
  std::copy(tokens.data.begin(), tokens.data.end(), result.data.begin());
  std::copy(tokens.data.end() - static_cast<std::ptrdiff_t>(tokens.cols), tokens.data.end(),
            result.data.end() - static_cast<std::ptrdiff_t>(tokens.cols));
  return result;
}

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

/// c_proj: (head after head) × output.
Matrix joined_outputs(const LayerTensors& layer, const StockShape& shape) {
  Matrix joined(shape.width, shape.width);
  for (std::size_t head = 0; head < shape.heads; ++head)
    for (std::size_t component = 0; component < shape.d_head; ++component)
      for (std::size_t c = 0; c < shape.width; ++c)
        joined(head * shape.d_head + component, c) = layer.heads[head].o(c, component);
  return joined;
}

Checkpoint checkpoint_of(const StockDecoder& decoder, const Pins& pins) {
  const std::size_t width = decoder.shape.width;
  Checkpoint checkpoint;
  const auto normalisation = [&](const std::string& name) {
    checkpoint.add_constant(name + ".weight", {width}, pins.gain);
    checkpoint.add_constant(name + ".bias", {width});
  };
  checkpoint.add("transformer.wte.weight", with_padding(decoder.tokens));
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
  return checkpoint;
}

Json config_of(const StockDecoder& decoder, const SpecialTokens& special, bool single) {
  Json config;
  config["architectures"] = {"GPT2ForTokenClassification"};
  config["model_type"] = "gpt2";
  config["activation_function"] = "relu";
  for (const char* dropout : {"attn_pdrop", "embd_pdrop", "resid_pdrop", "classifier_dropout"}) config[dropout] = 0.0;
  config["vocab_size"] = decoder.tokens.rows + 1;
  config["n_positions"] = decoder.positions.rows;
  config["n_embd"] = decoder.shape.width;
  config["n_layer"] = decoder.layers.size();
  config["n_head"] = decoder.shape.heads;
  config["n_inner"] = decoder.shape.hidden;
  config["layer_norm_epsilon"] = 1e-5;
  config["scale_attn_weights"] = true;
  config["tie_word_embeddings"] = false;
  config["bos_token_id"] = nullptr;
  config["eos_token_id"] = nullptr;
  config["pad_token_id"] = special.padding_id;
  Json names = Json::object(), numbers = Json::object();
  for (std::size_t label = 0; label < decoder.readout.labels.size(); ++label) {
    names[std::to_string(label)] = decoder.readout.labels[label];
    numbers[decoder.readout.labels[label]] = label;
  }
  config["id2label"] = names;
  config["label2id"] = numbers;
  config["torch_dtype"] = single ? "float32" : "float64";
  return config;
}

}  // namespace

std::vector<ExportedFile> gpt2(const model::Transformer& model, std::size_t context, model::TensorType type) {
  require_stock_decoder(model);
  StockDecoder decoder = stock_decoder(model, context, shape_with_pins(least_shape(model)));
  const Pins pins = add_pins(decoder, magnitudes(model, context));
  const SpecialTokens special = special_tokens(model.alphabet);
  const Json config = config_of(decoder, special, type == model::TensorType::f32);
  const Json generation{{"pad_token_id", special.padding_id}, {"do_sample", false}};
  Checkpoint checkpoint = checkpoint_of(decoder, pins);
  if (const auto head = causal_head(model, decoder, decoder.tokens.rows + 1)) checkpoint.add("lm_head.weight", *head);
  return {{"config.json", config.dump(2) + "\n"},
          {"model.safetensors", checkpoint.bytes(type, {{"format", "pt"}})},
          {"tokenizer.json", tokenizer_json(model.alphabet, special)},
          {"tokenizer_config.json", tokenizer_config_json(special, context)},
          {"generation_config.json", generation.dump(2) + "\n"},
          {"README.md", model_card(model, decoder, pins, context)}};
}

}  // namespace quench::exports
