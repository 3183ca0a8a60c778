// A decoder exported as GPT-2 answers as the reference executor does, layer normalisation and all.
#include "export/hf/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "driver/compile.h"
#include "export/gpt2_by_hand.h"
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

void expect_answers_of_the_reference(const model::Transformer& model, std::size_t words, std::size_t longest) {
  const std::vector<ExportedFile> files = hf_folder(model, {kContext});
  const json config = json::parse(test::file_named(files, "config.json"));
  const test::Gpt2ByHand network(test::load_tensors(test::file_named(files, "model.safetensors")), config["n_layer"],
                                 config["n_head"]);
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
    const auto logits = network.logits(ids);
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
