// The person at the terminal: finding a command, and being understood although the word is not quite right.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Terminal : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  void expect_error(int code, const std::string& arguments, const std::string& message) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, code) << arguments << "\n" << finished.out << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }
  test::TemporaryDirectory directory_;
};

const char* const kEveryCommand[] = {"compile", "soften", "export",    "circuits", "run",     "show",
                                     "trace",   "attend", "studio",    "verify",   "certify", "check",
                                     "eval",    "words",  "translate", "decide",   "diff",    "train",
                                     "harden",  "bench",  "lab",       "explain",  "help"};

// ---- help

TEST_F(Terminal, TheOverviewListsEveryCommandByPurpose) {
  const test::Finished help = run("help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.err, IsEmpty());
  std::size_t at = 0;
  for (const char* heading : {"\nMake a network:\n", "\nRun and look inside:\n", "\nProve and check:\n",
                              "\nRules and words:\n", "\nLearn:\n", "\nMeasure:\n", "\nHelp:\n"}) {
    const std::size_t next = help.out.find(heading);
    ASSERT_NE(next, std::string::npos) << heading << help.out;
    EXPECT_GT(next, at) << heading;
    at = next;
  }
  for (const char* command : kEveryCommand)
    EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + command + " ")) << command;
  EXPECT_EQ(run("--help").out, help.out);
}

TEST_F(Terminal, WithoutACommandTheOverviewIsPrintedAndTheExitCodeIsThatOfArguments) {
  const test::Finished alone = run("");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(alone.out, run("help").out);
  EXPECT_THAT(alone.err, IsEmpty());
}

TEST_F(Terminal, HelpFitsTheColumns) {
  const std::string wide = run("help compile").out;
  const auto words_of = [](const std::string& text) {
    std::istringstream words(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  };
  for (const int columns : {40, 72, 100}) {
    const std::string folded =
        test::shell(fmt::format("COLUMNS={} quench help compile", columns), directory_.path()).out;
    EXPECT_EQ(words_of(folded), words_of(wide));
    std::istringstream lines(folded);
    std::size_t long_lines = 0;
    for (std::string line; std::getline(lines, line);) long_lines += line.size() > static_cast<std::size_t>(columns);
    EXPECT_LE(long_lines, columns < 72 ? 3u : 0u) << columns << "\n" << folded;  // a word may be too long by itself
  }
  EXPECT_EQ(test::shell("COLUMNS=60 quench compile --help", directory_.path()).out,
            test::shell("COLUMNS=60 quench help compile", directory_.path()).out);
}

TEST_F(Terminal, HelpOfACommandIsItsHelp) {
  for (const std::string command :
       {"compile", "run", "check", "diff", "explain", "help", "bench", "bench attention", "lab run"}) {
    const test::Finished help = run("help " + command);
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Usage: quench " + command)) << command;
    EXPECT_EQ(help.out, run(command + " --help").out) << command;
  }
  expect_error(2, "help complie", "did you mean compile?");
  expect_error(2, "help bench atention", "did you mean attention?");
  expect_error(2, "help zzzzzz", "`quench help` lists them");
}

// ---- did you mean

TEST_F(Terminal, NearMissesAreNamed) {
  expect_error(2, "complie -e Q_a", "quench has no command \"complie\"; did you mean compile?");
  expect_error(2, "bench atention", "did you mean attention?");
  expect_error(2, "verify -e Q_a --exhaustiv 3",
               "quench verify has no option \"--exhaustiv\"; did you mean --exhaustive?");
  expect_error(2, "run -e Q_a --dtpye=f32 a", "did you mean --dtype?");
  expect_error(2, "compile -e Q_a --recipe tigth", "did you mean tight?");
  expect_error(2, "compile -e Q_a --recipe 12c", "did you mean 12a?");
  expect_error(2, "run -e Q_a --dtype fb16 a", "--dtype: \"fb16\" is not one of");
  expect_error(2, "run -e Q_a --dtype fb16 a", "did you mean bf16?");
  expect_error(2, "run -e Q_a --engine sructured a", "did you mean structured?");
  expect_error(2, "certify -e Q_a --dtype f32,bf61", "did you mean bf16?");
  expect_error(2, "frobnicate", "`quench --help` lists them");
  expect_error(2, "run -e Q_a --dtype flaot32 a", "did you mean float32?");
  expect_error(2, "run -e Q_a --dtype bfloat a", "did you mean bfloat16?");
  expect_error(3, "verify --campaign quik", "did you mean quick?");
  expect_error(2, "explain E6", "did you mean E006?");
  expect_error(2, "explain w3", "did you mean W003?");
  expect_error(2, "explain E00Z", "did you mean E00");
  expect_error(2, "explain nonsense", "`quench explain` lists them all");
  expect_error(2, "trace -e 'O (prev Q_a)' --patch 'prve Q_a=1@1' ab", "did you mean prev Q_a?");
}

TEST_F(Terminal, OnlyCommandsThatTakeWordsSayHowAWordBeginsWithADash) {
  expect_error(2, "-V", "quench has no option \"-V\"; `quench --help` lists them");
  expect_error(2, "compile -e Q_a -x", "`quench compile --help` lists them");
  expect_error(2, "run -e Q_a -x", "a word that begins with - is written after --");
}

TEST_F(Terminal, HelpHasOneBlankLineInARow) {
  for (const char* command : {"", "compile", "run", "check", "lab run", "explain", "bench"}) {
    const std::string help = run(std::string("help ") + command).out;
    EXPECT_THAT(help, ::testing::Not(HasSubstr("\n\n\n"))) << command;
    EXPECT_FALSE(help.ends_with("\n\n")) << command;
  }
}

TEST_F(Terminal, NumberFormatsGoByTheNamesOthersGiveThem) {
  const auto certified = [&](const std::string& dtype) {
    return run("certify -e 'prev Q_a' --json --dtype " + dtype).out;
  };
  for (const auto& [theirs, ours] : std::vector<std::pair<std::string, std::string>>{{"float64", "f64"},
                                                                                     {"fp64", "f64"},
                                                                                     {"double", "f64"},
                                                                                     {"float32", "f32"},
                                                                                     {"fp32", "f32"},
                                                                                     {"single", "f32"},
                                                                                     {"float16", "f16"},
                                                                                     {"fp16", "f16"},
                                                                                     {"half", "f16"},
                                                                                     {"bfloat16", "bf16"}}) {
    EXPECT_THAT(certified(ours), StartsWith("{\"entries\":[{\"dtype\":\"" + ours + "\""));
    EXPECT_EQ(certified(theirs), certified(ours)) << theirs;
    EXPECT_EQ(run("run --uncertified -e 'prev Q_a' ab --dtype " + theirs).out, "ab   01   accept\n") << theirs;
  }
  EXPECT_EQ(certified("half,single"), certified("f16,f32"));
}

// ---- what is missing or too much

TEST_F(Terminal, MissingAndRepeatedArgumentsAreNamed) {
  expect_error(2, "lab", "quench lab needs a command: list, run");
  expect_error(2, "lab run", "quench lab run needs NAME");
  expect_error(2, "check", "quench check needs CERTIFICATE");
  expect_error(2, "check a.json", "quench check CERTIFICATE MODEL, quench check MODEL or quench check FOLDER");
  expect_error(2, "translate -e Q_a", "quench translate needs --to");
  expect_error(2, "compile -e Q_a --recipe", "--recipe needs a value: NAME");
  expect_error(2, "words -e Q_a --count 1 --count 2", "--count is given 2 times; once is enough");
}

// ---- version

TEST_F(Terminal, VersionSaysWhatAReportOfABugNeeds) {
  const test::Finished finished = run("--version");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.out, ::testing::MatchesRegex(
                                "quench [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit ([0-9a-f]{7,40}(\\+changes)?|unknown)\\)\n"
                                "[A-Za-z]+ [0-9.]+, [A-Za-z]+\n"));
}

// ---- colours and width

/// As if at a terminal: what `script` records of it.
std::string at_terminal(const std::string& environment, const std::string& arguments,
                        const std::filesystem::path& directory) {
  return test::shell(environment + " script -qec \"quench " + arguments + "\" /dev/null", directory).out;
}

TEST_F(Terminal, ColoursAreForTerminalsThatWantThem) {
  if (test::shell("script -qec true /dev/null", directory_.path()).exit_code != 0) GTEST_SKIP() << "there is no script";
  const std::string red = "\033[1;31merror\033[0m E", caret = "\033[1;31m^", arguments = "eval -e 'Q_a &' a";
  const std::string coloured = at_terminal("env -u NO_COLOR TERM=xterm", arguments, directory_.path());
  EXPECT_THAT(coloured, HasSubstr(red));
  EXPECT_THAT(coloured, HasSubstr(caret));
  EXPECT_THAT(at_terminal("env -u NO_COLOR TERM=xterm", "eval --nonsense", directory_.path()),
              HasSubstr("\033[1;31merror\033[0m:"));
  for (const char* environment : {"env NO_COLOR=1 TERM=xterm", "env -u NO_COLOR TERM=dumb"})
    EXPECT_THAT(at_terminal(environment, arguments, directory_.path()), ::testing::Not(HasSubstr("\033")))
        << environment;
  EXPECT_THAT(test::shell("env -u NO_COLOR TERM=xterm quench " + arguments, directory_.path()).err,
              ::testing::Not(HasSubstr("\033")));
}

TEST_F(Terminal, ProgressIsShownOnTerminalsOnly) {
  if (test::shell("script -qec true /dev/null", directory_.path()).exit_code != 0) GTEST_SKIP() << "there is no script";
  const std::string arguments = "verify -e 'O Q_a' --exhaustive 8";
  EXPECT_THAT(at_terminal("env TERM=xterm", arguments, directory_.path()), HasSubstr("verifying"));
  EXPECT_THAT(at_terminal("env TERM=dumb", arguments, directory_.path()), ::testing::Not(HasSubstr("verifying")));
  EXPECT_THAT(run(arguments).err, IsEmpty());
}

/// The longest line, in characters.
std::size_t width_of(const std::string& text) {
  std::size_t widest = 0, width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + ((c & 0xC0) != 0x80);
    widest = std::max(widest, width);
  }
  return widest;
}

TEST_F(Terminal, TablesAndPicturesHaveTheWidthOfColumns) {
  const std::string word(40, 'a');
  for (const std::string columns : {"60", "90"}) {
    const std::string with = "COLUMNS=" + columns + " quench ";
    EXPECT_LE(width_of(test::shell(with + "trace -e 'prev Q_a' " + word, directory_.path()).out),
              std::stoul(columns) + 26)
        << "what stands behind the table is not counted";
    const std::string picture = test::shell(with + "attend -e 'prev Q_a' " + word, directory_.path()).out;
    const std::size_t begin = picture.find("\n\n"), end = picture.rfind("\n\n");
    EXPECT_LE(width_of(picture.substr(begin, end - begin)), std::stoul(columns));
    const std::string rule = "Q_a & " + std::string(200, '(') + "x";
    EXPECT_LE(width_of(test::shell(with + "eval -e '" + rule + "' a 2>&1 | sed -n '/ | /p'", directory_.path()).out),
              std::stoul(columns) + 4);
  }
  EXPECT_NE(test::shell("COLUMNS=60 quench trace -e 'prev Q_a' " + word, directory_.path()).out,
            test::shell("COLUMNS=200 quench trace -e 'prev Q_a' " + word, directory_.path()).out);
}

/// The longest line of what a command prints at a width.
std::size_t width_at(const std::string& columns, const std::string& arguments, const std::filesystem::path& directory) {
  return width_of(test::shell("COLUMNS=" + columns + " quench " + arguments, directory).out);
}

TEST_F(Terminal, TablesOfRecipesLengthsAndStagesFitTheColumns) {
  const std::vector<std::string> commands = {"compare -e 'Q_a since prev Q_b'",
                                             "decide --regex '(ab)*'",
                                             "certify -e 'Q_a since prev Q_b'",
                                             "show -e 'Q_a since prev Q_b'",
                                             "show -e 'Q_a since prev Q_b' --stage schedule",
                                             "show -e 'Q_a since prev Q_b' --stage ir",
                                             "show -e 'Q_a since prev Q_b' --stage layout"};
  for (const std::string& command : commands) {
    EXPECT_LE(width_at("80", command, directory_.path()), 80u) << command;
    EXPECT_LE(width_at("40", command, directory_.path()), 60u) << command << ": only what cannot be cut is wider";
    // Without a width nothing is folded, and nothing is ever left out.
    const auto words = [&](const std::string& environment) {
      std::istringstream text(test::shell(environment + " quench " + command, directory_.path()).out);
      std::multiset<std::string> found;
      for (std::string word; text >> word;) found.insert(word.substr(0, word.find_last_not_of(";:") + 1));
      return found;
    };
    const std::multiset<std::string> narrow = words("COLUMNS=80"), wide = words("env -u COLUMNS");
    EXPECT_TRUE(std::ranges::includes(narrow, wide)) << command;
  }
  EXPECT_GT(width_of(test::shell("env -u COLUMNS quench compare -e 'Q_a since prev Q_b'", directory_.path()).out),
            100u);
}

// ---- completion and manual pages

TEST_F(Terminal, BashCompletesCommandsOptionsAndValues) {
  const auto completed = [&](const std::string& typed) {
    std::ofstream(directory_.path() / "ask.bash") << "source ./quench.bash\nCOMP_WORDS=(" << typed
                                                  << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_quench\n"
                                                     "echo \"${COMPREPLY[*]}\"\n";
    const test::Finished finished = test::shell("bash ask.bash", directory_.path());
    EXPECT_EQ(finished.err, "") << typed;
    return finished.out;
  };
  ASSERT_EQ(
      test::shell("quench help --completion bash >quench.bash && bash -n quench.bash", directory_.path()).exit_code, 0);
  EXPECT_EQ(completed("quench compi"), "compile\n");
  EXPECT_EQ(completed("quench verify --exh"), "--exhaustive\n");
  EXPECT_EQ(completed("quench run --dtype bf"), "bf16 bf16-pure\n");
  EXPECT_EQ(completed("quench run --dtype = bf"), "bf16 bf16-pure\n");
  EXPECT_EQ(completed("quench bench att"), "attention\n");
  EXPECT_EQ(completed("quench bench attention --sc"), "--scores --score-length\n");
  EXPECT_EQ(completed("quench help tra"), "trace translate train\n");
  EXPECT_EQ(completed("quench compile exa"), "examples\n");
  EXPECT_EQ(completed("quench compile -o exa"), "examples\n");
  EXPECT_EQ(completed("quench words --count 1"), "\n");
  EXPECT_EQ(completed("quench compile --recipe ti"), "tight tight-position tight-decoder\n");
  EXPECT_EQ(completed("quench compare --recipes 12"), "12a 12b\n");
  EXPECT_EQ(completed("quench lab run gap"), "gap-temperature\n");
  EXPECT_EQ(completed("quench explain E00"), "E001 E002 E003 E004 E005 E006 E007 E008 E009\n");
  EXPECT_EQ(completed("quench verify --campaign qu"), "quick\n");
  EXPECT_EQ(completed("quench verify --campaign exam"), "examples\n");
  EXPECT_EQ(completed("quench compile --limit mon"), "monoid=\n");
}

TEST_F(Terminal, EveryShellKnowsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run(std::string("help --completion ") + shell).out;
    for (const char* command : kEveryCommand) EXPECT_THAT(script, HasSubstr(command)) << shell;
    for (const char* option : {"exhaustive", "checkpoint", "score-length", "completion"})
      EXPECT_THAT(script, HasSubstr(option)) << shell;
  }
  EXPECT_THAT(run("help --completion zsh").out, StartsWith("#compdef quench\n"));
  expect_error(2, "help --completion tcsh", "bash, zsh, fish");
}

TEST_F(Terminal, FishCompletesCommandsOptionsAndValues) {
  if (std::system("command -v fish >/dev/null") != 0) GTEST_SKIP() << "no fish";
  const auto completed = [&](const std::string& typed) {
    const test::Finished finished = test::shell(
        "quench help --completion fish >quench.fish && HOME=$PWD fish -c 'source quench.fish; complete -C \"" + typed +
            "\"'",
        directory_.path());
    EXPECT_EQ(finished.err, "") << typed;
    return finished.out;
  };
  EXPECT_THAT(completed("quench compi"), StartsWith("compile\t"));
  EXPECT_THAT(completed("quench verify --exh"), StartsWith("--exhaustive\t"));
  EXPECT_THAT(completed("quench run --dtype bf"), StartsWith("bf16\t"));
  EXPECT_THAT(completed("quench bench att"), StartsWith("attention\t"));
}

TEST_F(Terminal, ZshReadsItsCompletion) {
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "no zsh";
  const test::Finished read = test::shell("quench help --completion zsh >_quench && zsh -n _quench", directory_.path());
  EXPECT_EQ(read.exit_code, 0) << read.err;
}

TEST_F(Terminal, ManualPagesHaveTheirSections) {
  const std::string program = run("help --man").out, page = run("help --man bench attention").out;
  EXPECT_THAT(program, StartsWith(".TH QUENCH 1 "));
  EXPECT_THAT(page, StartsWith(".TH QUENCH\\-BENCH\\-ATTENTION 1 "));
  for (const char* section : {".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXIT STATUS", ".SH SEE ALSO"})
    for (const std::string& text : {program, page}) EXPECT_THAT(text, HasSubstr(std::string("\n") + section + "\n"));
  for (const char* command : kEveryCommand)
    EXPECT_THAT(program, HasSubstr(std::string("quench\\-") + command)) << command;
  EXPECT_THAT(page, HasSubstr("\\-\\-score\\-length"));
  if (test::shell("command -v groff", directory_.path()).exit_code != 0) return;
  const test::Finished formatted =
      test::shell("quench help --man run | groff -man -Tutf8 -Kutf8 -wall", directory_.path());
  EXPECT_EQ(formatted.err, "");
  EXPECT_THAT(formatted.out, HasSubstr("quench-run - Run words through a model"));
}

}  // namespace
}  // namespace quench
