// One strict reader of certificates: what was written is read back, and whatever does not have the form is refused.
#include "model/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/number/random.h"

namespace quench::model {
namespace {

using Json = nlohmann::json;

Certificate example() {
  Certificate certificate{std::string(64, 'a'), "tight", "prev Q_a", {}};
  certificate.entries.push_back(
      {NumberFormat::f64, Summation::any, {kLongest, "", "", {{"0.0 x", "Q-prev", 32, 0, 1e-7}}}});
  certificate.entries.push_back(
      {NumberFormat::bf16, Summation::any, {256, "0.0 x", "not exact", {{"0.0 x", "Q-prev", 32, 0, 1e-7}}}});
  certificate.entries.push_back({NumberFormat::bf16, Summation::exact_count, {300, "", "not exact", {}}});
  return certificate;
}

bool readable(const Json& json) {
  try {
    certificate_from_json(json.dump());
    return true;
  } catch (const IoError&) {
    return false;
  }
}

TEST(CertificateText, IsReadBackAsItWasWritten) {
  const std::string text = to_json(example());
  const Certificate read = certificate_from_json(text);
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.entries.size(), 3u);
  EXPECT_EQ(certified_length(read, NumberFormat::f64, Summation::any), kLongest);
  EXPECT_EQ(certified_length(read, NumberFormat::bf16, Summation::normalise_last), 256u);
  EXPECT_EQ(certified_length(read, NumberFormat::bf16, Summation::exact_count), 300u);
  EXPECT_EQ(certified_length(read, NumberFormat::f16, Summation::exact_count), std::nullopt);
}

TEST(CertificateText, HasOneForm) {
  const Json original = Json::parse(to_json(example()));
  ASSERT_TRUE(readable(original));
  const std::vector<std::function<void(Json&)>> changes{
      [](Json& j) { j["entries"] = Json::array(); },
      [](Json& j) { j["entries"] = Json::object(); },
      [](Json& j) { j["entries"].push_back(j["entries"][0]); },
      [](Json& j) { j["kernels"] = "any kernels at all"; },
      [](Json& j) { j["version"] = 2; },
      [](Json& j) { j["version"] = "1"; },
      [](Json& j) { j["model"] = "0"; },
      [](Json& j) { j["more"] = 1; },
      [](Json& j) { j["soften"] = 1; },
      [](Json& j) { j["soften"] = Json::object(); },
      [](Json& j) {
        j["soften"] = {{"length", 255}};
      },
      [](Json& j) { j["entries"][1]["reason"] = Json::object(); },
      [](Json& j) { j["entries"][1]["reason"] = ""; },
      [](Json& j) { j["entries"][0]["reason"] = "no limit, but a reason"; },
      [](Json& j) { j["entries"][1]["reason"] = "\x1b[31m"; },
      [](Json& j) { j["entries"][1]["reason"] = std::string(100'000, 'x'); },
      [](Json& j) { j["entries"][1]["length"] = -1; },
      [](Json& j) { j["entries"][1]["length"] = 1.5; },
      [](Json& j) { j["entries"][1]["length"] = 256.0; },
      [](Json& j) { j["entries"][1]["length"] = 1e300; },
      [](Json& j) { j["entries"][1]["length"] = kLongest; },
      [](Json& j) { j["entries"][1]["length"] = "256"; },
      [](Json& j) { j["entries"][1]["limiting_head"] = 0; },
      [](Json& j) { j["entries"][1]["dtype"] = "f23"; },
      [](Json& j) { j["entries"][1]["summation"] = "none"; },
      [](Json& j) { j["entries"][1]["more"] = nullptr; },
      [](Json& j) { j["entries"][0]["heads"][0]["gap"] = nullptr; },
      [](Json& j) { j["entries"][0]["heads"][0]["bound"] = -1e-7; },
      [](Json& j) { j["entries"][0]["heads"][0]["more"] = 1; },
      [](Json& j) { j["entries"][0]["heads"] = nullptr; },
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Json changed = original;
    changes[k](changed);
    EXPECT_FALSE(readable(changed)) << "change " << k << ": " << Json::diff(original, changed).dump();
  }
  for (const char* text : {"", "null", "[]", "{}", "{\"version\":1}", "\"certificate\""})
    EXPECT_THROW(certificate_from_json(text), IoError) << text;
}

/// What proofs of exact models need of an engine beyond the others: without these words a certificate is not believed.
TEST(CertificateText, StatesWhatExactProofsNeed) {
  Json json = Json::parse(to_json(example()));
  std::string text = json["kernels"];
  const std::string masks = "hidden keys left out or masked by −∞ or the format's least number, not by adding −10⁴; ";
  const std::string underflow = "exp(x) = 0 where e^x is below half the least positive number, ";
  EXPECT_THAT(text, ::testing::HasSubstr(masks));
  EXPECT_THAT(text, ::testing::HasSubstr(underflow));
  for (const std::string& words : {masks, underflow}) {
    std::string fewer = text;
    json["kernels"] = fewer.erase(fewer.find(words), words.size());
    EXPECT_FALSE(readable(json)) << words;
  }
}

TEST(CertificateText, SaysEveryThingOnceAndIsNotDeep) {
  std::string text = to_json(example());
  text.insert(1, "\"version\":1,");
  EXPECT_THROW(certificate_from_json(text), IoError);
  std::string deep = to_json(example());
  deep.insert(1, "\"more\":" + std::string(100'000, '[') + std::string(100'000, ']') + ",");
  EXPECT_THROW(certificate_from_json(deep), IoError);
}

/// A list of so many entries has some twice, and that is seen before anything is derived from them.
TEST(CertificateText, HasFewEntries) {
  Json json = Json::parse(to_json(example()));
  for (int k = 0; k < 80'000; ++k) json["entries"].push_back(json["entries"][1]);
  EXPECT_FALSE(readable(json));
}

/// Every value of the document, replaced by one of another type or taken away.
void change_each(const Json& original, Json& changed, Json& at, const std::string& where) {
  const std::vector<Json> others{nullptr, true, -1, 1.5, "text", Json::array(), Json::object()};
  for (auto& item : at.items()) {
    Json& value = item.value();
    const Json before = value;
    const std::string here = where + "/" + item.key();
    for (const Json& other : others) {
      if (other.type() == before.type()) continue;
      if (before.is_number() && other.is_number()) continue;
      value = other;
      const bool nullable = (item.key() == "limiting_head" && (other.is_null() || other.is_string()));
      if (!nullable) {
        EXPECT_FALSE(readable(changed)) << here << " " << other.dump();
      }
    }
    value = before;
  }
  for (auto& item : at.items())
    if (item.value().is_structured()) change_each(original, changed, item.value(), where + "/" + item.key());
  if (!at.is_object()) return;
  const Json whole = at;
  for (const auto& item : whole.items()) {
    at.erase(item.key());
    EXPECT_FALSE(readable(changed)) << where << " without " << item.key();
    at = whole;
  }
}

TEST(CertificateText, HasEveryFieldOfItsType) {
  const Json original = Json::parse(to_json(example()));
  Json changed = original;
  change_each(original, changed, changed, "");
  EXPECT_EQ(changed, original);
}

}  // namespace
}  // namespace quench::model
