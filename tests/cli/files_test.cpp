// What commands read and write: pipes, devices, other people's files, files nobody vouches for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/file.h"
#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Files : public ::testing::Test {
 protected:
  test::Finished shell(const std::string& line) { return test::shell(line, directory_.path()); }
  void expect_exit(int code, const std::string& arguments, const std::string& message) {
    const test::Finished finished = shell("quench " + arguments);
    EXPECT_EQ(finished.exit_code, code) << arguments << "\n" << finished.out << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }
  std::filesystem::path path(const char* name) const { return directory_.path() / name; }
  std::string read(const char* name) const { return test::read_text(path(name)); }
  test::TemporaryDirectory directory_;
};

// ---- reading

TEST_F(Files, APipeIsReadOnce) {
  const std::string answer = "ab   01   accept\n";
  EXPECT_EQ(shell("printf 'prev Q_a' | quench run --uncertified /dev/stdin ab").out, answer);
  EXPECT_EQ(shell("printf 'prev Q_a' | quench run --uncertified - ab").out, answer);
  EXPECT_EQ(shell("mkfifo p; printf 'prev Q_a' >p & quench run --uncertified p ab").out, answer);
  EXPECT_EQ(shell("printf 'prev Q_a' | quench eval /dev/stdin ab").out, answer);
  ASSERT_EQ(shell("quench compile -e 'prev Q_a' -o m.safetensors").exit_code, 0);
  EXPECT_EQ(shell("cat m.safetensors | quench run /dev/stdin ab").out, answer);
  EXPECT_EQ(shell("quench run - ab <m.safetensors").out, answer);
  EXPECT_EQ(shell("cat m.safetensors | quench verify /dev/stdin -e 'prev Q_a'").exit_code, 0);
  EXPECT_EQ(shell("head -c 500 m.safetensors | quench run /dev/stdin ab").exit_code, 3);
  EXPECT_EQ(shell("printf ab | quench eval -e 'prev Q_a' --input /dev/stdin").out, answer);
}

TEST_F(Files, AHugeHeaderIsNotRead) {
  {
    std::ofstream file(path("huge.safetensors"), std::ios::binary);
    const std::uint64_t length = 3'000'000'000;
    for (int shift = 0; shift < 64; shift += 8) file.put(static_cast<char>(length >> shift & 255));
    file.put('{');
  }
  std::filesystem::resize_file(path("huge.safetensors"), 3'000'000'008);  // no bytes stand behind it
  expect_exit(3, "run huge.safetensors a", "at most 100000000");
}

TEST_F(Files, AModelWhoseSourceCannotBeParsedIsNotOurBug) {
  ASSERT_EQ(shell("quench compile -e 'prev Q_a' -o m.safetensors").exit_code, 0);
  model::Transformer model = model::load(path("m.safetensors"));
  for (const char* source : {"", "((", "Q_a &", "\x01"}) {
    model.source = source;
    model::save(model, path("bent.safetensors"));
    for (const char* command : {"run bent.safetensors ab --engine bits", "certify bent.safetensors --length 10"})
      EXPECT_EQ(shell(std::string("quench ") + command).exit_code, 2) << source;
    EXPECT_LE(shell("quench soften bent.safetensors").exit_code, 2) << source;
  }
}

TEST_F(Files, ScoresOfNoSymbolAreRefusedWhenTheyAreRead) {
  ASSERT_EQ(shell("quench compile examples/programs/ngram_toy.brasp -o m.safetensors").exit_code, 0);
  std::string bytes = read("m.safetensors");
  const std::string from = R"(\"symbols\":[\"</s>\"]})", to = R"(\"symbols\":[])";
  const std::size_t at = bytes.find(from);
  ASSERT_NE(at, std::string::npos) << bytes.substr(0, 2000);
  bytes.replace(at, from.size(), to + std::string(from.size() - to.size() - 1, ' ') + "}");
  std::ofstream(path("bent.safetensors"), std::ios::binary) << bytes;
  expect_exit(3, "run --uncertified --json bent.safetensors a", "scores");
}

// ---- writing

TEST_F(Files, OthersFilesAreLeftAlone) {
  std::ofstream(path("t.json.part")) << "mine";
  std::ofstream(path("victim")) << "precious";
  std::filesystem::create_symlink("victim", path("c.part"));
  ASSERT_EQ(shell("quench trace -e 'prev Q_a' ab -o t.json").exit_code, 0);
  ASSERT_EQ(shell("quench train -e Q_a --steps 1 --no-test --checkpoint c").exit_code, 0);
  EXPECT_EQ(read("t.json.part"), "mine");
  EXPECT_EQ(read("victim"), "precious");
  EXPECT_EQ(json::parse(read("t.json"))["word"], "ab");
}

TEST_F(Files, PipesAndStandardOutputAreWrittenTo) {
  const std::string trace = shell("quench trace -e 'prev Q_a' ab --json").out;
  EXPECT_EQ(shell("mkfifo p; cat p & quench trace -e 'prev Q_a' ab -o p; wait").out, trace);
  EXPECT_TRUE(std::filesystem::is_fifo(path("p")));
  for (const char* target : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"})
    EXPECT_EQ(shell(std::string("echo before; quench trace -e 'prev Q_a' ab -o ") + target).out, "before\n" + trace) << target;
  ASSERT_EQ(shell("quench compile -e 'prev Q_a' -o m.safetensors").exit_code, 0);
  EXPECT_EQ(shell("cat p >copy & quench compile -e 'prev Q_a' -o p >/dev/null; wait; cmp copy m.safetensors").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("p.certificate.json")));
  for (const char* arguments : {"trace -e 'prev Q_a' ab -o /dev/full", "attend -e 'prev Q_a' ab --svg /dev/full",
                                "compile -e 'prev Q_a' -o /dev/full", "certify -e 'prev Q_a' -o /dev/full"})
    expect_exit(3, arguments, "No space left");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(Files, AModeIsKept) {
  for (const char* arguments : {"trace -e 'prev Q_a' ab -o f", "certify -e 'prev Q_a' -o f", "compile -e 'prev Q_a' -o f"}) {
    ASSERT_EQ(shell("echo old >f; chmod 604 f").exit_code, 0);
    ASSERT_EQ(shell(std::string("quench ") + arguments).exit_code, 0);
    EXPECT_EQ(shell("stat -c %a f").out, "604\n") << arguments;
  }
}

TEST_F(Files, AFileThatMayNotGrowIsAnErrorLikeAFullDisk) {
  ASSERT_EQ(shell("echo old >f").exit_code, 0);
  const test::Finished finished = shell("ulimit -f 1; quench trace -e 'prev Q_a' abababababababababababababab -o f");
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(shell("ls -A | grep -v -e examples -e '^.out$' -e '^.err$'; cat f").out, "f\nold\n");
}

TEST_F(Files, ATargetThatCannotBeWrittenIsRefusedBeforeTheWork) {
  expect_exit(3, "train -e Q_a --steps 1 --checkpoint c -o nowhere/m.safetensors", "nowhere/m.safetensors");
  EXPECT_FALSE(std::filesystem::exists(path("c")));
  expect_exit(3, "train -e Q_a --steps 1 --no-test --checkpoint nowhere/c -o m.safetensors", "nowhere/c");
  EXPECT_FALSE(std::filesystem::exists(path("m.safetensors")));
  for (const char* arguments :
       {"compile -e 'prev Q_a' -o nowhere/m", "certify -e 'prev Q_a' -o nowhere/m", "harden -e 'prev Q_a' -o nowhere/m",
        "soften -e 'prev Q_a' -o nowhere/m", "trace -e 'prev Q_a' ab -o nowhere/m", "attend -e 'prev Q_a' ab --svg nowhere/m"}) {
    const test::Finished finished = shell(std::string("quench ") + arguments);
    EXPECT_EQ(finished.exit_code, 3) << arguments;
    EXPECT_THAT(finished.out, IsEmpty()) << arguments;
    EXPECT_THAT(finished.err, HasSubstr("nowhere/m")) << arguments;
  }
}

/// The signals are caught, so that temporaries go (tests/base); and the program ends by them all the same.
TEST_F(Files, SignalsAreCaughtAndStillEndTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string number = std::to_string(signal);
    const test::Finished finished = shell(
        "mkfifo p" + number + "; env --default-signal=INT quench eval -e Q_a --input p" + number + " & "
        "exec 3>p" + number + "; grep SigCgt /proc/$!/status; kill -" + number + " $!; wait $!; echo $?");
    const std::uint64_t caught = std::stoull(finished.out.substr(finished.out.find_first_of("0123456789abcdef", 7)), nullptr, 16);
    EXPECT_TRUE(caught >> (signal - 1) & 1) << finished.out;
    EXPECT_THAT(finished.out, HasSubstr("\n" + std::to_string(128 + signal) + "\n"));
  }
}

}  // namespace
}  // namespace quench
