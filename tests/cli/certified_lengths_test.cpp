// Which length is for which engine: what compile and certify print, and what run holds each engine to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/examples.h"
#include "support/paths.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class CertifiedLengths : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  json summary(const std::string& rule, const std::string& more = "") {
    return json::parse(run("compile --certify --json -e '" + rule + "' " + more).out);
  }
  /// n letters, a and b in turn.
  void write_word(std::size_t n) {
    std::ofstream file(directory_.path() / "word.txt");
    for (std::size_t i = 0; i < n; ++i) file << (i % 2 == 0 ? 'a' : 'b');
    file << "\n";
  }

  test::TemporaryDirectory directory_;
};

TEST_F(CertifiedLengths, TheHeadlineHoldsInAnyEngine) {
  const json one_sided = summary("#<[Q_a] >= #<[Q_b]"), by_summation = one_sided["certified_by_summation"]["f32"];
  EXPECT_EQ(one_sided["certified"]["f32"], by_summation["any"]);
  EXPECT_LT(by_summation["any"], 10'000);
  EXPECT_GT(by_summation["normalise-last"], 1'000'000);
  const json mixed = summary("#<[Q_a] >= #>[Q_b]")["certified_by_summation"]["f32"];
  EXPECT_GT(mixed["exact-count"], 100 * mixed["normalise-last"].get<std::uint64_t>());
}

TEST_F(CertifiedLengths, TheSummarySaysWhichEngineReachesFurther) {
  const json lengths = summary("#<[Q_a] >= #<[Q_b]")["certified_by_summation"]["f32"];
  const auto f32 = [&](const char* summation) { return "f32 " + lengths[summation].dump(); };
  const std::string text = run("compile --certify -e '#<[Q_a] >= #<[Q_b]'").out;
  EXPECT_THAT(text, ::testing::ContainsRegex("certified   f64 [^\n]*" + f32("any") + "[^\n]*: any engine"));
  EXPECT_THAT(text,
              ::testing::ContainsRegex("\n            [^\n]*" + f32("normalise-last") + "[^\n]*: engines that divide"));
  EXPECT_THAT(run("compile --certify -e '#<[Q_a] >= #>[Q_b]'").out, HasSubstr("engines that also form sums"));
  const std::string same = run("compile --certify -e 'prev Q_a'").out;
  EXPECT_THAT(same, HasSubstr("certified   f64 4503599627370496, f32 8388608, bf16 256, f16 2048\n"));
  EXPECT_THAT(same, Not(HasSubstr("engine")));
}

/// The format that was asked for is certified and printed, though it is none of the usual four.
TEST_F(CertifiedLengths, TheSummaryHasTheFormatThatWasAskedFor) {
  const std::string asked = "compile --regex '(b*ab*a)*b*' --length 65536 --dtype f8e4m3 -o m.safetensors";
  EXPECT_THAT(run(asked).out, HasSubstr(", f8e4m3 65536\n"));
  EXPECT_THAT(run("check m.safetensors").out, HasSubstr("f8e4m3 65536"));
  EXPECT_THAT(run("compile --certify -e 'prev Q_a' --dtype bf16").out, Not(HasSubstr("bf16 256, f16 2048, bf16")));
}

TEST_F(CertifiedLengths, DigitsThatWereNotAskedForAreNamed) {
  const std::string arguments = "compile -e 'prime(#<[Q_a])' --length 262144 --dtype f16";
  EXPECT_THAT(run(arguments).out, HasSubstr("\nchosen      with --digits"));
  EXPECT_THAT(run(arguments + " --digits").out, Not(HasSubstr("with --digits")));
}

TEST_F(CertifiedLengths, CertifyExplainsTheWaysOfSumming) {
  EXPECT_THAT(run("certify -e '#<[Q_a] >= #>[Q_b]' --dtype f32").out,
              HasSubstr("exact-count     engines that also form"));
  EXPECT_THAT(run("certify -e 'prev Q_a' --dtype f32").out, Not(HasSubstr("engine")));
  const std::string length = "certify -e '#<[Q_a] >= #<[Q_b]' --dtype f32 --length 100000";
  EXPECT_THAT(run(length + " --recipe tight").out, HasSubstr("certifies n <= 100000 in engines that divide"));
  EXPECT_EQ(run(length).out, "f32       --recipe exact --length 100000 certifies n <= 100000\n");
  EXPECT_THAT(run("certify -e '#<[Q_a] >= #<[Q_b]' --dtype f32 --length 1000").out, Not(HasSubstr("engines")));
}

/// Every command that compiles takes what is certified up to the length asked for, in the format it runs in.
TEST_F(CertifiedLengths, ALengthThatIsAskedForIsHad) {
  const std::string odd = " -e 'odd(#<[Q_a])'", far = " --length 100000";
  EXPECT_THAT(run("compile" + odd + far).out, HasSubstr("chosen      tight is certified up to "));
  EXPECT_THAT(run("compile --length 1000" + odd).out, HasSubstr("recipe      tight "));
  EXPECT_THAT(run("compile --length 1000 --dtype bf16" + odd).out, HasSubstr("recipe      exact "));
  EXPECT_THAT(run("show --stage model" + odd + far).out, HasSubstr("bit0"));
  write_word(300);
  const auto bf16 = run("run --dtype bf16 --input word.txt" + odd + far);
  EXPECT_EQ(bf16.err, "");
  EXPECT_EQ(bf16.out, run("eval --input word.txt" + odd).out);
  const auto none = run("compile --length 9999999 --dtype bf16" + odd);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("error E108: no construction is certified up to 9999999 in bf16"));
}

/// The table of engines in docs/certificates.md (scripts/measure_engines.py) sets what was measured beside these.
TEST_F(CertifiedLengths, AreThoseOfTheDocument) {
  const json columns[] = {summary("Q_a S Q_b"), summary("Q_a S Q_b", "--digits"), summary("#<[Q_a] >= #<[Q_b]"),
                          summary("#<[Q_a] >= #>[Q_b]"), summary("odd(#<[Q_1])")};
  std::istringstream lines(test::read_text(test::source_path("docs/certificates.md")));
  int rows = 0;
  for (std::string line; std::getline(lines, line);)
    for (const char* format : {"f32", "bf16", "f16"}) {
      std::string cells = std::string("| **") + format + "**, certified for any engine |";
      if (!line.starts_with(cells)) continue;
      ++rows;
      for (const json& column : columns) cells += " " + column["certified"][format].dump() + " |";
      for (std::string* text : {&line, &cells}) std::erase_if(*text, [](char c) { return c == ',' || c == '*'; });
      EXPECT_EQ(line, cells);
    }
  EXPECT_EQ(rows, 3);
}

/// The structured engine forms sums exactly where its certificate asks for it; the others do not.
TEST_F(CertifiedLengths, RunHoldsEachEngineToItsOwn) {
  ASSERT_EQ(run("compile -e '#<[Q_a] >= #>[Q_b]' -o m.safetensors").exit_code, 0);
  const json lengths = summary("#<[Q_a] >= #>[Q_b]")["certified_by_summation"]["f32"];
  const auto usual = lengths["normalise-last"].get<std::size_t>(), exact = lengths["exact-count"].get<std::size_t>();
  const std::string words = "run m.safetensors --dtype f32 --json --input word.txt";
  write_word(usual + 1);
  const test::Finished structured = run(words);
  EXPECT_EQ(structured.exit_code, 0) << structured.err;
  EXPECT_EQ(structured.out, run("eval -e '#<[Q_a] >= #>[Q_b]' --json --input word.txt").out);
  for (const char* engine : {"dense", "reference"}) {
    const test::Finished refused = run(words + " --engine " + engine);
    EXPECT_EQ(refused.exit_code, 1) << engine;
    EXPECT_THAT(refused.err, HasSubstr("n <= " + std::to_string(usual) + " only in this engine")) << engine;
    EXPECT_THAT(refused.err, HasSubstr("(--engine structured: n <= " + std::to_string(exact) + ")")) << engine;
  }
  write_word(exact + 1);
  const test::Finished refused = run(words);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("certified for n <= " + std::to_string(exact) + " only\n"));
}

}  // namespace
}  // namespace quench
