#include "export/hf/folder.h"

#include <nlohmann/json.hpp>

#include "certify/certify.h"
#include "export/hf/causal_head.h"
#include "export/hf/gpt2.h"
#include "export/hf/model_card.h"
#include "export/hf/opt.h"
#include "export/hf/promise.h"
#include "export/ranges.h"
#include "model/file.h"

namespace quench::exports {

namespace {

using Json = nlohmann::ordered_json;

std::string generation_config(const SpecialTokens& special) {
  Json json{{"pad_token_id", special.padding_id}, {"do_sample", false}};
  if (special.first) json["bos_token_id"] = special.first_id;
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<ExportedFile> hf_folder(const model::Transformer& model, const FolderOptions& options) {
  require_stock_decoder(model);
  StockFolder folder;
  folder.decoder = stock_decoder(model, options.context, shape_with_pins(least_shape(model, options.bos)), options.bos);
  folder.pins = add_pins(folder.decoder, magnitudes(model, options.context), certify::computes_whole_numbers(model));
  folder.special = special_tokens(model.alphabet, options.bos);
  folder.causal = causal_head(model, folder.decoder, folder.special.padding_id + 1);
  const bool opt = options.architecture == Architecture::opt;
  const std::optional<model::FolderCertificate> certificate = promise_of(model, folder, options);
  const Checkpoint checkpoint = opt ? opt_checkpoint(folder) : gpt2_checkpoint(folder);
  std::vector<ExportedFile> files{
      {"config.json", (opt ? opt_config(folder, options.type) : gpt2_config(folder, options.type)).dump(2) + "\n"},
      {"model.safetensors", checkpoint.bytes(options.type, {{"format", "pt"}})},
      {"tokenizer.json", tokenizer_json(model.alphabet, folder.special)},
      {"tokenizer_config.json", tokenizer_config_json(folder.special, folder.decoder.positions.rows)},
      {"generation_config.json", generation_config(folder.special)},
      {"README.md", model_card(model, folder, options, certificate)},
      {model::kFolderModelFile, model::save_bytes(model)}};
  if (certificate) files.push_back({model::kFolderCertificateFile, model::to_json(*certificate)});
  return files;
}

}  // namespace quench::exports
