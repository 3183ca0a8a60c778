#include "export/onnx/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "export/checkpoint.h"

namespace quench::exports {

namespace {

// Field numbers of ONNX's messages.
namespace field {
constexpr int kModelIrVersion = 1, kModelProducer = 2, kModelDescription = 6, kModelGraph = 7, kModelOpset = 8,
              kModelNotes = 14;
constexpr int kOpsetVersion = 2;
constexpr int kNoteKey = 1, kNoteValue = 2;
constexpr int kGraphNode = 1, kGraphName = 2, kGraphTensor = 5, kGraphInput = 11, kGraphOutput = 12;
constexpr int kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOperator = 4, kNodeAttribute = 5;
constexpr int kAttributeName = 1, kAttributeInteger = 3, kAttributeIntegers = 8, kAttributeType = 20;
constexpr int kTensorDimension = 1, kTensorType = 2, kTensorName = 8, kTensorBytes = 9;
constexpr int kValueName = 1, kValueType = 2, kTypeTensor = 1, kTensorTypeElement = 1, kTensorTypeShape = 2;
constexpr int kShapeDimension = 1, kDimensionNumber = 1, kDimensionName = 2;
}  // namespace field

constexpr std::int64_t kIrVersion = 8;  // that of opset 17
constexpr std::int64_t kIntegerAttribute = 2, kIntegersAttribute = 7;

ProtobufMessage attribute(const std::string& name, const std::vector<std::int64_t>& values) {
  ProtobufMessage message;
  message.add(field::kAttributeName, name);
  const bool list = name == "axes" || name == "perm";
  for (const std::int64_t value : values)
    message.add(list ? field::kAttributeIntegers : field::kAttributeInteger, value);
  message.add(field::kAttributeType, list ? kIntegersAttribute : kIntegerAttribute);
  return message;
}

ProtobufMessage value_info(const std::string& name, OnnxType type, const std::vector<std::string>& dimensions) {
  ProtobufMessage shape;
  for (const std::string& dimension : dimensions) {
    ProtobufMessage one;
    if (std::all_of(dimension.begin(), dimension.end(), [](unsigned char c) { return std::isdigit(c); }))
      one.add(field::kDimensionNumber, static_cast<std::int64_t>(std::stoll(dimension)));
    else
      one.add(field::kDimensionName, dimension);
    shape.add(field::kShapeDimension, one);
  }
  ProtobufMessage tensor, wrapped, info;
  tensor.add(field::kTensorTypeElement, static_cast<std::int64_t>(type));
  tensor.add(field::kTensorTypeShape, shape);
  wrapped.add(field::kTypeTensor, tensor);
  info.add(field::kValueName, name);
  info.add(field::kValueType, wrapped);
  return info;
}

std::string integer_bytes(const std::vector<std::int64_t>& values) {
  std::string bytes;
  for (const std::int64_t value : values)
    for (int shift = 0; shift < 64; shift += 8)
      bytes += static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 255);
  return bytes;
}

}  // namespace

OnnxGraph::OnnxGraph(model::TensorType real) : real_(real == model::TensorType::f64 ? OnnxType::f64 : OnnxType::f32) {}

std::string OnnxGraph::fresh(const std::string& stem) {
  const int before = used_[stem]++;
  return before == 0 ? stem : fmt::format("{}_{}", stem, before);
}

OnnxGraph::Value OnnxGraph::node(const std::string& op, const std::vector<Value>& inputs,
                                 const Attributes& attributes) {
  const Value result = fresh(op);
  ProtobufMessage message;
  for (const Value& input : inputs) message.add(field::kNodeInput, input);
  message.add(field::kNodeOutput, result);
  message.add(field::kNodeName, result);
  message.add(field::kNodeOperator, op);
  for (const auto& [name, values] : attributes) message.add(field::kNodeAttribute, attribute(name, values));
  graph_.add(field::kGraphNode, message);
  return result;
}

OnnxGraph::Value OnnxGraph::cast(const Value& value, OnnxType to) {
  return node("Cast", {value}, {{"to", {static_cast<std::int64_t>(to)}}});
}

OnnxGraph::Value OnnxGraph::tensor(const std::string& name, OnnxType type, const std::vector<std::uint64_t>& shape,
                                   const std::string& bytes) {
  const std::string content = fmt::format("{} {} {}:", name, static_cast<int>(type), fmt::join(shape, ",")) + bytes;
  if (const auto found = constants_.find(content); found != constants_.end()) return found->second;
  const Value result = fresh(name);
  ProtobufMessage message;
  for (const std::uint64_t extent : shape) message.add(field::kTensorDimension, static_cast<std::int64_t>(extent));
  message.add(field::kTensorType, static_cast<std::int64_t>(type));
  message.add(field::kTensorName, result);
  message.add(field::kTensorBytes, bytes);
  graph_.add(field::kGraphTensor, message);
  return constants_[content] = result;
}

OnnxGraph::Value OnnxGraph::reals(const std::string& name, OnnxType type, const std::vector<std::uint64_t>& shape,
                                  const std::vector<double>& values) {
  const auto width = type == OnnxType::f64 ? model::TensorType::f64 : model::TensorType::f32;
  return tensor(name, type, shape, little_endian_bytes(values, width, name));
}

OnnxGraph::Value OnnxGraph::integer(std::int64_t value) {
  return tensor("integer", OnnxType::i64, {}, integer_bytes({value}));
}
OnnxGraph::Value OnnxGraph::integers(const std::vector<std::int64_t>& values) {
  return tensor("integers", OnnxType::i64, {values.size()}, integer_bytes(values));
}
OnnxGraph::Value OnnxGraph::real_number(double value) { return reals("number", real_, {}, {value}); }
OnnxGraph::Value OnnxGraph::double_number(double value) { return reals("number", OnnxType::f64, {}, {value}); }
OnnxGraph::Value OnnxGraph::doubles(const std::vector<double>& values) {
  return reals("numbers", OnnxType::f64, {values.size()}, values);
}
OnnxGraph::Value OnnxGraph::weights(const std::string& name, const Matrix& matrix) {
  return reals(name, real_, {matrix.rows, matrix.cols}, matrix.data);
}
OnnxGraph::Value OnnxGraph::weights(const std::string& name, const std::vector<double>& vector) {
  return reals(name, real_, {vector.size()}, vector);
}

void OnnxGraph::input(const std::string& name, OnnxType type, const std::vector<std::string>& dimensions) {
  graph_.add(field::kGraphInput, value_info(fresh(name), type, dimensions));
}

void OnnxGraph::output(const std::string& name, const Value& value, OnnxType type,
                       const std::vector<std::string>& dimensions) {
  ProtobufMessage message;
  message.add(field::kNodeInput, value);
  message.add(field::kNodeOutput, name);
  message.add(field::kNodeName, name);
  message.add(field::kNodeOperator, std::string_view("Identity"));
  graph_.add(field::kGraphNode, message);
  graph_.add(field::kGraphOutput, value_info(name, type, dimensions));
}

std::string OnnxGraph::file(const std::string& description,
                            const std::vector<std::pair<std::string, std::string>>& notes) const {
  ProtobufMessage graph = graph_, opset, model;
  graph.add(field::kGraphName, std::string_view("quench"));
  opset.add(field::kOpsetVersion, kOnnxOpset);
  model.add(field::kModelIrVersion, kIrVersion);
  model.add(field::kModelProducer, std::string_view("quench"));
  model.add(field::kModelDescription, description);
  model.add(field::kModelGraph, graph);
  model.add(field::kModelOpset, opset);
  for (const auto& [key, value] : notes) {
    ProtobufMessage note;
    note.add(field::kNoteKey, key);
    note.add(field::kNoteValue, value);
    model.add(field::kModelNotes, note);
  }
  return model.bytes();
}

}  // namespace quench::exports
