// run --engine bits: allowed only where a certificate proves the answers and the file is what it says it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;

class BitsEngine : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  test::TemporaryDirectory directory_;
};

TEST_F(BitsEngine, AnswersLikeTheNetworkAndSaysWhatItDid) {
  ASSERT_EQ(run("compile -e 'prev Q_a' --recipe 13a -o m.safetensors").exit_code, 0);
  const test::Finished network = run("run m.safetensors --dtype f32 --json aab ba a b");
  const test::Finished bits = run("run m.safetensors --dtype f32 --json --engine bits --explain aab ba a b");
  EXPECT_EQ(bits.exit_code, 0) << bits.err;
  EXPECT_EQ(bits.out, network.out);
  EXPECT_THAT(bits.err, HasSubstr("proved: recipe 13a in f32"));
  EXPECT_THAT(bits.err, HasSubstr("no attention was computed"));
}

TEST_F(BitsEngine, AnswersForWhateverWeCompiled) {
  for (const char* rule :
       {"#>[Q_b] + #<[Q_a] < 2", "#[Q_b] - #<[Q_a] >= 0", "let x = Q_b; let y = #>[x] - #<[Q_a]; y > 1 - y | prev x"}) {
    ASSERT_EQ(run(std::string("compile -e '") + rule + "' -o m.safetensors").exit_code, 0);
    const test::Finished bits = run("run m.safetensors --dtype f64 --engine bits abba");
    EXPECT_EQ(bits.exit_code, 0) << rule << "\n" << bits.err;
    EXPECT_EQ(bits.out, run("run m.safetensors --dtype f64 abba").out) << rule;
  }
}

TEST_F(BitsEngine, TakesManyWordsAtOnce) {
  const std::string formula = "-e '(Q_a S prev Q_b) | next Q_b & #<[Q_a] > #>[Q_b]' --dtype f32 ";
  {
    std::ofstream file(directory_.path() / "words.txt");
    for (int w = 1; w < 1024; ++w) {  // every word of up to nine letters: the binary digits of w but the first
      std::string word;
      for (int rest = w; rest > 1; rest /= 2) word += rest % 2 == 0 ? 'a' : 'b';
      if (!word.empty()) file << word << "\n";
    }
    file << std::string(2000, 'a') << "\n";
  }
  const test::Finished network = run("run " + formula + "--uncertified --json --input words.txt");
  const test::Finished bits = run("run " + formula + "--engine bits --explain --json --input words.txt");
  EXPECT_EQ(bits.exit_code, 0) << bits.err;
  EXPECT_EQ(bits.out, network.out);
  EXPECT_THAT(bits.err, HasSubstr("(1022 words, 512 at a time; 1 word, 64 positions at a time); no attention"));
}

TEST_F(BitsEngine, RefusesWhatIsNotCertified) {
  const test::Finished finished =
      run("run -e 'prev Q_a' --recipe 13a --dtype bf16 --engine bits " + std::string(10'000, 'a'));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.err, HasSubstr("refused"));
  EXPECT_EQ(run("run -e 'prev Q_a' --recipe 13a --engine bits --weighting hard a").exit_code, 2);
  EXPECT_EQ(run("run -e 'prev Q_a' --decoder --engine bits --stream").exit_code, 2);
  EXPECT_EQ(run("run -e 'out(i) = rightmost j [j < i, Q_a(j)] true : false' --engine bits a").exit_code, 2);
}

TEST_F(BitsEngine, RefusesAFileWhoseFormulaIsNotItsOwn) {
  ASSERT_EQ(run("compile -e 'prev Q_a' --recipe 13a -o m.safetensors").exit_code, 0);
  std::string file = test::read_text(directory_.path() / "m.safetensors");
  for (std::size_t at = file.find("prev Q_a"); at != std::string::npos; at = file.find("prev Q_a", at))
    file.replace(at, 8, "prev Q_b");
  std::ofstream(directory_.path() / "forged.safetensors", std::ios::binary) << file;
  ASSERT_EQ(run("certify forged.safetensors --dtype f64 -o forged.safetensors").exit_code, 0);
  const test::Finished finished = run("run forged.safetensors --engine bits ab");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("not what the compiler makes"));
}

}  // namespace
}  // namespace quench
