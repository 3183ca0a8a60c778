// docs/model-format.md is executable: its Python runs, on its own example and as a second implementation on random
// models, and its worked example is what the writer writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "model/file/document.h"
#include "model/file.h"
#include "model/file_fixture.h"
#include "run/reference/reference.h"
#include "support/example_model.h"
#include "support/paths.h"
#include "support/random_model.h"

namespace quench::model {
namespace {

/// The fenced blocks of one language, in order.
std::vector<std::string> blocks(const std::string& language) {
  const std::string text = test::read_bytes(test::source_path("docs/model-format.md"));
  std::vector<std::string> found;
  const std::string fence = fmt::format("\n```{}\n", language);
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    found.push_back(text.substr(begin, text.find("\n```", begin) + 1 - begin));
  }
  return found;
}

bool has_python() { return std::system("python3 -c pass >/dev/null 2>&1") == 0; }

/// Runs a script in a folder; its output is the failure message.
void run_python(const test::TemporaryFolder& folder, const std::string& script) {
  test::write_bytes(folder / "script.py", script);
  const std::string command = fmt::format("cd '{}' && python3 script.py >log 2>&1", folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0) << test::read_bytes(folder / "log");
}

std::string documented_python() {
  std::string script;
  for (const std::string& block : blocks("python")) script += block + "\n";
  return script;
}

TEST(ModelFormatPage, TheWorkedExampleIsWhatTheWriterWrites) {
  const auto json = blocks("json");
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(json[1]), nlohmann::json::parse(write_document(test::once_model())));
}

TEST(ModelFormatPage, ThePythonRuns) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  ASSERT_EQ(blocks("python").size(), 4u);
  const test::TemporaryFolder folder;
  save(test::once_model(), folder / "once.safetensors");
  run_python(folder, documented_python());
}

/// Words and the reference executor's outputs, for Python to compare.
nlohmann::json expectations(Random& random, const Transformer& model) {
  nlohmann::json cases = nlohmann::json::array();
  for (int count = 0; count < 6; ++count) {
    const Word word = test::word_over(random, model, 1 + random.below(9));
    std::vector<std::string> symbols;
    for (const Symbol symbol : word)
      symbols.push_back(symbol < 0 ? "unheard of" : model.alphabet.symbols()[static_cast<std::size_t>(symbol)]);
    const bool hard = count % 2 == 1;
    const std::vector<double> outputs = run::outputs(model, word, {NumberFormat::f64, hard});
    cases.push_back({{"word", symbols}, {"hard", hard}, {"outputs", outputs}});
  }
  return cases;
}

TEST(ModelFormatPage, ThePythonAgreesWithTheReferenceExecutorOnRandomModels) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const test::TemporaryFolder folder;
  save(test::once_model(), folder / "once.safetensors");
  Random random(8);
  nlohmann::json expected = nlohmann::json::array();
  for (int index = 0; index < 40; ++index) {
    test::RandomModelOptions options;
    options.small_weights = index % 2 == 0;
    options.scale = 0.4;
    const Transformer model = test::random_model(random, options);
    save(model, folder / fmt::format("m{}", index));
    expected.push_back(expectations(random, model));
  }
  test::write_bytes(folder / "expected.json", expected.dump());
  run_python(folder, documented_python() + R"(
compared = 0
for index, cases in enumerate(json.load(open("expected.json"))):
    tensors, document = load("m%d" % index)
    for case in cases:
        got = run(tensors, document, case["word"], case["hard"])
        assert len(got) == len(case["outputs"])
        for x, y in zip(got, case["outputs"]):
            near = not math.isfinite(x) if y is None else abs(x - y) <= 1e-9 * max(1, abs(y))
            assert near, (index, case, got)
            compared += 1
assert compared > 500, compared
)");
}

/// Numbers leave the range of doubles and come back as NaN, which nothing on the way takes for 0.
TEST(ModelFormatPage, ThePythonKeepsNaNWhereTheReferenceDoes) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const test::TemporaryFolder folder;
  save(test::once_model(), folder / "once.safetensors");
  Random random(9);
  nlohmann::json expected = nlohmann::json::array();
  std::size_t lost = 0;
  for (int index = 0; index < 40; ++index) {
    test::RandomModelOptions options;
    options.scale = 0.4;
    Transformer model = test::random_model(random, options);
    for (std::size_t row = 0; row < model.embedding.rows.size(); ++row)
      for (SparseMatrix::Entry& entry : model.embedding.rows.edit(row)) entry.value *= 0x1p1000;
    save(model, folder / fmt::format("m{}", index));
    expected.push_back(nlohmann::json::array());
    for (int count = 0; count < 4; ++count) {
      const Word word = test::word_over(random, model, 1 + random.below(9));
      nlohmann::json symbols = nlohmann::json::array(), kinds = nlohmann::json::array();
      for (const Symbol symbol : word)
        symbols.push_back(symbol < 0 ? "unheard of" : model.alphabet.symbols()[static_cast<std::size_t>(symbol)]);
      for (const double x : run::outputs(model, word, {NumberFormat::f64, count % 2 == 1})) {
        kinds.push_back(std::isnan(x) ? "nan" : x == INFINITY ? "inf" : x == -INFINITY ? "-inf" : "finite");
        lost += std::isnan(x);
      }
      expected.back().push_back({{"word", symbols}, {"hard", count % 2 == 1}, {"kinds", kinds}});
    }
  }
  EXPECT_GT(lost, 50u);
  test::write_bytes(folder / "expected.json", expected.dump());
  run_python(folder, documented_python() + R"(
for index, cases in enumerate(json.load(open("expected.json"))):
    tensors, document = load("m%d" % index)
    for case in cases:
        got = run(tensors, document, case["word"], case["hard"])
        assert ["finite" if math.isfinite(x) else str(x) for x in got] == case["kinds"], (index, case, got)
)");
}

TEST(ModelFormatPage, ThePythonFindsTheFingerprint) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const test::TemporaryFolder folder;
  save(test::once_model(), folder / "once.safetensors");
  Random random(10);
  std::string script = documented_python();
  for (int index = 0; index < 20; ++index) {
    Transformer model = test::random_model(random, {});
    if (index % 2 == 0) model.source = "\"certificate\":{\"model\":\"⊖\\\"}";  // as text, it is not the field
    const std::string bare = fingerprint(model);
    if (index % 3 != 0) model.certificate = R"({"entries":[{"length":12.5}],"model":"0"})";
    EXPECT_EQ(fingerprint(model), bare);
    const std::string name = fmt::format("m{}", index);
    save(model, folder / name);
    EXPECT_EQ(fingerprint(load(folder / name)), bare);
    script += fmt::format("assert fingerprint('{}') == '{}', {}\n", name, bare, index);
  }
  run_python(folder, script);
}

}  // namespace
}  // namespace quench::model
