#include "check/folder/folder.h"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/text/utf8.h"
#include "check/facts.h"
#include "check/folder/layout.h"
#include "model/file/safetensors.h"
#include "model/file/strict_json.h"

namespace quench::check {
namespace {

using Json = nlohmann::json;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("cannot read {}", path.string()));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The tensors of the checkpoint, compared with what has to be in them, name by name.
class TensorCheck {
 public:
  TensorCheck(const std::filesystem::path& path, NumberFormat format)
      : reader_(path), type_(format == NumberFormat::f32 ? model::TensorType::f32 : model::TensorType::f64) {}

  template <class Expected>
  void need(const std::string& name, std::vector<std::uint64_t> shape, Expected expected) {
    const auto found = reader_.tensors().find(name);
    if (found == reader_.tensors().end()) throw Rejected(fmt::format("{} is missing", name));
    if (found->second.shape != shape || found->second.type != type_)
      throw Rejected(fmt::format("{} has another shape or type", name));
    reader_.read(found->second, [&](std::uint64_t index, double value) {
      double wanted = expected(index);
      if (type_ == model::TensorType::f32) wanted = static_cast<double>(static_cast<float>(wanted));
      if (value != wanted)
        throw Rejected(
            fmt::format("{}[{}] is {}, and the model with its pins has {} there", name, index, value, wanted));
    });
    seen_.insert(name);
  }
  void need(const std::string& name, const Matrix& matrix) {
    need(name, {matrix.rows, matrix.cols}, [&](std::uint64_t index) { return matrix.data[index]; });
  }
  void need_transposed(const std::string& name, const Matrix& matrix) {
    need(name, {matrix.cols, matrix.rows},
         [&](std::uint64_t index) { return matrix(index % matrix.rows, index / matrix.rows); });
  }
  void need(const std::string& name, const std::vector<double>& vector) {
    need(name, {vector.size()}, [&](std::uint64_t index) { return vector[index]; });
  }
  void need_all(const std::string& name, std::size_t size, double value) {
    need(name, {size}, [&](std::uint64_t) { return value; });
  }
  void need_normalisation(const std::string& name, const Layout& layout) {
    need_all(name + ".weight", layout.width, layout.gain);
    need_all(name + ".bias", layout.width, 0);
  }
  void need_no_others() const {
    for (const auto& [name, entry] : reader_.tensors())
      if (!seen_.contains(name))
        throw Rejected(fmt::format("a tensor {} that no such model has", model::in_quotes(name)));
  }

 private:
  model::SafetensorsReader reader_;
  model::TensorType type_;
  std::set<std::string> seen_;
};

void need_gpt2(TensorCheck& tensors, const Layout& layout) {
  const std::size_t d = layout.width;
  tensors.need("transformer.wte.weight", layout.tokens);
  tensors.need("transformer.wpe.weight", layout.positions);
  for (std::size_t l = 0; l < layout.layers; ++l) {
    const Layout::Block& block = layout.blocks[l];
    const std::string name = fmt::format("transformer.h.{}.", l);
    tensors.need_normalisation(name + "ln_1", layout);
    tensors.need_normalisation(name + "ln_2", layout);
    tensors.need(name + "attn.c_attn.weight", {d, 3 * d}, [&](std::uint64_t index) {
      const std::size_t row = index / (3 * d), column = index % (3 * d);
      const Matrix& part = column < d ? block.q : column < 2 * d ? block.k : block.v;
      return part(column % d, row);
    });
    tensors.need_all(name + "attn.c_attn.bias", 3 * d, 0);
    tensors.need_transposed(name + "attn.c_proj.weight", block.o);
    tensors.need_all(name + "attn.c_proj.bias", d, 0);
    tensors.need_transposed(name + "mlp.c_fc.weight", block.w1);
    tensors.need(name + "mlp.c_fc.bias", block.b1);
    tensors.need_transposed(name + "mlp.c_proj.weight", block.w2);
    tensors.need(name + "mlp.c_proj.bias", block.b2);
  }
  tensors.need_normalisation("transformer.ln_f", layout);
  tensors.need("classifier.weight", layout.answers);
  tensors.need_all("classifier.bias", layout.labels.size(), 0);
}

void need_opt(TensorCheck& tensors, const Layout& layout) {
  const std::size_t d = layout.width;
  tensors.need("model.decoder.embed_tokens.weight", layout.tokens);
  tensors.need("model.decoder.embed_positions.weight", {layout.context + 2, d},
               [&](std::uint64_t index) { return index < 2 * d ? 0 : layout.positions.data[index - 2 * d]; });
  for (std::size_t l = 0; l < layout.layers; ++l) {
    const Layout::Block& block = layout.blocks[l];
    const std::string name = fmt::format("model.decoder.layers.{}.", l);
    tensors.need_normalisation(name + "self_attn_layer_norm", layout);
    tensors.need_normalisation(name + "final_layer_norm", layout);
    const std::pair<const char*, const Matrix*> projections[] = {
        {"q_proj", &block.q}, {"k_proj", &block.k}, {"v_proj", &block.v}, {"out_proj", &block.o}};
    for (const auto& [projection, matrix] : projections) {
      tensors.need(fmt::format("{}self_attn.{}.weight", name, projection), *matrix);
      tensors.need_all(fmt::format("{}self_attn.{}.bias", name, projection), d, 0);
    }
    tensors.need(name + "fc1.weight", block.w1);
    tensors.need(name + "fc1.bias", block.b1);
    tensors.need(name + "fc2.weight", block.w2);
    tensors.need(name + "fc2.bias", block.b2);
  }
  tensors.need_normalisation("model.decoder.final_layer_norm", layout);
}

/// What the configuration has to say; a field that is not here is none of a folder's.
Json configuration(const Layout& layout, const model::FolderCertificate& certificate) {
  Json config;
  if (certificate.architecture == "gpt2") {
    config = {{"architectures", {"GPT2ForTokenClassification"}},
              {"model_type", "gpt2"},
              {"n_positions", layout.context},
              {"n_embd", layout.width},
              {"n_layer", layout.layers},
              {"n_head", layout.heads},
              {"n_inner", layout.hidden},
              {"layer_norm_epsilon", 1e-5},
              {"scale_attn_weights", true}};
    for (const char* name : {"attn_pdrop", "embd_pdrop", "resid_pdrop", "classifier_dropout"}) config[name] = 0.0;
  } else {
    config = {{"architectures", {layout.next.rows > 0 ? "OPTForCausalLM" : "OPTForSequenceClassification"}},
              {"model_type", "opt"},
              {"max_position_embeddings", layout.context},
              {"hidden_size", layout.width},
              {"word_embed_proj_dim", layout.width},
              {"num_hidden_layers", layout.layers},
              {"num_attention_heads", layout.heads},
              {"ffn_dim", layout.hidden},
              {"do_layer_norm_before", true},
              {"_remove_final_layer_norm", false},
              {"enable_bias", true},
              {"layer_norm_elementwise_affine", true}};
    for (const char* name : {"dropout", "attention_dropout", "activation_dropout", "layerdrop"}) config[name] = 0.0;
  }
  config["activation_function"] = "relu";
  config["vocab_size"] = layout.vocabulary;
  config["tie_word_embeddings"] = false;
  config["bos_token_id"] = config["eos_token_id"] = nullptr;
  config["pad_token_id"] = layout.vocabulary - 1;
  config["torch_dtype"] = certificate.format == NumberFormat::f32 ? "float32" : "float64";
  for (std::size_t label = 0; label < layout.labels.size(); ++label) {
    config["id2label"][std::to_string(label)] = layout.labels[label];
    config["label2id"][layout.labels[label]] = label;
  }
  return config;
}

void need_configuration(const Json& there, const Json& wanted) {
  if (!there.is_object()) throw Rejected("config.json is not an object");
  for (const auto& item : wanted.items())
    if (!there.contains(item.key()) || there[item.key()] != item.value())
      throw Rejected(fmt::format("config.json has another {}", item.key()));
  for (const auto& item : there.items())
    if (!wanted.contains(item.key()))
      throw Rejected(
          fmt::format("config.json has a field {} that it was not written with", model::in_quotes(item.key())));
}

/// Every symbol has its number.
void need_vocabulary(const Json& tokenizer, const model::Transformer& model) {
  const Json vocabulary = tokenizer.value(Json::json_pointer("/model/vocab"), Json());
  if (!vocabulary.is_object() || vocabulary.size() != model.alphabet.size() + 2)
    throw Rejected("tokenizer.json has another vocabulary");
  for (std::size_t id = 0; id < model.alphabet.size(); ++id)
    if (const std::string& symbol = model.alphabet.symbols()[id];
        !vocabulary.contains(symbol) || vocabulary[symbol] != id)
      throw Rejected(fmt::format("tokenizer.json has another number for {}", model::in_quotes(symbol)));
}

std::size_t size_in(const Json& config, const char* name) {
  const auto found = config.find(name);
  if (found == config.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > 1U << 20)
    throw Rejected(fmt::format("config.json has no {}", name));
  return found->get<std::size_t>();
}

}  // namespace

std::optional<std::string> folder_objection(const std::filesystem::path& folder,
                                            const model::FolderCertificate& certificate,
                                            const model::Transformer& model) {
  const Json config = model::parse_strict_json(content_of(folder / "config.json"), "config.json");
  const Json tokenizer = model::parse_strict_json(content_of(folder / "tokenizer.json"), "tokenizer.json");
  try {
    const bool gpt2 = certificate.architecture == "gpt2";
    if (!gpt2 && certificate.architecture != "opt") throw Rejected("an architecture that is neither gpt2 nor opt");
    if (certificate.format != NumberFormat::f32 && certificate.format != NumberFormat::f64)
      throw Rejected("a format that folders are not written in");
    if (!config.is_object()) throw Rejected("config.json is not an object");
    if (certificate.context == 0 || certificate.context > 100'000) throw Rejected("a context that no folder has");
    const Layout layout(model, certificate, size_in(config, gpt2 ? "n_head" : "num_attention_heads"),
                        size_in(config, gpt2 ? "n_inner" : "ffn_dim"));
    need_configuration(config, configuration(layout, certificate));
    need_vocabulary(tokenizer, model);
    TensorCheck tensors(folder / "model.safetensors", certificate.format);
    if (gpt2)
      need_gpt2(tensors, layout);
    else
      need_opt(tensors, layout);
    tensors.need("score.weight", layout.answers);
    if (layout.next.rows > 0) tensors.need("lm_head.weight", layout.next);
    tensors.need_no_others();
    return std::nullopt;
  } catch (const Rejected& failure) {
    return failure.what();
  }
}

}  // namespace quench::check
