// quench circuits, as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Circuits : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) {
    return test::shell("quench circuits " + arguments, directory_.path());
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Circuits, WritesWhatItSays) {
  const test::Finished finished = run("-o set --only flip_flop,tomita_1 --pairs 10 --json");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.err, IsEmpty());
  const auto report = nlohmann::json::parse(finished.out);
  ASSERT_EQ(report["models"].size(), 2u);
  EXPECT_EQ(report["models"][0]["name"], "tomita_1");  // the simpler one first
  EXPECT_EQ(report["models"][1]["true"], 29);
  EXPECT_EQ(report["models"][1]["classes"], nlohmann::json({5, 5}));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path() / "set"))
    files += entry.is_regular_file();
  EXPECT_EQ(report["files"], files);

  // What is in the folder is what the other commands write.
  ASSERT_EQ(test::shell("quench export examples/formulas/flip_flop.tl --decoder --unshared --to circuit -o c.json && "
                        "quench export examples/formulas/flip_flop.tl --decoder --unshared --to transformer-lens "
                        "--context 64 -o lens",
                        directory_.path())
                .exit_code,
            0);
  const auto text = [&](const std::string& name) { return test::read_text(directory_.path() / name); };
  EXPECT_EQ(text("set/flip_flop/circuit.json"), text("c.json"));
  EXPECT_TRUE(text("set/flip_flop/model.safetensors") == text("lens/model.safetensors"));
  EXPECT_EQ(text("set/flip_flop/config.json"), text("lens/config.json"));
}

TEST_F(Circuits, TellsWhatIsWrong) {
  EXPECT_THAT(run("").err, HasSubstr("-o DIR"));
  EXPECT_THAT(run("-o -").err, HasSubstr("a folder is written"));
  const test::Finished unknown = run("-o set --only flop");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no model \"flop\"; there are tomita_1 "));
  EXPECT_EQ(run("-o set --count 1 --pairs 2").exit_code, 0);
  const test::Finished there = run("-o set --count 1 --pairs 2");
  EXPECT_EQ(there.exit_code, 3);
  EXPECT_THAT(there.err, HasSubstr("set is there already"));
  EXPECT_EQ(run("-o nowhere/set --count 1").exit_code, 3);
}

}  // namespace
}  // namespace quench
