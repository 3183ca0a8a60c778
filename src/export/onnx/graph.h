// A graph of ONNX operators under construction, and its file. Values are known by their names; every method that makes
// one returns the name. Knows operators only by their spelling: what is computed is said by the files beside this one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/number/matrix.h"
#include "export/onnx/protobuf.h"
#include "model/file/safetensors.h"

namespace quench::exports {

inline constexpr int kOnnxOpset = 17;

/// ONNX's numbers for element types.
enum class OnnxType : std::int64_t { f32 = 1, i64 = 7, boolean = 9, f64 = 11 };

class OnnxGraph {
 public:
  using Value = std::string;
  using Attributes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;  ///< one number, or a list: "axes"

  /// `real` is the type of weights and activations.
  explicit OnnxGraph(model::TensorType real);
  OnnxType real() const { return real_; }

  Value node(const std::string& op, const std::vector<Value>& inputs, const Attributes& attributes = {});
  Value cast(const Value& value, OnnxType to);

  Value integer(std::int64_t value);
  Value integers(const std::vector<std::int64_t>& values);
  Value real_number(double value);
  Value double_number(double value);
  Value doubles(const std::vector<double>& values);
  Value weights(const std::string& name, const Matrix& matrix);
  Value weights(const std::string& name, const std::vector<double>& vector);

  /// A dimension is a number, or a name for one that is known only when the graph runs.
  void input(const std::string& name, OnnxType type, const std::vector<std::string>& dimensions);
  void output(const std::string& name, const Value& value, OnnxType type, const std::vector<std::string>& dimensions);

  std::string file(const std::string& description, const std::vector<std::pair<std::string, std::string>>& notes) const;

 private:
  Value tensor(const std::string& name, OnnxType type, const std::vector<std::uint64_t>& shape,
               const std::string& bytes);
  Value reals(const std::string& name, OnnxType type, const std::vector<std::uint64_t>& shape,
              const std::vector<double>& values);
  std::string fresh(const std::string& stem);

  OnnxType real_;
  ProtobufMessage graph_;
  std::map<std::string, Value> constants_;  ///< by what they hold, so that none is there twice
  std::map<std::string, int> used_;
};

}  // namespace quench::exports
