// What `check` may say of a model and its certificate, and what `run` may believe of it.
#include "certified/promise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "certified/allowance.h"
#include "certify/certificate.h"
#include "driver/compile.h"
#include "model/file.h"

namespace quench::certified {
namespace {

using ::testing::HasSubstr;

model::Transformer certified_model(const std::string& source, std::string_view recipe = "auto") {
  lower::RecipeOptions options;
  options.recipe = recipe;
  model::Transformer model = driver::compile(driver::parse_rule(source), options).model;
  model.certificate = model::to_json(certify::make_certificate(model, certify::usual_formats()));
  return model;
}

/// The promise of a changed model for which somebody made a new certificate.
template <class Change>
Promise promise_after(const std::string& source, Change change) {
  model::Transformer model = certified_model(source);
  change(model);
  return examine(model::to_json(certify::make_certificate(model, certify::usual_formats())), model);
}

TEST(Promise, IsTheRuleWhereTheCompilerMadeTheModel) {
  const model::Transformer model = certified_model("prev Q_a");
  const Promise promise = examine(model.certificate, model);
  EXPECT_TRUE(promise.computes_rule()) << promise.verdict.reason << promise.not_the_rule;
  EXPECT_EQ(promise.lengths, "f64 4503599627370496, f32 8388608, bf16 256, f16 2048");
}

TEST(Promise, IsOnlyTheIdealNetworkWhereTheRuleIsAnother) {
  const auto source = [](auto& m) { m.source = "true"; };
  const auto symbols = [](auto& m) {
    const SparseMatrix before = m.embedding;
    m.embedding = SparseMatrix(before.rows.size(), before.cols);
    for (std::size_t row = 0; row < before.rows.size(); ++row)
      for (const auto& [column, value] : before.rows[row]) m.embedding.add(row < 2 ? 1 - row : row, column, value);
  };
  const auto values = [](auto& m) { m.layers[0].heads[0].v = SparseMatrix(m.layers[0].heads[0].v.rows.size(), m.width); };
  const auto parity = [](auto& m) {
    for (model::PositionEncoding& encoding : m.position_encodings)
      if (encoding.formula.predicate) encoding.formula.predicate->kind = Predicate::Kind::even;
  };
  const auto division = [](auto& m) {
    for (model::PositionEncoding& encoding : m.position_encodings)
      if (encoding.formula.predicate)
        *encoding.formula.predicate = {Predicate::Kind::expression,
                                       "odd",
                                       1,
                                       0,
                                       {},
                                       {{IntInstruction::Op::x, 0},
                                        {IntInstruction::Op::constant, 0},
                                        {IntInstruction::Op::divide, 0}}};
  };
  EXPECT_TRUE(promise_after("prev Q_a & Q_b & odd", [](auto&) {}).computes_rule());
  int behaves = 0;
  for (const Promise& promise :
       {promise_after("prev Q_a & Q_b & odd", source), promise_after("prev Q_a & Q_b & odd", symbols),
        promise_after("prev Q_a & Q_b & odd", values), promise_after("prev Q_a & Q_b & odd", parity),
        promise_after("prev Q_a & Q_b & odd", division)}) {
    EXPECT_FALSE(promise.computes_rule());
    behaves += promise.behaves();
  }
  EXPECT_EQ(behaves, 5) << "the checker alone has nothing against these";
}

/// The checker alone used to look at one coordinate, whatever was read off it.
TEST(Promise, IsNoneWhereTheOutputIsANumber) {
  const Promise promise = promise_after("prev Q_a", [](auto& m) { m.output.kind = model::OutputKind::integer; });
  EXPECT_FALSE(promise.computes_rule());
  model::Transformer model = certified_model("prev Q_a");
  model.output.kind = model::OutputKind::integer;
  nlohmann::json forged = nlohmann::json::parse(model.certificate);
  forged["model"] = model::fingerprint(model);
  EXPECT_FALSE(examine(forged.dump(), model).behaves());
  EXPECT_FALSE(allowance([&] {
                 model.certificate = forged.dump();
                 return model;
               }(),
                         NumberFormat::f64, model::Summation::any)
                   .longest);
}

TEST(Promise, HasTheReasonThatTheCertifierHas) {
  const model::Transformer model = certified_model("prev Q_a");
  nlohmann::json certificate = nlohmann::json::parse(model.certificate);
  certificate["entries"][2]["reason"] = "nothing really";
  const Promise promise = examine(certificate.dump(), model);
  EXPECT_FALSE(promise.behaves());
  EXPECT_THAT(promise.verdict.reason, HasSubstr("entry 3"));
}

TEST(Allowance, IsWhatTheCertificateSays) {
  model::Transformer model = certified_model("prev Q_a");
  EXPECT_EQ(allowance(model, NumberFormat::bf16, model::Summation::any).longest, 256u);
  EXPECT_EQ(allowance(model, NumberFormat::bf16_pure, model::Summation::any).longest, std::nullopt);
  EXPECT_EQ(allowance(model, NumberFormat::bf16_pure, model::Summation::any).warning, "");
  model.certificate.clear();
  EXPECT_EQ(allowance(model, NumberFormat::bf16, model::Summation::any).longest, std::nullopt);
}

TEST(Allowance, IsNoneWhereTheWeightsDoNotBearItOut) {
  const model::Transformer original = certified_model("prev Q_a");
  const auto after = [&](auto change) {
    nlohmann::json certificate = nlohmann::json::parse(original.certificate);
    change(certificate);
    model::Transformer model = original;
    model.certificate = certificate.dump();
    const Allowance found = allowance(model, NumberFormat::bf16, model::Summation::normalise_last);
    EXPECT_FALSE(found.longest) << certificate.dump();
    EXPECT_THAT(found.warning, HasSubstr("void")) << certificate.dump();
  };
  after([](auto& c) { c["entries"][2]["length"] = nullptr, c["entries"][2]["reason"] = ""; });
  after([](auto& c) { c["entries"][2]["length"] = 257; });
  after([](auto& c) { c["entries"][2]["length"] = 1e300; });
  after([](auto& c) { c["entries"][2]["reason"] = nlohmann::json::object(); });
  after([](auto& c) { c["entries"][2]["heads"] = nlohmann::json::array(); });
  after([](auto& c) { c["entries"] = nlohmann::json::array(); });
  after([](auto& c) { c["kernels"] = "whatever"; });
  after([](auto& c) { c["model"] = std::string(64, '0'); });
}

}  // namespace
}  // namespace quench::certified
