#include "attention/health/health.h"

#include <nlohmann/json.hpp>

#include "attention/numeric.h"
#include "base/error.h"

namespace quench::attention {
namespace {

using testing::random_matrix;
using Vec = std::vector<double>;

// Attention whose weights are exactly `w`: scores ln w by a table, queries and keys 0.
HealthReport examine_weights(const Matrix& w, const HealthInputs& inputs = {}) {
  Matrix logs(w.rows, w.cols), v(w.cols, 1);
  for (std::size_t c = 0; c < w.data.size(); ++c) logs.data[c] = std::log(w.data[c]);
  for (std::size_t j = 0; j < w.cols; ++j) v(j, 0) = static_cast<double>(j);
  return examine({.score = Dot{}, .position_terms = {BiasTable{logs}}}, Matrix(w.rows, 1), Matrix(w.cols, 1), v,
                 inputs);
}

Matrix matrix(std::size_t rows, std::size_t cols, Vec data) {
  Matrix m(rows, cols);
  m.data = std::move(data);
  return m;
}

TEST(Health, EntropyBandsHaveTheTextbookLimits) {
  EXPECT_EQ(entropy_band(0), EntropyBand::very_low);
  EXPECT_EQ(entropy_band(0.4999), EntropyBand::very_low);
  EXPECT_EQ(entropy_band(0.5), EntropyBand::low);
  EXPECT_EQ(entropy_band(1.4999), EntropyBand::low);
  EXPECT_EQ(entropy_band(1.5), EntropyBand::medium);
  EXPECT_EQ(entropy_band(2.5), EntropyBand::medium);
  EXPECT_EQ(entropy_band(2.5001), EntropyBand::high);
  // Measured, as they are described: one of many, 3 of many, 8 of many, 100 evenly.
  for (const auto& [support, band] : {std::pair{1u, EntropyBand::very_low}, std::pair{3u, EntropyBand::low},
                                      std::pair{8u, EntropyBand::medium}, std::pair{100u, EntropyBand::high}}) {
    Matrix w(1, 100);
    for (std::size_t j = 0; j < support; ++j) w(0, j) = 1.0 / support;
    const HealthReport report = examine_weights(w);
    EXPECT_EQ(report.bands[static_cast<std::size_t>(band)], 1u) << support;
    EXPECT_NEAR(report.support[0], support, 1e-12 * support);  // e^{ln k}: two roundings of numbers ≤ 5
  }
}

TEST(Health, SaturationIsZeroForUniformAndOneForOneHot) {
  EXPECT_NEAR(saturation(Vec(7, 1.0 / 7)), 0, 1e-15);
  EXPECT_EQ(saturation(Vec{0, 1, 0}), 1);
  EXPECT_EQ(saturation(Vec{1}), 0);
  // By the trace of the Jacobian: Σ α(1 − α) = 1 − Σα² against 1 − 1/k.
  EXPECT_NEAR(saturation(Vec{0.5, 0.25, 0.25}), 1 - (1 - 0.375) / (2.0 / 3), 1e-15);
}

TEST(Health, GradientGainIsWhatSoftmaxLetsThrough) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec scores = testing::random_vector(random, 6), g = testing::random_vector(random, 6);
    Vec w(6), d(6);
    softmax(scores, 1, w);
    softmax_backward(scores, 1, w, g, d);
    double mean = 0;
    for (const double x : g) mean += x / 6;
    Vec centred = g;
    for (double& x : centred) x -= mean;
    EXPECT_NEAR(gradient_gain(w, g), testing::norm(d) / testing::norm(centred), 1e-14);
  }
  EXPECT_NEAR(gradient_gain(Vec(5, 0.2), Vec{1, 2, 3, 4, 9}), 0.2, 1e-15);
  EXPECT_EQ(gradient_gain(Vec{0, 1, 0}, Vec{1, 2, 3}), 0);
}

TEST(Health, CollapseIsDetectedAndNamed) {
  const auto verdict = [](const Matrix& w) { return examine_weights(w).collapse; };
  EXPECT_EQ(verdict(matrix(3, 3, {0.998, 0.001, 0.001, 0.001, 0.998, 0.001, 0.001, 0.001, 0.998})), Collapse::peaked);
  EXPECT_EQ(verdict(matrix(3, 3, {0.92, 0.04, 0.04, 0.92, 0.04, 0.04, 0.92, 0.04, 0.04})), Collapse::sink);
  EXPECT_EQ(verdict(matrix(2, 4, Vec(8, 0.25))), Collapse::uniform);
  EXPECT_EQ(verdict(matrix(2, 3, {0.6, 0.3, 0.1, 0.1, 0.3, 0.6})), Collapse::none);
  EXPECT_EQ(verdict(matrix(3, 1, {1, 1, 1})), Collapse::none) << "one key leaves no choice";
}

TEST(Health, MutualInformationIsEntropyOfTheMeanMinusMeanEntropy) {
  // A permutation tells everything: ln n. Identical rows tell nothing.
  const HealthReport identity = examine_weights(matrix(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_NEAR(identity.mutual_information, std::log(3), 1e-15);
  EXPECT_NEAR(identity.mutual_information_limit, std::log(3), 1e-15);
  EXPECT_NEAR(examine_weights(matrix(2, 3, {0.5, 0.3, 0.2, 0.5, 0.3, 0.2})).mutual_information, 0, 1e-15);
  // Rows (¾, ¼) and (¼, ¾): H(½, ½) − H(¾, ¼).
  const double quarter = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  EXPECT_NEAR(examine_weights(matrix(2, 2, {0.75, 0.25, 0.25, 0.75})).mutual_information, std::log(2) - quarter, 1e-15);
}

TEST(Health, TheBottleneckSeparatesRateFromRelevance) {
  // Four queries attend to four different keys, but only two classes matter: rate ln 4, relevance ln 2.
  const std::vector<std::size_t> labels = {0, 0, 1, 1};
  const Matrix each = matrix(4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  const Bottleneck fine = *examine_weights(each, {.labels = labels}).bottleneck;
  EXPECT_NEAR(fine.rate, std::log(4), 1e-15);
  EXPECT_NEAR(fine.relevance, std::log(2), 1e-15);
  EXPECT_NEAR(fine.label_entropy, std::log(2), 1e-15);
  // Attention that keeps only the class passes exactly what matters.
  const Matrix coarse = matrix(4, 2, {1, 0, 1, 0, 0, 1, 0, 1});
  const Bottleneck tight = *examine_weights(coarse, {.labels = labels}).bottleneck;
  EXPECT_NEAR(tight.rate, std::log(2), 1e-15);
  EXPECT_NEAR(tight.relevance, std::log(2), 1e-15);
  // Data processing: relevance ≤ rate and ≤ H(Y), for any weights.
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    Matrix w = random_matrix(random, 6, 5);
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 5; ++j) sum += w(i, j) = std::exp(2 * w(i, j));
      for (std::size_t j = 0; j < 5; ++j) w(i, j) /= sum;
    }
    std::vector<std::size_t> random_labels(6);
    for (auto& label : random_labels) label = random.below(3);
    const Bottleneck b = *examine_weights(w, {.labels = random_labels}).bottleneck;
    EXPECT_LE(b.relevance, b.rate + 1e-14);
    EXPECT_LE(b.relevance, b.label_entropy + 1e-14);
    EXPECT_GE(b.relevance, 0);
  }
}

TEST(Health, ProbabilityWeightingsStayInTheHullAndOthersAreCaught) {
  Random random(3);
  const Matrix q = random_matrix(random, 9, 3), k = random_matrix(random, 12, 3);
  Matrix v = random_matrix(random, 12, 2);
  for (double& x : v.data) x += 5;  // 0 is outside the hull
  const HealthReport soft = examine({.mask = Mask::strict_future}, q, k, v);
  EXPECT_EQ(soft.empty_rows, 1u);
  EXPECT_EQ(soft.outside_box, 0u);
  EXPECT_LE(soft.worst_weight_sum, 12 * 0x1p-52);  // twelve weights, each rounded once
  const HealthReport stick = examine({.mask = Mask::strict_future, .weighting = StickBreaking{}}, q, k, v);
  EXPECT_GT(stick.outside_box, 0u) << "weights that sum to less than 1 pull towards 0";
  EXPECT_GT(stick.worst_weight_sum, 0.01);
}

TEST(Health, HullCheckSeparatesOutsideFromInside) {
  const Matrix triangle = matrix(3, 2, {0, 0, 1, 0, 0, 1});
  const HullCheck inside = check_hull(triangle, Vec{0.25, 0.25});
  EXPECT_TRUE(inside.inside_box);
  EXPECT_FALSE(inside.separated);
  // Frank–Wolfe: distance² ≤ 2·diameter²/(steps + 2) = 4/202, so ≤ 0.15.
  EXPECT_LE(inside.distance, 0.15);
  const HullCheck corner = check_hull(triangle, Vec{0.9, 0.9});  // in the box, not in the triangle
  EXPECT_TRUE(corner.inside_box);
  EXPECT_TRUE(corner.separated);
  const double outside_by = 0.8 / std::sqrt(2.0);  // distance to x + y = 1
  EXPECT_LE(corner.margin, outside_by + 1e-12);
  EXPECT_GE(corner.distance, outside_by - 1e-12);
  EXPECT_GT(corner.margin, 0);
  EXPECT_FALSE(check_hull(triangle, Vec{1.5, 0}).inside_box);
  EXPECT_THROW(check_hull(Matrix(0, 2), Vec{0, 0}), UserError);
}

TEST(Health, GradientNormsArePerPosition) {
  Random random(4);
  const Matrix q = random_matrix(random, 4, 3), k = random_matrix(random, 5, 3), v = random_matrix(random, 5, 2),
               d = random_matrix(random, 4, 2);
  const Attention attention{};
  const HealthReport report = examine(attention, q, k, v, {.d_output = d});
  const Gradients g = attend_by_rows_backward(attention, q, k, v, {d});
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(report.key_gradients[j], testing::norm(Rows<const double>(g.k)[j]), 1e-13);
    EXPECT_NEAR(report.value_gradients[j], testing::norm(Rows<const double>(g.v)[j]), 1e-13);
  }
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(report.query_gradients[i], testing::norm(Rows<const double>(g.q)[i]), 1e-13);
  EXPECT_EQ(report.gain.size(), 4u);
}

TEST(Health, TheReportPrintsAsTableAndAsJson) {
  Random random(5);
  const Matrix q = random_matrix(random, 4, 3), d = random_matrix(random, 4, 3);
  const std::vector<std::size_t> labels = {0, 1, 1, 0};
  const HealthReport report = examine({.mask = Mask::future}, q, q, q, {d, labels});
  const auto object = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(object["queries"], 4);
  EXPECT_EQ(object["entropy"]["values"].size(), 4u);
  EXPECT_EQ(object["entropy"]["values"][0], 0.0);
  EXPECT_EQ(object["collapse"], std::string(to_string(report.collapse)));
  EXPECT_EQ(object["bottleneck"]["rate"], report.bottleneck->rate);
  EXPECT_EQ(object["gradients"]["values"]["values"].size(), 4u);
  std::size_t rows = 0;
  for (const auto& [name, count] : object["bands"].items()) rows += count.get<std::size_t>();
  EXPECT_EQ(rows, 4u);
  const std::string table = report.to_table();
  for (const char* part : {"entropy (nats)", "saturation", "very low", "mutual information", "collapse", "|dL/dv|"})
    EXPECT_NE(table.find(part), std::string::npos) << part;
  EXPECT_TRUE(nlohmann::json::parse(examine({}, q, q, q).to_json())["gradients"].is_null());
}

}  // namespace
}  // namespace quench::attention
