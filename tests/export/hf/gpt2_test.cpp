// A decoder exported as GPT-2 answers as the reference executor does, layer normalisation and all.
#include "export/hf/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "driver/compile.h"
#include "export/hf/gpt2_by_hand.h"
#include "run/answers.h"
#include "run/reference/reference.h"
#include "support/example_model.h"
#include "support/examples.h"

namespace quench::exports {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

model::Transformer decoder(const std::string& rule) {
  lower::RecipeOptions options;
  options.decoder = true;
  return driver::compile(driver::parse(rule), options).model;
}

constexpr std::size_t kContext = 64;

/// OPT's tensors under the names and in the orientation of GPT-2.
std::map<std::string, test::LoadedTensor> as_gpt2(const std::map<std::string, test::LoadedTensor>& opt,
                                                  std::size_t layers) {
  std::map<std::string, test::LoadedTensor> result;
  const auto turned = [](const test::LoadedTensor& x) {
    test::LoadedTensor y{{x.shape[1], x.shape[0]}, std::vector<float>(x.data.size())};
    for (std::size_t r = 0; r < x.shape[0]; ++r)
      for (std::size_t c = 0; c < x.shape[1]; ++c) y.data[c * x.shape[0] + r] = x.at(r, c);
    return y;
  };
  const std::string root = "model.decoder.";
  result["transformer.wte.weight"] = opt.at(root + "embed_tokens.weight");
  test::LoadedTensor positions = opt.at(root + "embed_positions.weight");
  positions.data.erase(positions.data.begin(),
                       positions.data.begin() + 2 * static_cast<std::ptrdiff_t>(positions.shape[1]));
  positions.shape[0] -= 2;
  result["transformer.wpe.weight"] = positions;
  for (std::size_t l = 0; l < layers; ++l) {
    const std::string from = root + "layers." + std::to_string(l) + ".",
                      to = "transformer.h." + std::to_string(l) + ".";
    for (const char* part : {"weight", "bias"}) {
      const std::string dot = std::string(".") + part;
      result[to + "ln_1" + dot] = opt.at(from + "self_attn_layer_norm" + dot);
      result[to + "ln_2" + dot] = opt.at(from + "final_layer_norm" + dot);
    }
    result[to + "attn.c_proj.weight"] = turned(opt.at(from + "self_attn.out_proj.weight"));
    result[to + "attn.c_proj.bias"] = opt.at(from + "self_attn.out_proj.bias");
    result[to + "mlp.c_fc.weight"] = turned(opt.at(from + "fc1.weight"));
    result[to + "mlp.c_fc.bias"] = opt.at(from + "fc1.bias");
    result[to + "mlp.c_proj.weight"] = turned(opt.at(from + "fc2.weight"));
    result[to + "mlp.c_proj.bias"] = opt.at(from + "fc2.bias");
    const std::size_t d = positions.shape[1];
    test::LoadedTensor joined{{d, 3 * d}, std::vector<float>(3 * d * d)};
    std::size_t part = 0;
    for (const char* name : {"q_proj", "k_proj", "v_proj"}) {
      const test::LoadedTensor& x = opt.at(from + "self_attn." + name + ".weight");
      for (std::size_t r = 0; r < d; ++r)
        for (std::size_t c = 0; c < d; ++c) joined.data[c * 3 * d + part * d + r] = x.at(r, c);
      ++part;
    }
    result[to + "attn.c_attn.weight"] = joined;
    result[to + "attn.c_attn.bias"] = {{3 * d}, std::vector<float>(3 * d)};
  }
  for (const char* part : {".weight", ".bias"})
    result["transformer.ln_f" + std::string(part)] = opt.at(root + "final_layer_norm" + part);
  result["classifier.weight"] = opt.at("score.weight");
  result["classifier.bias"] = {{2}, {0, 0}};
  return result;
}

test::Gpt2ByHand network_of(const std::vector<ExportedFile>& files,
                            test::MomentOrder order = test::MomentOrder::forward) {
  const json config = json::parse(test::file_named(files, "config.json"));
  std::map<std::string, test::LoadedTensor> tensors = test::load_tensors(test::file_named(files, "model.safetensors"));
  if (config["model_type"] == "opt")
    return {as_gpt2(tensors, config["num_hidden_layers"]), config["num_hidden_layers"], config["num_attention_heads"],
            order};
  return {std::move(tensors), config["n_layer"], config["n_head"], order};
}

void expect_answers_of_the_reference(const model::Transformer& model, std::size_t words, std::size_t longest,
                                     FolderOptions options = {kContext},
                                     test::MomentOrder order = test::MomentOrder::forward) {
  const test::Gpt2ByHand network = network_of(hf_folder(model, options), order);
  const run::ReferenceExecutor reference(model);
  run::ReferenceExecutor::Workspace workspace;
  std::mt19937_64 random(7);
  for (std::size_t count = 0; count < words; ++count) {
    Word word(1 + random() % longest);
    std::vector<std::size_t> ids;
    for (Symbol& symbol : word) {
      const std::size_t id = random() % (model.alphabet.size() + 1);
      symbol = id == model.alphabet.size() ? kUnmentioned : static_cast<Symbol>(id);
      ids.push_back(id);
    }
    const std::vector<std::int64_t> expected = run::answers(model, reference.run(word, workspace));
    if (options.bos) ids.insert(ids.begin(), model.alphabet.size() + 1);
    auto logits = network.logits(ids);
    if (options.bos) logits.erase(logits.begin());
    for (std::size_t i = 0; i < word.size(); ++i)
      ASSERT_EQ(logits[i][1] > logits[i][0], expected[i] == 1) << model.source << " at " << i + 1;
  }
}

TEST(Gpt2, AnswersAsTheReferenceDoes) {
  for (const char* rule : {"Q_a", "Q_a S Q_b", "prev Q_a", "#<[Q_a] > #<[Q_b]", "H (Q_a -> prev Q_b)"})
    expect_answers_of_the_reference(decoder(rule), 100, 12);
}

TEST(Gpt2, AnswersAsTheReferenceDoesOnExamples) {
  for (const char* name : {"flip_flop", "dyck_1", "tomita_3"})
    expect_answers_of_the_reference(
        decoder(test::read_text(test::source_path("examples/formulas/" + std::string(name) + ".tl"))), 10, kContext);
}

TEST(Gpt2, AnswersAsTheReferenceDoesHoweverMomentsAreFormed) {
  for (const test::MomentOrder order : test::kMomentOrders)
    for (const char* rule : {"Q_a S Q_b", "#<[Q_a] > #<[Q_b]"})
      expect_answers_of_the_reference(decoder(rule), 10, kContext, {kContext}, order);
}

TEST(Gpt2, AFirstTokenIsSeenByNoHead) {
  FolderOptions options{kContext};
  options.bos = true;
  for (const char* rule : {"Q_a", "Q_a S Q_b", "prev Q_a", "O Q_a", "#<[Q_a] > #<[Q_b]", "H (Q_a -> prev Q_b)"})
    expect_answers_of_the_reference(decoder(rule), 60, 12, options);
}

TEST(Opt, AnswersAsTheReferenceDoes) {
  FolderOptions options{kContext};
  options.architecture = Architecture::opt;
  for (const bool bos : {false, true}) {
    options.bos = bos;
    for (const char* rule : {"Q_a", "Q_a S Q_b", "prev Q_a", "#<[Q_a] > #<[Q_b]"})
      expect_answers_of_the_reference(decoder(rule), 60, 12, options);
  }
}

/// Without a coordinate that is constantly 1 the export makes its own.
TEST(Gpt2, NeedsNoConstantOfTheModel) {
  model::Transformer model = test::once_model();
  model.layers[0].ffn.b2[0] = 1;  // no longer constant
  expect_answers_of_the_reference(model, 50, 12);
}

TEST(Gpt2, RefusesWhatIsNoDecoderByName) {
  const auto refusal = [](const model::Transformer& model) -> std::string {
    try {
      hf_folder(model, {kContext});
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  model::Transformer model = test::once_model();
  model.layers[0].heads[0].mask = Mask::strict_future;
  EXPECT_THAT(refusal(model), HasSubstr("head \"once a\" of layer 1 has the mask strict_future"));
  model = test::once_model();
  model.layers[0].heads[0].temperature = Temperature::inverse_n;
  EXPECT_THAT(refusal(model), HasSubstr("the temperature 1/n"));
  model = test::once_model();
  model.position_encodings = {{2, {PositionKind::index_over_length}}};
  EXPECT_THAT(refusal(model), HasSubstr("the position encoding i/n depends on the length"));
  model.position_encodings = {{2, {PositionKind::table, {}, {1, 2, 3}}}};
  EXPECT_THAT(refusal(model), HasSubstr("--context 3"));
  model = test::once_model();
  model.layers[0].ffn.b2[2] = 1e300;
  EXPECT_THAT(refusal(model), HasSubstr("too great for layer normalisation"));
}

TEST(Gpt2, TokenizersHaveTheNumbersOfTheSymbols) {
  model::Transformer model = test::once_model();
  model.alphabet = Alphabet({"[UNK]", "b"});
  const json tokenizer = json::parse(test::file_named(hf_folder(model, {8}), "tokenizer.json"));
  EXPECT_EQ(tokenizer["model"]["vocab"], json({{"[UNK]", 0}, {"b", 1}, {"[[UNK]]", 2}, {"[PAD]", 3}}));
  EXPECT_EQ(tokenizer["model"]["unk_token"], "[[UNK]]");
  EXPECT_EQ(tokenizer["pre_tokenizer"]["behavior"], "Removed") << "words of longer symbols are separated by blanks";
}

}  // namespace
}  // namespace quench::exports
