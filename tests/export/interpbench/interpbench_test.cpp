// A case of InterpBench: the bytes of its archive and pickles by their specifications. That torch loads them is tested
// in Python.
#include "export/interpbench/interpbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "driver/compile.h"
#include "export/interpbench/pickle.h"
#include "export/interpbench/zip.h"
#include "export/transformer_lens.h"

namespace quench::exports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

model::Transformer unshared_decoder(const std::string& text) {
  lower::RecipeOptions options;
  options.decoder = options.unshared = true;
  return driver::compile(driver::parse(text), options).model;
}

TEST(Pickle, IsWhatPythonReads) {
  Pickle pickle(2);
  pickle.mark().text("ab").number(-2).number(std::int64_t{1} << 40).boolean(true).none().tuple();
  // As pickletools.dis shows it: ('ab', -2, 1099511627776, True, None)
  EXPECT_EQ(pickle.finished(),
            std::string("\x80\x02(X\x02\0\0\0abJ\xfe\xff\xff\xff\x8a\x08\0\0\0\0\0\x01\0\0\x88Nt.", 29));
}

TEST(Zip, HasChecksumsAndADirectory) {
  const std::string archive = zipped({{"a", "123456789"}, {"b/c", ""}});
  EXPECT_THAT(archive, HasSubstr("\x26\x39\xf4\xcb"));  // the CRC-32 of 123456789
  EXPECT_EQ(archive.size(), (30 + 1 + 9) + (30 + 3) + (46 + 1) + (46 + 3) + 22u);
  const std::string end = archive.substr(archive.size() - 22);
  EXPECT_EQ(end.substr(0, 4), "PK\x05\x06");
  EXPECT_EQ(end[8], 2);                                // entries
  EXPECT_EQ(static_cast<unsigned char>(end[16]), 73);  // where the directory begins
  EXPECT_EQ(archive.substr(73, 4), "PK\x01\x02");
}

TEST(InterpBench, HasTheTrueEdgesByTheirHooks) {
  EXPECT_THAT(interpbench_edges(unshared_decoder("O Q_a")),
              ElementsAre(Pair("blocks.0.attn.hook_result[0]", "blocks.0.mlp.hook_post"),
                          Pair("hook_embed", "blocks.0.attn.hook_result[0]"),
                          Pair("hook_pos_embed", "blocks.0.attn.hook_result[0]")));
}

TEST(InterpBench, HasTheBytesOfTheCheckpoint) {
  const model::Transformer model = unshared_decoder("prev Q_a");
  const std::vector<ExportedFile> files = interpbench(model, 16, model::TensorType::f32);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "ll_model.pth");
  const LensModel lens = lens_model(model, 16, model::TensorType::f32);
  for (const NamedTensor& tensor : lens.checkpoint.tensors()) {
    EXPECT_THAT(files[0].content, HasSubstr(tensor.name));
    EXPECT_NE(files[0].content.find(little_endian_bytes(tensor.data, model::TensorType::f32, "")), std::string::npos)
        << tensor.name;
  }
  EXPECT_THAT(files[1].content, HasSubstr("ctorch\nfloat32\n"));
  EXPECT_THROW(interpbench(driver::compile(driver::parse("F Q_a")).model, 16, model::TensorType::f32), UserError);
}

}  // namespace
}  // namespace quench::exports
