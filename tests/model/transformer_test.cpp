// Facts about a model (counts, kind) and what validate() refuses.
#include "model/transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "support/random_model.h"

namespace quench::model {
namespace {

using testing::HasSubstr;

Head head_with(Weighting weighting, Temperature temperature) {
  Head head;
  head.weighting = weighting;
  head.temperature = temperature;
  return head;
}

TEST(Transformer, KindFollowsDefinition4) {
  Transformer model;
  EXPECT_EQ(model.kind(), "SMAT");
  const auto kind = [&](std::vector<Head> heads) {
    model.layers = {{heads, {}}};
    return model.kind();
  };
  const Head soft = head_with(Weighting::soft, Temperature::one);
  const Head scaled = head_with(Weighting::soft, Temperature::inverse_n);
  const Head left = head_with(Weighting::lhardmax, Temperature::one);
  const Head right = head_with(Weighting::rhardmax, Temperature::one);
  const Head average = head_with(Weighting::ahardmax, Temperature::one);
  EXPECT_EQ(kind({soft, soft}), "SMAT");
  EXPECT_EQ(kind({soft, scaled}), "τ-SMAT");
  EXPECT_EQ(kind({left, right}), "UHAT");
  EXPECT_EQ(kind({average}), "AHAT");
  EXPECT_EQ(kind({average, left}), "mixed");
  EXPECT_EQ(kind({soft, average}), "mixed");
}

TEST(Transformer, ParametersAreTheEntriesOfTheDenseTensors) {
  Transformer model;
  model.alphabet = Alphabet({"a"});
  model.width = 3;
  model.embedding = SparseMatrix(2, 3);
  Head head;
  head.q = head.k = SparseMatrix(4, 3);
  head.v = SparseMatrix(2, 3);
  head.o = SparseMatrix(3, 2);
  model.layers.push_back({{head, head}, {SparseMatrix(5, 3), std::vector<double>(5), SparseMatrix(3, 5), {0, 0, 0}}});
  validate(model);
  EXPECT_EQ(model.head_count(), 2u);
  EXPECT_EQ(model.parameter_count(), 6u + 2 * (12 + 12 + 6 + 6) + 15 + 5 + 15 + 3);
}

class Validate : public testing::Test {
 protected:
  Validate() {
    Random random(11);
    do {
      model_ = test::random_model(random);
    } while (model_.layers[0].heads.empty() || model_.layers[0].ffn.b1.empty());
    model_.layers[0].heads[0].q.add(0, 1, 0.5);
  }
  template <class Change>
  std::string after(Change change) const {
    Transformer changed = model_;
    change(changed);
    try {
      validate(changed);
    } catch (const IoError& error) {
      return error.what();
    }
    return "valid";
  }
  Transformer model_;
};

TEST_F(Validate, NamesWhatIsWrong) {
  EXPECT_EQ(after([](Transformer&) {}), "valid");
  EXPECT_THAT(after([](Transformer& m) { m.width = 0; }), HasSubstr("width"));
  EXPECT_THAT(after([](Transformer& m) { m.embedding.rows.resize(m.embedding.rows.size() - 1); }), HasSubstr("embedding"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].k.rows.resize(m.layers[0].heads[0].k.rows.size() + 1); }),
              HasSubstr("layers.0.heads.0.k"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].o.cols += 1; }), HasSubstr("layers.0.heads.0.o"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].ffn.b1.push_back(0); }), HasSubstr("layers.0.ffn.w1"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[1].ffn.b2.pop_back(); }), HasSubstr("layers.1.ffn.b2"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].ffn.b2[0] = HUGE_VAL; }), HasSubstr("finite"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].q.rows.edit(0)[0].value = std::nan(""); }),
              HasSubstr("finite"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].q.rows.edit(0)[0].value = 0; }), HasSubstr("zero"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].q.rows.edit(0)[0].column = 99; }), HasSubstr("columns"));
  EXPECT_THAT(after([](Transformer& m) {
                auto& row = m.layers[0].heads[0].q.rows.edit(0);
                row.push_back(row.back());
              }),
              HasSubstr("columns"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].q.rows.resize(0), m.layers[0].heads[0].k.rows.resize(0); }),
              HasSubstr("query rows"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].claim.gamma = std::nan(""); }), HasSubstr("γ"));
  EXPECT_THAT(after([](Transformer& m) { m.layers[0].heads[0].name = "\xff"; }), HasSubstr("UTF-8"));
  EXPECT_THAT(after([](Transformer& m) {
                m.alphabet = Alphabet({"a", "\xc0\x80", "b", "c", "d"});
              }),
              HasSubstr("UTF-8"));
  EXPECT_THAT(after([](Transformer& m) {
                m.position_encodings = {{0, {PositionFormula::Kind::predicate, {}}}};
              }),
              HasSubstr("lacks its predicate"));
  EXPECT_THAT(after([](Transformer& m) {
                m.position_encodings = {{0, {PositionFormula::Kind::index, Predicate{}}}};
              }),
              HasSubstr("does not use"));
}

TEST_F(Validate, ExpressionsMustLeaveOneValue) {
  using Code = IntInstruction::Op;
  const auto with_code = [&](std::vector<IntInstruction> code) {
    return after([&](Transformer& m) {
      Predicate predicate;
      predicate.kind = Predicate::Kind::expression;
      predicate.name = "q";
      predicate.code = std::move(code);
      m.position_encodings = {{0, {PositionFormula::Kind::predicate, predicate}}};
    });
  };
  EXPECT_EQ(with_code({{Code::x, 0}, {Code::n, 0}, {Code::add, 0}}), "valid");
  EXPECT_THAT(with_code({}), HasSubstr("leaves 0"));
  EXPECT_THAT(with_code({{Code::x, 0}, {Code::add, 0}}), HasSubstr("not there"));
  EXPECT_THAT(with_code({{Code::x, 0}, {Code::n, 0}}), HasSubstr("leaves 2"));
}

}  // namespace
}  // namespace quench::model
