// Certificates of folders: what is certified is accepted by the checker, right on words up to there, and not far from
// where answers go wrong; and a folder in which anything was changed is rejected.
#include "export/hf/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "certified/promise.h"
#include "certify/certify.h"
#include "driver/compile.h"
#include "export/hf/gpt2.h"
#include "export/hf/gpt2_by_hand.h"
#include "export/hf/promise.h"
#include "export/ranges.h"
#include "model/file.h"
#include "run/answers.h"
#include "run/reference/reference.h"
#include "support/examples.h"

namespace quench::exports {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

model::Transformer folder_decoder(const std::string& rule, std::optional<std::uint64_t> length = {}) {
  lower::RecipeOptions options;
  options.decoder = true;
  if (length) options.length = *length;
  return driver::compile(driver::parse(rule), options).model;
}

model::Transformer program_decoder(const std::string& name, std::uint64_t length) {
  lower::RecipeOptions options;
  options.decoder = true;
  options.length = length;
  return driver::compile(driver::parse_program(test::read_text(test::source_path("examples/programs/" + name))),
                         options)
      .model;
}

class Folder {
 public:
  explicit Folder(std::vector<ExportedFile> files) : files_(std::move(files)) {
    path_ = std::filesystem::temp_directory_path() /
            ("quench-folder-" + std::to_string(std::random_device()()) + std::to_string(std::random_device()()));
    write_folder(path_, files_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string content(const std::string& name) const { return test::file_named(files_, name); }
  void replace(const std::string& name, const std::string& text) const { write_folder(path_, {{name, text}}); }
  void restore() const { write_folder(path_, files_); }

 private:
  std::vector<ExportedFile> files_;
  std::filesystem::path path_;
};

std::string verdict(const Folder& folder) {
  try {
    const certified::FolderPromise found = certified::examine_folder(folder.path());
    if (found.promise.computes_rule()) return "accepted";
    return found.promise.behaves() ? found.promise.not_the_rule : found.promise.verdict.reason;
  } catch (const IoError& error) {
    return error.what();
  }
}

model::FolderCertificate certificate_of(const std::vector<ExportedFile>& files) {
  return model::folder_certificate_from_json(test::file_named(files, model::kFolderCertificateFile));
}

TEST(FolderCertificate, ExamplesAreCertifiedAndAccepted) {
  int certified = 0, folders = 0;
  for (const char* name : {"a_n_b_n", "a_to_e", "ab_star", "contains_ab", "d_2", "dyck_1", "dyck_1_depth_2",
                           "even_pairs", "flip_flop", "gram_110_end", "induction_head", "k_hop_2", "majority",
                           "prime_length", "shuffle_dyck_2", "tomita_3", "tomita_7"})
    for (const Architecture architecture : {Architecture::gpt2, Architecture::opt}) {
      const std::string rule = test::read_text(test::source_path("examples/formulas/" + std::string(name) + ".tl"));
      FolderOptions options{512};
      options.architecture = architecture;
      const std::vector<ExportedFile> files = hf_folder(folder_decoder(rule), options);
      EXPECT_EQ(verdict(Folder(files)), "accepted") << name;
      certified += certified_length(certificate_of(files), model::Moments::any) == 512;
      ++folders;
    }
  EXPECT_EQ(folders, 34);
  EXPECT_GE(certified, 30) << "up to the context";
}

TEST(FolderCertificate, AnyChangeIsRejected) {
  for (const Architecture architecture : {Architecture::gpt2, Architecture::opt}) {
    FolderOptions options{64};
    options.architecture = architecture;
    const Folder folder(hf_folder(folder_decoder("Q_a S Q_b"), options));
    ASSERT_EQ(verdict(folder), "accepted");
    const std::string weights = folder.content("model.safetensors");
    model::SafetensorsReader reader{std::string_view(weights)};
    std::uint64_t header = 0;
    for (int byte = 7; byte >= 0; --byte)
      header = header << 8 | static_cast<unsigned char>(weights[static_cast<std::size_t>(byte)]);
    std::mt19937_64 random(3);
    for (const auto& [name, entry] : reader.tensors())
      for (int tries = 0; tries < 3; ++tries) {
        std::string changed = weights;
        const std::uint64_t item = random() % ((entry.end - entry.begin) / 4);
        const std::size_t at = 8 + header + entry.begin + 4 * item + (tries == 0 ? 0 : 2);  // a last or a middle bit
        changed[at] = static_cast<char>(changed[at] ^ (tries == 2 ? 64 : 1));
        folder.replace("model.safetensors", changed);
        EXPECT_NE(verdict(folder), "accepted") << name << " item " << item;
      }
    folder.restore();
    const json certificate = json::parse(folder.content(model::kFolderCertificateFile));
    const auto with = [&](const char* pointer, const json& value) {
      json changed = certificate;
      changed[json::json_pointer(pointer)] = value;
      folder.replace(model::kFolderCertificateFile, changed.dump());
      return verdict(folder);
    };
    EXPECT_THAT(with("/entries/0/length", 65), HasSubstr("context"));
    EXPECT_NE(with("/entries/0/length", 63), "accepted") << "its reason is another";
    EXPECT_NE(with("/entries/0/reason", "none"), "accepted");
    EXPECT_NE(with("/constant", certificate["constant"].get<double>() * 2), "accepted");
    EXPECT_NE(with("/constant", certificate["constant"].get<double>() * 4), "accepted");
    EXPECT_NE(with("/pairs", 3 - certificate["pairs"].get<int>()), "accepted");
    EXPECT_NE(with("/context", 128), "accepted");
    EXPECT_NE(with("/width", 2 * certificate["width"].get<int>()), "accepted");
    EXPECT_NE(with("/model", std::string(64, '0')), "accepted");
    EXPECT_NE(with("/architecture", architecture == Architecture::opt ? "gpt2" : "opt"), "accepted");
    EXPECT_NE(with("/dtype", "f64"), "accepted");
    EXPECT_NE(with("/extra", 1), "accepted");
    folder.restore();
    const json config = json::parse(folder.content("config.json"));
    for (const auto& item : config.items()) {
      json changed = config;
      changed[item.key()] = item.value().is_number() ? json(item.value().get<double>() + 1) : json("else");
      folder.replace("config.json", changed.dump());
      EXPECT_NE(verdict(folder), "accepted") << item.key();
    }
    json more = config;
    more["scale_attn_by_inverse_layer_idx"] = true;
    folder.replace("config.json", more.dump());
    EXPECT_NE(verdict(folder), "accepted");
    folder.restore();
    json tokenizer = json::parse(folder.content("tokenizer.json"));
    std::swap(tokenizer["model"]["vocab"]["a"], tokenizer["model"]["vocab"]["b"]);
    folder.replace("tokenizer.json", tokenizer.dump());
    EXPECT_NE(verdict(folder), "accepted");
  }
}

TEST(FolderCertificate, LongerThanProvedIsRejected) {
  const std::string rule = test::read_text(test::source_path("examples/formulas/tomita_3.tl"));
  const Folder folder(hf_folder(folder_decoder(rule), {2048}));
  ASSERT_EQ(verdict(folder), "accepted");
  json certificate = json::parse(folder.content(model::kFolderCertificateFile));
  const auto length = certificate["entries"][0]["length"].get<std::uint64_t>();
  ASSERT_LT(length, 2048u);
  ASSERT_GT(length, 100u);
  certificate["entries"][0]["length"] = length + 1;
  folder.replace(model::kFolderCertificateFile, certificate.dump());
  EXPECT_NE(verdict(folder), "accepted");
}

/// Programs in whole numbers, behind layer normalisation that changes their bits.
TEST(FolderCertificate, ProgramsAreCertifiedAndAccepted) {
  for (const char* name : {"induction_head.brasp", "detect_pattern.brasp", "bigram_model.brasp", "shift_by_2.brasp"}) {
    const std::vector<ExportedFile> files = hf_folder(program_decoder(name, 256), {256});
    EXPECT_EQ(verdict(Folder(files)), "accepted") << name;
    EXPECT_EQ(certified_length(certificate_of(files), model::Moments::any), 256u) << name;
  }
}

/// Pins far too small, so that the data show in the variance and answers go wrong on short words: no sooner than is
/// certified, and not much later.
TEST(FolderCertificate, IsSoundAndNotFarFromTheFirstFailure) {
  constexpr std::size_t kLongest = 400;
  const model::Transformer model = folder_decoder("prev Q_a");
  StockFolder folder;
  folder.decoder = stock_decoder(model, kLongest, shape_with_pins(least_shape(model)));
  std::vector<double> small = magnitudes(model, kLongest);
  for (double& magnitude : small) magnitude /= 128;
  folder.pins = add_pins(folder.decoder, small, false);
  folder.special = special_tokens(model.alphabet, false);
  const certify::LayerNorm norm{static_cast<double>(folder.pins.width), static_cast<double>(folder.pins.pairs),
                                folder.pins.constant};
  const std::uint64_t certified =
      certify::certify(model, certify::Arithmetic::of(NumberFormat::f32), model::Summation::any, kLongest, &norm)
          .length;
  const std::string bytes = gpt2_checkpoint(folder).bytes(model::TensorType::f32, {});
  const test::Gpt2ByHand network(test::load_tensors(bytes), folder.decoder.layers.size(), folder.decoder.shape.heads);
  const run::ReferenceExecutor reference(model);
  run::ReferenceExecutor::Workspace workspace;
  std::size_t first_failure = kLongest + 1;
  std::mt19937_64 random(5);
  for (int words = 0; words < 6; ++words) {
    Word word(kLongest);
    std::vector<std::size_t> ids;
    for (Symbol& symbol : word) {
      const std::size_t id = random() % 2;
      symbol = id == model.alphabet.size() ? kUnmentioned : static_cast<Symbol>(id);
      ids.push_back(id);
    }
    const std::vector<std::int64_t> expected = run::answers(model, reference.run(word, workspace));
    const auto logits = network.logits(ids);
    for (std::size_t i = 0; i < kLongest; ++i)
      if ((logits[i][1] > logits[i][0]) != (expected[i] == 1)) first_failure = std::min(first_failure, i + 1);
  }
  EXPECT_LT(certified, first_failure);
  EXPECT_GE(certified, 5u);
  EXPECT_LE(first_failure, 16 * certified);
}

TEST(FolderCertificate, WholeNumbersPassUnchangedWhereMomentsAreSums) {
  const std::vector<ExportedFile> files = hf_folder(program_decoder("induction_head.brasp", 256), {256});
  const model::FolderCertificate certificate = certificate_of(files);
  EXPECT_EQ(certified_length(certificate, model::Moments::two_pass), 256u);
  EXPECT_EQ(verdict(Folder(files)), "accepted");
}

TEST(FolderCertificate, FoldersWithAFirstTokenHaveNone) {
  FolderOptions options{16};
  options.bos = true;
  const Folder folder(hf_folder(folder_decoder("Q_a"), options));
  EXPECT_THAT(verdict(folder), HasSubstr("quench_certificate.json is not there"));
}

}  // namespace
}  // namespace quench::exports
