// The examples of docs/attention.md, compiled and run. Each is the text between [name] and [/name] here, and the last
// test checks that the document shows exactly that text.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "attention/attention.h"
#include "attention/health/health.h"
#include "attention/kernel/tiled.h"
#include "attention/numeric.h"
#include "attention/variants/layer_norm.h"
#include "attention/variants/linear_attention.h"
#include "attention/variants/multi_head.h"
#include "support/paths.h"

namespace quench::attention {
namespace {

using testing::random_matrix;

TEST(Examples, Causal) {
  Random random(1);
  const Matrix q = random_matrix(random, 6, 4), k = random_matrix(random, 6, 4), v = random_matrix(random, 6, 3),
               d_context = random_matrix(random, 6, 3);
  // [causal]
  Attention causal{.mask = Mask::future};    // softmax of q·k/√d over j ≤ i
  Matrix context = attend(causal, q, k, v);  // n × d_v
  Gradients g = attend_backward(causal, q, k, v, {.d_output = d_context});
  // g.q, g.k, g.v; g.weighting[i] is ∂L/∂τ of row i
  // [/causal]
  EXPECT_EQ(context.rows, 6u);
  EXPECT_EQ(context(0, 0), v(0, 0)) << "the first query sees only the first value";
  EXPECT_EQ(g.q.cols, 4u);
}

TEST(Examples, Masks) {
  // [masks]
  Visibility decoder = Visibility(Mask::future) & Visibility::padding(7);           // j ≤ i and j < 7 (from 0)
  Visibility sliding = Visibility::window(128, 0);                                  // the last 129 keys
  Visibility global_and_local = Visibility::window(2, 2) | Visibility::padding(1);  // neighbours, and key 0
  // [/masks]
  EXPECT_TRUE(decoder.allows(9, 6));
  EXPECT_FALSE(decoder.allows(9, 7));
  EXPECT_FALSE(sliding.allows(200, 71));
  EXPECT_TRUE(global_and_local.allows(50, 0));
}

TEST(Examples, Rightmost) {
  Matrix q(3, 1), k(3, 1);
  q.data = {1, 1, 1};
  k.data = {1, 1, 0};
  // [rightmost]
  // The rightmost best key, softly: Lemma 8b with γ = 5, so each row is within 4e⁻⁵ of rhardmax in the 1-norm.
  const double gamma = 5;
  Attention rightmost{
      .score = Dot{},
      .mask = Mask::future,
      .position_terms = {TieBreak{TieBreak::Form::rightmost, 1}},
      .weighting = Softmax{Tau([=](std::size_t, std::size_t n) { return 1 / (2 * gamma * static_cast<double>(n)); })}};
  Matrix alpha = weights(rightmost, q, k);
  // [/rightmost]
  double distance = 0;
  const Matrix hard = weights({.score = Dot{}, .mask = Mask::future, .weighting = Hardmax{Weighting::rhardmax}}, q, k);
  for (std::size_t j = 0; j < 3; ++j) distance += std::abs(alpha(2, j) - hard(2, j));
  EXPECT_LE(distance, 4 * std::exp(-gamma));
}

TEST(Examples, Weightings) {
  Random random(2);
  const Matrix q = random_matrix(random, 5, 3), k = random_matrix(random, 5, 3);
  // [weightings]
  Attention sparse{.weighting = Sparsemax{0.5}};                                  // exact zeros
  Attention since{.mask = Mask::strict_future, .weighting = StickBreaking{0.1}};  // rightmost j < i with s > 0
  Attention sampled{.weighting = SampledHard{.tau = 1, .seed = 42}};              // one key, drawn
  Attention sure{.weighting = GapAdaptive{1e-3}};                                 // within 1e-3 of ahardmax
  // [/weightings]
  for (const Attention* a : {&sparse, &since, &sampled, &sure}) EXPECT_EQ(weights(*a, q, k).rows, 5u);
}

TEST(Examples, Tiled) {
  const std::size_t n = 300, d = 8;
  const std::vector<float> q(n * d, 0.1f), k(n * d, 0.2f), v(n * d, 0.3f), d_output(n * d, 1.0f);
  std::vector<float> output(n * d), d_q(n * d), d_k(n * d), d_v(n * d), d_tau(n);
  // [tiled]
  const auto in = [&](const std::vector<float>& x) { return Rows<const float>(x.data(), n, d); };
  const auto out = [&](std::vector<float>& x) { return Rows<float>(x.data(), n, d); };
  TiledAttention head{.scale = 1 / std::sqrt(8.0), .mask = Mask::future};
  RowStatistics<float> rows = tiled_forward<float>(head, in(q), in(k), in(v), out(output));
  tiled_backward<float>(head, in(q), in(k), in(v), in(output), rows, {in(d_output)},
                        {out(d_q), out(d_k), out(d_v), d_tau});
  // rows.entropy[i] is H(α_i)
  // [/tiled]
  EXPECT_NEAR(output[5 * d], 0.3f, 1e-6f);
  EXPECT_NEAR(rows.entropy[99], std::log(100.0f), 1e-5f);
}

TEST(Examples, MultiHead) {
  Random random(3);
  const Matrix x = random_matrix(random, 6, 8), d_y = random_matrix(random, 6, 8);
  // [multi-head]
  MultiHead layer{.heads = 4,
                  .kv_heads = 2,  // two query heads share one key/value head
                  .w_q = random_matrix(random, 8, 4 * 3),
                  .w_k = random_matrix(random, 8, 2 * 3),
                  .w_v = random_matrix(random, 8, 2 * 5),
                  .w_o = random_matrix(random, 4 * 5, 8),
                  .attention = {Attention{.mask = Mask::future, .dropout = Dropout{0.1, 7}}}};
  LayerNorm norm = LayerNorm::identity(8);
  Matrix normal = layer_norm(norm, x);
  Matrix y = multi_head(layer, normal, normal);
  MultiHeadGradients g = multi_head_backward(layer, normal, normal, {.d_output = d_y});
  // [/multi-head]
  EXPECT_EQ(y.cols, 8u);
  EXPECT_EQ(g.w_k.cols, 6u);
}

TEST(Examples, Linear) {
  Random random(4);
  const Matrix q = random_matrix(random, 5, 3), k = random_matrix(random, 5, 3), v = random_matrix(random, 5, 2);
  // [linear]
  Matrix y = linear_attention({.features = EluPlusOne{}, .mask = Mask::future}, q, k, v);
  // [/linear]
  EXPECT_EQ(y(0, 0), v(0, 0));
}

TEST(Examples, Health) {
  Random random(5);
  const Matrix q = random_matrix(random, 5, 3), d = random_matrix(random, 5, 3);
  const std::vector<std::size_t> labels = {0, 1, 0, 1, 1};
  // [health]
  HealthReport report = examine({.mask = Mask::future}, q, q, q, {.d_output = d, .labels = labels});
  std::string table = report.to_table(), json = report.to_json();
  // [/health]
  EXPECT_NE(table.find("collapse"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(json));
}

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_path(path));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every [name] … [/name] of this file, without its indentation.
std::map<std::string, std::string> examples() {
  std::istringstream source(text_of("tests/attention/examples_test.cpp"));
  std::map<std::string, std::string> found;
  std::string name;
  for (std::string line; std::getline(source, line);) {
    if (line.starts_with("  // [/")) {
      name.clear();
    } else if (line.starts_with("  // [") && line.ends_with("]")) {
      name = line.substr(6, line.size() - 7);
    } else if (!name.empty()) {
      found[name] += (line.size() >= 2 ? line.substr(2) : line) + "\n";
    }
  }
  return found;
}

TEST(Examples, TheDocumentShowsExactlyThese) {
  const std::string document = text_of("docs/attention.md");
  const auto all = examples();
  EXPECT_EQ(all.size(), 8u);
  std::size_t blocks = 0;
  for (std::size_t at = 0; (at = document.find("```cpp\n", at)) != std::string::npos; at += 7) ++blocks;
  EXPECT_EQ(blocks, all.size()) << "a block of the document is not compiled here";
  for (const auto& [name, code] : all)
    EXPECT_NE(document.find("```cpp\n" + code + "```\n"), std::string::npos) << "example " << name << ":\n" << code;
}

}  // namespace
}  // namespace quench::attention
