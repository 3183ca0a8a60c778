// Automata of others, as AT&T text: how many of a folder are classified and translated, and how long that takes. Runs
// where QUENCH_AUTOMATA names such a folder, for instance that of MLRegTest
// (github.com/heinz-jeffrey/subregular-learning, src/fstlib/att_format); QUENCH_AUTOMATA_PREFIX leaves out files whose
// names begin otherwise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "automata/classify/decision.h"
#include "automata/formats/formats.h"
#include "automata/machine/determinise.h"
#include "automata/machine/minimise.h"
#include "automata/translate/translate.h"

namespace quench::automata {
namespace {

double processor_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What MLRegTest calls the class of a language, the third part of a file's name (`04.03.LT.4.1.0`), against ours. Its
/// other classes lie within the star-free languages, and across ours.
void agrees_with_label(const std::string& file, const Decision& decision) {
  std::vector<std::string> parts;
  std::istringstream name(file);
  for (std::string part; std::getline(name, part, '.');) parts.push_back(part);
  if (parts.size() != 7) return;
  const std::string& label = parts[2];
  EXPECT_TRUE(decision.locally_testable || (label != "LT" && label != "SL")) << file;
  EXPECT_TRUE(decision.j_trivial || (label != "PT" && label != "SP")) << file;
  if (label == "Zp" || label == "Reg")
    EXPECT_TRUE(decision.solvable && !decision.aperiodic) << file;
  else
    EXPECT_TRUE(decision.aperiodic) << file;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

std::vector<std::filesystem::path> automata_of(const std::string& folder, const std::string& prefix) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".att" && entry.path().filename().string().rfind(prefix, 0) == 0)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(SlowAutomataOfOthers, AreClassifiedAndTranslated) {
  const char *folder = std::getenv("QUENCH_AUTOMATA"), *prefix = std::getenv("QUENCH_AUTOMATA_PREFIX");
  if (!folder) GTEST_SKIP() << "QUENCH_AUTOMATA names no folder";
  std::map<std::string_view, int> classes;
  std::vector<double> deciding, translating, depths, heads;
  std::size_t refused = 0;
  for (const std::filesystem::path& file : automata_of(folder, prefix ? prefix : "")) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    const ParsedAutomaton parsed = parse_att(text.str());
    ASSERT_TRUE(parsed.nfa) << file;
    double start = processor_ms();
    const lang::Dfa dfa = minimise(determinise(*parsed.nfa));
    const Decision decision = decide(dfa);
    deciding.push_back(processor_ms() - start);
    ++classes[name(decision.language_class)];
    agrees_with_label(file.filename().string(), decision);
    start = processor_ms();
    const Translation translation = translate(dfa, decision.modulus, {}, {true, true});
    translating.push_back(processor_ms() - start);
    if (translation.candidates.empty()) {
      fmt::print("{}: {} states, {}\n", file.filename().string(), decision.states, translation.refusals.at(0).why);
      ++refused;
      continue;
    }
    depths.push_back(static_cast<double>(translation.candidates[0].size.depth));
    heads.push_back(static_cast<double>(translation.candidates[0].size.heads));
  }
  for (const auto& [language_class, count] : classes) fmt::print("{}: {}\n", language_class, count);
  fmt::print("{} classified, median {:.2f} ms; {} translated, median {:.0f} ms, depth {}, {} heads\n", deciding.size(),
             median(deciding), deciding.size() - refused, median(translating), median(depths), median(heads));
  EXPECT_LE(refused, deciding.size() / 20);
}

}  // namespace
}  // namespace quench::automata
