// The benchmark as it is written: forty models, the same bytes every time, labels that are right, circuits that hold.
#include "circuits/write_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.h"
#include "circuits/schema.h"
#include "driver/compile.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "support/examples.h"
#include "support/shell.h"

namespace quench::circuits {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::size_t kPairs = 24;

std::vector<Entry> all_entries() { return {entries().begin(), entries().end()}; }

const CircuitSet& whole_set() {
  static const CircuitSet set = make_set(all_entries(), {.pairs = kPairs});
  return set;
}

const std::string& content(const CircuitSet& set, const std::string& name) {
  for (const exports::ExportedFile& file : set.files)
    if (file.name == name) return file.content;
  throw std::runtime_error("no file " + name);
}

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(CircuitSet, HasFortyModelsWithTheirFiles) {
  ASSERT_EQ(entries().size(), 40u);
  std::map<std::string, std::size_t> kinds;
  std::set<std::string> names;
  for (const Entry& entry : entries()) {
    EXPECT_TRUE(names.insert(entry.name()).second) << entry.name();
    ++kinds[std::string(entry.kind())];
    for (const char* file : {"config.json", "model.safetensors", "circuit.json", "edges.json", "pairs.jsonl"})
      EXPECT_FALSE(content(whole_set(), entry.name() + "/" + file).empty()) << entry.name() << file;
    const std::string ending(entry.file.substr(entry.file.rfind('.')));
    EXPECT_EQ(
        content(whole_set(), entry.name() + "/rule" + ending),
        test::read_text(test::source_path("examples/" + std::string(entry.folder) + "/" + std::string(entry.file))));
  }
  EXPECT_EQ(kinds, (std::map<std::string, std::size_t>{{"automaton", 5}, {"formula", 25}, {"program", 10}}));
  EXPECT_EQ(whole_set().files.size(), 40u * 6 + 5);

  // In the order of their difficulty: the number of true edges.
  std::size_t before = 0;
  for (const ModelSummary& model : whole_set().models) {
    EXPECT_GE(model.real, before) << model.name;
    before = model.real;
    EXPECT_GT(model.differing, 0u) << model.name;
    EXPECT_GT(model.changing, 0u) << model.name;
  }
}

TEST(CircuitSet, IsTheSameEveryTime) {
  const CircuitSet again = make_set(all_entries(), {.pairs = kPairs});
  ASSERT_EQ(again.files.size(), whole_set().files.size());
  for (std::size_t f = 0; f < again.files.size(); ++f) {
    EXPECT_EQ(again.files[f].name, whole_set().files[f].name);
    EXPECT_TRUE(again.files[f].content == whole_set().files[f].content) << again.files[f].name;
  }
  const std::vector<Entry> first{entries()[0]};
  EXPECT_NE(content(make_set(first, {.pairs = kPairs, .seed = 2}), "tomita_1/pairs.jsonl"),
            content(whole_set(), "tomita_1/pairs.jsonl"));
}

/// What the file says of words and labels, held against the oracle and the network, from the texts of the words.
TEST(CircuitSet, LabelsAreThoseOfTheOracleAndOfTheNetwork) {
  for (const Entry& entry : entries()) {
    const lang::Rule rule = entry.rule();
    const model::Transformer model = driver::compile(rule, entry.options()).model;
    const verify::AnswerTable table(model, rule);
    const json config = json::parse(content(whole_set(), entry.name() + "/config.json"));
    const auto labels = static_cast<std::int64_t>(config["quench"]["labels"].size());
    for (const json& pair : lines_of(content(whole_set(), entry.name() + "/pairs.jsonl"))) {
      for (const std::string which : {"clean", "corrupted"}) {
        const std::string text = pair[which];
        const std::int64_t label = pair[which + "_label"];
        const Word word = lang::alphabet(rule).parse(text);
        const std::int64_t expected = table.as_model_answers(oracle::evaluate(rule, word)).back();
        EXPECT_EQ(label, expected < 0 ? labels - 1 : expected) << entry.name() << " " << text;
        const Word of_model = model.alphabet.parse(text);
        EXPECT_EQ(run::answers(model, run::run(model, of_model)).back(), expected) << entry.name() << " " << text;
        std::vector<std::size_t> tokens;
        for (const Symbol symbol : of_model)
          tokens.push_back(symbol < 0 ? model.alphabet.size() : static_cast<std::size_t>(symbol));
        EXPECT_EQ(pair[which + "_tokens"].get<std::vector<std::size_t>>(), tokens) << entry.name() << " " << text;
      }
      EXPECT_NE(pair["clean_label"], pair["corrupted_label"]) << entry.name();
    }
  }
}

TEST(CircuitSet, CircuitsAndIndexSayWhatIsThere) {
  const json schema = json::parse(content(whole_set(), "circuit.schema.json"));
  for (const Entry& entry : entries()) {
    json circuit = json::parse(content(whole_set(), entry.name() + "/circuit.json"));
    EXPECT_EQ(test::schema_error(schema, circuit, "circuit"), "") << entry.name();
    std::set<std::string> ids;
    for (const json& node : circuit["nodes"]) EXPECT_TRUE(ids.insert(node["id"]).second) << entry.name();
    for (const json& edge : circuit["edges"])
      EXPECT_TRUE(ids.contains(edge["from"]) && ids.contains(edge["to"])) << entry.name() << edge;
    // And the schema does find fault.
    circuit["edges"][0]["input"] = "x";
    EXPECT_THAT(test::schema_error(schema, circuit, "circuit"), HasSubstr("circuit.edges[].input"));
  }
  const json index = json::parse(content(whole_set(), "index.json"));
  ASSERT_EQ(index["models"].size(), 40u);
  for (const json& model : index["models"]) {
    const std::string name = model["name"];
    const std::vector<json> pairs = lines_of(content(whole_set(), name + "/pairs.jsonl"));
    EXPECT_EQ(model["pairs"], pairs.size()) << name;
    std::vector<std::size_t> classes(model["classes"].size());
    for (const json& pair : pairs) ++classes.at(pair["clean_label"]);
    EXPECT_EQ(model["classes"].get<std::vector<std::size_t>>(), classes) << name;
    std::size_t real = 0, differing = 0;
    const json edges = json::parse(content(whole_set(), name + "/edges.json"))["edges"];
    for (const json& edge : edges) {
      real += edge["true"] == true;
      differing += edge["true"] == true && edge["differs"] > 0;
    }
    EXPECT_EQ(model["candidates"], edges.size()) << name;
    EXPECT_EQ(model["true"], real) << name;
    EXPECT_EQ(model["true_differing"], differing) << name;
    EXPECT_THAT(content(whole_set(), "README.md"), HasSubstr("| `" + name + "` |"));
  }
}

TEST(WriteSet, WritesANewFolderWholeOrNotAtAll) {
  const test::TemporaryDirectory directory;
  const std::vector<Entry> first{entries()[0]};
  const CircuitSet set = make_set(first, {.pairs = 4});
  const auto folder = directory.path() / "set";
  write_set(folder / "", set);  // with a slash at the end
  EXPECT_EQ(test::read_text(folder / "tomita_1" / "pairs.jsonl"), content(set, "tomita_1/pairs.jsonl"));
  EXPECT_THROW(write_set(folder, set), IoError);
  EXPECT_THROW(write_set(directory.path() / "missing" / "set", set), IoError);
  EXPECT_THROW(write_set(folder / "README.md", set), IoError);
  std::filesystem::create_directory(directory.path() / "empty");
  write_set(directory.path() / "empty", set);

  CircuitSet broken = set;
  broken.files.push_back({"index.json/file", "no folder can be made of a file"});
  EXPECT_THROW(write_set(directory.path() / "broken", broken), IoError);
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"empty", "examples", "set"}));
}

}  // namespace
}  // namespace quench::circuits
