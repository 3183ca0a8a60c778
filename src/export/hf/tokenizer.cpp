#include "export/hf/tokenizer.h"

#include <nlohmann/json.hpp>

namespace quench::exports {

namespace {

using Json = nlohmann::ordered_json;

Json added_token(const std::string& text, std::size_t id) {
  return {{"id", id},        {"content", text},     {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

Json splitting(bool by_characters) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", by_characters ? "[\\s\\S]" : "[ \\t\\r\\n]+"}}},
          {"behavior", by_characters ? "Isolated" : "Removed"},
          {"invert", false}};
}

/// What "$A" stands for gets the first token in front.
Json first_token_in_front(const SpecialTokens& special) {
  const Json token{{"SpecialToken", {{"id", *special.first}, {"type_id", 0}}}};
  const auto sequence = [](const char* id, int type) { return Json{{"Sequence", {{"id", id}, {"type_id", type}}}}; };
  Json json{{"type", "TemplateProcessing"}};
  json["single"] = Json::array({token, sequence("A", 0)});
  json["pair"] = Json::array({token, sequence("A", 0), sequence("B", 1)});
  json["special_tokens"] = {
      {*special.first, {{"id", *special.first}, {"ids", {special.first_id}}, {"tokens", {*special.first}}}}};
  return json;
}

}  // namespace

SpecialTokens special_tokens(const Alphabet& alphabet, bool bos) {
  const auto fresh = [&](std::string text) {
    while (alphabet.find(text) != kUnmentioned) text = "[" + text + "]";
    return text;
  };
  SpecialTokens special{fresh("[UNK]"), fresh("[PAD]"), std::nullopt, alphabet.size(), 0, alphabet.size() + 1};
  if (bos) {
    special.first = fresh("[BOS]");
    special.first_id = special.padding_id++;
  }
  return special;
}

std::string tokenizer_json(const Alphabet& alphabet, const SpecialTokens& special) {
  Json vocabulary = Json::object();
  for (std::size_t id = 0; id < alphabet.size(); ++id) vocabulary[alphabet.symbols()[id]] = id;
  vocabulary[special.unknown] = special.unknown_id;
  if (special.first) vocabulary[*special.first] = special.first_id;
  vocabulary[special.padding] = special.padding_id;
  Json json;
  json["version"] = "1.0";
  json["truncation"] = nullptr;
  json["padding"] = nullptr;
  json["added_tokens"] = Json::array({added_token(special.unknown, special.unknown_id)});
  if (special.first) json["added_tokens"].push_back(added_token(*special.first, special.first_id));
  json["added_tokens"].push_back(added_token(special.padding, special.padding_id));
  json["normalizer"] = nullptr;
  json["pre_tokenizer"] = splitting(alphabet.single_characters());
  json["post_processor"] = special.first ? first_token_in_front(special) : Json(nullptr);
  json["decoder"] = alphabet.single_characters() ? Json{{"type", "Fuse"}} : Json(nullptr);
  json["model"] = {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", special.unknown}};
  return json.dump(2) + "\n";
}

/// Without model_input_names some versions hand token types to GPT-2, which adds their embeddings: wrong answers,
/// silently.
std::string tokenizer_config_json(const SpecialTokens& special, std::size_t context) {
  Json json{{"tokenizer_class", "PreTrainedTokenizerFast"},
            {"model_input_names", {"input_ids", "attention_mask"}},
            {"unk_token", special.unknown},
            {"pad_token", special.padding},
            {"padding_side", "right"},
            {"clean_up_tokenization_spaces", false},
            {"model_max_length", context}};
  if (special.first) json["bos_token"] = *special.first;
  return json.dump(2) + "\n";
}

}  // namespace quench::exports
