// The true edges are true: without all the others every answer stays what it is, and none of the others ever matters.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "circuits/entries.h"
#include "circuits/evidence.h"
#include "driver/compile.h"
#include "run/answers.h"
#include "run/reference/reference.h"
#include "support/example_model.h"

namespace quench::circuits {
namespace {

struct Case {
  explicit Case(const Entry& entry)
      : name(entry.name()), rule(entry.rule()), model(driver::compile(rule, entry.options()).model), network(model) {
    pairs = over_alphabet(word_pairs(rule, verify::AnswerTable(model, rule), {.count = 30}), lang::alphabet(rule),
                          model.alphabet);
  }
  std::string name;
  lang::Rule rule;
  model::Transformer model;
  SplitRun network;
  std::vector<WordPair> pairs;
};

const std::vector<std::unique_ptr<Case>>& cases() {
  static const auto made = [] {
    std::vector<std::unique_ptr<Case>> all;
    for (const Entry& entry : entries()) all.push_back(std::make_unique<Case>(entry));
    return all;
  }();
  return made;
}

/// The mean over all positions of all words, at every position; by writer.
std::vector<std::vector<double>> means_of(const Case& one) {
  std::vector<std::vector<double>> means(one.network.graph().writers.size(), std::vector<double>(one.model.width));
  double positions = 0;
  for (const WordPair& pair : one.pairs) {
    const SplitResult clean = one.network.run(pair.clean);
    positions += static_cast<double>(pair.clean.size());
    for (std::size_t w = 0; w < means.size(); ++w)
      for (std::size_t k = 0; k < clean.writes[w].data.size(); ++k)
        means[w][k % one.model.width] += clean.writes[w].data[k];
  }
  for (std::vector<double>& mean : means)
    for (double& value : mean) value /= positions;
  return means;
}

Writes repeated(const std::vector<std::vector<double>>& rows, std::size_t n) {
  Writes writes;
  for (const std::vector<double>& row : rows) {
    Matrix matrix(n, row.size());
    for (std::size_t k = 0; k < matrix.data.size(); ++k) matrix.data[k] = row[k % row.size()];
    writes.push_back(std::move(matrix));
  }
  return writes;
}

/// All edges that are not true get something else. Constants, which zeros would destroy, may be kept.
std::vector<Replacement> without_the_others(const Graph& graph, const Writes& instead, bool keep_constants) {
  std::vector<Replacement> replaced;
  for (const Edge& edge : graph.edges)
    if (!edge.real && !(keep_constants && edge.constant))
      replaced.push_back({edge.writer, edge.reader, &instead[edge.writer]});
  return replaced;
}

TEST(SplitRun, IsTheReferenceIfNothingIsReplaced) {
  for (const auto& one : cases())
    for (const WordPair& pair : one->pairs) {
      const SplitResult split = one->network.run(pair.clean);
      EXPECT_EQ(split.answer, pair.clean_answer) << one->name;
      const Matrix reference = run::run(one->model, pair.clean);
      Matrix sum(reference.rows, reference.cols);
      for (const Matrix& written : split.writes)
        for (std::size_t k = 0; k < sum.data.size(); ++k) sum.data[k] += written.data[k];
      for (std::size_t k = 0; k < sum.data.size(); ++k)
        ASSERT_NEAR(sum.data[k], reference.data[k], 1e-9 * (1 + std::abs(reference.data[k]))) << one->name;
    }
}

/// "There was an a": the values alone, or the keys alone, of another word.
TEST(SplitRun, ReplacesOneEdge) {
  const model::Transformer model = test::once_model();
  const SplitRun network(model);
  const Graph& graph = network.graph();
  ASSERT_EQ(graph.readers.size(), 5u);  // q, k, v, the feed-forward, the logits
  const Word with = {1, 0, 1}, without = {1, 1, 1};
  const Writes others = network.run(without).writes;
  EXPECT_EQ(network.run(with).answer, 1);
  EXPECT_EQ(network.run(with, {{0, 2, &others[0]}}).answer, 0);                 // v: the a is not seen
  const SplitResult like_the_others = network.run(with, {{0, 1, &others[0]}});  // k: the a has a third of the weight
  EXPECT_NEAR(like_the_others.writes[2](2, 2), 1.0 / 3, 1e-12);
  EXPECT_EQ(network.run(with, {{3, 4, &others[3]}}).answer, 0);  // what the feed-forward hands to the logits
}

TEST(TrueEdges, AreAllThatIsNeededAndCarryTheWholeDifference) {
  for (const auto& one : cases()) {
    const Graph& graph = one->network.graph();
    const std::vector<std::vector<double>> means = means_of(*one);
    const std::vector<std::vector<double>> zeros(means.size(), std::vector<double>(one->model.width));
    for (const WordPair& pair : one->pairs) {
      const Writes corrupted = one->network.run(pair.corrupted).writes;
      EXPECT_EQ(one->network.run(pair.clean, without_the_others(graph, corrupted, false)).answer, pair.clean_answer)
          << one->name;
      const Writes mean = repeated(means, pair.clean.size()), zero = repeated(zeros, pair.clean.size());
      EXPECT_EQ(one->network.run(pair.clean, without_the_others(graph, mean, false)).answer, pair.clean_answer)
          << one->name;
      EXPECT_EQ(one->network.run(pair.clean, without_the_others(graph, zero, true)).answer, pair.clean_answer)
          << one->name;
      // And the other way round: the true ones carry all of the difference.
      std::vector<Replacement> replaced;
      for (const Edge& edge : graph.edges)
        if (edge.real) replaced.push_back({edge.writer, edge.reader, &corrupted[edge.writer]});
      EXPECT_EQ(one->network.run(pair.clean, replaced).answer, pair.corrupted_answer) << one->name;
    }
  }
}

/// No other edge carries a difference, and most true ones that carry one change an answer by themselves.
TEST(TrueEdges, AreTheOnesThatPatchingFinds) {
  std::size_t real = 0, differing = 0, changing = 0;
  for (const auto& one : cases()) {
    const std::vector<EdgeEvidence> evidence = evidence_of(one->network, one->pairs);
    const Graph& graph = one->network.graph();
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const Edge& edge = graph.edges[e];
      if (!edge.real) {
        EXPECT_EQ(evidence[e].differs, 0u) << one->name << " " << graph.name(edge);
        continue;
      }
      ++real;
      differing += evidence[e].differs > 0;
      changing += evidence[e].changes > 0;
      if (graph.writers[edge.writer].name == "pos_embed") {
        EXPECT_EQ(evidence[e].differs, 0u) << one->name << " " << graph.name(edge);
      }
    }
  }
  RecordProperty("true_edges", static_cast<int>(real));
  RecordProperty("true_edges_that_differ", static_cast<int>(differing));
  RecordProperty("true_edges_that_change_an_answer", static_cast<int>(changing));
  EXPECT_GT(differing, real / 2);
  EXPECT_GT(changing, differing * 4 / 5);
}

}  // namespace
}  // namespace quench::circuits
