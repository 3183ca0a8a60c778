// Certificates through the public headers.
#include <gtest/gtest.h>
#include <quench/certify.h>
#include <quench/compile.h>

namespace quench {
namespace {

Model model_of(const char* formula, bool certified = true) {
  return compile(parse_formula(formula), {.certify = certified});
}

TEST(Certificate, SaysHowFarEachFormatReaches) {
  const Certificate certificate = certify(model_of("Q_a S Q_b"), {Format::f32, Format::bf16});
  ASSERT_TRUE(certificate.length(Format::f32));
  EXPECT_GT(*certificate.length(Format::f32), *certificate.length(Format::bf16));
  EXPECT_EQ(certificate.length(Format::f64), std::nullopt);
  for (const CertificateEntry& entry : certificate.entries()) {
    EXPECT_TRUE(entry.format == Format::f32 || entry.format == Format::bf16);
    EXPECT_EQ(entry.reason.empty(), entry.length == kNoLimit);
  }
}

TEST(Certificate, StrongerAssumptionsReachAtLeastAsFar) {
  const Certificate certificate = certify(model_of("#<[Q_a] >= #>[Q_b]"), {Format::f32});
  EXPECT_LT(*certificate.length(Format::f32, Summation::any), *certificate.length(Format::f32, Summation::exact_count));
  EXPECT_LE(*certificate.length(Format::f32, Summation::any),
            *certificate.length(Format::f32, Summation::normalise_last));
}

TEST(Certificate, IsReadAsStrictlyAsItIsWritten) {
  const Certificate certificate = certify(model_of("Q_a"), {Format::f32});
  EXPECT_EQ(read_certificate(certificate.to_json()).to_json(), certificate.to_json());
  for (const char* text : {"", "{}", "[]", "null", "certificate"})
    EXPECT_THROW(read_certificate(text), IoError) << text;
}

TEST(Certificate, GoesIntoItsModelAndIntoNoOther) {
  const Model model = model_of("O Q_a", false);
  EXPECT_EQ(certificate_of(model).has_value(), false);
  const Certificate certificate = certify(model);
  const Model with = with_certificate(model, certificate);
  EXPECT_FALSE(model.has_certificate());
  EXPECT_EQ(certificate_of(with)->to_json(), certificate.to_json());
  EXPECT_EQ(with.fingerprint(), model.fingerprint());
  EXPECT_THROW(with_certificate(model_of("O Q_b", false), certificate), UserError);
}

TEST(Check, SaysWhatHolds) {
  const Verdict verdict = check(model_of("Q_a S Q_b"));
  EXPECT_TRUE(verdict.behaves);
  EXPECT_TRUE(verdict.computes_rule);
  EXPECT_TRUE(verdict.covered);
  EXPECT_GE(verdict.entries, 4u);
  EXPECT_EQ(verdict.reason, "");
  EXPECT_EQ(verdict.lengths.find("f64 "), 0u) << verdict.lengths;
}

TEST(Check, HasAVerdictOnAModelWithoutACertificate) {
  const Verdict verdict = check(model_of("Q_a", false));
  EXPECT_FALSE(verdict.behaves);
  EXPECT_FALSE(verdict.computes_rule);
  EXPECT_NE(verdict.reason, "");
}

TEST(Check, RejectsTheCertificateOfAnotherModel) {
  const Verdict verdict = check(model_of("O Q_a"), certify(model_of("O Q_b")));
  EXPECT_FALSE(verdict.behaves);
  EXPECT_NE(verdict.reason, "");
}

TEST(Check, RejectsALengthThatIsNotBorneOut) {
  const Model model = model_of("O Q_a");
  std::string json = certify(model, {Format::bf16}).to_json();
  const std::string length = std::to_string(*certificate_of(model)->length(Format::bf16));
  const std::size_t at = json.find("\"length\":" + length);
  ASSERT_NE(at, std::string::npos) << json;
  json.insert(at + 9, "9");
  EXPECT_FALSE(check(model, read_certificate(json)).behaves);
}

}  // namespace
}  // namespace quench
