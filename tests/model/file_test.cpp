// Save and load: round trips, deterministic bytes, dense files from sparse memory, and what happens when writing fails.
#include "model/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <csignal>

#include "base/error.h"
#include "model/file_fixture.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench::model {
namespace {

using test::Parts;
using test::TemporaryFolder;
using testing::HasSubstr;

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

Transformer random_file_model(std::uint64_t seed) {
  Random random(seed);
  test::RandomModelOptions options;
  options.layers = static_cast<int>(random.below(4));
  options.heads = 3;
  options.odd_values = true;
  return test::random_model(random, options);
}

TEST(ModelFile, LoadGivesBackWhatWasSaved) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Transformer model = random_file_model(seed);
    const auto path = folder / "model.safetensors";
    save(model, path);
    const Transformer loaded = load(path);
    ASSERT_EQ(loaded, model) << "seed " << seed;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {  // == cannot tell −0 from 0
      EXPECT_EQ(bits_of(loaded.layers[l].ffn.b1), bits_of(model.layers[l].ffn.b1));
      EXPECT_EQ(bits_of(loaded.layers[l].ffn.b2), bits_of(model.layers[l].ffn.b2));
    }
    EXPECT_EQ(std::filesystem::file_size(path), file_size(model));
  }
}

TEST(ModelFile, InfiniteEndsOfRangesAreMissingEnds) {
  const TemporaryFolder folder;
  Transformer model = random_file_model(1);
  model.tenants[0].low = -HUGE_VAL;
  model.tenants[0].high = -0.0;
  save(model, folder / "m");
  const Transformer loaded = load(folder / "m");
  EXPECT_FALSE(loaded.tenants[0].low.has_value());
  EXPECT_TRUE(std::signbit(loaded.tenants[0].high.value()));
}

TEST(ModelFile, EqualModelsGiveEqualBytes) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    save(random_file_model(seed), folder / "a");
    save(load(folder / "a"), folder / "b");
    EXPECT_EQ(test::read_bytes(folder / "a"), test::read_bytes(folder / "b"));
  }
}

/// A later version may know more of them, and "?" is how ours calls those that it does not know.
TEST(ModelFile, NamesOfClaimsThatAreNotKnownAreKept) {
  const TemporaryFolder folder;
  save(test::once_model(), folder / "m");
  for (const std::string name : {"melody", "?", "Tie-Break", "P-L8", " "}) {
    Parts parts(test::read_bytes(folder / "m"));
    auto& claim = parts.document["layers"][0]["heads"][0]["claim"];
    claim["structure"] = claim["lemma"] = name;
    test::write_bytes(folder / "claims", parts.bytes());
    const Transformer loaded = load(folder / "claims");
    const HeadClaim& read = loaded.layers[0].heads[0].claim;
    EXPECT_EQ(read.structure.value(), HeadStructure::other);
    EXPECT_EQ(read.lemma.value(), Lemma::other);
    save(loaded, folder / "again");
    EXPECT_EQ(Parts(test::read_bytes(folder / "again")).document, parts.document);
    EXPECT_EQ(load(folder / "again"), loaded);
  }
}

TEST(ModelFile, NamesOfClaimsThatAreKnownAreRead) {
  for (const HeadStructure known : all_of<HeadStructure>()) {
    const std::string name(name_of(known));
    EXPECT_EQ(Claimed<HeadStructure>(name).value(), known);
    EXPECT_EQ(Claimed<HeadStructure>(name).text(), name);
  }
  for (const Lemma known : all_of<Lemma>()) {
    const std::string name(name_of(known));
    EXPECT_EQ(Claimed<Lemma>(name).value(), known);
    EXPECT_EQ(Claimed<Lemma>(name).text(), name);
  }
}

TEST(ModelFile, DataIsAlignedAndDense) {
  const TemporaryFolder folder;
  const Transformer model = random_file_model(3);
  save(model, folder / "m");
  const std::string bytes = test::read_bytes(folder / "m");
  EXPECT_EQ(Parts::header_length(bytes) % 8, 0u);
  const Parts parts(bytes);
  EXPECT_EQ(parts.data.size(), 8 * model.parameter_count());
  EXPECT_EQ(parts.header["embedding"]["shape"], (nlohmann::ordered_json{model.alphabet.size() + 1, model.width}));
  EXPECT_EQ(parts.header["__metadata__"]["format"], "quench");
  EXPECT_TRUE(parts.document["certificate"].is_null());
}

/// What other tools write: the same tensors as F32, BF16 or F16.
TEST(ModelFile, NarrowerTensorsLoadExactly) {
  const TemporaryFolder folder;
  Random random(4);
  const Transformer model = test::random_model(random, {.small_weights = true});  // quarters: exact in all formats
  save(model, folder / "m");
  for (const std::string type : {"F32", "BF16", "F16"}) {
    Parts parts(test::read_bytes(folder / "m"));
    std::string narrow;
    const std::size_t item = type == "F32" ? 4 : 2;
    for (std::size_t at = 0; at < parts.data.size(); at += 8) {
      double value = 0;
      std::memcpy(&value, parts.data.data() + at, 8);
      std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      if (type == "BF16") bits >>= 16;
      if (type == "F16") {
        const std::uint32_t exponent = (bits >> 23) & 255;
        bits = (bits >> 16 & 0x8000) | (exponent == 0 ? 0 : (exponent - 112) << 10 | (bits >> 13 & 1023));
      }
      for (std::size_t byte = 0; byte < item; ++byte) narrow += static_cast<char>(bits >> (8 * byte));
    }
    parts.data = narrow;
    for (auto& [name, tensor] : parts.header.items()) {
      if (name == "__metadata__") continue;
      tensor["dtype"] = type;
      for (auto& offset : tensor["data_offsets"]) offset = offset.get<std::uint64_t>() / 8 * item;
    }
    test::write_bytes(folder / "narrow", parts.bytes());
    EXPECT_EQ(load(folder / "narrow"), model) << type;
  }
}

template <class Action>
std::string io_error(Action action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return "no IoError";
}

TEST(ModelFile, LargeFilesNeedForce) {
  const TemporaryFolder folder;
  const std::size_t d = 12'000;  // two d × d matrices: 2.3 GB dense, nothing sparse
  Transformer model;
  model.width = d;
  model.embedding = SparseMatrix(1, d);
  model.layers.push_back(
      {{}, {SparseMatrix(d, d), std::vector<double>(d), SparseMatrix(d, d), std::vector<double>(d)}});
  const std::string message = io_error([&] { save(model, folder / "big"); });
  EXPECT_THAT(message, HasSubstr("2.3 GB"));
  EXPECT_THAT(message, HasSubstr("--force"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(ModelFile, UnwritableTargetsAreNamedAndLeaveNothingBehind) {
  const TemporaryFolder folder;
  const Transformer model = random_file_model(6);
  const auto missing = folder / "no-such-folder" / "m.safetensors";
  EXPECT_THAT(io_error([&] { save(model, missing); }),
              testing::AllOf(HasSubstr(missing.string()), HasSubstr("No such file")));
  EXPECT_THAT(io_error([&] { save(model, folder.path()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(io_error([&] { save(model, "/dev/full"); }), HasSubstr("No space left"));
  EXPECT_EQ(folder.files(), 0u);
}

/// A disk that is full: the kernel refuses to let the file grow. The old file stays, and nothing else does.
TEST(ModelFile, FailureWhileWritingKeepsTheOldFile) {
  const TemporaryFolder folder;
  const Transformer model = random_file_model(7);
  test::write_bytes(folder / "m", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = io_error([&] { save(model, folder / "m"); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("cannot write"));
  EXPECT_EQ(test::read_bytes(folder / "m"), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(ModelFile, SavingThroughALinkReplacesWhatItPointsTo) {
  const TemporaryFolder folder;
  const Transformer model = random_file_model(8);
  test::write_bytes(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  save(model, folder / "link");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(load(folder / "real"), model);
}

TEST(ModelFile, BytesLoadLikeTheirFile) {
  const TemporaryFolder folder;
  const Transformer model = random_file_model(8);
  save(model, folder / "m");
  const std::string bytes = test::read_bytes(folder / "m");
  EXPECT_EQ(load_bytes(bytes, "a pipe"), model);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{100}, bytes.size() - 1})
    EXPECT_THAT(io_error([&] { load_bytes(bytes.substr(0, size), "a pipe"); }), HasSubstr("cannot load a pipe")) << size;
}

TEST(ModelFile, ADescriptionNoReaderTakesIsNotWritten) {
  const TemporaryFolder folder;
  Transformer model = random_file_model(8);
  model.source = std::string(100'000'001, ' ');
  EXPECT_THAT(io_error([&] { save(model, folder / "m"); }), HasSubstr("100000000"));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(ModelFile, InvalidModelsAreNotWritten) {
  const TemporaryFolder folder;
  Transformer model = random_file_model(9);
  model.output.coordinate = 1000;
  EXPECT_THAT(io_error([&] { save(model, folder / "m"); }), HasSubstr("output"));
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace quench::model
