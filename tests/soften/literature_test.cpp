// The hard-attention models of the literature that are shipped: each against its definition, written here, and against
// the gap its authors state.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "attention/weighting/entmax.h"
#include "run/reference/reference.h"
#include "soften/exact_network.h"
#include "soften/exhaustive.h"
#include "soften/numbers/interval.h"
#include "soften/soften.h"
#include "soften/soften_models.h"
#include "support/all_words.h"
#include "support/examples.h"
#include "support/paths.h"
#include "support/shell.h"

namespace quench::soften {
namespace {

/// The answer at position i (from 1) of a text, as the index of the output that is 1, or −1.
using Definition = std::function<int(const std::string& text, std::size_t i)>;

char at(const std::string& text, std::size_t i) { return text[i - 1]; }

int last_written_bit(const std::string& text, std::size_t i) {
  for (std::size_t j = i; j >= 2; --j)
    if (at(text, j - 1) == 'w') return at(text, j) == '1' ? 0 : -1;
  return -1;
}

/// aa b, ab b, ba a, bb a: the next symbol after the last two.
int next_symbol(const std::string& text, std::size_t i) {
  const auto known = [](char c) { return c == 'a' || c == 'b'; };
  if (i < 2 || !known(at(text, i)) || !known(at(text, i - 1))) return -1;
  return at(text, i - 1) == 'b' ? 0 : 1;
}

/// find(i) = the greatest j ≤ i with X_{j−1} = X_i, on the symbols after the start token at position 1; 0 if none.
std::size_t find(const std::string& text, std::size_t i) {
  if (i < 2 || (at(text, i) != 'a' && at(text, i) != 'b')) return 0;
  for (std::size_t j = i; j >= 3; --j)
    if (at(text, j - 1) == at(text, i)) return j;
  return 0;
}
int two_hops(const std::string& text, std::size_t i) {
  const std::size_t there = find(text, find(text, i) == 0 ? 1 : find(text, i));
  if (there == 0) return -1;
  return at(text, there) == 'a' ? 0 : at(text, there) == 'b' ? 1 : -1;
}

void expect_computes(const model::Transformer& hard, std::size_t length, const Definition& definition) {
  const std::vector<std::uint32_t> outputs = Network(hard).outputs;
  test::for_all_words(hard.alphabet.size(), true, length, [&](const Word& word) {
    const std::string text = hard.alphabet.print(word);
    const std::vector<State> states = ExactNetwork(hard).run(word);
    for (std::size_t i = 1; i <= word.size(); ++i) {
      const int expected = definition(text, i);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        ASSERT_EQ(states[i - 1][outputs[k]], static_cast<int>(k) == expected ? 1 : 0) << text << " at " << i;
    }
  });
}

void expect_softened(const std::string& name, std::size_t enumerated, std::size_t certified,
                     const Definition& definition, std::size_t random_words = 200) {
  const model::Transformer hard = test::example_model_file(name);
  const Softened softened = soften(hard);
  EXPECT_GE(softened.derivation.length, certified) << name;
  const std::vector<std::uint32_t> outputs = Network(softened.model).outputs;
  const auto check = [&](const Word& word, NumberFormat format) {
    const std::string text = hard.alphabet.print(word);
    const Matrix got = run::run(softened.model, word, {format, false});
    for (std::size_t i = 1; i <= word.size(); ++i)
      for (std::size_t k = 0; k < outputs.size(); ++k)
        ASSERT_EQ(got(i - 1, outputs[k]), static_cast<int>(k) == definition(text, i) ? 1 : 0)
            << name << ": " << text << " at " << i << ", " << to_string(format);
  };
  Random random(5);
  for (const certify::Entry& entry : softened.certificate.entries) {
    const std::size_t longest = entry.finding.length;
    test::for_all_words(hard.alphabet.size(), true, std::min(longest, enumerated),
                        [&](const Word& word) { check(word, entry.format); });
    for (std::size_t count = 0; count < random_words && longest > 0; ++count)
      check(test::word_over(random, hard, longest), entry.format);
  }
}

double gap_at(const model::Transformer& hard, std::size_t n, std::size_t layer, std::size_t head) {
  return analyse(Network(hard), n).layers[layer].heads[head].gap;
}

TEST(FlipFlop, AsAnAhatHasGapOneOverN) {
  const model::Transformer hard = test::example_model_file("flip_flop");
  for (std::size_t n = 2; n <= 24; ++n) EXPECT_NEAR(gap_at(hard, n, 2, 0) * static_cast<double>(n), 1, 1e-12) << n;
  for (std::size_t n = 4; n <= 24; ++n) EXPECT_NEAR(gap_at(hard, n, 0, 0) * static_cast<double>(n), 2, 1e-12) << n;
  EXPECT_NEAR(enumerate(Network(hard), 4).layers[2].heads[0].gap * 4, 1, 1e-12);
  expect_computes(hard, 4, last_written_bit);
  expect_softened("flip_flop", 4, 16, last_written_bit);
}

TEST(FlipFlop, ByRightmostHardmaxNeedsTieBreaks) {
  expect_computes(test::example_model_file("flip_flop_rightmost"), 4, last_written_bit);
  expect_softened("flip_flop_rightmost", 4, 16, last_written_bit);
}

TEST(NGram, WithAHeadPerSymbolHasGapOneOverEightNCubed) {
  const model::Transformer hard = test::example_model_file("ngram_3");
  for (std::size_t n = 2; n <= 16; ++n) {
    const double scaled = 8 * std::pow(static_cast<double>(n), 3);
    for (const std::size_t head : {0, 1}) {
      EXPECT_GE(gap_at(hard, n, 0, head) * scaled, 0.9) << n;
      if (n >= 4) {
        EXPECT_LE(gap_at(hard, n, 0, head) * scaled, 2.5) << n;
      }
    }
  }
  expect_computes(hard, 5, next_symbol);
  expect_softened("ngram_3", 5, 16, next_symbol);
}

TEST(NGram, WithOneHeadTiesOnTheLastTwoPositions) {
  const model::Transformer hard = test::example_model_file("ngram_3_one_head");
  for (std::size_t n = 3; n <= 5; ++n) {
    const HeadFacts head = enumerate(Network(hard), n).layers[1].heads[0];
    EXPECT_TRUE(head.ties);
    EXPECT_NEAR(head.gap * static_cast<double>(n * n), 2, 1e-12);
  }
  expect_computes(hard, 5, next_symbol);
  expect_softened("ngram_3_one_head", 5, 7, next_symbol);
}

TEST(NGram, OfGapOneIsExactUnderSparsemax) {
  const model::Transformer hard = test::example_model_file("ngram_3_sparsemax");
  for (std::size_t n = 2; n <= 16; ++n) EXPECT_NEAR(gap_at(hard, n, 0, 0), 1, 1e-12) << n;
  expect_computes(hard, 5, next_symbol);
  expect_softened("ngram_3_sparsemax", 5, 16, next_symbol);
}

TEST(KHop, HasTheStatedGapWithTheCorrectedEmbedding) {
  const model::Transformer hard = test::example_model_file("k_hop_2");
  const double look_up = 1 - std::cos(2 * M_PI / 16), occurrence = 1 - std::cos(M_PI / 32);
  for (const std::size_t n : {3, 9, 16}) {
    EXPECT_GE(gap_at(hard, n, 0, 0), look_up * (1 - 1e-12)) << n;
    EXPECT_GE(gap_at(hard, n, 1, 0), occurrence * (1 - 1e-12)) << n;
    EXPECT_GE(gap_at(hard, n, 2, 0), look_up * (1 - 1e-12)) << n;
  }
  EXPECT_NEAR(gap_at(hard, 16, 1, 0), occurrence, 1e-12);
  EXPECT_NEAR(look_up, 19.7 / (16 * 16), 0.02 * look_up);
  expect_softened("k_hop_2", 6, 16, two_hops, 400);
}

/// As printed, symbols are N apart on a circle of N|S|: a wrong symbol N − 1 positions back is nearer than a right one
/// two positions back. 2N apart, every right one is nearer than the start token, and that nearer than every wrong one.
TEST(KHop, NeedsSymbolsFurtherApartThanPrinted) {
  const double n = 16, symbols = 3;
  const auto score = [&](double spacing, double symbol_difference, double distance) {
    return std::cos(2 * M_PI * (spacing * symbol_difference - distance) / (spacing * symbols));
  };
  EXPECT_GT(score(n, 1, n - 1), score(n, 0, 2));
  const double start = std::cos(2 * M_PI * (n - 0.5) / (2 * n * symbols));
  for (double distance = 0; distance < n; ++distance) {
    EXPECT_GT(score(2 * n, 0, distance), start);
    for (const double difference : {-2, -1, 1, 2}) EXPECT_LT(score(2 * n, difference, distance), start);
  }
}

/// Sparsemax at a temperature of at most the gap is hardmax exactly, ties included: no ln n.
TEST(Sparsemax, AtTheGapEqualsHardmaxOnEveryRowOfEveryModel) {
  int rows = 0, ties = 0;
  for (const std::string name : {"flip_flop", "ngram_3", "ngram_3_one_head", "ngram_3_sparsemax", "k_hop_2"}) {
    const model::Transformer hard = test::example_model_file(name);
    const std::size_t n = 4;
    const LengthFacts facts = enumerate(Network(hard), n);
    ExactNetwork::Watch watch;
    watch.row = [&](std::size_t l, std::size_t h, std::size_t i, const State& exact) {
      const double gap = facts.layers[l].heads[h].gap;
      const double tau = std::isfinite(gap) ? gap * 0.99 : 1;
      const double root = std::sqrt(static_cast<double>(hard.layers[l].heads[h].q.rows.size()));
      const mpq_class top = *std::max_element(exact.begin(), exact.end());
      std::vector<double> scores, weights(exact.size());
      std::vector<std::size_t> keys;
      double maxima = 0;
      for (const mpq_class& score : exact) {
        scores.push_back(mpq_class(score - top).get_d() / root);  // the row's maximum is exactly 0
        keys.push_back(keys.size());
        maxima += score == top;
      }
      attention::Sparsemax{tau}.forward({i - 1, n, keys, {}, 0}, scores, weights);
      for (std::size_t j = 0; j < exact.size(); ++j)
        ASSERT_EQ(weights[j], exact[j] == top ? 1 / maxima : 0) << name << " " << l << "." << h << " at " << i;
      ++rows;
      ties += maxima > 1;
    };
    test::for_all_words(hard.alphabet.size(), true, n, [&](const Word& word) {
      if (word.size() == n) ExactNetwork(hard).run(word, watch);
    });
  }
  EXPECT_GT(rows, 1000);
  EXPECT_GT(ties, 100);
}

// ---- the writer

bool has_python() { return std::system("python3 -c '' >/dev/null 2>&1") == 0; }
const std::string kWriter = "python3 '" + test::source_path("scripts/write_hard_model.py") + "' ";

TEST(Writer, MakesTheShippedModelsFromTheirDescriptions) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const test::TemporaryDirectory directory;
  int written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/models"))) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    const test::Finished finished =
        test::shell(kWriter + "'" + entry.path().string() + "' made.safetensors", directory.path());
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    model::Transformer made = model::load(directory.path() / "made.safetensors");
    model::Transformer shipped = test::example_model_file(name);
    // sqrt, cos and sin may differ in the last place from one C library to the next.
    for (auto* model : {&made, &shipped})
      for (model::PositionEncoding& encoding : model->position_encodings)
        for (double& value : encoding.formula.table) value = std::round(value * 0x1p40);
    EXPECT_EQ(made.position_encodings, shipped.position_encodings) << name;
    EXPECT_EQ(made.width, shipped.width);
    EXPECT_EQ(made.layers.size(), shipped.layers.size());
    ++written;
  }
  EXPECT_GE(written, 6);
}

TEST(Writer, SaysWhatIsWrongWithADescription) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const test::TemporaryDirectory directory;
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string text = test::read_text(test::source_path("examples/models/flip_flop_rightmost.json"));
    text.replace(text.find(from), from.size(), to);
    std::ofstream(directory.path() / "d.json") << text;
    const test::Finished finished = test::shell(kWriter + "d.json m.safetensors", directory.path());
    EXPECT_NE(finished.exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(directory.path() / "m.safetensors"));
    return finished.err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(complaint("\"k\": [{}]", "\"k\": [{}, {}]"), "q has 1 rows and k has 2"));
  EXPECT_TRUE(has(complaint("\"o\": [{\"answer\": 1}]", "\"o\": [{\"anwser\": 1}]"), "no coordinate 'anwser'"));
  EXPECT_TRUE(has(complaint("\"q\": [{\"1\": 1}]", "\"q\": [{\"1\": \"1/0\"}]"), "cannot read '1/0'"));
  EXPECT_TRUE(has(complaint("\"symbols\"", "\"symbls\""), "no 'symbols'"));
  // Small texts that ask for more than there is.
  EXPECT_TRUE(has(complaint("\"q\": [{\"1\": 1}]", "\"q\": [{\"1\": \"9**9**9**9\"}]"), "cannot read '9**9**9**9'"));
  EXPECT_TRUE(has(complaint("\"q\": [{\"1\": 1}]", "\"q\": [{\"1\": \"" + std::string(100'000, '-') + "1\"}]"), "at most"));
  const auto table = [&](const char* length) {
    return complaint("\"layers\"", std::string("\"positions\": [{\"coordinate\": \"1\", \"formula\": \"table\", ") +
                                       "\"values\": \"i\", \"length\": " + length + "}], \"layers\"");
  };
  EXPECT_TRUE(has(table("1000000000000"), "more than"));
  EXPECT_TRUE(has(table("-1000000000000"), "at least 1"));
  EXPECT_TRUE(has(table("\"long\""), "at least 1"));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_TRUE(has(complaint("\"symbols\"", "\"deep\": " + deep + ", \"symbols\""), "nested too deeply"));
}

// ---- the command

TEST(SlowSoftenCommand, CertifiesAndSoftensEveryProgramOfSrasp) {
  const test::TemporaryDirectory directory;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    if (entry.path().extension() != ".srasp") continue;
    const std::string program = "'" + entry.path().string() + "'";
    const test::Finished made =
        test::shell("quench soften " + program + " --gap proof --length 64 -o soft.safetensors", directory.path());
    ASSERT_EQ(made.exit_code, 0) << program << made.err;
    const test::Finished verified =
        test::shell("quench verify soft.safetensors " + program + " --exhaustive 4 --random 20x64", directory.path());
    EXPECT_EQ(verified.exit_code, 0) << program << verified.out << verified.err;
  }
}

TEST(SoftenCommand, WritesAModelThatRunRefusesBeyondItsLength) {
  const test::TemporaryDirectory directory;
  const auto shell = [&](const std::string& line) { return test::shell(line, directory.path()); };
  EXPECT_EQ(shell("quench soften examples/models/flip_flop.safetensors --length 6 -o soft.safetensors").exit_code, 0);
  EXPECT_EQ(shell("quench run soft.safetensors w1r1 --json").out,
            "{\"word\":\"w1r1\",\"n\":4,\"values\":[0,1,1,1],\"accept\":true}\n");
  EXPECT_EQ(shell("quench run soft.safetensors w1i0r1i").exit_code, 1);
  EXPECT_EQ(shell("quench run soft.safetensors w1i0r1i --uncertified").exit_code, 0);
}

TEST(SoftenCommand, ConfirmsCompiledModelsAndNoEditedOnes) {
  const test::TemporaryDirectory directory;
  const auto shell = [&](const std::string& line) { return test::shell(line, directory.path()); };
  ASSERT_EQ(shell("quench compile examples/programs/parity.srasp -o parity.safetensors").exit_code, 0);
  EXPECT_EQ(shell("quench soften parity.safetensors --gap proof").exit_code, 0);
  model::Transformer edited = model::load(directory.path() / "parity.safetensors");
  edited.layers[0].heads[0].q.add(0, 0, 0.5);
  model::save(edited, directory.path() / "edited.safetensors");
  const test::Finished refused = shell("quench soften edited.safetensors --gap proof -o soft.safetensors");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("not those of a construction"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "soft.safetensors"));
}

TEST(SoftenCommand, ReportsBadInput) {
  const test::TemporaryDirectory directory;
  const auto shell = [&](const std::string& line) { return test::shell(line, directory.path()); };
  EXPECT_EQ(shell("quench soften none.safetensors").exit_code, 3);
  EXPECT_EQ(shell("quench soften examples/models/flip_flop.safetensors --gap guess").exit_code, 2);
  EXPECT_EQ(shell("quench soften examples/models/flip_flop.safetensors --length 0").exit_code, 2);
  EXPECT_EQ(shell("quench soften examples/models/k_hop_2.safetensors --length 17").exit_code, 1);
  // A matrix of the wrong shape: one byte of the header says 8 columns where there are 9.
  std::string bytes = test::read_text(test::example_model_path("flip_flop"));
  const std::size_t shape = bytes.find("\"layers.0.heads.0.v\": {\"dtype\": \"F64\", \"shape\": [2, 9]");
  ASSERT_NE(shape, std::string::npos);
  bytes[bytes.find("[2, 9]", shape) + 4] = '8';
  std::ofstream(directory.path() / "bent.safetensors", std::ios::binary) << bytes;
  const test::Finished bent = shell("quench soften bent.safetensors");
  EXPECT_EQ(bent.exit_code, 3);
  EXPECT_NE(bent.err.find("layers.0.heads.0.v"), std::string::npos) << bent.err;
}

}  // namespace
}  // namespace quench::soften
