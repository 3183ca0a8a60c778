// -o: what is written to a name, and which names are none for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OutputNames : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  void expect_refused(const std::string& arguments, const std::string& message) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 2) << arguments << "\n" << finished.out;
    EXPECT_THAT(finished.out, IsEmpty()) << arguments;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      if (entry.path().filename() != "examples") names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  test::TemporaryDirectory directory_;
};

/// Every command that writes a file, up to its name, with the endings it writes.
const std::vector<std::pair<std::string, std::string>> kWriters = {
    {"compile -e 'prev Q_a' -o ", ".safetensors"},
    {"soften -e 'prev Q_a' -o ", ".safetensors"},
    {"harden -e 'prev Q_a' -o ", ".safetensors"},
    {"train -e Q_a --steps 1 --no-test -o ", ".safetensors"},
    {"certify -e 'prev Q_a' -o ", ".json or .safetensors"},
    {"export -e 'prev Q_a' --to onnx -o ", ".onnx"},
    {"export -e 'prev Q_a' --to circuit -o ", ".json or .dot"},
    {"trace -e 'prev Q_a' ab -o ", ".json"},
    {"attend -e 'prev Q_a' ab --svg ", ".svg"},
};

TEST_F(OutputNames, AnEndingThatIsNotWrittenIsRefusedByThoseThatAre) {
  for (const auto& [arguments, endings] : kWriters) {
    expect_refused(arguments + "out.pt", "out.pt");
    expect_refused(arguments + "out.pt", "ends in " + endings);
  }
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(run("compile -e 'prev Q_a' -o 'd.ir/model'").exit_code, 3) << "a folder may have any name";
}

TEST_F(OutputNames, ADashIsNoFile) {
  for (const auto& [arguments, endings] : kWriters) {
    if (endings == ".safetensors") {
      expect_refused(arguments + "-", "standard output");
    } else {
      EXPECT_EQ(run(arguments + "-").exit_code, 0) << arguments;
    }
  }
  expect_refused("train -e Q_a --steps 1 --checkpoint -", "--checkpoint -");
  expect_refused("lab run gap-temperature --quick --out -", "--out -");
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_TRUE(json::parse(run("certify -e 'prev Q_a' -o -").out).contains("entries")) << "nothing but the certificate";
  EXPECT_THAT(run("attend -e 'prev Q_a' ab --svg -").out, ::testing::StartsWith("<svg"));
}

TEST_F(OutputNames, WhatIsWrittenIsSaid) {
  EXPECT_THAT(run("compile -e 'prev Q_a' -o m.safetensors").out,
              HasSubstr("written     m.safetensors\n            m.certificate.json\n"));
  EXPECT_EQ(files(), (std::vector<std::string>{"m.certificate.json", "m.safetensors"}));
  EXPECT_THAT(run("certify -e 'prev Q_a' -o c.json").out, HasSubstr("written     c.json\n"));
  EXPECT_THAT(run("compile -e 'Q_a since Q_b' --weighting hard -o h.safetensors").out,
              HasSubstr("written     h.safetensors\n"));
  EXPECT_THAT(run("soften h.safetensors -o s.safetensors").out, HasSubstr("written     s.safetensors\n"));
  EXPECT_EQ(run("trace -e 'prev Q_a' ab -o t.json").out, "written     t.json\n");
  EXPECT_EQ(run("attend -e 'prev Q_a' ab --svg a.svg").out, "written     a.svg\n");
}

TEST_F(OutputNames, WhatIsWrittenIsAFieldOfJson) {
  using Names = std::vector<std::string>;
  const auto written = [&](const std::string& arguments) {
    return json::parse(run(arguments + " --json").out)["written"];
  };
  EXPECT_EQ(written("compile -e 'prev Q_a' -o m.safetensors"), (Names{"m.safetensors", "m.certificate.json"}));
  EXPECT_EQ(written("certify -e 'prev Q_a' -o c.json"), Names{"c.json"});
  EXPECT_EQ(written("certify -e 'prev Q_a' --length 100 --dtype f64 -o l.json"), Names{"l.json"});
  EXPECT_EQ(written("trace -e 'prev Q_a' ab -o t.json"), Names{"t.json"});
  EXPECT_EQ(written("harden -e 'prev Q_a' -o h.safetensors"), Names{"h.safetensors"});
  EXPECT_EQ(written("soften h.safetensors -o s.safetensors"), Names{"s.safetensors"});
  EXPECT_EQ(written("train -e Q_a --steps 1 --no-test -o n.safetensors --checkpoint state"),
            (Names{"n.safetensors", "state"}));
  EXPECT_EQ(written("export -e 'prev Q_a' --to onnx -o m.onnx"), Names{"m.onnx"});
  EXPECT_EQ(written("circuits --only tomita_1 --pairs 4 -o set"), Names{"set"});
  for (const char* arguments :
       {"compile -e 'prev Q_a'", "certify -e 'prev Q_a'", "trace -e 'prev Q_a' ab", "harden -e 'prev Q_a'"})
    EXPECT_FALSE(json::parse(run(std::string(arguments) + " --json").out).contains("written")) << arguments;
}

TEST_F(OutputNames, AFolderHasNoNameOfAFile) {
  for (const char* target : {"hf", "hf-custom", "transformer-lens", "interpbench", "torch"})
    expect_refused("export -e 'prev Q_a' --decoder --to " + std::string(target) + " -o m.safetensors",
                   "-o m.safetensors: a folder is written, and .safetensors is the ending of a file");
  expect_refused("circuits --only tomita_1 -o out.zip", "-o out.zip: a folder is written");
  expect_refused("lab run rounding-cost --quick --out results.csv", "--out results.csv: a folder is written");
  EXPECT_THAT(files(), IsEmpty());
  std::filesystem::create_directory(directory_.path() / "mine.json");
  EXPECT_EQ(run("export -e 'prev Q_a' --decoder --to torch -o mine.json").exit_code, 0) << "which is a folder already";
  EXPECT_EQ(run("export -e 'prev Q_a' --decoder --to torch -o v1.2").exit_code, 0) << "which is no kind of file";
}

TEST_F(OutputNames, TheArgumentsOfCheckAreToldApart) {
  ASSERT_EQ(run("compile -e 'prev Q_a' -o m.safetensors").exit_code, 0);
  EXPECT_EQ(run("check m.certificate.json m.safetensors").exit_code, 0);
  expect_refused("check m.safetensors m.certificate.json",
                 "the CERTIFICATE comes first: quench check m.certificate.json m.safetensors");
}

TEST_F(OutputNames, HintsAreForTheArgumentThatIsWrong) {
  const auto err = [&](const std::string& arguments) { return run(arguments).err; };
  EXPECT_THAT(err("eval 'Q_a S Q_b' ab"), HasSubstr("-e TEXT"));
  EXPECT_THAT(err("diff 'Q_a' 'Q_b'"), HasSubstr("-e TEXT"));
  EXPECT_THAT(err("eval -e Q_a --input missing.txt"), ::testing::Not(HasSubstr("-e TEXT")));
  EXPECT_THAT(err("verify -e Q_a -- examples/formulas/dyck_1.tl more"), HasSubstr("no use for"));
  EXPECT_THAT(err("attend -e Q_a a b"), HasSubstr("attend takes one WORD after the MODEL; 2 are given"));
}

TEST_F(OutputNames, AHeadGoesByItsNumberOrWithItsLayer) {
  const auto heads = [&](const std::string& options) {
    const json shown = json::parse(run("attend -e 'Q_a since prev Q_b' --json ab " + options).out);
    std::string found;
    for (const json& head : shown["heads"])
      found += std::to_string(head["layer"].get<int>()) + "." + std::to_string(head["head"].get<int>()) + " ";
    return found;
  };
  EXPECT_EQ(heads("--head 1.0"), "1.0 ");
  EXPECT_EQ(heads("--layer 1 --head 0"), "1.0 ");
  EXPECT_EQ(heads("--head 0"), "0.0 1.0 ");
  expect_refused("attend -e 'prev Q_a' ab --head 1.2", "there is no layer 1; layers are 0 to 0");
  expect_refused("attend -e 'prev Q_a' ab --head 0.0 --layer 0", "--head 0.0 names a layer, and so does --layer");
  for (const char* wrong : {"x", "1.", ".1", "1.2.3", "-1", "0x1"})
    expect_refused("attend -e 'prev Q_a' ab --head " + std::string(wrong),
                   "--head: \"" + std::string(wrong) + "\" is not a head");
}

TEST_F(OutputNames, ABlankLineIsTheEmptyWordByItsNumber) {
  const test::Finished finished =
      test::shell("printf 'ab\\nba\\n\\nb\\n' >words.txt; quench eval -e Q_a --input words.txt", directory_.path());
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("words.txt:3: "));
  EXPECT_THAT(finished.err, HasSubstr("empty word"));
  EXPECT_THAT(test::shell("printf '\\r\\n' | quench run --uncertified -e Q_a --input -", directory_.path()).err,
              HasSubstr("standard input:1: "));
}

}  // namespace
}  // namespace quench
