// Malformed and hostile model files: every one must give an IoError that says what is wrong, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "model/file.h"
#include "model/file_fixture.h"
#include "support/random_model.h"

namespace quench::model {
namespace {

using nlohmann::ordered_json;
using test::Parts;
using test::TemporaryFolder;
using testing::HasSubstr;

class DamagedFile : public testing::Test {
 protected:
  DamagedFile() {
    Random random(77);
    Transformer model;
    do {
      model = test::random_model(random);
    } while (model.layers[0].heads.empty() || model.layers[0].ffn.b1.empty());
    Predicate predicate;
    predicate.kind = Predicate::Kind::expression;
    predicate.name = "q";
    predicate.code = {{IntInstruction::Op::x, 0}, {IntInstruction::Op::constant, 3}, {IntInstruction::Op::less, 0}};
    model.position_encodings = {{0, {PositionFormula::Kind::index_over_length, {}}},
                                {1, {PositionFormula::Kind::predicate, predicate}}};
    save(model, path());
    valid_ = test::read_bytes(path());
  }

  std::filesystem::path path() const { return folder_ / "model.safetensors"; }

  /// The message of loading these bytes.
  std::string message(const std::string& bytes) const {
    test::write_bytes(path(), bytes);
    try {
      load(path());
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path().string()));
      return error.what();
    }
    return "no error";
  }
  std::string with(const std::function<void(Parts&)>& damage) const {
    Parts parts(valid_);
    damage(parts);
    return message(parts.bytes());
  }

  const TemporaryFolder folder_;
  std::string valid_;
};

TEST_F(DamagedFile, UndamagedItLoads) { EXPECT_EQ(message(Parts(valid_).bytes()), "no error"); }

TEST_F(DamagedFile, MissingFilesAndFoldersAreNamed) {
  std::filesystem::remove(path());
  EXPECT_THROW(load(path()), IoError);
  EXPECT_THROW(load(folder_.path()), IoError);
  EXPECT_THROW(load("/dev/null"), IoError);
}

TEST_F(DamagedFile, TruncatedAnywhere) {
  for (std::size_t size = 0; size < valid_.size(); size += size < 600 ? 1 : 97)
    EXPECT_NE(message(valid_.substr(0, size)), "no error") << size;
  EXPECT_NE(message(valid_ + '\0'), "no error");
}

TEST_F(DamagedFile, HeaderLengths) {
  const std::string data(100, ' ');
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{101}, std::uint64_t{1} << 40,
                                     ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((length >> shift) & 255);
    EXPECT_THAT(message(bytes + data), HasSubstr("header is said to have")) << length;
  }
}

TEST_F(DamagedFile, HeadersThatAreNotTheRightJson) {
  EXPECT_THAT(message(Parts::join("{nonsense", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(message(Parts::join("[1, 2]", "")), HasSubstr("not a JSON object"));
  EXPECT_THAT(message(Parts::join("{\"a\": 1e999}", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(message(Parts::join("{\"\xff\xfe\": 1}", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(message(Parts::join("{\"a\": \"\\ud800\"}", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(message(Parts::join("{}", "")), HasSubstr("no metadata"));
  EXPECT_THAT(message(Parts::join("{\"__metadata__\": 3}", "")), HasSubstr("__metadata__"));
  EXPECT_THAT(message(Parts::join("{\"__metadata__\": {\"quench\": 3}}", "")), HasSubstr("not a string"));
  EXPECT_THAT(message(Parts::join("{\"__metadata__\": {\"quench\": \"{\"}}", "")), HasSubstr("metadata document"));
}

TEST_F(DamagedFile, DeepNestingIsRefusedBeforeParsing) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_THAT(message(Parts::join(deep, "")), HasSubstr("nested deeper"));
  EXPECT_THAT(message(Parts::join("{\"a\":" + deep + "}", "")), HasSubstr("nested deeper"));
  EXPECT_THAT(message(Parts::join(std::string(1'000'000, '['), "")), HasSubstr("nested deeper"));
  const std::string inner = ordered_json{{"__metadata__", {{"quench", deep}}}}.dump();
  EXPECT_THAT(message(Parts::join(inner, "")), HasSubstr("nested deeper"));
  // Brackets inside strings do not nest.
  EXPECT_EQ(with([](Parts& parts) { parts.document["source"] = "\\\"" + std::string(1000, '['); }), "no error");
}

TEST_F(DamagedFile, DuplicateKeysAndTensors) {
  std::string header = Parts(valid_).header.dump();
  header.insert(1, R"("embedding":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},)");
  EXPECT_THAT(message(Parts::join(header, Parts(valid_).data)), HasSubstr("twice"));
}

TEST_F(DamagedFile, MissingAndSuperfluousTensors) {
  EXPECT_NE(with([](Parts& parts) { parts.header.erase("layers.0.ffn.w1"); }), "no error");
  EXPECT_THAT(with([](Parts& parts) {
                parts.header["layers.0.ffn.w0"] = parts.header["layers.0.ffn.w1"];
                parts.header.erase("layers.0.ffn.w1");
              }),
              HasSubstr("layers.0.ffn.w0"));
  EXPECT_THAT(with([](Parts& parts) {
                parts.document["layers"].push_back({{"heads", ordered_json::array()}});
              }),
              HasSubstr("missing"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["layers"].erase(0); }), HasSubstr("belongs to no part"));
}

TEST_F(DamagedFile, TensorEntriesThatLie) {
  const auto tensor = [&](const char* key, const ordered_json& value) {
    return with([&](Parts& parts) { parts.header["layers.0.ffn.w1"][key] = value; });
  };
  EXPECT_THAT(tensor("dtype", "I64"), HasSubstr("dtype"));
  EXPECT_THAT(tensor("dtype", 3), HasSubstr("dtype"));
  EXPECT_THAT(tensor("dtype", "F32"), HasSubstr("shape and dtype"));
  EXPECT_THAT(tensor("shape", {1, -1}), HasSubstr("natural numbers"));
  EXPECT_THAT(tensor("shape", {1, 1.5}), HasSubstr("natural numbers"));
  EXPECT_THAT(tensor("shape", "x"), HasSubstr("list"));
  EXPECT_THAT(tensor("shape", {1ULL << 32, 1ULL << 32}), HasSubstr("shape and dtype"));  // product wraps to 0
  EXPECT_THAT(tensor("shape", {1ULL << 62, 2, 1ULL << 62}), HasSubstr("shape and dtype"));
  EXPECT_THAT(tensor("shape", {~0ULL, ~0ULL}), HasSubstr("shape and dtype"));
  EXPECT_THAT(tensor("data_offsets", {0, ~0ULL}), HasSubstr("bytes of data"));
  EXPECT_THAT(tensor("data_offsets", {8, 0}), HasSubstr("not a range"));
  EXPECT_THAT(tensor("data_offsets", {0}), HasSubstr("not a range"));
  EXPECT_THAT(with([](Parts& parts) {
                auto& first = parts.header["layers.0.heads.0.q"];
                first["data_offsets"] = parts.header["layers.0.heads.0.k"]["data_offsets"];
              }),
              HasSubstr("overlap"));
  EXPECT_THAT(with([](Parts& parts) { parts.data += std::string(8, '\0'); }), HasSubstr("cover"));
}

TEST_F(DamagedFile, WrongShapes) {
  EXPECT_THAT(with([](Parts& parts) {
                auto& shape = parts.header["layers.0.heads.0.q"]["shape"];
                shape = {shape[1].get<std::uint64_t>() * shape[0].get<std::uint64_t>(), 1};
              }),
              HasSubstr("layers.0.heads.0.q"));
  EXPECT_THAT(with([](Parts& parts) {
                auto& shape = parts.header["embedding"]["shape"];
                shape = {shape[0].get<std::uint64_t>() * shape[1].get<std::uint64_t>()};
              }),
              HasSubstr("dimensions"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["width"] = 3; }), HasSubstr("width"));
  EXPECT_NE(with([](Parts& parts) { parts.document["width"] = 0; }), "no error");
  EXPECT_NE(with([](Parts& parts) { parts.document["width"] = 4294967295; }), "no error");
  EXPECT_NE(with([](Parts& parts) { parts.document["symbols"].push_back("z"); }), "no error");
}

/// d × 0 tensors have no bytes, so any d could be claimed; what they would make us allocate must not follow the claim.
TEST_F(DamagedFile, ExtentsWithoutBytesAreNotBelieved) {
  ordered_json document = Parts(valid_).document;
  const std::uint64_t huge = 4'000'000'000;
  document["width"] = huge;
  document["tenants"] = ordered_json::array();
  document["layers"] = {{{"heads", {document["layers"][0]["heads"][0]}}}};
  ordered_json header{{"__metadata__", {{"quench", document.dump()}}}};
  const auto empty = [](std::uint64_t rows, std::uint64_t cols) {
    return ordered_json{{"dtype", "F64"}, {"shape", {rows, cols}}, {"data_offsets", {0, 0}}};
  };
  header["embedding"] = empty(0, huge);
  for (const char* name : {"q", "k", "v"}) header[std::string("layers.0.heads.0.") + name] = empty(0, huge);
  header["layers.0.heads.0.o"] = empty(huge, 0);
  header["layers.0.ffn.w1"] = empty(0, huge);
  header["layers.0.ffn.w2"] = empty(huge, 0);
  header["layers.0.ffn.b1"] = {{"dtype", "F64"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
  header["layers.0.ffn.b2"] = header["layers.0.ffn.b1"];
  EXPECT_THAT(message(Parts::join(header.dump(), "")), HasSubstr("cannot be"));
  document["layers"][0]["heads"] = ordered_json::array();
  header["__metadata__"]["quench"] = document.dump();
  for (const char* name : {"q", "k", "v", "o"}) header.erase(std::string("layers.0.heads.0.") + name);
  EXPECT_THAT(message(Parts::join(header.dump(), "")), HasSubstr("cannot be"));
}

TEST_F(DamagedFile, WeightsThatAreNotNumbers) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Parts original(valid_);
    for (std::size_t at : {std::size_t{0}, original.data.size() - 8}) {
      EXPECT_THAT(with([&](Parts& parts) { std::memcpy(parts.data.data() + at, &value, 8); }), HasSubstr("not finite"));
    }
  }
}

TEST_F(DamagedFile, OtherVersions) {
  EXPECT_THAT(with([](Parts& parts) { parts.document["version"] = 2; }), HasSubstr("version 2"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["version"] = 99; }), HasSubstr("newer quench"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["version"] = "1"; }), HasSubstr("version"));
  EXPECT_THAT(with([](Parts& parts) { parts.document.erase("version"); }), HasSubstr("version is missing"));
}

TEST_F(DamagedFile, EveryFieldOfTheDocumentIsNeededAndTyped) {
  const Parts original(valid_);
  for (const auto& [key, value] : original.document.items()) {
    if (key == "certificate") continue;
    EXPECT_THAT(with([&, name = key](Parts& parts) { parts.document.erase(name); }), HasSubstr(key)) << key;
    EXPECT_THAT(with([&, name = key](Parts& parts) { parts.document[name] = nullptr; }), HasSubstr(key)) << key;
    EXPECT_THAT(with([&, name = key](Parts& parts) { parts.document[name] = -1.5; }), HasSubstr(key)) << key;
  }
  EXPECT_THAT(with([](Parts& parts) { parts.document["layers"][0]["heads"][0]["mask"] = "sideways"; }),
              HasSubstr("layers[0].heads[0].mask"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["layers"][0]["heads"][0]["temperature"] = "1/m"; }),
              HasSubstr("temperature"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["layers"][0]["heads"][0]["claim"]["gamma"] = "3"; }),
              HasSubstr("gamma"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["output"]["kind"] = "melody"; }), HasSubstr("output kind"));
}

TEST_F(DamagedFile, Symbols) {
  EXPECT_THAT(with([](Parts& parts) { parts.document["symbols"][1] = parts.document["symbols"][0]; }),
              HasSubstr("twice"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["symbols"][1] = ""; }), HasSubstr("empty"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["symbols"][1] = 7; }), HasSubstr("symbols[1]"));
  // Invalid UTF-8 inside the inner document, written as raw bytes of the outer one.
  Parts parts(valid_);
  parts.document["source"] = "@@@";
  std::string bytes = parts.bytes();
  bytes.replace(bytes.find("@@@"), 3, "\xed\xa0\x80");
  EXPECT_THAT(message(bytes), HasSubstr("not valid JSON"));
}

TEST_F(DamagedFile, CoordinatesAndLifetimes) {
  EXPECT_THAT(with([](Parts& parts) { parts.document["output"]["coordinate"] = 999; }), HasSubstr("output"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["tenants"][0]["coordinate"] = 999; }), HasSubstr("999"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["tenants"][0]["coordinate"] = 1ULL << 32; }),
              HasSubstr("coordinate"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["tenants"][0]["to"] = 999; }), HasSubstr("sublayer"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["tenants"][0]["from"] = 4; }), HasSubstr("sublayer"));
  EXPECT_THAT(
      with([](Parts& parts) { parts.document["tenants"][0]["low"] = 2, parts.document["tenants"][0]["high"] = 1; }),
      HasSubstr("range"));
  EXPECT_THAT(with([](Parts& parts) { parts.document["position_encodings"][0]["coordinate"] = 999; }),
              HasSubstr("i/n"));
}

TEST_F(DamagedFile, Predicates) {
  const auto predicate = [&](const ordered_json& json) {
    return with([&](Parts& parts) { parts.document["position_encodings"][1]["predicate"] = json; });
  };
  const auto expression = [&](const ordered_json& nodes) {
    return predicate({{"kind", "expression"}, {"name", "q"}, {"nodes", nodes}});
  };
  const ordered_json x{{"op", "x"}};
  EXPECT_EQ(expression(ordered_json::array({x})), "no error");
  EXPECT_EQ(expression({x, x, {{"op", "add"}, {"args", {0, 1}}}}), "no error");
  EXPECT_THAT(expression({x, x}), HasSubstr("one tree"));
  EXPECT_THAT(expression(ordered_json::array()), HasSubstr("one tree"));
  EXPECT_THAT(expression(ordered_json::array({{{"op", "add"}, {"args", {0, 1}}}})),
              HasSubstr("fewer nodes"));                                                          // stack underflow
  EXPECT_THAT(expression({x, {{"op", "add"}, {"args", {0, 0}}}}), HasSubstr("fewer nodes"));      // a shared node
  EXPECT_THAT(expression({x, x, {{"op", "add"}, {"args", {1, 0}}}}), HasSubstr("latest nodes"));  // out of order
  EXPECT_THAT(expression({x, {{"op", "negate"}, {"args", {1}}}}), HasSubstr("latest nodes"));     // itself
  EXPECT_THAT(expression({x, {{"op", "negate"}, {"args", {1u << 31}}}}), HasSubstr("args"));
  EXPECT_THAT(expression(ordered_json::array({{{"op", "power"}}})), HasSubstr("power"));
  EXPECT_THAT(expression(ordered_json::array({{{"op", "constant"}, {"value", 1e30}}})), HasSubstr("64-bit"));
  EXPECT_THAT(expression(ordered_json::array({{{"op", "constant"}, {"value", ~0ULL}}})), HasSubstr("value"));
  EXPECT_THAT(predicate({{"kind", "mod"}, {"name", "m"}, {"modulus", 0}, {"residue", 0}}), HasSubstr("modulus"));
  EXPECT_THAT(predicate({{"kind", "set"}, {"name", "m"}, {"members", {3, 1}}}), HasSubstr("sorted"));
  EXPECT_THAT(predicate({{"kind", "set"}, {"name", "m"}, {"members", {-1}}}), HasSubstr("≥ 0"));
  EXPECT_THAT(predicate({{"kind", "perfect"}, {"name", "m"}}), HasSubstr("perfect"));
}

/// A long chain of operations is a long list, not deep JSON.
TEST_F(DamagedFile, LongExpressionsAreNotDeep) {
  Transformer model = load(path());
  auto& code = model.position_encodings[1].formula.predicate->code;
  code = {{IntInstruction::Op::x, 0}};
  for (int step = 0; step < 100'000; ++step) code.push_back({IntInstruction::Op::negate, 0});
  save(model, path());
  EXPECT_EQ(load(path()), model);
}

TEST_F(DamagedFile, MessagesShowHostileNamesHarmlessly) {
  const std::string text = with([](Parts& parts) {
    parts.header["\x1b[31m" + std::string(5000, 'x')] = parts.header["embedding"];
    parts.header.erase("embedding");
  });
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 400u);
}

/// Loads into a valid model or throws IoError; anything else (another exception, a crash) fails the test.
void expect_survival(const std::filesystem::path& path, const std::string& bytes, int& loaded,
                     const std::string& what) {
  test::write_bytes(path, bytes);
  try {
    validate(load(path));
    ++loaded;
  } catch (const IoError&) {
  } catch (const std::exception& other) {
    ADD_FAILURE() << what << ": " << other.what();
  }
}

TEST_F(DamagedFile, RandomDamageIsSurvived) {
  Random random(2024);
  int loaded = 0;
  const std::size_t prefix = 8 + Parts::header_length(valid_);
  for (int trial = 0; trial < 6000; ++trial) {
    std::string bytes = valid_;
    const std::uint64_t edits = 1 + random.below(3);
    for (std::uint64_t edit = 0; edit < edits && !bytes.empty(); ++edit) {
      const std::size_t at = random.below(random.chance(0.7) ? std::min(prefix, bytes.size()) : bytes.size());
      switch (random.below(5)) {
        case 0:
          bytes[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
          break;
        case 2:
          bytes[at] = "0123456789{}[],:\"-.e"[random.below(20)];
          break;  // stays near JSON
        case 3:
          bytes.erase(at, 1 + random.below(20));
          break;
        default:
          if (random.chance(0.2))
            bytes.resize(at);
          else
            bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(40)));
      }
    }
    expect_survival(path(), bytes, loaded, "trial " + std::to_string(trial));
  }
  EXPECT_GT(loaded, 100);  // some damage is harmless: names, spare digits of weights
}

/// Damage that stays valid JSON gets past the parser and reaches the checks behind it.
TEST_F(DamagedFile, RandomlyReplacedJsonValuesAreSurvived) {
  Random random(31);
  int loaded = 0;
  const std::vector<ordered_json> values{nullptr,
                                         true,
                                         0,
                                         1,
                                         -1,
                                         7,
                                         1ULL << 31,
                                         1ULL << 40,
                                         ~0ULL,
                                         0.5,
                                         -1e308,
                                         "",
                                         "x",
                                         "1/n",
                                         "future",
                                         ordered_json::array(),
                                         ordered_json::object(),
                                         ordered_json::array({0, 1})};
  for (int trial = 0; trial < 4000; ++trial) {
    Parts parts(valid_);
    for (std::uint64_t edit = 0; edit < 1 + random.below(2); ++edit) {
      ordered_json* at = random.chance(0.6) ? &parts.document : &parts.header;
      while (at->is_structured() && !at->empty() && !random.chance(0.05)) {
        auto item = at->begin();
        std::advance(item, static_cast<std::ptrdiff_t>(random.below(at->size())));
        at = &*item;
      }
      *at = values[random.below(values.size())];
      if (!parts.header.is_object() || !parts.header.contains("__metadata__")) break;
      if (!parts.header["__metadata__"].is_object()) break;
    }
    std::string bytes;
    try {
      bytes = parts.bytes();
    } catch (const nlohmann::json::exception&) {
      continue;  // __metadata__ itself was replaced
    }
    expect_survival(path(), bytes, loaded, "trial " + std::to_string(trial));
  }
  EXPECT_GT(loaded, 50);
}

}  // namespace
}  // namespace quench::model
