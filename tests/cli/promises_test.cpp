// check, certify and run on files that are not what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "certify/certificate.h"
#include "model/file.h"
#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Promises : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }

  /// The compiled model with something changed, certified again as a forger would.
  template <class Change>
  void forge(const std::string& rule, Change change) {
    ASSERT_EQ(run("compile -e '" + rule + "' -o m.safetensors").exit_code, 0);
    model::Transformer model = model::load(directory_.path() / "m.safetensors");
    change(model);
    model.certificate = model::to_json(certify::make_certificate(model, certify::usual_formats()));
    model::save(model, directory_.path() / "m.safetensors");
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Promises, CheckSaysWhichOfTheTwoItChecked) {
  forge("prev Q_a", [](auto&) {});
  const test::Finished good = run("check m.safetensors m.safetensors");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("these weights compute this rule up to f64 4503599627370496"));
  EXPECT_EQ(run("check m.safetensors").out, good.out) << "the certificate that the model carries";
  forge("prev Q_a", [](auto& m) { m.source = "true"; });
  EXPECT_EQ(run("check m.safetensors").exit_code, 1);
  const test::Finished forged = run("check m.safetensors m.safetensors");
  EXPECT_EQ(forged.exit_code, 1);
  EXPECT_THAT(forged.out, StartsWith("rejected: the weights are not what the compiler makes of the rule"));
  EXPECT_THAT(forged.out, HasSubstr("behave like their ideal network up to f64"));
  const test::Finished ideal = run("check --ideal m.safetensors m.safetensors");
  EXPECT_EQ(ideal.exit_code, 0);
  EXPECT_THAT(ideal.out, HasSubstr("that it computes a rule was not checked"));
}

TEST_F(Promises, RunDoesNotBelieveALengthThatTheWeightsDoNotHave) {
  forge("prev Q_a", [](auto&) {});
  const std::string word(300, 'a');
  EXPECT_EQ(run("run m.safetensors --dtype bf16 " + word).exit_code, 1);
  model::Transformer model = model::load(directory_.path() / "m.safetensors");
  auto certificate = nlohmann::json::parse(model.certificate);
  certificate["entries"][2]["length"] = nullptr;
  certificate["entries"][2]["reason"] = "";
  model.certificate = certificate.dump();
  model::save(model, directory_.path() / "m.safetensors");
  EXPECT_THAT(run("run m.safetensors --dtype bf16 " + word).err, HasSubstr("certificate is void"));
  EXPECT_EQ(run("run m.safetensors --dtype bf16 --engine bits " + word).exit_code, 1) << "there is no answer to give";
}

/// Of a softened program only short lengths are derived again: which ones, and what to do instead. (Eighteen symbols
/// make more words of three than are gone through one by one.)
TEST_F(Promises, CheckSaysHowFarItConfirmsASoftenedProgram) {
  std::string program = "as(i) = #[j] Q_a(j)\nout(i) = Q_a(i) ? as(i) : ";
  for (char symbol = 'b'; symbol <= 'r'; ++symbol)
    program += std::string("Q_") + symbol + "(i) ? " + std::to_string(symbol - 'a' + 1) + " : ";
  std::ofstream(directory_.path() / "p.srasp") << program << "0\n";
  ASSERT_EQ(run("soften p.srasp --length 4 -o s.safetensors").exit_code, 0);
  const test::Finished part = run("check --ideal s.safetensors s.safetensors");
  EXPECT_EQ(part.exit_code, 1);
  EXPECT_THAT(part.out, StartsWith("not covered: made by `quench soften`, and derived again in part: up to f64 2 of 4, "
                                   "f32 2 of 4, bf16 0, f16 0; not beyond, since keys with different values may tie"));
  EXPECT_THAT(part.out, HasSubstr("quench soften --length 2\n"));
  EXPECT_THAT(part.out, HasSubstr("quench compile --recipe exact --length N"));

  // An entry that is false is found among others that are too long.
  auto certificate = nlohmann::ordered_json::parse(model::load(directory_.path() / "s.safetensors").certificate);
  certificate["entries"][2]["length"] = 4;
  std::ofstream(directory_.path() / "false.json") << certificate.dump();
  EXPECT_THAT(run("check --ideal false.json s.safetensors").out, StartsWith("rejected: entry 3: at length 1: "));

  ASSERT_EQ(run("soften p.srasp --length 2 -o s.safetensors").exit_code, 0);
  const test::Finished whole = run("check --ideal s.safetensors s.safetensors");
  EXPECT_EQ(whole.exit_code, 0);
  EXPECT_THAT(whole.out, HasSubstr("behave like their ideal network up to f64 2, f32 2, "));
  ASSERT_EQ(run("compile p.srasp --recipe exact --length 256 -o e.safetensors").exit_code, 0);
  EXPECT_THAT(run("check e.safetensors e.safetensors").out,
              HasSubstr("these weights compute this rule up to f64 256, f32 256"));
}

TEST_F(Promises, NamesFromFilesReachTheTerminalWithoutEscapes) {
  forge("prev Q_a", [](auto& m) { m.layers[0].heads[0].name = "\x1b[31mred\x07"; });
  for (const char* command : {"certify m.safetensors", "run m.safetensors --explain ab", "harden m.safetensors",
                              "soften m.safetensors", "attend m.safetensors ab", "check m.safetensors m.safetensors"}) {
    const test::Finished finished = run(command);
    EXPECT_THAT(finished.out + finished.err, Not(HasSubstr("\x1b"))) << command;
    EXPECT_THAT(finished.out + finished.err, Not(HasSubstr("\x07"))) << command;
    EXPECT_LE(finished.exit_code, 1) << command << finished.err;
  }
}

}  // namespace
}  // namespace quench
