// ONNX files are well formed: every value is made before it is used, and tensors have the bytes of their shapes. That
// they compute what the model computes is tested with the real runtime (scripts/tests_python).
#include <gtest/gtest.h>

#include <set>

#include "driver/compile.h"
#include "export/onnx/network.h"
#include "export/onnx/protobuf_reader.h"
#include "support/example_model.h"

namespace quench::exports {
namespace {

using test::ProtobufReader;

void expect_well_formed(const model::Transformer& model, model::TensorType type) {
  const ProtobufReader file(onnx(model, type));
  EXPECT_EQ(file.message(8).integers(2), std::vector<std::int64_t>{17});
  const ProtobufReader graph = file.message(7);
  std::set<std::string> known;
  for (const std::string& input : graph.texts(11)) known.insert(ProtobufReader(input).texts(1).at(0));
  EXPECT_EQ(known, std::set<std::string>{"input_ids"});
  for (const std::string& bytes : graph.texts(5)) {
    const ProtobufReader tensor(bytes);
    std::size_t items = tensor.integers(2).at(0) == 1 ? 4 : 8;
    for (const std::int64_t extent : tensor.integers(1)) items *= static_cast<std::size_t>(extent);
    EXPECT_EQ(tensor.texts(9).at(0).size(), items);
    EXPECT_TRUE(known.insert(tensor.texts(8).at(0)).second);
  }
  for (const std::string& bytes : graph.texts(1)) {
    const ProtobufReader node(bytes);
    for (const std::string& input : node.texts(1))
      EXPECT_TRUE(known.contains(input)) << node.texts(4).at(0) << " reads " << input;
    for (const std::string& output : node.texts(2)) EXPECT_TRUE(known.insert(output).second) << output;
  }
  for (const std::string& output : graph.texts(12)) EXPECT_TRUE(known.contains(ProtobufReader(output).texts(1).at(0)));
  EXPECT_EQ(graph.texts(12).size(), 2u);
}

TEST(Onnx, EveryValueIsMadeBeforeItIsUsed) {
  for (const model::TensorType type : {model::TensorType::f32, model::TensorType::f64})
    for (const char* rule : {"Q_a", "Q_a S Q_b", "#<[Q_a] > #>[Q_b]", "prime & Q_a", "next Q_a U Q_b"})
      expect_well_formed(driver::compile(driver::parse(rule)).model, type);
}

TEST(Onnx, EveryFormulaMaskTemperatureAndWeightingHasOperators) {
  for (const PositionKind kind : all_of<PositionKind>()) {
    model::Transformer model = test::once_model();
    model.position_encodings = {{2, {kind, Predicate{}, {1, 2, 3}}}};
    expect_well_formed(model, model::TensorType::f32);
  }
  for (const Mask mask : all_of<Mask>())
    for (const Temperature temperature : all_of<Temperature>())
      for (const Weighting weighting : all_of<Weighting>()) {
        model::Transformer model = test::once_model();
        model::Head& head = model.layers[0].heads[0];
        head.mask = mask;
        head.temperature = temperature;
        head.weighting = weighting;
        expect_well_formed(model, model::TensorType::f32);
      }
}

}  // namespace
}  // namespace quench::exports
