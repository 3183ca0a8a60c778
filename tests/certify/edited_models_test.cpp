// Models that somebody edited: the certifier and the checker give an answer, whatever the weights are.
#include <gtest/gtest.h>

#include "certify/certificate.h"
#include "check/check.h"
#include "driver/compile.h"
#include "model/file.h"

namespace quench::certify {
namespace {

model::Transformer compiled(const std::string& source, std::string_view recipe, std::optional<double> gamma = {}) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.gamma = gamma;
  return driver::compile(driver::parse(source), options).model;
}

/// An answer, not an exception, and one that the checker shares.
void expect_answer(const model::Transformer& model, const std::string& edit) {
  const Certificate certificate = make_certificate(model, {NumberFormat::f64, NumberFormat::bf16});
  for (const Entry& entry : certificate.entries)
    EXPECT_EQ(entry.finding.reason.empty(), entry.finding.length == kLongest) << model.source << ", " << edit;
  EXPECT_NO_THROW(check::check(to_json(certificate), model)) << model.source << ", " << edit;
}

template <class Edit>
void edit_each_tensor(const model::Transformer& original, Edit edit) {
  for (std::size_t l = 0; l < original.layers.size(); ++l) {
    for (std::size_t h = 0; h < original.layers[l].heads.size(); ++h)
      for (SparseMatrix model::Head::* part : {&model::Head::q, &model::Head::k, &model::Head::v, &model::Head::o}) {
        model::Transformer model = original;
        edit(model.layers[l].heads[h].*part);
        expect_answer(model, "head " + std::to_string(l) + "." + std::to_string(h));
      }
    for (SparseMatrix model::FeedForward::* part : {&model::FeedForward::w1, &model::FeedForward::w2}) {
      model::Transformer model = original;
      edit(model.layers[l].ffn.*part);
      expect_answer(model, "feed-forward " + std::to_string(l));
    }
  }
  model::Transformer model = original;
  edit(model.embedding);
  expect_answer(model, "embedding");
}

std::vector<model::Transformer> originals() {
  return {compiled("square(#[Q_a])", "tight-position", 4.0), compiled("#<[Q_a] >= 2", "20a"),
          compiled("Q_a since Q_b", "tight"), compiled("#<[Q_a] = #>[Q_b]", "tight")};
}

TEST(EditedModels, WithATensorZeroedGetAnAnswer) {
  for (const model::Transformer& original : originals())
    edit_each_tensor(original, [](SparseMatrix& matrix) { matrix = SparseMatrix(matrix.rows.size(), matrix.cols); });
}

TEST(EditedModels, WithEnormousWeightsGetAnAnswer) {
  for (const model::Transformer& original : originals())
    for (const double factor : {0x1p60, -0x1p1000, 0x1p-1000})
      edit_each_tensor(original, [&](SparseMatrix& matrix) {
        for (std::size_t row = 0; row < matrix.rows.size(); ++row)
          if (!matrix.rows[row].empty())
            for (SparseMatrix::Entry& entry : matrix.rows.edit(row)) entry.value *= factor;
      });
}

TEST(EditedModels, WithAnotherPositionEncodingGetAnAnswer) {
  for (const model::Transformer& original : originals())
    for (std::size_t k = 0; k < original.position_encodings.size(); ++k)
      for (int kind = 0; kind < static_cast<int>(PositionFormula::Kind::table); ++kind) {
        model::Transformer model = original;
        model.position_encodings[k].formula = {static_cast<PositionFormula::Kind>(kind), {}, {}};
        expect_answer(model, to_string(model.position_encodings[k].formula));
      }
}

}  // namespace
}  // namespace quench::certify
