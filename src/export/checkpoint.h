// Named tensors of any rank, and the .safetensors file that holds them: what other people's tools load.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/number/matrix.h"
#include "model/file/safetensors.h"

namespace quench::exports {

struct NamedTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<double> data;  ///< row-major
};

/// A list that grows by name.
class Checkpoint {
 public:
  void add(std::string name, const Matrix& matrix);
  void add(std::string name, const std::vector<double>& vector);
  /// Matrices of one shape as a tensor of rank 3.
  void add(std::string name, const std::vector<Matrix>& stack);
  void add_constant(std::string name, std::vector<std::uint64_t> shape, double value = 0);

  const std::vector<NamedTensor>& tensors() const { return tensors_; }
  /// The file, every number rounded to `type`, which is F32 or F64. Throws UserError if one lies beyond its range.
  std::string bytes(model::TensorType type, const std::vector<std::pair<std::string, std::string>>& metadata) const;

 private:
  std::vector<NamedTensor> tensors_;
};

/// The bytes of the numbers, little endian.
std::string little_endian_bytes(const std::vector<double>& values, model::TensorType type, const std::string& name);

}  // namespace quench::exports
