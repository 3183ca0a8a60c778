// Running models through the public headers: engines, refusals, threads, streams.
#include <gtest/gtest.h>
#include <quench/quench.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "support/shell.h"

namespace quench {
namespace {

const Rule& rule() {
  static const Rule rule = parse_formula("H (Q_r -> O Q_g)");
  return rule;
}

TEST(Runner, AnswersAsTheRuleDoesInEveryEngine) {
  const Model model = compile(rule());
  for (const Engine engine : {Engine::automatic, Engine::reference, Engine::dense, Engine::structured, Engine::bits}) {
    const Runner runner(model, {.engine = engine});
    EXPECT_TRUE(runner.certified());
    EXPECT_TRUE(runner.warnings().empty());
    for (const char* word : {"g", "r", "rg", "ggr", "ggxr", "xxrgrg"}) {
      EXPECT_EQ(runner.run(word), evaluate(rule(), word)) << word;
      EXPECT_EQ(runner.accepts(word), evaluate(rule(), word).accepted()) << word;
    }
    EXPECT_EQ(runner.run_symbols({"g", "no such symbol", "r"}).truth, (std::vector<bool>{true, true, true}));
    EXPECT_EQ(runner.run_all({"rg", "g"}), (std::vector<Answer>{evaluate(rule(), "rg"), evaluate(rule(), "g")}));
    EXPECT_TRUE(runner.run_all({}).empty());
  }
}

TEST(Runner, RefusesTheEmptyWord) {
  const Runner runner(compile(rule()));
  EXPECT_THROW(runner.run(""), UserError);
  EXPECT_THROW(runner.run_symbols({}), UserError);
  EXPECT_THROW(runner.run_all({"g", ""}), UserError);
  EXPECT_THROW(runner.run("\xff"), UserError);
}

TEST(Runner, RefusesWhatTheCertificateDoesNotCover) {
  const Model model = compile(parse_formula("prev Q_g"));
  for (const Engine engine : {Engine::automatic, Engine::bits}) {
    const Runner runner(model, {.format = Format::bf16, .engine = engine});
    ASSERT_LT(runner.longest(), 100'000u);
    const std::string longest(runner.longest(), 'g');
    EXPECT_EQ(runner.accepts(longest), longest.size() > 1);
    try {
      runner.run_all({"g", longest + "g"});
      FAIL();
    } catch (const LengthRefused& refused) {
      EXPECT_EQ(refused.length, runner.longest() + 1);
      EXPECT_EQ(refused.longest, runner.longest());
    }
  }
}

TEST(Runner, RunsLongWordsWhenToldTo) {
  const Runner runner(compile(rule()), {.format = Format::bf16, .uncertified = true});
  EXPECT_FALSE(runner.certified());
  EXPECT_TRUE(runner.warnings().empty());
  EXPECT_EQ(runner.longest(), kNoLimit);
  EXPECT_EQ(runner.run(std::string(500, 'g')).length(), 500u);
}

TEST(Runner, WarnsOfModelsWithoutACertificate) {
  const Runner runner(compile(rule(), {.certify = false}));
  EXPECT_FALSE(runner.certified());
  ASSERT_EQ(runner.warnings().size(), 1u);
  EXPECT_EQ(runner.warnings()[0], "this model has no certificate");
  EXPECT_TRUE(runner.accepts("gr"));
}

TEST(Runner, DoesNotBelieveTheCertificateOfAnotherModel) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "m.safetensors";
  save(compile(parse_formula("prev Q_a")), path);
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  std::string bytes = content.str();
  for (std::size_t at = bytes.find("prev Q_a"); at != std::string::npos; at = bytes.find("prev Q_a", at))
    bytes.replace(at, 8, "prev Q_b");
  const Model forged = load_bytes(bytes);
  EXPECT_FALSE(Runner(forged).certified());
  EXPECT_EQ(Runner(forged).warnings().size(), 2u);
  EXPECT_THROW(Runner(forged, {.engine = Engine::bits}), UserError);
  EXPECT_FALSE(check(forged).behaves);
}

TEST(Runner, SaysWhichEngineCannotDoWhatIsAsked) {
  const Model model = compile(rule());
  EXPECT_THROW(Runner(model, {.format = Format::bf16, .engine = Engine::structured}), UserError);
  EXPECT_THROW(Runner(model, {.engine = Engine::bits, .hard = true}), UserError);
  const Model program = compile(parse_program("out(i) = rightmost j [j < i, Q_a(j)] true : false"));
  EXPECT_THROW(Runner(program, {.engine = Engine::bits}), UserError);
}

TEST(Runner, AnswersWithNumbersAndSymbolsAsTheRuleDoes) {
  for (const char* text :
       {"out(i) = psum j [j <= i] Q_a(j)", "alphabet {'a', 'b'}\nout(i) = rightmost j [j < i, true] in(j) : 'b'"}) {
    const Rule program = parse_program(text);
    const Runner runner(compile(program), {.uncertified = true});
    for (const char* word : {"a", "b", "abba", "axa"}) EXPECT_EQ(runner.run(word), evaluate(program, word)) << word;
    EXPECT_THROW(runner.accepts("a"), UserError);
  }
}

TEST(Runner, ServesSeveralThreadsAtOnce) {
  for (const Engine engine : {Engine::automatic, Engine::reference, Engine::bits}) {
    const Runner runner(compile(rule()), {.engine = engine});
    const auto work = [&](const std::string& word, int& wrong) {
      const Answer expected = evaluate(rule(), word);
      for (int turn = 0; turn < 50; ++turn) wrong += runner.run(word) != expected;
    };
    int first_wrong = 0, second_wrong = 0;
    std::thread first([&] { work("rgxrgrgrrg", first_wrong); });
    std::thread second([&] { work(std::string(200, 'g') + "rxr", second_wrong); });
    first.join();
    second.join();
    EXPECT_EQ(first_wrong + second_wrong, 0);
  }
}

TEST(Runner, OutlivesWhatItWasMadeOf) {
  const auto make = [] { return Runner(compile(parse_formula("O Q_a"))); };
  const Runner runner = make();
  const Runner copy = runner;
  EXPECT_TRUE(copy.accepts("xa"));
  EXPECT_EQ(copy.run("xax"), runner.run("xax"));
}

TEST(Stream, AnswersEverySymbolAtOnce) {
  const Model model = compile(rule(), {.decoder = true});
  Stream stream(model);
  EXPECT_TRUE(stream.certified());
  for (const char* word : {"ggxr", "rg"}) {
    const Answer expected = evaluate(rule(), word);
    for (std::size_t i = 0; i < expected.length(); ++i)
      EXPECT_EQ(stream.push(std::string(1, word[i])), expected.truth[i]) << word << " at " << i;
    EXPECT_EQ(stream.length(), expected.length());
    stream.reset();
  }
}

TEST(Stream, RefusesModelsThatLookAhead) {
  EXPECT_THROW(Stream{compile(parse_formula("next Q_a"))}, UserError);
  EXPECT_THROW(Stream(compile(rule(), {.decoder = true}), {.format = Format::bf16}), UserError);
}

TEST(Stream, EndsWhereTheCertificateDoes) {
  Stream stream(compile(parse_formula("Q_a S Q_b"), {.recipe = "16b"}), {.format = Format::f32});
  EXPECT_TRUE(stream.certified());
  ASSERT_LT(stream.longest(), 10'000u);
  for (std::uint64_t i = 0; i < stream.longest(); ++i) stream.push("b");
  EXPECT_THROW(stream.push("b"), LengthRefused);
  EXPECT_EQ(stream.length(), stream.longest());
  stream.reset();
  EXPECT_TRUE(stream.push("b"));
}

}  // namespace
}  // namespace quench
